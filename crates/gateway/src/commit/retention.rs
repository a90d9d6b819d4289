//! Files and jobs that the journal may forget.

use store::{Connection, QueryResult, params};

use journal::{JobId, for_each};

/// Files and jobs that may be forgotten. They are done and marked, and nothing of them is in suspense, in a group that
/// waits, or in a transfer that is not delivered. No retry or duplicate refers to them. A file that was gone before it
/// was marked stays, since it may come back. The last file stays while state in memory has its number: the next file must
/// not get a number again.
const FORGETTABLE: &str =
    "SELECT id, done_ms FROM file WHERE done_ms < ?1 AND finished AND marked = 1
         AND NOT EXISTS (SELECT 1 FROM set_aside WHERE set_aside.file = file.id AND state = 'open')
         AND NOT EXISTS (SELECT 1 FROM held_missing WHERE held_missing.file = file.id AND is_open)
         AND NOT EXISTS (SELECT 1 FROM held WHERE held.file = file.id AND waiting > 0)
         AND NOT EXISTS (
             SELECT 1 FROM delivery WHERE delivery.file = file.id AND state <> 'delivered' AND discarded IS NULL)
         AND NOT EXISTS (SELECT 1 FROM slice WHERE slice.file = file.id AND (slice.delivery IS NULL OR EXISTS (
             SELECT 1 FROM delivery WHERE delivery.id = slice.delivery AND state <> 'delivered' AND discarded IS NULL)))
         AND NOT EXISTS (SELECT 1 FROM file AS later WHERE later.retry_of = file.id)
         AND NOT EXISTS (SELECT 1 FROM file AS later WHERE later.duplicate_of = file.id)
         AND (id < (SELECT max(id) FROM file)
             OR NOT EXISTS (SELECT 1 FROM state_delta) AND NOT EXISTS (SELECT 1 FROM state_snapshot))
     ORDER BY done_ms LIMIT ?2";

/// Returns files and jobs that were done before a time and may be forgotten, the oldest first, and when the last of
/// them was done.
pub(crate) fn forgettable(
    db: &Connection,
    before_ms: i64,
    at_most: u32,
) -> QueryResult<(Vec<JobId>, Option<i64>)> {
    let rows: Vec<(i64, i64)> = db
        .prepare_cached(FORGETTABLE)?
        .query_map(params![before_ms, at_most], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<QueryResult<_>>()?;
    let last_ms = rows.last().map(|(_, done_ms)| *done_ms);
    Ok((rows.into_iter().map(|(job, _)| JobId(job)).collect(), last_ms))
}

/// Deletes files and jobs. The caller deletes the rows of other rooms first; their outputs go with them.
pub(crate) fn prune_files(db: &Connection, jobs: &[JobId]) -> QueryResult<()> {
    for_each(db, "DELETE FROM passage WHERE file = ?", jobs)?;
    for_each(db, "DELETE FROM file WHERE id = ?", jobs)
}
