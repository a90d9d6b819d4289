//! The alarm of timers that are due and cannot fire.

use alarm::{Completeness, Condition, EventType, Kind, Severity};
use journal::Journal;
use store::{Connection, StoreError};

use flow::backlog::{Backlog, first_of};

const WAITING: &Kind = &Kind::new(
    "timers-waiting",
    Severity::Major,
    EventType::Processing,
    "underlyingResourceUnavailable",
);

/// The kinds of alarms that are raised here.
pub const ALARMS: &[&Kind] = &[WAITING];

/// Raises an alarm while timers that are due cannot fire.
pub fn alarm(
    Backlog { is_all, timers_held_up, .. }: &Backlog,
    journal: &Journal,
    db: &Connection,
) -> Result<(), StoreError> {
    let held_up = first_of(timers_held_up.iter().map(String::as_str).collect());
    let waiting = held_up.map(|first| Condition {
        kind: WAITING,
        subject: String::new(),
        text: format!("due timers could not fire: {first}; this is tried again in each cycle"),
    });
    let raised = journal.answer(alarm::raised(db, ALARMS))?;
    let known = if *is_all { Completeness::Complete } else { Completeness::Partial };
    alarm::reconcile_partly(known, waiting.into_iter(), &raised, journal)
}
