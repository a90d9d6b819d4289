//! Taking back that records were given up.

use std::path::Path;

use store::{Answer, params};

use super::{State, filter};
use crate::journal::{self, JournalError};
use crate::trail::Deed;

/// Opens records that were discarded, by their numbers; how many. Each has an entry in the trail, and keeps that of its
/// end.
pub fn reopen(flow: &Path, ids: &[i64], who: &str, reason: &str) -> Result<usize, JournalError> {
    let chosen = serde_json::to_string(ids).expect("numbers");
    journal::change(flow, |db| {
        let mut update = db.prepare(
            "UPDATE suspense SET state = ?1 WHERE state = ?2 AND id IN (SELECT value FROM json_each(?3))
             RETURNING id",
        )?;
        let states = [State::Open, State::Discarded].map(State::word);
        let opened = update.query_map(params![states[0], states[1], chosen], |row| row.get(0))?;
        let mut opened: Vec<i64> = opened.collect::<Answer<_>>()?;
        opened.sort_unstable();
        for id in &opened {
            let subject = filter::subject(*id);
            let action = filter::REOPEN;
            Deed { who, action, subject: &subject, reason, change: None }.note(db)?;
        }
        Ok(opened.len())
    })
}
