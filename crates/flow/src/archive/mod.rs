//! The archive: collected files that are done, compressed, so that they can be looked at, and run again, when nobody has
//! them any more.
//!
//! ```text
//! the journal has the file, and that it is due ─▶ its input is marked
//!     ─▶ written under a hidden name ─▶ synced ─▶ named ─▶ folders synced ─▶ noted: archived
//!     ─▶ the input removed, if the flow says so ─▶ noted
//! ```
//!
//! A thread of its own does it, behind the work, so that nobody waits for it: where the archive's disk is full, files stay
//! where they are. What is interrupted is begun again, up to where it is noted; what was written is held against the digest
//! of the file as it was processed, so the only copy is never given up for another.

pub(crate) mod archiver;
pub(crate) mod prune;
pub(crate) mod queue;
pub(crate) mod report;
pub(crate) mod settings;

pub(crate) use self::settings::{ARCHIVE, ArchiveSettings, Source};
pub(crate) use archiver::{ALARMS, Archived, Archivist, Until};
pub(crate) use queue::{NewDue, note_due, of_unknown_elements};
