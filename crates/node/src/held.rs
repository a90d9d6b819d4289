//! Nodes that hold records back until others have come: groups of records, kept by the engine with its journal.
//!
//! A node reads what waits from a [`Shelf`], and what it makes of it with the records of a file ([`HeldChanges`]) becomes
//! part of the journal with the file, in the same transaction. It sees to it that no two files in hand change groups of
//! one key.

use std::ops::AddAssign;
use std::time::Duration;

use record::{Arena, Memory, Record, TypeId};
use serde::{Deserialize, Serialize};

use crate::{LatestTime, StateError};

/// What the engine needs to know of a template whose nodes hold records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holds {
    /// The type of the records.
    pub ty: TypeId,
    /// How far all network elements' own time may be past the first record of a group that is open. Where there is
    /// such a limit, the files of each network element come to the node one after the other.
    pub record_time: Option<Duration>,
    /// How long ago the first record of a group that is open may have come.
    pub arrival: Option<Duration>,
    /// How long a group that is over by that waits for files which could not be processed.
    pub files: Duration,
    /// How far the times of a group's records may lie apart.
    pub within: Option<Duration>,
    /// What tells apart by what keys and times groups are put together.
    pub put_by: [u8; 16],
    /// How long a group is remembered that was released.
    pub history: Duration,
    /// Octets of memory for what lies on the shelf.
    pub memory_octets: u64,
}

/// What a node that holds records is given in each worker, before its first file.
pub struct Equipment {
    /// What waits.
    pub shelf: Box<dyn Shelf>,
    /// How records are kept.
    pub codec: Box<dyn Codec>,
    /// Returns the latest possible time.
    pub latest_ms: LatestTime,
}

/// Records of one type as octets: what was written is read as it was.
pub trait Codec: Send {
    /// Adds the octets of a record, or says why it cannot.
    fn write(
        &mut self,
        memory: &Memory<'_>,
        record: Record,
        to: &mut Vec<u8>,
    ) -> Result<(), StateError>;

    /// Reads a record. Its octets are the arena's then: it is of use beside a record that has others.
    fn read(&mut self, octets: &[u8], arena: &mut Arena) -> Result<Record, StateError>;
}

/// The number of a group in the journal; none is given twice.
pub type GroupId = i64;

/// The number that a job has in the journal, which is given to it when it is done.
pub type JobEntry = i64;

/// What waits in a node for other records, as the journal has it. What it cannot tell is the journal's fault.
pub trait Shelf: Send {
    /// The groups of a key.
    fn groups(&mut self, key: &str) -> Result<OnShelf, StateError>;

    /// How many groups are open.
    fn count(&mut self) -> Result<u64, StateError>;

    /// Of all records of the groups of a key that were released, not set aside, and are remembered.
    fn digests(&mut self, key: &str) -> Result<Vec<PartDigest>, StateError>;

    /// The latest time that a record of a network element had.
    fn watermark(&mut self, network_element: &str) -> Result<Option<i64>, StateError>;
}

/// When the records of a group were made, in milliseconds since 1970: the first and the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Times {
    pub first_ms: i64,
    pub last_ms: i64,
}

impl Times {
    /// Of one record.
    pub fn of(time_ms: i64) -> Self {
        Times { first_ms: time_ms, last_ms: time_ms }
    }

    /// Those of a group that has one more.
    pub fn with(self, time_ms: i64) -> Self {
        Times { first_ms: self.first_ms.min(time_ms), last_ms: self.last_ms.max(time_ms) }
    }

    /// How far they lie apart.
    pub fn span(self) -> Duration {
        Duration::from_millis(self.last_ms.saturating_sub(self.first_ms).max(0) as u64)
    }
}

/// The groups of a key, in the order in which they began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OnShelf {
    /// Those that are open.
    pub open: Vec<OpenGroup>,
    /// Those that were released, not set aside, and are remembered: their times, where the node knows them.
    pub released: Vec<Option<Times>>,
}

/// A group that waits for more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenGroup {
    /// Its number.
    pub id: GroupId,
    /// Whether it began when its time was over already, and takes more that comes late.
    pub began_late: bool,
    /// Its records, in the order in which they came.
    pub parts: Vec<KeptPart>,
}

/// A record that lay on the shelf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptPart {
    /// The record.
    pub part: Part,
    /// The digest of its octets when it was put there. None for records of versions that had no digests.
    pub digest: Option<PartDigest>,
    /// The job that brought it.
    pub job: JobEntry,
}

/// A digest of a record's octets: no two records have the same.
pub type PartDigest = [u8; 16];

/// A record of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// When it was made, where the node knows that.
    pub time_ms: Option<i64>,
    /// The record.
    pub octets: Vec<u8>,
}

/// What a file's records changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldChanges {
    /// The groups, in the order in which the first change was made.
    pub groups: Vec<ChangedGroup>,
    /// The latest time that one of the records had.
    pub watermark_ms: Option<i64>,
    /// How many records came, which were not set aside before.
    pub came: u64,
    /// How many of them came late.
    pub late: u64,
    /// The records that came to a group and were refused.
    pub missing: Vec<MissingPart>,
    /// What is summed of the records.
    pub sums: Vec<Sum>,
}

/// A record that came to a group and that somebody refused on its way: as long as it is set aside, groups that it may
/// belong to are not over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingPart {
    /// The group's key.
    pub key: String,
    /// When it was made, where the node knows that.
    pub time_ms: Option<i64>,
    /// Its number in its file.
    pub record: u64,
    /// Where in the file it begins: several that are found in octets which could not be read have one number.
    pub offset: u64,
    /// Whether groups wait for it: not where it will be refused whenever it comes again.
    pub is_awaited: bool,
}

/// A sum that the flow asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sum {
    /// What it is called.
    pub name: String,
    /// What each record adds, as the flow says it.
    pub text: String,
}

/// A sum, and how many records have a part in it. Wide enough for any file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Summed {
    pub sum: i128,
    pub records: u64,
}

impl Summed {
    /// Adds the value of a record, if it has one.
    #[inline]
    pub fn add(&mut self, value: Option<i64>) {
        if let Some(value) = value {
            self.sum += i128::from(value);
            self.records += 1;
        }
    }
}

impl AddAssign for Summed {
    fn add_assign(&mut self, other: Self) {
        self.sum += other.sum;
        self.records += other.records;
    }
}

/// A group that a file's records changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedGroup {
    /// Its number, unless it is new.
    pub id: Option<GroupId>,
    /// What its records have in common.
    pub key: String,
    /// Of all its records, where the node knows that.
    pub times: Option<Times>,
    /// Whether it began when its time was over already, and takes more that comes late.
    pub began_late: bool,
    /// The jobs that brought the records which waited in it before: one for each record, in the order of these.
    pub waited: Vec<JobEntry>,
    /// The records that came to it.
    pub came: Vec<CamePart>,
    /// Why it waits no more, if it does not.
    pub released: Option<Release>,
    /// By sum: what it became, if it went on.
    pub emitted: Vec<Summed>,
}

/// A record that came to a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CamePart {
    /// Its number in its file.
    pub record: u64,
    /// Where in the file it begins.
    pub offset: u64,
    /// The record, if it waits or is set aside.
    pub part: Part,
    /// Of the record, whether it waits or not.
    pub digest: PartDigest,
    /// Whether it had to wait: not the one that made its group complete.
    pub is_held: bool,
    /// By sum: what it adds, if anything.
    pub values: Box<[Option<i64>]>,
}

/// How a group ends that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GroupEnd {
    /// Its time is over: as the node's settings say.
    Over,
    /// What there is goes on.
    Released,
    /// Its records are set aside.
    SetAside(Aside),
    /// It is given up.
    Dropped,
}

/// Why records of a group are set aside that are there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Aside {
    /// The node or system that refused what they became; or the node they waited in, where somebody asked for it.
    pub node: String,
    /// Why it did.
    pub reason: String,
}

/// Why a group waits no more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Release {
    /// Its last record came.
    Complete,
    /// Its time was over, or somebody asked for it: what there is went on.
    Expired,
    /// And it was given up.
    Dropped,
    /// Its records were set aside: since its time was over, if nothing else is said.
    Suspended(Option<Aside>),
}

impl Release {
    /// How it is called.
    pub fn word(&self) -> &'static str {
        match self {
            Release::Complete => "complete",
            Release::Expired => "expired",
            Release::Dropped => "dropped",
            Release::Suspended(_) => "suspended",
        }
    }
}

/// What a node did with a group whose time is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expiry {
    /// What was emitted goes on, if anything was.
    Emitted,
    /// It was given up.
    Dropped,
    /// Its records are set aside.
    Suspended,
    /// It was released meanwhile.
    Gone,
}
