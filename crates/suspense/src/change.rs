//! Changes to records in suspense that users ask for: other octets, and requests for a retry.

use store::{Connection, QueryResult, params};

use super::IS_CHOSEN;
use super::checksum::digest;

/// Replaces the octets of a record. The first octets stay in the journal beside them.
pub fn replace_octets(db: &Connection, id: i64, octets: &[u8]) -> QueryResult<()> {
    let update = "UPDATE suspense SET came = ifnull(came, octets), octets = ?, octets_digest = ? WHERE id = ?";
    db.execute(update, params![octets, digest(octets), id]).map(drop)
}

/// Requests a retry of records, by an entry of the audit trail.
pub fn request(db: &Connection, ids: &[i64], entry: i64) -> QueryResult<()> {
    let update = format!("UPDATE suspense SET asked = ?2 WHERE {IS_CHOSEN}");
    let ids = serde_json::to_string(ids).expect("numbers");
    db.execute(&update, params![ids, entry]).map(drop)
}

/// Withdraws the requests of the chosen records (a JSON list). Returns the numbers of those that had one, in order.
pub fn withdraw(db: &Connection, chosen: &str) -> QueryResult<Vec<i64>> {
    let update = format!(
        "UPDATE suspense SET asked = NULL WHERE {IS_CHOSEN} AND asked IS NOT NULL RETURNING id"
    );
    let mut update = db.prepare(&update)?;
    let mut ids =
        update.query_map([chosen], |row| row.get(0))?.collect::<QueryResult<Vec<i64>>>()?;
    ids.sort_unstable();
    Ok(ids)
}
