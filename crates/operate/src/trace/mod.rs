//! Records traced: where they came from, and where they went.

mod records;

pub use records::{SearchBounds, SearchExtent, TraceRecords, TraceRecordsError, Traces};
