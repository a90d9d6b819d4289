//! Which records are about a key: an index in sorted files of a day, beside the files that have the records.
//!
//! ```text
//! entries of some jobs ─▶ a run for each of their days ─▶ runs of a day become one ─▶ unlinked when the day is too old
//!                                     └──────────── manifest: which runs there are, and through which job ───┘
//! ```
//!
//! A run never changes. The [manifest](manifest) says which runs there are, and is replaced as a whole, so whatever is done to the
//! index is done or not done: entries of several days that are added, runs that become one, days that go. Files that it does not name are left
//! over from a kill, and are removed. It also says through which job there are entries: what comes later is added again after a kill, and
//! nothing is there twice.
//!
//! An entry has 8 octets of a digest of its key ([`Digests`]). A run consists of blocks of 4096 octets, each with its checksum; an entry
//! needs 8 to 14 octets. A key is found by binary search over the blocks, so a search in 30 days reads some hundred blocks.
#![forbid(unsafe_code)]

mod block;
mod digests;
mod error;
mod find;
mod manifest;
mod run;
mod writer;

pub use digests::Digests;
pub use error::IndexError;
pub use find::{Found, Order, Place, Search, View};
pub use writer::Writer;

/// The seconds of a day.
const DAY_SECONDS: u32 = 86_400;

/// That a record is about a key.
///
/// Entries are in the order of their fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The digest of the key.
    pub key: u64,
    /// When it happened, in seconds since 1970.
    pub at: u32,
    /// The job that read the record.
    pub job: i64,
    /// The number of the record in its file, from 1.
    pub record: u64,
    /// What the key is of the record, by its [number](Writer::subject).
    pub subject: u32,
}

/// Returns the day of a time, in days since 1970. Days are those of UTC.
pub fn day_of(at: u32) -> u32 {
    at / DAY_SECONDS
}
