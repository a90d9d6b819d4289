//! Reopens records that were discarded.

use journal::audit_trail::Author;
use store::{Connection, QueryResult, params};

use super::{Filter, IS_CHOSEN, State};

/// Reopens discarded records, and returns how many. They keep the audit entry of the discard, and get another of this.
pub fn reopen(
    db: &Connection,
    filter: &Filter,
    author: &Author<'_>,
    reason: &str,
) -> QueryResult<usize> {
    let chosen = Filter { state: Some(State::Discarded), ..filter.clone() }.choose(db)?;
    let select = format!("SELECT id FROM suspense WHERE {IS_CHOSEN} ORDER BY id");
    let mut select = db.prepare(&select)?;
    let ids = select.query_map([&chosen], |row| row.get(0))?;
    let ids: Vec<i64> = ids.collect::<QueryResult<_>>()?;
    if ids.is_empty() {
        return Ok(0);
    }
    let entry = author.record(db, &filter.subject(&ids), reason)?;
    let update = format!("UPDATE suspense SET state = ?2, reopened = ?3 WHERE {IS_CHOSEN}");
    db.execute(&update, params![chosen, State::Open.word(), entry])?;
    Ok(ids.len())
}
