//! Alarms of a service: what is wrong, raised once, and cleared when it is over.
//!
//! An alarm is known by its kind and by what it is about, its [`AlarmKey`]. It lies in the service's journal, so it is raised
//! in the transaction that finds what is wrong, it outlives the process, and it can be listed whether the service runs or not.
//! The journal needs [`TABLES`].
//!
//! A part of a service that raises alarms has a constant for each [`Kind`], and a list of them. The service puts the lists
//! together in a [`Registry`], which it hands to what lists and sends alarms. Nothing else has to know which kinds there are.
//!
//! Each change of an alarm is an event in the same transaction. [`notification`] sends events to people and programs.
//!
//! ```
//! use std::time::SystemTime;
//!
//! use alarm::{AlarmKey, EventType, Kind, Registry, Severity};
//! use journal::{Folders, Journal, Schema};
//!
//! const PEER_DOWN: &Kind =
//!     &Kind::new("peer-down", Severity::Major, EventType::Communications, "lossOfSignal");
//! const ALARMS: Registry = Registry::of(&[&[PEER_DOWN], alarm::notification::ALARMS]);
//! const SCHEMA: &Schema =
//!     &Schema { versions: store::Versions::new(&[journal::TABLES, alarm::TABLES]), newest_ms: |_| Ok(None), trusts_pauses: false };
//!
//! let folder = tempfile::tempdir()?;
//! let folders = Folders { state: &folder.path().join("state"), base: folder.path() };
//! let journal = Journal::open(folders, SCHEMA, SystemTime::now)?;
//! let (now_ms, key) = (journal.machine_ms(), AlarmKey { kind: PEER_DOWN, subject: "ocs-2" });
//! journal.commit(move |db| alarm::raise(db, now_ms, key, "ocs-2 has not answered for a minute"))?;
//!
//! let reader = journal.reader()?;
//! let raised = journal.answer(alarm::all_raised(&reader, ALARMS))?;
//! assert_eq!(raised[0].severity, Severity::Major);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod acknowledge;
mod change_log;
pub mod disk_full;
mod event;
mod kinds;
mod list;
pub mod notification;

use journal::Journal;
use journal::clock::{self, Shift};
use store::{Connection, OptionalExtension as _, QueryResult, Row, StoreError, params};

pub use acknowledge::{AcknowledgementState, Selection, acknowledge};
pub use change_log::ChangeLog;
pub use disk_full::DISK_LOW;
use event::Transition;
pub use kinds::{EventType, Kind, Registry, Severity};
pub use list::{Acknowledgement, Alarm, all_raised, recent};

/// The tables of alarms as they are today, for a service that begins today: a version of its
/// [schema](journal::Schema) behind [`journal::TABLES`].
pub const TABLES: &str = include_str!("tables.sql");

/// The most events that are kept, so that an alarm that comes and goes each second does not fill the disk.
const EVENTS_MAX: i64 = 100_000;

/// What an alarm is known by. Only one alarm of a kind and subject is raised at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlarmKey<'a> {
    /// What sort of thing is wrong.
    pub kind: &'static Kind,
    /// What it is about: a network element, a folder, a peer. Empty if it is about the whole service.
    pub subject: &'a str,
}

/// Something that is wrong: what an alarm says while it is raised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// What sort of thing is wrong.
    pub kind: &'static Kind,
    /// What it is about.
    pub subject: String,
    /// What is wrong, for people.
    pub text: String,
}

impl Condition {
    /// Returns the key of its alarm.
    pub fn key(&self) -> AlarmKey<'_> {
        AlarmKey { kind: self.kind, subject: &self.subject }
    }
}

/// Whether all conditions of some kinds are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Completeness {
    /// There are no others: an alarm without a condition is over.
    Complete,
    /// There may be more, so no alarm is over.
    #[default]
    Partial,
}

/// Raises the alarms of all conditions, and clears those of `raised` that have no condition any more. An alarm that is raised
/// gets the text of its condition.
///
/// `raised` are the alarms of the kinds that are looked at, as [`raised`] returned them. Call this after each look: it writes
/// nothing if nothing has changed. So do not put into a text what differs from look to look, such as a count that grows.
pub fn reconcile(
    conditions: impl Iterator<Item = Condition>,
    raised: &[Condition],
    journal: &Journal,
) -> Result<(), StoreError> {
    reconcile_partly(Completeness::Complete, conditions, raised, journal)
}

/// As [`reconcile`], but clears nothing if not all conditions are known.
pub fn reconcile_partly(
    completeness: Completeness,
    conditions: impl Iterator<Item = Condition>,
    raised: &[Condition],
    journal: &Journal,
) -> Result<(), StoreError> {
    let mut wrong: Vec<Condition> = Vec::new();
    for condition in conditions {
        // An alarm has one text.
        if !wrong.iter().any(|other| other.key() == condition.key()) {
            wrong.push(condition);
        }
    }
    let is_over = |raised: &&Condition| {
        completeness == Completeness::Complete
            && !wrong.iter().any(|condition| condition.key() == raised.key())
    };
    let over: Vec<Condition> = raised.iter().filter(is_over).cloned().collect();
    wrong.retain(|condition| !raised.contains(condition));
    if over.is_empty() && wrong.is_empty() {
        return Ok(());
    }
    let now_ms = journal.machine_ms();
    journal.commit(move |db| {
        over.iter().try_for_each(|over| clear(db, now_ms, over.key()))?;
        wrong.iter().try_for_each(|condition| raise(db, now_ms, condition.key(), &condition.text))
    })
}

/// Raises an alarm. If it is raised already, it only gets the text; a text that is another is an event.
///
/// `now_ms` is what the machine's clock says, which people are shown, in milliseconds since 1970
/// ([`Journal::machine_ms`]). What the service computes with, [`raised_since`], is the time of the journal's guarded clock.
pub fn raise(db: &Connection, now_ms: i64, key: AlarmKey<'_>, text: &str) -> QueryResult<()> {
    let raised = db
        .prepare_cached(
            "INSERT INTO alarm (kind, subject, text, raised_ms, since_ms, raised, change)
             SELECT ?, ?, ?, ?, ?, next, next
             FROM (SELECT ifnull(max(change), 0) + 1 AS next FROM alarm) WHERE true
             ON CONFLICT (kind, subject) WHERE cleared_ms IS NULL
             DO UPDATE SET text = excluded.text, change = excluded.change WHERE text <> excluded.text
             RETURNING id, raised = change",
        )?
        .query_row(params![key.kind.name, key.subject, text, now_ms, clock::guarded_ms(db, now_ms)?], |row| {
            Ok((row.get(0)?, if row.get(1)? { Transition::Raised } else { Transition::Changed }))
        })
        .optional()?;
    match raised {
        Some((alarm, transition)) => event::record(db, alarm, (transition, now_ms), None),
        None => Ok(()),
    }
}

/// Clears an alarm, if it is raised. `now_ms` is as for [`raise`].
pub fn clear(db: &Connection, now_ms: i64, key: AlarmKey<'_>) -> QueryResult<()> {
    let cleared = db
        .prepare_cached(
            "UPDATE alarm SET cleared_ms = ?, change = (SELECT max(change) + 1 FROM alarm)
             WHERE kind = ? AND subject = ? AND cleared_ms IS NULL RETURNING id",
        )?
        .query_row(params![now_ms, key.kind.name, key.subject], |row| row.get(0))
        .optional()?;
    match cleared {
        Some(alarm) => event::record(db, alarm, (Transition::Cleared, now_ms), None),
        None => Ok(()),
    }
}

/// Returns the alarms of some kinds that are raised.
pub fn raised(db: &Connection, kinds: &[&'static Kind]) -> QueryResult<Vec<Condition>> {
    let select = "SELECT subject, text FROM alarm WHERE kind = ? AND cleared_ms IS NULL";
    let mut select = db.prepare_cached(select)?;
    let mut raised = Vec::new();
    for kind in kinds.iter().copied() {
        let of = |row: &Row<'_>| Ok(Condition { kind, subject: row.get(0)?, text: row.get(1)? });
        for condition in select.query_map([kind.name], of)? {
            raised.push(condition?);
        }
    }
    Ok(raised)
}

/// Returns the subjects of the raised alarms of a kind, each with the time of the machine's clock when it was raised, in
/// milliseconds since 1970. They are sorted by subject.
pub fn subjects(db: &Connection, kind: &Kind) -> QueryResult<Vec<(String, i64)>> {
    let select = "SELECT subject, raised_ms FROM alarm WHERE kind = ? AND cleared_ms IS NULL ORDER BY subject";
    let mut select = db.prepare_cached(select)?;
    select.query_map([kind.name], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// Returns the texts of the alarms of some kinds that are raised, the oldest first.
pub fn messages(db: &Connection, kinds: &[&Kind]) -> QueryResult<Vec<String>> {
    let mut select = db.prepare_cached(
        "SELECT text FROM alarm WHERE kind = ? AND cleared_ms IS NULL ORDER BY raised_ms, id",
    )?;
    let mut messages = Vec::new();
    for kind in kinds {
        for text in select.query_map([kind.name], |row| row.get(0))? {
            messages.push(text?);
        }
    }
    Ok(messages)
}

/// Returns whether an alarm is raised.
pub fn is_raised(db: &Connection, key: AlarmKey<'_>) -> QueryResult<bool> {
    db.prepare_cached("SELECT 1 FROM alarm WHERE kind = ? AND subject = ? AND cleared_ms IS NULL")?
        .exists(params![key.kind.name, key.subject])
}

/// Returns since when an alarm is raised by the journal's guarded clock, in milliseconds since 1970, or `None` if it is not
/// raised. Compute with this time: the machine's clock may have been wrong when the alarm was raised.
pub fn raised_since(db: &Connection, key: AlarmKey<'_>) -> QueryResult<Option<i64>> {
    let select = "SELECT since_ms FROM alarm WHERE kind = ? AND subject = ? AND cleared_ms IS NULL";
    let mut select = db.prepare_cached(select)?;
    select.query_row(params![key.kind.name, key.subject], |row| row.get(0)).optional()
}

/// Shifts the times of the guarded clock that the tables have. A service calls this in its part of [`Journal::beat`].
pub fn shift_times(db: &Connection, shift: Shift) -> QueryResult<()> {
    shift.apply(db, ("alarm", "since_ms"), "cleared_ms IS NULL")?;
    notification::shift_times(db, shift)
}

/// Deletes alarms that were cleared, and events that happened, before a time in milliseconds since 1970.
pub fn prune(db: &Connection, before_ms: i64) -> QueryResult<()> {
    const MANY_EVENTS: &str =
        "DELETE FROM alarm_event WHERE id <= (SELECT max(id) FROM alarm_event) - ?";
    db.prepare_cached("DELETE FROM alarm WHERE cleared_ms < ?")?.execute([before_ms])?;
    db.prepare_cached("DELETE FROM alarm_event WHERE at_ms < ?")?.execute([before_ms])?;
    db.prepare_cached(MANY_EVENTS)?.execute([EVENTS_MAX]).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    const DISK: AlarmKey<'_> = AlarmKey { kind: DISK_LOW, subject: "out" };

    #[test]
    fn an_alarm_is_raised_since_a_time_that_is_believed_whatever_the_clock_said() {
        const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("alarms.db");
        let store = store::Store::open(&path, &[journal::TABLES, TABLES]).unwrap();
        let raised = |alive_ms: Option<i64>, clock_ms: i64| {
            let both = store.commit(move |db| {
                db.execute("DELETE FROM alive", [])?;
                if let Some(alive_ms) = alive_ms {
                    db.execute("INSERT INTO alive (one, seen_ms) VALUES (1, ?)", [alive_ms])?;
                }
                raise(db, clock_ms, DISK, "full")?;
                let shown: i64 = db.query_row(
                    "SELECT raised_ms FROM alarm WHERE cleared_ms IS NULL",
                    [],
                    |row| row.get(0),
                )?;
                let since = raised_since(db, DISK)?;
                clear(db, clock_ms, DISK)?;
                Ok((shown, since))
            });
            let (shown, since) = both.unwrap();
            assert_eq!(shown, clock_ms, "people are shown what the clock said");
            since.expect("it is raised")
        };
        assert_eq!(raised(None, 5 * DAY_MS), 5 * DAY_MS);
        assert_eq!(raised(Some(5 * DAY_MS), 5 * DAY_MS + 1), 5 * DAY_MS + 1);
        // Ahead by ten years, and back: no alarm is raised since a moment that comes in ten years, or was before all others.
        assert!(raised(Some(5 * DAY_MS), 3_650 * DAY_MS) <= 7 * DAY_MS);
        assert_eq!(raised(Some(3_650 * DAY_MS), 5 * DAY_MS), 3_650 * DAY_MS);
        let none = store.commit(|db| raised_since(db, DISK)).unwrap();
        assert_eq!(none, None, "it is over");
    }
}
