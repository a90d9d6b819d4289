//! Checks that nothing is lost or doubled: counts and sums the files and records of a flow, and compares them with what
//! network elements say.
//!
//! [`sequence`] compares the numbers and totals that a network element gives with what came. [`drift`] learns what is
//! usual in its files, and reports what is not. [`control_totals`] compares the sums of what came in with the sums of
//! what went out. Workers gather the findings of a file, the job's transaction has them, and alarms follow from there.
#![forbid(unsafe_code)]

pub mod control_totals;
pub mod drift;
pub mod sequence;

use crate::control_totals::Audited;
use crate::sequence::Counted;
pub use sequence::Of;
pub use sequence::accept::{AcceptError, Acceptance, NotNumbers, accept_missing};
pub use sequence::report::{Line, SequenceQuery, SequenceReport, Subject, What, sequence_report};

/// The counts and sums of a flow.
#[derive(Default)]
pub struct Assurance {
    /// What is counted of the files of each network element.
    pub counted: Vec<Counted>,
    /// The sums of the records of each network element.
    pub elements: Vec<Audited>,
    /// The sums of the records of each post-processing system.
    pub systems: Vec<Audited>,
}
