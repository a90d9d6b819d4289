//! The alarm of a clock that the gateway does not trust.

use alarm::{Condition, EventType, Kind, Severity};
use journal::Journal;
use journal::clock::Doubted;
use runtime::time::shown;
use store::{Connection, StoreError};

const DOUBTED: &Kind =
    &Kind::new("clock-doubted", Severity::Major, EventType::Environment, "timingProblem");

/// The kinds of alarms that are raised here.
pub(crate) const ALARMS: &[&Kind] = &[DOUBTED];

/// Raises an alarm while the gateway does not trust the clock.
pub(crate) fn alarm(journal: &Journal, reader: &Connection) -> Result<(), StoreError> {
    let doubted = journal.view.clock.doubted().map(|Doubted { clock_ms, alive_ms }| {
        let text = format!(
            "the clock says {}, and the gateway was last seen alive at {}: if it was not down for so long, the clock is \
             wrong; it is believed in an hour",
            shown(clock_ms),
            shown(alive_ms)
        );
        Condition { kind: DOUBTED, subject: String::new(), text }
    });
    let raised = journal.answer(alarm::raised(reader, &[DOUBTED]))?;
    alarm::reconcile(doubted.into_iter(), &raised, journal)
}
