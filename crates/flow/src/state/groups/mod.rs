//! Groups: records that wait in a node for others. They are in the journal, and change in the transaction of the job
//! that changes them.

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
pub(crate) mod request;
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
pub use retry_entry::NoEntrance;
pub(crate) use retry_entry::input;
pub(crate) use silence::warnings;
pub(crate) use writer::note;

/// For each node, how to keep the records that wait in it, if it holds records.
pub(crate) type Keepings = Vec<Option<Box<dyn Keeping>>>;

/// The kinds of alarms of this module.
pub(crate) const ALARMS: &[&Kind] = &[
    waiting_for_files::WAITING,
    waiting_for_files::INCOMPLETE,
    layout::UNREADABLE,
    key_schema::KEYED_OTHERWISE,
    late::FILE_LATE,
    orphans::ORPHANED,
];

/// Shifts the times of groups when a clock that was doubted is accepted.
pub(crate) fn shift_times(db: &Connection, shift: Shift) -> Answer<()> {
    let columns = [("came_ms", "released_ms IS NULL"), ("released_ms", "true")];
    columns
        .into_iter()
        .try_for_each(|(column, condition)| shift.apply(db, ("held_group", column), condition))
}

/// Returns the subject of an alarm about the records that a network element gives a node.
fn given_by(network_element: &str, node: &str) -> String {
    format!("{network_element}, {node}")
}
