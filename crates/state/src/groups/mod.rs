//! Groups: records that wait in a node for others. They are in the journal, and change in the transaction of the job
//! that changes them.

pub mod alarms;
mod census;
mod entries;
pub mod expiry;
mod key_index;
pub(crate) mod key_schema;
mod late;
pub mod layout;
pub mod missing;
pub mod orphans;
pub mod over;
mod page_state;
pub mod prune;
pub mod reader;
mod reason;
pub mod request;
pub(crate) mod retry_entry;
mod silence;
mod stored;
pub(crate) mod waiting_for_files;
pub mod writer;

#[cfg(test)]
mod tests;

use alarm::Kind;
use format::coding::Keeping;
use journal::clock::Shift;
use store::{Connection, QueryResult};

pub use alarms::alarm_of_groups;
pub use census::Census;
pub use key_index::KeyIndex;
pub use key_schema::look_at_keys;
pub(crate) use late::clear_late;
pub use layout::{Forms, UNREADABLE};
pub use orphans::{ORPHANED, orphans};
pub use over::{Awaited, Over};
pub use prune::{forget, prune_files, remembered};
pub use reader::equipment;
pub(crate) use reason::GroupReason;
pub use retry_entry::NoEntrance;
pub use retry_entry::input;
pub use silence::warnings;
pub use stored::{
    ReleasedGroup, StoredGroup, StoredGroups, StoredRecord, group_of_record, numbers_open,
    released_since, waits,
};
pub use writer::note;

/// For each node, how to keep the records that wait in it, if it holds records.
pub type Keepings = Vec<Option<Box<dyn Keeping>>>;

/// The kinds of alarms of this module.
pub const ALARMS: &[&Kind] = &[
    waiting_for_files::WAITING,
    waiting_for_files::INCOMPLETE,
    layout::UNREADABLE,
    key_schema::KEYED_OTHERWISE,
    late::FILE_LATE,
    orphans::ORPHANED,
];

/// Shifts the times of groups when a clock that was doubted is accepted.
pub fn shift_times(db: &Connection, shift: Shift) -> QueryResult<()> {
    let columns = [
        ("group_state", "came_ms"),
        ("group_batch", "at_ms"),
        ("group_batch", "released_ms"),
        ("group_forgotten", "released_ms"),
    ];
    columns.into_iter().try_for_each(|column| shift.apply(db, column, "true"))
}

/// Returns the subject of an alarm about the records that a network element gives a node.
pub(crate) fn given_by(network_element: &str, node: &str) -> String {
    format!("{network_element}, {node}")
}
