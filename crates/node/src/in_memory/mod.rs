//! Keyed state in memory, for millions of small values of which many change at a time.
//!
//! All workers of a process share the values. The journal has what is needed to have them again after a restart:
//!
//! - a *delta* for each job: the keys that it changed, with their new values, written in the transaction of the job;
//! - a *snapshot* in [`PARTS`] parts, written from time to time, part by part. Each part notes the last job that is in it.
//!
//! At the start, the engine restores the newest snapshot and then the deltas of the jobs after it, in the order of jobs. A
//! part may have changes of some later jobs too: a delta has whole values, so restoring it once more changes nothing.
//! Deltas that all parts have are deleted.
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
pub use keys::{FileKeys, KeyRefusal, Keys, Known};
pub use shards::PARTS;
pub(crate) use values::Ticket;
pub use values::Values;

/// Keyed state in memory, as the engine sees it. It is shared by all nodes of a template.
pub trait InMemory: Sync {
    /// Returns a text that says how keys and values are made. The engine restores only what was written in this form.
    fn form(&self) -> String;

    /// Returns how long a key stays that does not change; none if it stays for ever.
    fn window(&self) -> Option<Duration>;

    /// Restores a delta or a part of a snapshot.
    ///
    /// # Errors
    ///
    /// Fails if the octets are damaged, or were written by a later version. State that must not lack a value
    /// [refuses](Self::refuses) all files from then on.
    fn restore(&self, stored: Stored<'_>) -> Result<(), StateError>;

    /// Removes keys that are older than the window. It may wait until there are enough of them.
    fn expire(&self, now: SystemTime);

    /// Returns why no file can be taken now, if none can: the memory is full, or the state could not be restored.
    fn refuses(&self) -> Option<String>;

    /// Returns whether keys have values, so that results depend on the order of files.
    fn has_values(&self) -> bool;

    /// Returns how many keys there are. This is cheap.
    fn keys(&self) -> u64;

    /// Returns the next parts of a snapshot, if a snapshot is due: about a megabyte at a time. Jobs go on meanwhile; they wait
    /// only for the part that is being encoded.
    fn snapshot(&self) -> Vec<SnapshotPart> {
        Vec::new()
    }
}

/// A delta or a part of a snapshot, as it was written.
#[derive(Clone, Copy, Debug)]
pub struct Stored<'o> {
    /// The job of the delta, or the last job that is in the part.
    pub job: JobEntry,
    /// When that job was committed.
    pub at: SystemTime,
    /// What was written.
    pub octets: &'o [u8],
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
