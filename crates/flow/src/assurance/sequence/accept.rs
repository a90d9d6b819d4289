//! Accepting that numbers are lost: somebody has looked into it, says why, and is no longer told. What comes after all
//! is late all the same.

use std::ops::Range;
use std::path::Path;

use diagnostics::counted;
use journal::audit_trail::Action;
use runtime::time::now_ms;
use store::{Answer, Connection, params};

pub(crate) use crate::assurance::sequence::book::{Of, cut, missing, subject};
use crate::assurance::sequence::counter::Counter;
use crate::assurance::sequence::news::News;
use crate::definition::flow_journal;
use crate::definition::flow_journal::JournalError;
use crate::definition::names;

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

/// Why nothing was accepted.
#[derive(Debug, thiserror::Error)]
pub enum AcceptError {
    /// The journal refuses.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Nothing of that name is counted.
    #[error("{0} are not counted: nothing was accepted")]
    Uncounted(String),
    /// More than half of all numbers lie between them: the two were swapped.
    #[error(
        "{first}-{last} goes round, by most numbers there are: {last}-{first} was meant? Nothing was accepted"
    )]
    Swapped {
        /// The first number.
        first: i64,
        /// The last.
        last: i64,
    },
    /// All of them came, or are accepted, or are still to come.
    #[error("none of them is missing: nothing was accepted. {0}")]
    NotMissing(String),
}

/// Accepts that numbers are lost, as many of them as are missing; how many that are. A gateway may run meanwhile.
pub fn accept_missing(flow: &Path, acceptance: &Acceptance) -> Result<i64, AcceptError> {
    names::known(flow, Some(&acceptance.network_element))?;
    flow_journal::change(flow, |db| accept(db, acceptance, now_ms()))?
}

fn accept(
    db: &Connection,
    acceptance: &Acceptance,
    now_ms: i64,
) -> Answer<Result<i64, AcceptError>> {
    let Acceptance { network_element, of, series, numbers, .. } = acceptance;
    let subject = subject(network_element, *of, series);
    let counters = counters(db, acceptance)?;
    if counters.is_empty() {
        return Ok(Err(AcceptError::Uncounted(subject)));
    }
    let (first, last) = *numbers;
    if counters.iter().all(|(_, counter)| counter.goes_far_round(first, last)) {
        return Ok(Err(AcceptError::Swapped { first, last }));
    }
    let (mut accepted, mut news) = (0, News::default());
    for (id, counter) in &counters {
        while let Some(Found { row, gap, part }) = next(db, *id, counter, *numbers)? {
            cut(db, row, &gap, &part)?;
            db.execute(
                "UPDATE gap SET accepted_ms = ?, accepted_by = ?, accepted_for = ? WHERE rowid = ?",
                params![now_ms, acceptance.by, acceptance.reason, row],
            )?;
            accepted += part.end - part.start;
        }
        news.is_missing(&subject, counter, &missing(db, *id)?);
    }
    if accepted == 0 {
        return Ok(Err(AcceptError::NotMissing(news.so(&subject))));
    }
    news.tell(db, now_ms)?;
    acceptance.deed(db, accepted)?;
    Ok(Ok(accepted))
}

/// What numbers are of what is meant: more than one counter where it was counted from and to others before.
fn counters(db: &Connection, acceptance: &Acceptance) -> Answer<Vec<(i64, Counter)>> {
    let Acceptance { network_element, of, series, .. } = acceptance;
    let mut select = db.prepare(
        "SELECT id, first, last FROM counter
         WHERE network_element = ? AND of = ? AND series = ?",
    )?;
    let counters = select.query_map(params![network_element, of.name(), series], |row| {
        Ok((row.get(0)?, Counter::as_noted(row.get(1)?, row.get(2)?)))
    })?;
    counters.collect()
}

impl Acceptance {
    /// Numbers as people write them, `17` or `17-19`; the message says what is to be written.
    pub fn numbers_of(text: &str) -> Result<(i64, i64), String> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        match (first.trim().parse(), last.trim().parse()) {
            (Ok(first), Ok(last)) => Ok((first, last)),
            _ => Err("write a number, or the first and the last: 17-19".into()),
        }
    }

    /// Notes it in the trail.
    fn deed(&self, db: &Connection, accepted: i64) -> Answer<()> {
        let Acceptance { network_element, of, series, numbers: (first, last), by, reason } = self;
        let count = counted(accepted as usize, "number");
        let of = subject(network_element, *of, series);
        let subject = format!("{count}: {of}, {first} to {last}");
        let action = "sequence --accept";
        Action { who: by, action, subject: &subject, reason, change: None }.record(db).map(drop)
    }
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
