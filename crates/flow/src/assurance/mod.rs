//! Checks the files and records of a flow: counts and sums them, and compares that with what network elements say.

pub(crate) mod control_totals;
pub(crate) mod drift;
pub(crate) mod sequence;

use crate::assurance::control_totals::Audited;
use crate::assurance::sequence::Counted;

/// The counts and sums of a flow.
#[derive(Default)]
pub(crate) struct Assurance {
    /// What is counted of the files of each network element.
    pub(crate) counted: Vec<Counted>,
    /// The sums of the records of each network element.
    pub(crate) elements: Vec<Audited>,
    /// The sums of the records of each post-processing system.
    pub(crate) systems: Vec<Audited>,
}
