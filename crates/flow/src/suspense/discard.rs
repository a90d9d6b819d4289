//! Giving records up.

use std::path::Path;

use journal::audit_trail::Action;
use store::{Answer, params};

use super::{Filter, IS_CHOSEN, State};
use crate::definition::flow_journal;
use crate::definition::flow_journal::JournalError;

/// What became of records that somebody wanted to give up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Discarded {
    /// How many were.
    pub records: usize,
    /// How many were left, since they are to be retried, as somebody asked: a gateway may be at it.
    pub to_be_retried: usize,
}

/// Discards records that are open and that nobody has asked to be retried. They stay listed, with the reason.
pub fn discard(
    flow: &Path,
    filter: &Filter,
    who: &str,
    reason: &str,
) -> Result<Discarded, JournalError> {
    flow_journal::change(flow, |db| {
        let chosen = Filter { state: Some(State::Open), ..filter.clone() }.choose(db)?;
        let free = format!("{IS_CHOSEN} AND asked IS NULL");
        let select = format!("SELECT id FROM suspense WHERE {free} ORDER BY id");
        let mut select = db.prepare(&select)?;
        let ids = select.query_map([&chosen], |row| row.get(0))?;
        let ids: Vec<i64> = ids.collect::<Answer<_>>()?;
        let select =
            format!("SELECT count(*) FROM suspense WHERE {IS_CHOSEN} AND asked IS NOT NULL");
        let left: i64 = db.query_row(&select, [&chosen], |row| row.get(0))?;
        let discarded = Discarded { records: ids.len(), to_be_retried: left as usize };
        if ids.is_empty() {
            return Ok(discarded);
        }
        let subject = filter.subject(&ids);
        let deed =
            Action { who, action: "suspense discard", subject: &subject, reason, change: None };
        let update =
            format!("UPDATE suspense SET state = 'discarded', discarded = ?2 WHERE {free}");
        db.execute(&update, params![chosen, deed.record(db)?])?;
        Ok(discarded)
    })
}
