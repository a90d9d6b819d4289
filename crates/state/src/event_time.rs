//! Event time: the latest time of each network element's records in a node. Matching and timers use
//! it.

use store::{Connection, OptionalExtension as _, QueryResult, params};

/// Returns the latest time of a network element's records in a node, in milliseconds since 1970.
pub(crate) fn watermark(
    db: &Connection,
    node: &str,
    network_element: &str,
) -> QueryResult<Option<i64>> {
    let select = "SELECT time_ms FROM watermark WHERE node = ? AND network_element = ?";
    db.prepare_cached(select)?.query_row([node, network_element], |row| row.get(0)).optional()
}

/// Writes the time of a record, unless a later one is stored.
pub(crate) fn note(
    db: &Connection,
    node: &str,
    network_element: &str,
    time_ms: i64,
) -> QueryResult<()> {
    let insert = "INSERT INTO watermark (node, network_element, time_ms) VALUES (?, ?, ?)
                  ON CONFLICT DO UPDATE SET time_ms = max(time_ms, excluded.time_ms)";
    db.prepare_cached(insert)?.execute(params![node, network_element, time_ms]).map(drop)
}
