//! Deliveries: listed, sent again, discarded.

pub(crate) mod listed;
pub(crate) mod report;
