//! The trail: what people did to what a gateway keeps, and why. It lies in the journal; an entry is made in the
//! transaction of what it tells of, so that there is neither without the other.

use std::path::Path;

use serde::Serialize;
use store::{Answer, Connection, params};

use crate::journal::{self, JournalError};
use crate::time::{now_ms, shown};

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

/// Gives the trail of a flow, the oldest entry first, whether a gateway runs it or not.
pub fn trail(flow: &Path, give: impl FnMut(Entry)) -> Result<(), JournalError> {
    journal::look(flow, |db| of_subject(db, None, give))
}

/// Gives the entries of one subject, or all.
pub(crate) fn of_subject(
    db: &Connection,
    subject: Option<&str>,
    mut give: impl FnMut(Entry),
) -> Answer<()> {
    let mut select = db.prepare(
        "SELECT id, at_ms, who, action, subject, reason, before, after FROM trail
         WHERE ?1 IS NULL OR subject = ?1 ORDER BY id",
    )?;
    let mut rows = select.query([subject])?;
    while let Some(row) = rows.next()? {
        give(Entry {
            id: row.get(0)?,
            at: shown(row.get(1)?),
            who: row.get(2)?,
            action: row.get(3)?,
            subject: row.get(4)?,
            reason: row.get(5)?,
            before: row.get(6)?,
            after: row.get(7)?,
        });
    }
    Ok(())
}
