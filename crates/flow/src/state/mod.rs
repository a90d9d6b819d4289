//! What nodes keep between files: groups of records, counters, and what they remember of records.

pub(crate) mod counters;
pub(crate) mod groups;
pub(crate) mod replayed;
