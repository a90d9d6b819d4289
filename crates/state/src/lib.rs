//! State of nodes between files: groups of records, and keyed state on disk (counters of subscribers) and in memory (keys
//! of duplicate checks).
#![forbid(unsafe_code)]

pub mod changes;
pub mod counters;
pub mod groups;
pub mod in_memory;
mod restore;

// EXPORTS
pub use counters::KeptOf;
pub use counters::change::ChangeRefused;
pub use counters::change::Counted;
pub use counters::change::CountersDeed;
pub use counters::kept;
pub use groups::Awaited;
pub use groups::NoEntrance;
pub use groups::Over;
pub use restore::restore;
