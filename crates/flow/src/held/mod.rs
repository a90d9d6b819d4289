//! Records that wait in a node for others: in the journal, where they change with the job that changes them.

mod asked;
mod behind;
mod beside;
mod by_key;
mod changes;
mod expiry;
mod forget;
mod form;
mod keys;
mod late;
mod missing;
mod orphans;
mod over;
mod overdue;
mod report;
mod returning;
mod shelf;
mod silence;
mod sums;
mod untaken;

use alarm::Kind;
use format::coding::Keeping;
use journal::clock::Shift;
use store::{Answer, Connection};

pub use asked::{ENDED_AT_ONCE, EndedGroup, EndedGroups, GroupDeed, end_groups};
pub(crate) use beside::late_beside;
pub(crate) use by_key::SpanFilters;
pub(crate) use changes::note;
pub(crate) use expiry::{ExpiryJob, ExpiryRow, element_for};
pub(crate) use forget::{forget, prune_files, remembered};
pub(crate) use form::{Forms, UNREADABLE};
pub(crate) use keys::look_at_keys;
pub(crate) use late::clear_late;
pub(crate) use orphans::{ORPHANED, orphans};
pub use over::{Awaited, Over};
pub(crate) use overdue::alarm_of_groups;
pub use report::{AskedEnd, HeldGroup, HeldIn, HeldPart, HeldQuery, held, held_in};
pub(crate) use returning::input;
pub(crate) use shelf::equipment;
pub(crate) use silence::warnings;
pub(crate) use untaken::untaken;

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
