//! What the journal forgets of files that were done long ago, so that it does not grow for ever.

use std::time::Duration;

use store::{Answer, Connection, StoreError, params};

use crate::journal::Journal;
use crate::prepare::Prepared;

/// How long files are kept in the journal, if nothing is said.
const KEPT: Duration = Duration::from_secs(400 * 24 * 60 * 60);

/// Files that are forgotten in one transaction, so that no file waits long to be noted.
const FILES_AT_ONCE: u32 = 500;

/// Files that may be forgotten: wholly done, with nothing of them in suspense, and not what another came from.
const FORGETTABLE: &str = "SELECT id FROM file WHERE done_ms < ?1 AND finished AND marked
         AND NOT EXISTS (SELECT 1 FROM suspense WHERE suspense.file = file.id AND state = 'open')
         AND NOT EXISTS (SELECT 1 FROM file AS later WHERE later.retry_of = file.id)
         AND NOT EXISTS (SELECT 1 FROM file AS later WHERE later.duplicate_of = file.id)
     ORDER BY done_ms LIMIT ?2";

/// What hangs on a file. The rest goes with it by itself.
const OF_FILE: [&str; 5] = [
    "DELETE FROM suspense WHERE file = ?",
    "DELETE FROM noted WHERE file = ?",
    "DELETE FROM passage WHERE file = ?",
    "DELETE FROM amount WHERE file = ?",
    "DELETE FROM file WHERE id = ?",
];

/// Forgets what is older than the flow keeps, but nothing by which a duplicate is known.
pub(crate) fn forget(flow: &Prepared, journal: &Journal) -> Result<Forgotten, StoreError> {
    let windows = flow.elements.iter().map(|element| element.duplicates.window());
    let remembered = flow.graph.nodes.iter().filter_map(|node| node.template.remembers());
    let windows = windows.chain(remembered.map(|remembers| remembers.window()));
    let kept = windows.fold(flow.kept.unwrap_or(KEPT), Duration::max);
    let before =
        journal.now_ms().saturating_sub(i64::try_from(kept.as_millis()).unwrap_or(i64::MAX));
    journal.commit(move |db| {
        let over = "DELETE FROM alarm WHERE cleared_ms < ?";
        db.prepare_cached(over)?.execute([before]).map(drop)
    })?;
    let forgotten = journal.commit(move |db| forget_some(db, before))?;
    Ok(if forgotten < FILES_AT_ONCE { Forgotten::All } else { Forgotten::Some })
}

/// Whether there is more to forget: work goes on between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Forgotten {
    All,
    Some,
}

/// Forgets some files that were done before a time; returns how many.
fn forget_some(db: &Connection, before: i64) -> Answer<u32> {
    let some: Vec<i64> = db
        .prepare_cached(FORGETTABLE)?
        .query_map(params![before, FILES_AT_ONCE], |row| row.get(0))?
        .collect::<Answer<_>>()?;
    for delete in OF_FILE {
        let mut delete = db.prepare_cached(delete)?;
        some.iter().try_for_each(|file| delete.execute([file]).map(drop))?;
    }
    Ok(some.len() as u32)
}
