//! Accepts that numbers are lost: a user has checked them, gives a reason, and gets no more alarms about them. A number
//! that comes later still counts as late.

use std::ops::Range;

use diagnostics::counted;
use journal::audit_trail::Author;
use store::{Connection, QueryResult, params};

pub use crate::sequence::book::{Of, cut, missing, subject};
use crate::sequence::counter::Counter;
use crate::sequence::news::News;

/// The numbers that are accepted as lost, with the reason.
#[derive(Clone, Debug)]
pub struct Acceptance {
    /// The network element.
    pub network_element: String,
    /// Files or records.
    pub of: Of,
    /// The series; empty where there are none.
    pub series: String,
    /// The first and the last number. The last is smaller where the counter started over.
    pub numbers: (i64, i64),
    /// The reason.
    pub reason: String,
}

/// Why nothing was accepted.
#[derive(Debug, thiserror::Error)]
pub enum AcceptError {
    /// There is no counter of that name.
    #[error("{0} are not counted: nothing was accepted")]
    Uncounted(String),
    /// The range has more than half of all numbers: the two were swapped.
    #[error(
        "{first}-{last} goes round, by most numbers there are: {last}-{first} was meant? Nothing was accepted"
    )]
    Swapped {
        /// The first number.
        first: i64,
        /// The last number.
        last: i64,
    },
    /// All numbers came, are accepted, or are still to come.
    #[error("none of them is missing: nothing was accepted. {0}")]
    NotMissing(String),
}

/// Accepts the missing ones of these numbers as lost, and returns how many they are. It works while a gateway runs.
/// A refusal changes nothing.
///
/// # Errors
///
/// The journal cannot be written.
pub fn accept_missing(
    db: &Connection,
    acceptance: &Acceptance,
    author: &Author<'_>,
    now_ms: i64,
) -> QueryResult<Result<i64, AcceptError>> {
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
        while let Some(GapPart { row, gap, part }) = next(db, *id, counter, *numbers)? {
            cut(db, row, &gap, &part)?;
            db.execute(
                "UPDATE gap SET accepted_ms = ?, accepted_by = ?, accepted_for = ? WHERE rowid = ?",
                params![now_ms, author.who, acceptance.reason, row],
            )?;
            accepted += part.end - part.start;
        }
        news.is_missing(&subject, counter, &missing(db, *id)?);
    }
    if accepted == 0 {
        return Ok(Err(AcceptError::NotMissing(news.so(&subject))));
    }
    news.tell(db, now_ms)?;
    acceptance.record(db, author, accepted)?;
    Ok(Ok(accepted))
}

/// Returns the counters. There are several if the range of the numbers was changed.
fn counters(db: &Connection, acceptance: &Acceptance) -> QueryResult<Vec<(i64, Counter)>> {
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

/// A text is neither a number nor the first and the last of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("write a number, or the first and the last: 17-19")]
pub struct NotNumbers;

impl Acceptance {
    /// Parses numbers as users write them, `17` or `17-19`.
    pub fn numbers_of(text: &str) -> Result<(i64, i64), NotNumbers> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        match (first.trim().parse(), last.trim().parse()) {
            (Ok(first), Ok(last)) => Ok((first, last)),
            _ => Err(NotNumbers),
        }
    }

    /// Records the acceptance in the audit trail.
    fn record(&self, db: &Connection, author: &Author<'_>, accepted: i64) -> QueryResult<()> {
        let Acceptance { network_element, of, series, numbers: (first, last), reason } = self;
        let count = counted(accepted as usize, "number");
        let of = subject(network_element, *of, series);
        let subject = format!("{count}: {of}, {first} to {last}");
        author.record(db, &subject, reason).map(drop)
    }
}

/// A gap that is not accepted, and the part of it to accept.
struct GapPart {
    row: i64,
    gap: Range<i64>,
    part: Range<i64>,
}

/// Returns the first gap with some of these numbers.
fn next(
    db: &Connection,
    id: i64,
    counter: &Counter,
    numbers: (i64, i64),
) -> QueryResult<Option<GapPart>> {
    let parts = missing(db, id)?.into_iter();
    let mut parts = parts.filter_map(|gap| Some((counter.part(&gap, numbers)?, gap)));
    let Some((part, gap)) = parts.next() else { return Ok(None) };
    db.prepare_cached(
        "SELECT rowid FROM gap WHERE counter = ? AND start = ? AND closed_ms IS NULL",
    )?
    .query_row(params![id, gap.start], |row| row.get(0))
    .map(|row| Some(GapPart { row, gap, part }))
}
