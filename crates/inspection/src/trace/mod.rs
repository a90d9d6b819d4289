//! The trace: where each record came from, its path, and where it went. With a line of an invoice you find the octets
//! it was made of. This module reads it; workers write it as [lineage](lineage).

pub(crate) mod after_packing;
pub mod context;
pub mod cursor;
mod find;
mod fitting;
mod job;
mod lines;
pub mod query;
mod report;

pub use find::trace;
pub use fitting::{WhereError, WhereFound, WhereFrom, WhereQuery, trace_where};
pub(crate) use lines::JobLines;
pub use report::{CarriedFile, Delivered, InSuspense, Part, Place, TraceError, TraceQuery, Traced};
