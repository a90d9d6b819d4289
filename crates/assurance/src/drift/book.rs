//! Keeps what was learned in the journal, and raises alarms for what is unusual.

use std::collections::BTreeSet;

use alarm::{AlarmKey, EventType, Kind, Severity};
use journal::Journal;
use runtime::time::shown;
use store::{Connection, OptionalExtension as _, QueryResult, StoreError, params};

use super::baseline::{BaselineChange, Judged, Learned, Occurrence};
use super::profile::FileProfile;
use super::seasonality::{Closed, HOUR_MS, LATE_MS, Odd};
use crate::Assurance;
use flow::topology::Topology;

const NEW: &Kind =
    &Kind::new("drift-new", Severity::Minor, EventType::Integrity, "unexpectedInformation");
const GONE: &Kind =
    &Kind::new("drift-vanished", Severity::Major, EventType::Integrity, "informationMissing");
const VOLUME: &Kind =
    &Kind::new("drift-volume", Severity::Major, EventType::Quality, "thresholdCrossed");
const SUSPENDED: &Kind =
    &Kind::new("drift-rejects", Severity::Major, EventType::Quality, "thresholdCrossed");
/// The kinds of alarms that are raised here.
pub const ALARMS: &[&Kind] = &[NEW, GONE, VOLUME, SUSPENDED];

/// The most alarms for single new things of a network element. One more alarm stands for the rest.
const NEW_MAX: usize = 20;

/// The learned state of a network element while its files are taken.
#[derive(Default)]
pub struct Learning(Option<Learned>);

/// A file with observations.
#[derive(Clone, Copy)]
struct OfFile<'f> {
    element: &'f str,
    name: &'f str,
    now_ms: i64,
}

/// Takes a file that was written at this time. The files of an element are taken in that order.
pub fn take(
    db: &Connection,
    learning: &mut Learning,
    (element, name): (&str, &str),
    (written_ns, now_ms): (i64, i64),
    profile: &FileProfile,
) -> QueryResult<()> {
    // If the clock of the network element is ahead, it does not close an hour that is not over.
    let written_ms = (written_ns / 1_000_000).min(now_ms);
    let learned = match &mut learning.0 {
        Some(learned) => learned,
        none => none.insert(read(db, element)?.unwrap_or_else(|| Learned::begin(written_ms))),
    };
    let file = OfFile { element, name, now_ms };
    tell_hours(db, (element, now_ms), &learned.hours.go_on(written_ms, now_ms))?;
    let hour_ms = written_ms.div_euclid(HOUR_MS) * HOUR_MS;
    let Judged { changes, much, suspended } = learned.take(profile, written_ms);
    changes.iter().try_for_each(|change| tell(db, file, change))?;
    if let Some(odd) = much {
        let Odd { found, from, to } = odd;
        let text = format!(
            "{element}: {found} records came from {} on, with \"{name}\": {from:.0} to {to:.0} are usual in that hour",
            shown(hour_ms)
        );
        alarm::raise(db, now_ms, AlarmKey { kind: VOLUME, subject: element }, &text)?;
    }
    let key = AlarmKey { kind: SUSPENDED, subject: element };
    match suspended {
        Some(Odd { found, to, .. }) => {
            let text = format!(
                "{element}: {found} of the {} records of \"{name}\" were set aside, which \"tollgate suspense list\" \
                 shows: {to:.0} at most are usual",
                profile.records
            );
            alarm::raise(db, now_ms, key, &text)
        }
        None if profile.records > 0 => alarm::clear(db, now_ms, key),
        None => Ok(()),
    }
}

impl Learning {
    /// Writes what was learned, if anything.
    pub(crate) fn write(&self, db: &Connection, element: &str) -> QueryResult<()> {
        self.0.as_ref().map_or(Ok(()), |learned| write(db, element, learned))
    }
}

/// Closes the past hours of network elements whose files are not being processed.
pub fn close(
    journal: &Journal,
    reader: &Connection,
    in_work: &BTreeSet<&str>,
) -> Result<(), StoreError> {
    let now_ms = journal.now_ms();
    let due: QueryResult<Vec<String>> = (|| {
        let mut select =
            reader.prepare_cached("SELECT network_element FROM drift WHERE closes_ms <= ?")?;
        select.query_map([now_ms], |row| row.get(0))?.collect()
    })();
    for element in journal.answer(due)? {
        if in_work.contains(element.as_str()) {
            continue;
        }
        journal.commit(move |db| {
            let Some(mut learned) = read(db, &element)? else { return Ok(()) };
            tell_hours(db, (&element, now_ms), &learned.hours.go_on(now_ms - LATE_MS, now_ms))?;
            let file = OfFile { element: &element, name: "", now_ms };
            learned.is_over(now_ms).iter().try_for_each(|change| tell(db, file, change))?;
            write(db, &element, &learned)
        })?;
    }
    Ok(())
}

/// Deletes what was learned of network elements that are no longer watched.
pub fn forget(
    flow: &Topology,
    assurance: &Assurance,
    journal: &Journal,
    reader: &Connection,
) -> Result<(), StoreError> {
    let watched: Vec<&str> = flow
        .elements
        .iter()
        .zip(&assurance.counted)
        .filter(|(_, counted)| counted.drift.is_some())
        .map(|(element, _)| element.name.as_str())
        .collect();
    let known: QueryResult<Vec<String>> = (|| {
        let mut select = reader.prepare_cached("SELECT network_element FROM drift")?;
        select.query_map([], |row| row.get(0))?.collect()
    })();
    let mut others = journal.answer(known)?;
    others.retain(|element| !watched.contains(&element.as_str()));
    if others.is_empty() {
        return Ok(());
    }
    let mut raised = journal.answer(alarm::raised(reader, ALARMS))?;
    let is_of = |subject: &str, element: &String| {
        subject
            .strip_prefix(element.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    raised.retain(|wrong| others.iter().any(|element| is_of(&wrong.subject, element)));
    let now_ms = journal.now_ms();
    journal.commit(move |db| {
        for element in &others {
            db.execute("DELETE FROM drift WHERE network_element = ?", [element])?;
        }
        raised.iter().try_for_each(|raised| alarm::clear(db, now_ms, raised.key()))
    })
}

fn read(db: &Connection, element: &str) -> QueryResult<Option<Learned>> {
    let text: Option<String> = db
        .prepare_cached("SELECT learned FROM drift WHERE network_element = ?")?
        .query_row([element], |row| row.get(0))
        .optional()?;
    text.map(|text| serde_json::from_str(&text).map_err(store::unreadable)).transpose()
}

fn write(db: &Connection, element: &str, learned: &Learned) -> QueryResult<()> {
    let text = serde_json::to_string(learned).expect("numbers and text only");
    db.prepare_cached(
        "INSERT OR REPLACE INTO drift (network_element, closes_ms, learned) VALUES (?, ?, ?)",
    )?
    .execute(params![element, learned.hours.closes_ms(), text])
    .map(drop)
}

/// Raises or clears the alarm about volume for each closed hour; the last one decides.
fn tell_hours(
    db: &Connection,
    (element, now_ms): (&str, i64),
    closed: &[Closed],
) -> QueryResult<()> {
    let key = AlarmKey { kind: VOLUME, subject: element };
    for Closed { at_ms, odd } in closed {
        match odd {
            Some(Odd { found, from, to }) => {
                let text = format!(
                    "{element}: {found} records came in the hour from {} on: {from:.0} to {to:.0} are usual in it",
                    shown(*at_ms)
                );
                alarm::raise(db, now_ms, key, &text)?;
            }
            None => alarm::clear(db, now_ms, key)?,
        }
    }
    Ok(())
}

fn tell(db: &Connection, file: OfFile<'_>, change: &BaselineChange) -> QueryResult<()> {
    let OfFile { element, name: of_file, now_ms } = file;
    let subject = |name: &str| format!("{element} {}", display_name(name));
    match change {
        BaselineChange::New { name, found: Occurrence { records, of, at } } => {
            let shown = display_name(name);
            let text = format!(
                "{element}: \"{shown}\" came for the first time, with \"{of_file}\", in record {} at octet {}; {records} of \
                 the {of} {} that were looked at have it",
                at.record,
                at.offset,
                looked_at(name)
            );
            let raised = alarm::subjects(db, NEW)?;
            let of_element = |subject: &str| {
                subject.strip_prefix(element).is_some_and(|name| name.starts_with(' '))
            };
            let raised = raised.iter().filter(|(subject, _)| of_element(subject)).count();
            let (subject, text) = match raised < NEW_MAX {
                true => (subject(name), text),
                // One alarm for all others, however many there are.
                false => (
                    element.to_owned(),
                    format!("{element}: more came for the first time than has alarms of its own"),
                ),
            };
            alarm::raise(db, now_ms, AlarmKey { kind: NEW, subject: &subject }, &text)
        }
        BaselineChange::Gone { name, found: Occurrence { of, at, .. } } => {
            let text = format!(
                "{element}: \"{}\" was usual, and is in none of the {of} {} of \"{of_file}\" that were looked at, from \
                 record {} at octet {} on",
                display_name(name),
                looked_at(name),
                at.record,
                at.offset
            );
            alarm::raise(db, now_ms, AlarmKey { kind: GONE, subject: &subject(name) }, &text)
        }
        BaselineChange::NotNew { name } => {
            alarm::clear(db, now_ms, AlarmKey { kind: NEW, subject: element })?;
            alarm::clear(db, now_ms, AlarmKey { kind: NEW, subject: &subject(name) })
        }
        BaselineChange::NotGone { name } => {
            alarm::clear(db, now_ms, AlarmKey { kind: GONE, subject: &subject(name) })
        }
    }
}

/// Returns the part that a known thing lies in: `call/details` for `call/details.cause`.
fn lies_within(name: &str) -> Option<&str> {
    let (within, _) = name.rsplit_once('.')?;
    (!name.starts_with("tag ") && within.contains('/')).then_some(within)
}

/// Returns a name for users, such as `call.details.cause`.
fn display_name(name: &str) -> String {
    match lies_within(name) {
        Some(_) => name.replace('/', "."),
        None => name.to_owned(),
    }
}

/// Returns what was examined for a thing.
fn looked_at(name: &str) -> String {
    match lies_within(name) {
        Some(within) => format!("\"{}\"", within.replace('/', ".")),
        None => "records".to_owned(),
    }
}
