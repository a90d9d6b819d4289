//! What a network element numbers and totals itself, against what came: a ledger for each of its counters.
//!
//! ```text
//! settings ─▶ gather: a worker notes the numbers of a file ─▶ book: the journal's ledgers, alarms ─▶ report
//!                                                                       └ ledger: what a number means
//! ```

mod book;
mod gather;
mod ledger;
mod pattern;
mod report;
mod settings;
mod silence;

pub(crate) use book::{DoneFile, note};
pub(crate) use gather::{Gathered, Gatherer};
pub use report::{Line, SequenceQuery, SequenceReport, What, sequence_report};
pub(crate) use settings::{Counted, FILE_KEYS, RECORD_KEYS, TOTAL_KEYS, Tables};
pub(crate) use silence::listen;
