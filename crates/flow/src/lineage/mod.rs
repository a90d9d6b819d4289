//! The lineage of records: which way each took, what was made of it, and where it lies.
//!
//! A worker counts records by their ways (`ways`, `passages`). Where the flow is traced it notes of each record where it lies, its
//! way, and how long what was made of it is (`recorder`): some octets a record, in blocks of thousands. Blocks say by names what
//! they mean, so they can be read when the flow has long been another. Those of a small file are part of its row in the journal
//! (`row`); more lie in files of their own (`shelf`), which are on the disk before the journal has the row.

mod block;
mod column;
pub(crate) mod path_counters;
pub(crate) mod path_tree;
mod recorder;
mod row;
mod settings;
mod shelf;
mod step;

pub(crate) use self::settings::{TRACE, TraceSettings};
pub(crate) use block::{Block, Blocks, Line};
pub(crate) use column::NoColumn;
pub(crate) use path_counters::{Counted, Passages};
pub(crate) use recorder::Recorder;
pub(crate) use row::{TraceRow, forget, prune_files};
pub(crate) use shelf::{Piece, Shelf};
pub use step::Step;
