//! What nodes keep between files: groups of records, counters, and what they remember of records.

pub(crate) mod held;
pub(crate) mod kept;
pub(crate) mod memory;
