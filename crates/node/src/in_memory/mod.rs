//! Keyed state in memory, for millions of small values of which many change at a time.
//!
//! All workers of a process share the values. To restore them after a restart, the journal has:
//!
//! - a *delta* for each job: the keys that it changed, with their new values, written in the
//!   transaction of the job;
//! - a *snapshot* in [`PARTS`] parts, written from time to time, part by part. Each part has the
//!   number of the last job that it includes.
//!
//! At the start, the engine restores the newest snapshot and then the deltas of later jobs, in the
//! order of jobs. A part may already include some of these deltas. A delta has whole values, so
//! applying it again changes nothing. Deltas that all parts include are deleted.
//!
//! [`Values`] has a value for each key, and [`Keys`] only knows which keys came before.

mod delta;
mod keys;
mod shards;
mod small;
mod values;

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::{JobEntry, StateError};

pub use delta::frame_keys;
pub use keys::{FileKeys, KeyRefusal, Keys, Occurrence};
pub use shards::PARTS;
pub use values::Values;
pub(crate) use values::{MemoryFull, Ticket};

/// The engine's interface to keyed state in memory. All nodes of a template share it.
pub trait InMemory: Sync {
    /// Returns a text that describes how keys and values are made. The engine restores only state
    /// with the same form, or with one that it [can read](Self::can_read).
    fn form(&self) -> String;

    /// Returns a description of its form, by which state in it is read when the form is another one; `None` if that is not
    /// possible.
    fn description(&self) -> Option<Vec<u8>> {
        None
    }

    /// Returns whether something of state in a form with this name and description can be read.
    fn can_read(&self, _form: &str, _description: &[u8]) -> bool {
        false
    }

    /// Returns what it means that state of other forms, of the records of some files, cannot be restored.
    fn without(&self, node: &str, files: &str) -> String {
        format!(
            "the key of \"{node}\" or the type of its records was changed: duplicates of the records of {files} are not found"
        )
    }

    /// Returns how long an unchanged key stays; `None` means for ever.
    fn window(&self) -> Option<Duration>;

    /// Restores a delta or a part of a snapshot.
    ///
    /// # Errors
    ///
    /// Fails if the octets are damaged or from a later version. State with values then
    /// [refuses](Self::refuses) all files.
    fn restore(&self, stored: StoredState<'_>) -> Result<(), StateError>;

    /// All that the journal has is restored. Returns what is judged only later, since it was changed.
    fn restored(&self) -> Vec<JudgedLater> {
        Vec::new()
    }

    /// Removes keys that are older than the window. It may delay this until there are enough of
    /// them.
    fn expire(&self, now: SystemTime);

    /// Returns why files are refused, if they are: the memory is full, or the state could not be
    /// restored.
    fn refuses(&self) -> Option<String>;

    /// Returns whether keys have values, so that results depend on the order of files.
    fn has_values(&self) -> bool;

    /// Returns the number of keys. This is cheap.
    fn keys(&self) -> u64;

    /// Returns the next parts of a snapshot, about a megabyte, if a snapshot is due. Jobs continue
    /// meanwhile; they wait only for the part that is being encoded.
    fn snapshot(&self) -> Vec<SnapshotPart> {
        Vec::new()
    }
}

/// A delta or a part of a snapshot from the journal.
#[derive(Clone, Copy, Debug)]
pub struct StoredState<'o> {
    /// The job of the delta, or the last job that the part includes.
    pub job: JobEntry,
    /// When that job was committed.
    pub at: SystemTime,
    /// Its octets.
    pub octets: &'o [u8],
    /// The description of their form, if that is not the one of now.
    pub description: Option<&'o [u8]>,
}

/// A rule that was changed, and needs time to know what it compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedLater {
    /// Its name.
    pub rule: String,
    /// From when on it is judged, in seconds since 1970, by the time of records.
    pub from_s: u32,
}

/// A part of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotPart {
    /// Its place, less than [`PARTS`].
    pub part: u16,
    /// The last job that is in it, with all jobs before.
    pub through: JobEntry,
    /// When that job was committed.
    pub at: SystemTime,
    /// Its keys and values, encoded.
    pub octets: Vec<u8>,
}
