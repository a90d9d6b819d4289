//! State of nodes between files: groups of records, counters, and memories of records for duplicate checks.
#![forbid(unsafe_code)]

pub mod counters;
pub mod groups;
pub mod replayed;

pub use counters::change::{ChangeRefused, Counted, CountersDeed};
pub use counters::{KeptOf, kept};
pub use groups::{Awaited, NoEntrance, Over};
