//! Records traced: where they came from, and where they went.

mod records;

pub use records::{SearchBounds, Searched, TraceRecords, TraceRecordsError, Traces};
