//! State of nodes between files: groups of records, counters, and memories of records for duplicate checks.
#![forbid(unsafe_code)]

pub mod counters;
pub mod groups;
pub mod replayed;

// EXPORTS
pub use counters::KeptOf;
pub use counters::change::ChangeRefused;
pub use counters::change::Counted;
pub use counters::change::CountersDeed;
pub use counters::kept;
pub use groups::Awaited;
pub use groups::NoEntrance;
pub use groups::Over;
