//! The time that the records of network elements have reached in nodes. It is the time of matching and of timers.

use store::{Answer, Connection, OptionalExtension as _, params};

/// Returns the latest time that a record of a network element had in a node, in milliseconds since 1970.
pub(crate) fn watermark(db: &Connection, node: &str, network_element: &str) -> Answer<Option<i64>> {
    let select = "SELECT time_ms FROM watermark WHERE node = ? AND network_element = ?";
    db.prepare_cached(select)?.query_row([node, network_element], |row| row.get(0)).optional()
}

/// Notes the time of a record. A time that is not later than the one before changes nothing.
pub(crate) fn note(db: &Connection, node: &str, network_element: &str, time_ms: i64) -> Answer<()> {
    let insert = "INSERT INTO watermark (node, network_element, time_ms) VALUES (?, ?, ?)
                  ON CONFLICT DO UPDATE SET time_ms = max(time_ms, excluded.time_ms)";
    db.prepare_cached(insert)?.execute(params![node, network_element, time_ms]).map(drop)
}
