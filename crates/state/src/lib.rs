//! State of nodes between files. It is in the journal, and each change is written in the
//! transaction of its job.
//!
//! [`groups`] are records that wait in a node for others: how they are read and written, when they
//! expire ([`groups::over`]), and the jobs that end them ([`groups::expiry`]). Keyed state is on
//! disk, such as the counters of subscribers ([`counters`]), or in memory, such as the keys of a
//! duplicate check ([`in_memory`]); [`restore`] restores it at the start. Nodes with keyed state
//! may have [`timers`], which fire in jobs of their own. What rules say of records is
//! judged in the transaction of the job (`judged`). Which records are about a key is in an index
//! beside the journal ([`key_index`]).
#![forbid(unsafe_code)]

pub mod behind;
pub mod changes;
pub mod counters;
mod event_time;
pub mod groups;
pub mod in_memory;
mod judged;
pub mod key_index;
mod restore;
pub mod timers;

pub use counters::change::{ChangeRefused, Counted, CountersDeed};
pub use counters::{StoredValue, stored_values};
pub use groups::{Awaited, NoEntrance, Over};
pub use restore::restore;

/// Returns the codes of the errors of this crate, for the index of all codes.
pub fn codes() -> Vec<reason::Code> {
    use reason::Coded as _;

    [groups::GroupReason::codes(), groups::NoEntrance::codes()].concat()
}
