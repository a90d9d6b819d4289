//! Sequence numbers: what is missing, and what is accepted as missing.

pub(crate) mod accept;
pub(crate) mod report;
