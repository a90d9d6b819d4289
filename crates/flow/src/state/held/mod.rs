//! Records that wait in a node for others: in the journal, where they change with the job that changes them.

pub(crate) mod behind;
pub(crate) mod by_key;
mod changes;
mod forget;
mod form;
mod keys;
mod late;
pub(crate) mod missing;
pub(crate) mod orphans;
pub(crate) mod over;
mod overdue;
mod returning;
pub(crate) mod shelf;
mod silence;
mod sums;

use alarm::Kind;
use format::coding::Keeping;
use journal::clock::Shift;
use store::{Answer, Connection};

pub(crate) use by_key::SpanFilters;
pub(crate) use changes::note;
pub(crate) use forget::{forget, prune_files, remembered};
pub(crate) use form::{Forms, UNREADABLE};
pub(crate) use keys::look_at_keys;
pub(crate) use late::clear_late;
pub(crate) use orphans::{ORPHANED, orphans};
pub use over::{Awaited, Over};
pub(crate) use overdue::alarm_of_groups;
pub(crate) use returning::input;
pub(crate) use shelf::equipment;
pub(crate) use silence::warnings;

/// By node: how records are kept that wait in it, if any do.
pub(crate) type Keepings = Vec<Option<Box<dyn Keeping>>>;

/// The kinds of alarms that are raised here.
pub(crate) const ALARMS: &[&Kind] = &[
    behind::WAITING,
    behind::INCOMPLETE,
    form::UNREADABLE,
    keys::KEYED_OTHERWISE,
    late::FILE_LATE,
    orphans::ORPHANED,
];

/// Shifts the times of groups, where the clock is believed from now on that was doubted.
pub(crate) fn shift_times(db: &Connection, shift: Shift) -> Answer<()> {
    let columns = [("came_ms", "released_ms IS NULL"), ("released_ms", "true")];
    columns
        .into_iter()
        .try_for_each(|(column, condition)| shift.apply(db, ("held_group", column), condition))
}

/// The subject of an alarm of what a network element gives a node.
fn given_by(network_element: &str, node: &str) -> String {
    format!("{network_element}, {node}")
}
