//! Keys that are erased: their entries are not found from the transaction on that erases them, and the thread removes them from the
//! files.

use std::collections::HashMap;

use store::{Connection, QueryResult, params};

use super::indexes;

/// The keys that are to be removed from the index of a node, by their digests: each with the last job whose entries go.
pub type Erasures = HashMap<u64, i64>;

/// Erases keys from all indexes, by their digests. Entries of later jobs stay.
pub fn erase(db: &Connection, digests: &[u64]) -> QueryResult<()> {
    // The deltas of a node that is gone may be gone, too.
    let insert = "INSERT INTO key_index_erasure VALUES
                      (?1, ?2, CASE WHEN ?3 IS NULL THEN (SELECT ifnull(max(id), 0) FROM file)
                          ELSE max(?3, (SELECT ifnull(max(job), 0) FROM state_delta WHERE node = ?1)) END)
                  ON CONFLICT DO UPDATE SET job = max(job, excluded.job)";
    let mut insert = db.prepare_cached(insert)?;
    for index in indexes(db)? {
        for digest in digests {
            insert.execute(params![index.node, digest.cast_signed(), index.through])?;
        }
    }
    Ok(())
}

/// Returns the keys that are to be removed from the index of a node.
pub fn erasures(db: &Connection, node: &str) -> QueryResult<Erasures> {
    let select = "SELECT digest, job FROM key_index_erasure WHERE node = ?";
    let erasure = |row: &store::Row<'_>| Ok((row.get::<_, i64>(0)?.cast_unsigned(), row.get(1)?));
    db.prepare_cached(select)?.query_map([node], erasure)?.collect()
}

/// Notes that keys were removed from the index of a node.
pub(super) fn done(db: &Connection, node: &str, erased: &Erasures) -> QueryResult<()> {
    let delete = "DELETE FROM key_index_erasure WHERE node = ? AND digest = ? AND job = ?";
    let mut delete = db.prepare_cached(delete)?;
    erased.iter().try_for_each(|(digest, job)| {
        delete.execute(params![node, digest.cast_signed(), job]).map(drop)
    })
}
