//! Groups of records that wait: listed, and ended by request.

pub mod end;
pub mod report;
