//! State of nodes between files: groups of records, counters, and memories of records for duplicate checks.

pub(crate) mod counters;
pub(crate) mod groups;
pub(crate) mod replayed;
