//! How often entries of lists mattered: one that never does is dead.

use std::collections::HashMap;

use node::ListHit;
use runtime::time::shown;
use serde::{Deserialize, Serialize};
use store::{Connection, QueryResult, params};
use utoipa::ToSchema;

/// How often an entry of a list mattered to a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ListHits {
    /// How often.
    pub hits: i64,
    /// The time of the last record.
    pub last: String,
}

/// Counts entries of lists that mattered to rules.
pub fn hit(db: &Connection, hits: &[ListHit]) -> QueryResult<()> {
    let insert = "INSERT INTO list_hit VALUES (?, ?, 1, ?)
                  ON CONFLICT DO UPDATE SET hits = hits + 1, last_ms = max(last_ms, excluded.last_ms)";
    let mut insert = db.prepare_cached(insert)?;
    for ListHit { list, entry, at_s } in hits {
        insert.execute(params![list, entry, i64::from(*at_s) * 1_000])?;
    }
    Ok(())
}

/// Returns the hits of the entries of a list.
pub fn hits(db: &Connection, list: &str) -> QueryResult<HashMap<String, ListHits>> {
    let select = "SELECT entry, hits, last_ms FROM list_hit WHERE list = ?";
    let mut select = db.prepare_cached(select)?;
    let rows = select.query_map([list], |row| {
        let hits = ListHits { hits: row.get(1)?, last: shown(row.get(2)?) };
        Ok((row.get(0)?, hits))
    })?;
    rows.collect()
}
