//! Records that wait in a node for others: in the journal, where they change with the job that changes them.

pub(crate) mod alarms;
pub(crate) mod by_key;
pub(crate) mod expiry;
pub(crate) mod key_schema;
mod late;
pub(crate) mod layout;
pub(crate) mod missing;
pub(crate) mod orphans;
pub(crate) mod over;
pub(crate) mod prune;
pub(crate) mod reader;
pub(crate) mod retry_entry;
mod silence;
mod sums;
pub(crate) mod waiting_for_files;
pub(crate) mod writer;

use alarm::Kind;
use format::coding::Keeping;
use journal::clock::Shift;
use store::{Answer, Connection};

pub(crate) use alarms::alarm_of_groups;
pub(crate) use by_key::SpanFilters;
pub(crate) use key_schema::look_at_keys;
pub(crate) use late::clear_late;
pub(crate) use layout::{Forms, UNREADABLE};
pub(crate) use orphans::{ORPHANED, orphans};
pub use over::{Awaited, Over};
pub(crate) use prune::{forget, prune_files, remembered};
pub(crate) use reader::equipment;
pub(crate) use retry_entry::input;
pub(crate) use silence::warnings;
pub(crate) use writer::note;

/// By node: how records are kept that wait in it, if any do.
pub(crate) type Keepings = Vec<Option<Box<dyn Keeping>>>;

/// The kinds of alarms that are raised here.
pub(crate) const ALARMS: &[&Kind] = &[
    waiting_for_files::WAITING,
    waiting_for_files::INCOMPLETE,
    layout::UNREADABLE,
    key_schema::KEYED_OTHERWISE,
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
