//! The audit trail: what people did to a service. An entry is made in the transaction of what it tells of, so that there is
//! neither without the other.

use runtime::time::{now_ms, shown};
use serde::Serialize;
use store::{Answer, Connection, Row, params};

/// What somebody does.
#[derive(Clone, Copy, Debug)]
pub struct Action<'a> {
    /// Who.
    pub who: &'a str,
    /// As the command that does it: `suspense discard`.
    pub action: &'a str,
    /// To what.
    pub subject: &'a str,
    /// Why; nothing where no reason is asked for.
    pub reason: &'a str,
    /// What it was before and what it is now, where that is one thing.
    pub change: Option<(&'a str, &'a str)>,
}

impl Action<'_> {
    /// Makes its entry; returns the number of that.
    pub fn record(self, db: &Connection) -> Answer<i64> {
        let Action { who, action, subject, reason, change } = self;
        let (before, after) = change.unzip();
        db.prepare_cached(
            "INSERT INTO trail (at_ms, who, action, subject, reason, before, after)
             VALUES (?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![now_ms(), who, action, subject, reason, before, after])?;
        Ok(db.last_insert_rowid())
    }
}

/// Forgets what was changed before a time: what records were, and what they became, is about people. That somebody changed
/// it, and why, stays.
pub fn forget_changes(db: &Connection, before_ms: i64) -> Answer<()> {
    const FORGET: &str = "UPDATE trail SET before = NULL, after = NULL
         WHERE at_ms < ? AND (before IS NOT NULL OR after IS NOT NULL)";
    db.prepare_cached(FORGET)?.execute([before_ms]).map(drop)
}

/// An entry of the trail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AuditEntry {
    /// Its number.
    pub id: i64,
    /// When it was done, `2026-11-21T14:05:00Z`.
    pub at: String,
    /// By whom.
    pub who: String,
    /// As the command that does it: `suspense discard`.
    pub action: String,
    /// To what.
    pub subject: String,
    /// Why; nothing where no reason is asked for.
    pub reason: String,
    /// What it was before, where the change is of one thing.
    pub before: Option<String>,
    /// What it was then.
    pub after: Option<String>,
}

/// Entries of a page: who reads them slowly keeps the journal from nothing meanwhile.
const PAGE: u32 = 1_000;

const SELECT: &str = "SELECT id, at_ms, who, action, subject, reason, before, after FROM trail";

/// The entries behind the one of a number, the oldest first: some of them, or none where there are no more.
pub fn page(db: &Connection, last: i64) -> Answer<Vec<AuditEntry>> {
    let mut select = db.prepare(&format!("{SELECT} WHERE id > ? ORDER BY id LIMIT ?"))?;
    select.query_map(params![last, PAGE], AuditEntry::of)?.collect()
}

/// The newest of the entries before the one of a number, the newest first.
pub fn before(db: &Connection, id: i64, at_most: i64) -> Answer<Vec<AuditEntry>> {
    let mut select = db.prepare(&format!("{SELECT} WHERE id < ? ORDER BY id DESC LIMIT ?"))?;
    select.query_map(params![id, at_most], AuditEntry::of)?.collect()
}

impl AuditEntry {
    fn of(row: &Row<'_>) -> Answer<Self> {
        Ok(AuditEntry {
            id: row.get(0)?,
            at: shown(row.get(1)?),
            who: row.get(2)?,
            action: row.get(3)?,
            subject: row.get(4)?,
            reason: row.get(5)?,
            before: row.get(6)?,
            after: row.get(7)?,
        })
    }
}
