//! Groups of records that wait: listed, and ended by request.

pub mod asked;
pub mod report;
