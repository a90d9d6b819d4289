//! State of nodes between files. It is in the journal, and changes in the transaction of the job that changes it.
//!
//! [`groups`] are records that wait in a node for others: how they are read and written, when they are over
//! ([`groups::over`]), and the jobs that end them ([`groups::expiry`]). [`counters`] are values by key, such as those
//! of subscribers, and the changes that users request. [`replayed`] has the notes for what nodes remember, such as the
//! keys of a duplicate check; nodes get them back at the start.
#![forbid(unsafe_code)]

pub mod counters;
pub mod groups;
pub mod replayed;

pub use counters::change::{ChangeRefused, Counted, CountersDeed};
pub use counters::{KeptOf, kept};
pub use groups::{Awaited, NoEntrance, Over};
