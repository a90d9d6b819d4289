//! Sequence numbers of network elements: reported, and accepted as lost.

mod accept;
mod report;

pub use accept::{AcceptMissing, AcceptMissingError, AcceptedNumbers, Counted};
pub use report::ReportSequences;
