//! Groups of records that wait for others. The engine stores them in its journal.
//!
//! A node reads the groups of a key with a [`GroupReader`]. The [changes](GroupChanges) of a job
//! are written in the transaction of the job. The node ensures that no two files in hand change
//! groups of the same key.

pub mod entry;
pub mod page;

use std::ops::AddAssign;
use std::time::Duration;

use reason::Reason;
use record::{Arena, Memory, Record, TypeId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use self::entry::{EntryNumber, WaitingSum};
use self::page::EntryPage;
use crate::{LatestTime, StateError};

/// The settings of a template whose nodes group records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupSettings {
    /// The type of the records.
    pub ty: TypeId,
    /// How far the time of all network elements may be past the first record of an open group. With
    /// this limit, the files of each network element are processed in order.
    pub record_time: Option<Duration>,
    /// How long ago the first record of an open group may have arrived.
    pub arrival: Option<Duration>,
    /// How long a group that has expired by these limits waits for files that could not be
    /// processed.
    pub files: Duration,
    /// The maximum time between the first and the last record of a group.
    pub within: Option<Duration>,
    /// A digest of the settings by which records are grouped: keys and times.
    pub grouped_by: [u8; 16],
    /// How long a released group is remembered.
    pub history: Duration,
    /// Octets of memory for finding and reading groups.
    pub memory_octets: u64,
}

/// What a node with groups needs in each worker. It gets this before its first file.
pub struct Equipment {
    /// Reads its groups.
    pub reader: Box<dyn GroupReader>,
    /// Encodes and decodes waiting records.
    pub codec: Box<dyn Codec>,
    /// Returns the latest possible time.
    pub latest_ms: LatestTime,
}

/// Encodes and decodes records of one type, without loss.
pub trait Codec: Send {
    /// Appends the octets of a record to `to`.
    fn write(
        &mut self,
        memory: &Memory<'_>,
        record: Record,
        to: &mut Vec<u8>,
    ) -> Result<(), StateError>;

    /// Decodes a record into an arena. It does not refer to `octets` afterwards, so it can be used
    /// beside other records.
    fn read(&mut self, octets: &[u8], arena: &mut Arena) -> Result<Record, StateError>;
}

/// The number of a group in the journal. Numbers are never reused.
pub type GroupId = i64;

/// The number of a job in the journal. A job gets it when it is committed.
pub type JobEntry = i64;

/// The groups of a node in the journal.
///
/// Methods fail only if the journal cannot be read.
pub trait GroupReader: Send {
    /// Moves to the current state of the journal, unless no file of the node was
    /// [settled](crate::FileClaims::settled) since the last call. A file calls this after it has
    /// claimed a key and before it reads the groups of the key.
    fn advance(&mut self, settled: u64) -> Result<(), StateError>;

    /// Ends the read transaction, which prevents checkpoints of the journal.
    fn release(&mut self);

    /// Returns the groups of a key.
    fn groups(&mut self, key: &str) -> Result<KeyGroups, StateError>;

    /// Returns the number of open groups.
    fn count(&mut self) -> Result<u64, StateError>;

    /// Returns the digests of all records of the remembered groups of a key that were released and
    /// not set aside.
    fn digests(&mut self, key: &str) -> Result<Vec<PartDigest>, StateError>;

    /// Returns the latest time of a record of a network element.
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
    /// Returns the times of a single record.
    pub fn of(time_ms: i64) -> Self {
        Times { first_ms: time_ms, last_ms: time_ms }
    }

    /// Adds the time of another record.
    pub fn with(self, time_ms: i64) -> Self {
        Times { first_ms: self.first_ms.min(time_ms), last_ms: self.last_ms.max(time_ms) }
    }

    /// Returns the time between the first and the last record.
    pub fn span(self) -> Duration {
        Duration::from_millis(self.last_ms.saturating_sub(self.first_ms).max(0) as u64)
    }
}

/// The groups of a key, in the order in which they began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyGroups {
    /// The open groups.
    pub open: Vec<OpenGroup>,
    /// The times of the remembered groups that were released and not set aside, if the node knows
    /// them.
    pub released: Vec<Option<Times>>,
}

/// A group that waits for more records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenGroup {
    /// Its number.
    pub id: GroupId,
    /// Whether it began after its time had expired. It accepts more late records.
    pub began_late: bool,
    /// The numbers of its entries.
    pub entries: Vec<EntryNumber>,
    /// Its records, in the order in which they came.
    pub records: Vec<WaitingRecord>,
    /// The sums of its records.
    pub sums: Vec<WaitingSum>,
}

/// A record that waits in a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingRecord {
    /// The record.
    pub part: Part,
    /// The digest of its octets.
    pub digest: PartDigest,
    /// The job that brought it.
    pub job: JobEntry,
    /// Its number in its file.
    pub record: u64,
    /// Its offset in the file, in octets.
    pub offset: u64,
}

/// A digest of a record's octets. Different records have different digests.
pub type PartDigest = [u8; 16];

/// A record of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// When it was made, where the node knows that.
    pub time_ms: Option<i64>,
    /// The record.
    pub octets: Vec<u8>,
}

/// What a job changes of the groups of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupChanges {
    /// What it adds to groups.
    pub pages: Vec<EntryPage>,
    /// The sums that these entries have.
    pub sums: Vec<Sum>,
    /// How many more groups wait than before; negative if there are fewer.
    pub opened: i64,
    /// The entries that belong to groups of earlier jobs, in the order of these groups.
    pub linked: Vec<LinkedEntry>,
    /// The entries of earlier jobs whose groups have ended, in ascending order.
    pub closed: Vec<EntryNumber>,
    /// The latest time of a record in the groups that have ended; [`i64::MAX`] if it is not known
    /// for one of them.
    pub ended_last_ms: Option<i64>,
    /// The groups whose records are set aside.
    pub set_aside: Vec<GroupAside>,
    /// How many records had to wait.
    pub held: u64,
    /// The records that wait no more, by the job that brought them.
    pub ended: Vec<EndedRecords>,
    /// What was summed, by side.
    pub amounts: Vec<GroupAmount>,
    /// The latest time that one of the records had.
    pub watermark_ms: Option<i64>,
    /// How many records came, which were not set aside before.
    pub came: u64,
    /// How many of them came late.
    pub late: u64,
    /// The records that came to a group and were refused.
    pub missing: Vec<MissingPart>,
}

/// An entry that belongs to a group of an earlier job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkedEntry {
    /// The number of the group.
    pub group: GroupId,
    /// The place of the entry among those of the job, from 0.
    pub entry: u32,
    /// The time of the group's first record, where the node knows that.
    pub first_ms: Option<i64>,
}

/// A group whose records are set aside together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupAside {
    /// Its number. None if the job began it.
    pub id: Option<GroupId>,
    /// The place of its last entry among those of the job.
    pub entry: u32,
    /// Its key.
    pub key: String,
    /// The times of its records.
    pub times: Option<Times>,
    /// Why; none if its time was over.
    pub aside: Option<Aside>,
    /// The records that waited.
    pub records: Vec<AsideRecord>,
}

/// A record of such a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AsideRecord {
    /// The job that brought it. None if it is this one.
    pub job: Option<JobEntry>,
    /// Its number in its file.
    pub record: u64,
    /// Where in the file it begins, in octets.
    pub offset: u64,
    /// The record.
    pub octets: Vec<u8>,
}

/// Records that wait no more, since their groups ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedRecords {
    /// The job that brought them. None if it is this one.
    pub job: Option<JobEntry>,
    /// How the groups ended.
    pub kind: ReleaseKind,
    /// How many.
    pub records: u64,
}

/// A sum of a job, on one side of the account of its node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupAmount {
    /// The side.
    pub side: Side,
    /// The name of the sum.
    pub name: String,
    /// Its value.
    pub value: Summed,
}

/// The sides of the account of a node: what came and what waited before equals the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Side {
    /// What came.
    Came,
    /// What waited in the groups that ended.
    Waited,
    /// What went on.
    Emitted,
    /// What waits now.
    Kept,
    /// What was given up.
    Dropped,
    /// What was set aside.
    Aside,
    /// What waited by a sum that the flow does not have any more, or defines otherwise. It is not
    /// compared with what the groups became.
    Changed,
}

impl Side {
    /// Returns its word in the journal.
    pub fn word(self) -> &'static str {
        match self {
            Side::Came => "came",
            Side::Waited => "waited",
            Side::Emitted => "emitted",
            Side::Kept => "kept",
            Side::Dropped => "dropped",
            Side::Aside => "aside",
            Side::Changed => "changed",
        }
    }
}

/// A record that came to a group and was refused by a node or system. As long as it is set aside,
/// groups that it may belong to are not over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingPart {
    /// The group's key.
    pub key: String,
    /// When it was made, where the node knows that.
    pub time_ms: Option<i64>,
    /// Its number in its file.
    pub record: u64,
    /// Where in the file it begins: several that are found in octets which could not be read have
    /// one number.
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
    /// The node or system that refused what they became; or the node they waited in, if a user
    /// requested it.
    pub node: String,
    /// Why it did. It is boxed, since few groups are set aside.
    pub reason: Box<Reason>,
}

/// Why a group waits no more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Release {
    /// Its last record came.
    Complete,
    /// Its time was over, or a user requested it: its records went on.
    Expired,
    /// A user requested that its records are dropped.
    Dropped,
    /// Its records were set aside: for this reason, or since its time was over.
    Suspended(Option<Aside>),
}

/// How a group ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = GroupRelease)]
pub enum ReleaseKind {
    /// Its last record came.
    Complete,
    /// What there was went on.
    Expired,
    /// It was given up.
    Dropped,
    /// Its records were set aside.
    Suspended,
}

impl Release {
    /// Returns how the group ended.
    pub fn kind(&self) -> ReleaseKind {
        match self {
            Release::Complete => ReleaseKind::Complete,
            Release::Expired => ReleaseKind::Expired,
            Release::Dropped => ReleaseKind::Dropped,
            Release::Suspended(_) => ReleaseKind::Suspended,
        }
    }
}

impl ReleaseKind {
    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            ReleaseKind::Complete => "complete",
            ReleaseKind::Expired => "expired",
            ReleaseKind::Dropped => "dropped",
            ReleaseKind::Suspended => "suspended",
        }
    }
}

/// What a node did with an expired group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expiry {
    /// The emitted records go on, if there are any.
    Emitted,
    /// It was given up.
    Dropped,
    /// Its records are set aside.
    Suspended,
    /// The group was released since the engine found it.
    Gone,
}
