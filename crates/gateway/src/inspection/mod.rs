//! What users inspect: records in files, samples at a node, the trace of a record, replays of archived files.

pub(crate) mod records;
pub(crate) mod replay;
pub(crate) mod samples;
pub(crate) mod trace;
