//! Accepting that numbers are lost: somebody has looked into it, says why, and is no longer told. What comes after all
//! is late all the same.

use std::ops::Range;
use std::path::Path;

use store::{Answer, Connection, params};

use super::book::{Of, cut, missing, subject};
use super::counter::Counter;
use super::news::News;
use crate::journal::{self, JournalError};
use crate::time::now_ms;

/// What is accepted to be lost, by whom, and why.
#[derive(Clone, Debug)]
pub struct Acceptance {
    /// Of this network element.
    pub network_element: String,
    /// Files or records.
    pub of: Of,
    /// Of this series; empty where there are none.
    pub series: String,
    /// The first number and the last, which is less where the counter went round.
    pub numbers: (i64, i64),
    /// Who accepts it.
    pub by: String,
    /// Why.
    pub reason: String,
}

/// Accepts that numbers are lost, as many of them as are missing; how many that are. A gateway may run meanwhile.
pub fn accept_missing(flow: &Path, acceptance: &Acceptance) -> Result<i64, JournalError> {
    journal::change(flow, |db| accept(db, acceptance, now_ms()))
}

fn accept(db: &Connection, acceptance: &Acceptance, now_ms: i64) -> Answer<i64> {
    let Acceptance { network_element, of, series, by, reason, .. } = acceptance;
    let mut select = db.prepare(
        "SELECT id, first, last FROM counter
         WHERE network_element = ? AND of = ? AND series = ?",
    )?;
    let counters = select.query_map(params![network_element, of.name(), series], |row| {
        Ok((row.get(0)?, Counter::as_noted(row.get(1)?, row.get(2)?)))
    })?;
    let counters: Vec<(i64, Counter)> = counters.collect::<Answer<_>>()?;
    let mut accepted = 0;
    let mut news = News::default();
    for (id, counter) in counters {
        while let Some(Found { row, gap, part }) = next(db, id, &counter, acceptance.numbers)? {
            cut(db, row, &gap, &part)?;
            db.execute(
                "UPDATE gap SET accepted_ms = ?, accepted_by = ?, accepted_for = ? WHERE rowid = ?",
                params![now_ms, by, reason, row],
            )?;
            accepted += part.end - part.start;
        }
        let subject = subject(network_element, *of, series);
        news.is_missing(&subject, &counter, &missing(db, id)?);
    }
    news.tell(db, now_ms)?;
    Ok(accepted)
}

/// A gap that nobody has accepted, and the part of it that is meant.
struct Found {
    row: i64,
    gap: Range<i64>,
    part: Range<i64>,
}

/// The first gap in which there are such numbers.
fn next(db: &Connection, id: i64, counter: &Counter, numbers: (i64, i64)) -> Answer<Option<Found>> {
    let parts = missing(db, id)?.into_iter();
    let mut parts = parts.filter_map(|gap| Some((counter.part(&gap, numbers)?, gap)));
    let Some((part, gap)) = parts.next() else { return Ok(None) };
    db.prepare_cached(
        "SELECT rowid FROM gap WHERE counter = ? AND start = ? AND closed_ms IS NULL",
    )?
    .query_row(params![id, gap.start], |row| row.get(0))
    .map(|row| Some(Found { row, gap, part }))
}
