//! The trace: from where each record came, on which way, and to where, so that whoever has a line of an invoice in hand
//! finds the octets it was made of. It is read here; workers note it as [lineage](crate::lineage).

pub(crate) mod after_packing;
pub(crate) mod context;
pub(crate) mod cursor;
mod find;
mod fitting;
mod job;
mod lines;
pub(crate) mod query;
mod report;

pub use find::trace;
pub use fitting::{WhereError, WhereFound, WhereFrom, WhereQuery, trace_where};
pub(crate) use lines::JobLines;
pub use report::{CarriedFile, Delivered, InSuspense, Part, Place, TraceError, TraceQuery, Traced};
