//! Discards records in suspense.

use journal::audit_trail::Author;
use store::{Connection, QueryResult, params};

use super::{Filter, IS_CHOSEN, State};

/// The result of a discard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Discarded {
    /// The number of records that were discarded.
    pub records: usize,
    /// The number that were left because a retry is requested: a gateway may be running it.
    pub to_be_retried: usize,
}

/// Discards open records without a requested retry. They stay listed, with the reason.
pub fn discard(
    db: &Connection,
    filter: &Filter,
    author: &Author<'_>,
    reason: &str,
) -> QueryResult<Discarded> {
    let chosen = Filter { state: Some(State::Open), ..filter.clone() }.choose(db)?;
    let free = format!("{IS_CHOSEN} AND asked IS NULL");
    let select = format!("SELECT id FROM suspense WHERE {free} ORDER BY id");
    let mut select = db.prepare(&select)?;
    let ids = select.query_map([&chosen], |row| row.get(0))?;
    let ids: Vec<i64> = ids.collect::<QueryResult<_>>()?;
    let select = format!("SELECT count(*) FROM suspense WHERE {IS_CHOSEN} AND asked IS NOT NULL");
    let left: i64 = db.query_row(&select, [&chosen], |row| row.get(0))?;
    let discarded = Discarded { records: ids.len(), to_be_retried: left as usize };
    if ids.is_empty() {
        return Ok(discarded);
    }
    let entry = author.record(db, &filter.subject(&ids), reason)?;
    let update = format!("UPDATE suspense SET state = 'discarded', discarded = ?2 WHERE {free}");
    db.execute(&update, params![chosen, entry])?;
    Ok(discarded)
}
