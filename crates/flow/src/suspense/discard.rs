//! Giving records up.

use std::path::Path;

use store::{Answer, params};

use super::{Filter, IS_CHOSEN, State};
use crate::journal::{self, JournalError};
use crate::trail::Deed;

/// Discards records that are open and that nobody has asked to be retried; how many. They stay listed, with the reason.
pub fn discard(
    flow: &Path,
    filter: &Filter,
    who: &str,
    reason: &str,
) -> Result<usize, JournalError> {
    journal::change(flow, |db| {
        let chosen = Filter { state: Some(State::Open), ..filter.clone() }.choose(db)?;
        let free = format!("{IS_CHOSEN} AND asked IS NULL");
        let select = format!("SELECT id FROM suspense WHERE {free} ORDER BY id");
        let mut select = db.prepare(&select)?;
        let ids = select.query_map([&chosen], |row| row.get(0))?;
        let ids: Vec<i64> = ids.collect::<Answer<_>>()?;
        if ids.is_empty() {
            return Ok(0);
        }
        let subject = filter.subject(&ids);
        let deed =
            Deed { who, action: "suspense discard", subject: &subject, reason, change: None };
        let update =
            format!("UPDATE suspense SET state = 'discarded', discarded = ?2 WHERE {free}");
        db.execute(&update, params![chosen, deed.note(db)?])?;
        Ok(ids.len())
    })
}
