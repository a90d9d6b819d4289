//! Reopens records that were discarded.

use std::path::Path;

use journal::audit_trail::Action;
use store::{Answer, params};

use super::{Filter, IS_CHOSEN, State, filter};
use flow::flow_journal;
use flow::flow_journal::JournalError;

/// Reopens discarded records, and returns how many. They keep the audit entry of the discard, and get another of this.
pub fn reopen(
    flow: &Path,
    filter: &Filter,
    who: &str,
    reason: &str,
) -> Result<usize, JournalError> {
    flow_journal::change(flow, |db| {
        let discarded = Filter { state: Some(State::Discarded), ..filter.clone() };
        let chosen = discarded.choose(db)?;
        let select = format!("SELECT id FROM suspense WHERE {IS_CHOSEN} ORDER BY id");
        let mut select = db.prepare(&select)?;
        let ids = select.query_map([&chosen], |row| row.get(0))?;
        let ids: Vec<i64> = ids.collect::<Answer<_>>()?;
        if ids.is_empty() {
            return Ok(0);
        }
        let subject = filter.subject(&ids);
        let action = filter::REOPEN;
        let entry = Action { who, action, subject: &subject, reason, change: None }.record(db)?;
        let update = format!("UPDATE suspense SET state = ?2, reopened = ?3 WHERE {IS_CHOSEN}");
        db.execute(&update, params![chosen, State::Open.word(), entry])?;
        Ok(ids.len())
    })
}
