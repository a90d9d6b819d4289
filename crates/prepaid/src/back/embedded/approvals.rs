//! Calls that wait for a second person, as they are stored.

use store::{Connection, OptionalExtension as _, QueryResult, Row, params};

use crate::approvals::StoredRequest;

const COLUMNS: &str = "number, at_ms, who, call, subject, because, request";

fn of_row(row: &Row<'_>) -> QueryResult<StoredRequest> {
    Ok(StoredRequest {
        number: row.get(0)?,
        at: row.get(1)?,
        who: row.get(2)?,
        call: row.get(3)?,
        subject: row.get(4)?,
        because: row.get(5)?,
        request: row.get(6)?,
    })
}

/// Stores a request; its number is not counted. Returns the number of the stored one, or of the same call that waits already,
/// and whether it is new.
pub(super) fn insert(db: &Connection, request: &StoredRequest) -> QueryResult<(i64, bool)> {
    let StoredRequest { number: _, at, who, call, subject, because, request } = request;
    let same = "SELECT number FROM approval_request WHERE call = ? AND request = ?";
    let known = db.query_row(same, params![call, request], |row| row.get(0)).optional()?;
    if let Some(number) = known {
        return Ok((number, false));
    }
    let insert = "INSERT INTO approval_request (at_ms, who, call, subject, because, request)
                  VALUES (?, ?, ?, ?, ?, ?) RETURNING number";
    let values = params![at, who, call, subject, because, request];
    Ok((db.query_row(insert, values, |row| row.get(0))?, true))
}

/// Returns a request that waits.
pub(super) fn find(db: &Connection, number: i64) -> QueryResult<Option<StoredRequest>> {
    let select = format!("SELECT {COLUMNS} FROM approval_request WHERE number = ?");
    db.query_row(&select, [number], of_row).optional()
}

/// Returns all requests that wait, the oldest first.
pub(super) fn all(db: &Connection) -> QueryResult<Vec<StoredRequest>> {
    let mut select =
        db.prepare(&format!("SELECT {COLUMNS} FROM approval_request ORDER BY number"))?;
    let rows = select.query_map([], of_row)?;
    rows.collect()
}

/// Returns how many wait.
pub(super) fn count(db: &Connection) -> QueryResult<usize> {
    db.query_row("SELECT count(*) FROM approval_request", [], |row| row.get::<_, u32>(0))
        .map(|count| count as usize)
}

/// Deletes a request. Returns whether it waited.
pub(super) fn delete(db: &Connection, number: i64) -> QueryResult<bool> {
    db.execute("DELETE FROM approval_request WHERE number = ?", [number]).map(|count| count > 0)
}
