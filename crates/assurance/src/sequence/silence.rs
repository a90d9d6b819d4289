//! Raises alarms for silent network elements: "no file since". It runs when all files that were there are done, so an
//! element whose files wait does not count as silent.

use std::collections::BTreeSet;
use std::time::Duration;

use alarm::AlarmKey;
use journal::Journal;
use runtime::time::shown;
use store::{Connection, OptionalExtension, QueryResult, params};

use super::alarms::SILENT;
use crate::Assurance;
use flow::flow_journal::AccessError;
use flow::topology::Topology;

/// A change for a network element. Mostly there is none, and then nothing is written.
enum Change {
    /// The element is watched from now on.
    Listen,
    /// It has been silent for too long, since this time.
    Raise(i64),
    /// The alarm is cleared: the flow now allows a longer silence.
    Clear,
}

/// Raises alarms for elements that have become silent, except those whose files are being processed.
pub(super) fn listen(
    flow: &Topology,
    assurance: &Assurance,
    journal: &Journal,
    reader: &Connection,
    in_work: &BTreeSet<&str>,
    now: i64,
) -> Result<(), AccessError> {
    let elements = flow.elements.iter().zip(&assurance.counted);
    for (element, counted) in elements.filter(|(of, _)| !in_work.contains(of.name.as_str())) {
        let Some(silent) = counted.silent else { continue };
        let Some(change) = change(reader, &element.name, silent, now)? else { continue };
        let name = element.name.clone();
        journal.commit(move |db| make(db, &name, &change, now))?;
    }
    Ok(())
}

fn change(
    reader: &Connection,
    element: &str,
    silent: Duration,
    now: i64,
) -> QueryResult<Option<Change>> {
    let heard: Option<i64> = reader
        .prepare_cached("SELECT at_ms FROM heard WHERE network_element = ?")?
        .query_row([element], |row| row.get(0))
        .optional()?;
    let Some(heard) = heard else { return Ok(Some(Change::Listen)) };
    let is_raised = alarm::is_raised(reader, about(element))?;
    let is_silent = i128::from(now) - i128::from(heard) >= silent.as_millis() as i128;
    Ok(match (is_silent, is_raised) {
        (true, false) => Some(Change::Raise(heard)),
        (false, true) => Some(Change::Clear),
        _ => None,
    })
}

fn make(db: &Connection, element: &str, change: &Change, now: i64) -> QueryResult<()> {
    match change {
        Change::Listen => db
            .prepare_cached(
                "INSERT INTO heard (network_element, at_ms) VALUES (?, ?) ON CONFLICT DO NOTHING",
            )?
            .execute(params![element, now])
            .map(drop),
        Change::Raise(heard) => {
            let text = format!("{element}: no file since {}", shown(*heard));
            alarm::raise(db, now, about(element), &text)
        }
        Change::Clear => alarm::clear(db, now, about(element)),
    }
}

/// Returns the key of the alarm.
pub(super) fn about(element: &str) -> AlarmKey<'_> {
    AlarmKey { kind: SILENT, subject: element }
}
