//! Deletes old rows of the counts.

use store::{Connection, QueryResult, params};

use journal::Pruned;

/// The most rows that one statement deletes.
const ROWS_AT_ONCE: u32 = 5_000;

/// The statements. Each deletes the oldest rows first, in the order in which they were inserted.
const TOO_OLD: [&str; 4] = [
    "DELETE FROM arrival WHERE at_ms < ?1
         AND rowid IN (SELECT rowid FROM arrival ORDER BY rowid LIMIT ?2)",
    "DELETE FROM total WHERE at_ms < ?1 AND rowid IN (SELECT rowid FROM total ORDER BY rowid LIMIT ?2)",
    "DELETE FROM unnumbered WHERE at_ms < ?1
         AND rowid IN (SELECT rowid FROM unnumbered ORDER BY rowid LIMIT ?2)",
    "DELETE FROM gap WHERE closed_ms < ?1
         AND rowid IN (SELECT rowid FROM gap WHERE closed_ms IS NOT NULL ORDER BY rowid LIMIT ?2)",
];

/// Deletes some of the rows from before a time.
pub fn prune(db: &Connection, before_ms: i64) -> QueryResult<Pruned> {
    let mut pruned = Pruned::All;
    for delete in TOO_OLD {
        let deleted = db.prepare_cached(delete)?.execute(params![before_ms, ROWS_AT_ONCE])?;
        if deleted == ROWS_AT_ONCE as usize {
            pruned = Pruned::Some;
        }
    }
    Ok(pruned)
}
