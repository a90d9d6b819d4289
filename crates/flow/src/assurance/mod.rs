//! What is counted and summed of the files and records of a flow, to be held against what was said of them.

pub(crate) mod control_totals;
pub(crate) mod drift;
pub(crate) mod sequence;

use crate::assurance::control_totals::Audited;
use crate::assurance::sequence::Counted;

/// What is counted and summed of a flow.
#[derive(Default)]
pub(crate) struct Assurance {
    /// By network element: what is counted of its files.
    pub(crate) counted: Vec<Counted>,
    /// By network element: what is summed of its records.
    pub(crate) elements: Vec<Audited>,
    /// By post-processing system: what is summed of its records.
    pub(crate) systems: Vec<Audited>,
}
