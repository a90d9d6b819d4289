//! The lineage of records: the path that each took, what was made of it, and where it lies.
//!
//! A worker counts records by their paths (`path_tree`, `path_counters`). If the flow is traced, it also notes for each
//! record its position, its path, and the lengths of what was made of it (`recorder`). This takes some octets a record,
//! in blocks of thousands. Blocks name their nodes and systems, so they stay readable after the flow has changed. The
//! blocks of a small file are part of its row in the journal (`row`). Others lie in separate files (`shelf`), which are
//! synced before the journal has the row.
#![forbid(unsafe_code)]

mod block;
mod column;
mod edges;
pub(crate) mod path_counters;
pub(crate) mod path_tree;
mod recorder;
mod row;
mod settings;
mod shelf;
mod step;

pub use self::settings::{TRACE, TraceSettings};
pub use block::{Block, Blocks, Line};
pub use column::NoColumn;
pub use path_counters::{Counted, Passages, SetAside};
pub use recorder::Recorder;
pub use row::{TraceRow, forget, prune_files};
pub use shelf::{Piece, Shelf, TraceSyncError};
pub use step::Step;
