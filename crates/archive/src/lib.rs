//! The archive of processed input files. They are compressed, and can be examined and run again after their sources are
//! gone.
//!
//! ```text
//! the journal has the file, and that it is due ─▶ its input is marked
//!     ─▶ written under a hidden name ─▶ synced ─▶ named ─▶ folders synced ─▶ noted: archived
//!     ─▶ the input removed, if the flow says so ─▶ noted
//! ```
//!
//! A separate thread archives beside the processing, so that no job waits for it. If the archive's disk is full, files
//! stay where they are. An interrupted step is repeated unless the journal has it. The written octets are compared with
//! the digest of the file as it was processed, so the only copy is never replaced by another file.
//!
//! [`settings`] reads `[archive]`. [`queue`] has the files that are due, the [`Archivist`] archives them, and [`prune`]
//! removes old ones. [`report`] lists archived files and opens them.
#![forbid(unsafe_code)]

pub(crate) mod archiver;
mod error;
pub mod prune;
pub mod queue;
pub mod report;
pub mod settings;

pub use self::settings::{ARCHIVE, ArchiveSettings, Source};
pub use archiver::{ALARMS, Archived, Archivist, Until};
pub use queue::{NewDue, note_due, of_unknown_elements};
pub use report::{
    ArchiveError, ArchiveQuery, ArchivedFile, ReadArchived, archived, archived_contents,
};
