//! Groups of records that wait: listed, and ended by request.

pub(crate) mod asked;
pub(crate) mod report;
