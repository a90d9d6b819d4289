//! Checks the files and records of a flow: counts and sums them, and compares that with what network elements say.
#![forbid(unsafe_code)]

pub mod control_totals;
pub mod drift;
pub mod sequence;

use crate::control_totals::Audited;
use crate::sequence::Counted;
pub use sequence::Of;
pub use sequence::accept::{AcceptError, Acceptance, NotNumbers, accept_missing};
pub use sequence::report::{Line, SequenceQuery, SequenceReport, What, sequence_report};

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
