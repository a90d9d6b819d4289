//! The trail: what people did to what a gateway keeps, and why. It lies in the journal; an entry is made in the
//! transaction of what it tells of, so that there is neither without the other.

use std::path::Path;

use runtime::time::{now_ms, shown};
use serde::Serialize;
use store::{Answer, Connection, Row, params};

use crate::flow_journal::{self, JournalError};
use crate::recent::Recent;

/// What somebody did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deed<'d> {
    pub(crate) who: &'d str,
    /// As the command that does it: `suspense discard`.
    pub(crate) action: &'d str,
    /// To what.
    pub(crate) subject: &'d str,
    pub(crate) reason: &'d str,
    /// What it changed, where that is one thing.
    pub(crate) change: Option<(&'d str, &'d str)>,
}

impl Deed<'_> {
    /// Makes its entry; returns the number of that.
    pub(crate) fn note(self, db: &Connection) -> Answer<i64> {
        let Deed { who, action, subject, reason, change } = self;
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
pub(crate) fn forget_changes(db: &Connection, before_ms: i64) -> Answer<()> {
    const FORGET: &str = "UPDATE trail SET before = NULL, after = NULL
         WHERE at_ms < ? AND (before IS NOT NULL OR after IS NOT NULL)";
    db.prepare_cached(FORGET)?.execute([before_ms]).map(drop)
}

/// An entry of the trail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
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

/// Entries that are read at once: who reads them slowly keeps the journal from nothing meanwhile.
const PAGE: u32 = 1_000;

/// Gives the trail of a flow, the oldest entry first, whether a gateway runs it or not; until an entry is not taken.
pub fn trail<E>(
    flow: &Path,
    mut give: impl FnMut(Entry) -> Result<(), E>,
) -> Result<Result<(), E>, JournalError> {
    let mut last = 0;
    loop {
        let page = flow_journal::read(flow, |db| page(db, last))?;
        let Some(end) = page.last() else { return Ok(Ok(())) };
        last = end.id;
        if let Err(error) = page.into_iter().try_for_each(&mut give) {
            return Ok(Err(error));
        }
    }
}

/// The last entries, the newest first, and whether there are more.
pub fn recent(flow: &Path, asked: Recent) -> Result<(Vec<Entry>, bool), JournalError> {
    flow_journal::read(flow, |db| {
        let mut select =
            db.prepare(&format!("{SELECT} WHERE id < ? ORDER BY id DESC LIMIT ? + 1"))?;
        let rows = select.query_map(params![asked.before(), asked.limit], Entry::of)?;
        Ok(asked.cut(rows.collect::<Answer<_>>()?))
    })
}

/// Notes what somebody did to a gateway that the journal has nothing else of: to its flow, or who may change it.
pub fn note(
    flow: &Path,
    who: &str,
    action: &str,
    subject: &str,
    reason: &str,
) -> Result<(), JournalError> {
    let deed = Deed { who, action, subject, reason, change: None };
    flow_journal::change(flow, |db| deed.note(db).map(drop))
}

/// The entries behind one.
fn page(db: &Connection, last: i64) -> Answer<Vec<Entry>> {
    let mut select = db.prepare(&format!("{SELECT} WHERE id > ? ORDER BY id LIMIT ?"))?;
    select.query_map(params![last, PAGE], Entry::of)?.collect()
}

const SELECT: &str = "SELECT id, at_ms, who, action, subject, reason, before, after FROM trail";

impl Entry {
    fn of(row: &Row<'_>) -> Answer<Self> {
        Ok(Entry {
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
