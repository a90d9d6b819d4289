//! The trace: from where each record came, on which way, and to where, so that whoever has a line of an invoice in hand
//! finds the octets it was made of.
//!
//! A worker notes of each record where it lies, its way, and how long what was made of it is: some octets a record, in
//! blocks of thousands. Blocks say by names what they mean, so they can be read when the flow has long been another. Those
//! of a small file are part of its row in the journal; more lie in files of their own, which are on the disk before the
//! journal has the row.

mod around;
mod asked;
mod block;
mod column;
mod find;
mod fitting;
mod job;
mod lines;
mod recorder;
mod report;
mod row;
mod seen;
mod settings;
mod shelf;
mod sliced;
mod step;

pub(crate) use self::settings::{TRACE, TraceSettings};
pub(crate) use block::Line;
pub use find::trace;
pub use fitting::{WhereError, WhereFound, WhereFrom, WhereQuery, trace_where};
pub(crate) use lines::JobLines;
pub(crate) use recorder::Recorder;
pub use report::{CarriedFile, Delivered, InSuspense, Part, Place, TraceError, TraceQuery, Traced};
pub(crate) use row::{TraceRow, forget, prune_files};
pub(crate) use shelf::Shelf;
pub use step::Step;
