//! Entries: the rows of groups in the journal.
//!
//! Entries never change. The job that begins a group writes its first entry, and each job that adds
//! records to it or releases it writes another. A group is the sum of its entries. So a job writes
//! all its entries in one place, wherever the earlier entries of the groups are.

use serde::{Deserialize, Serialize};

use super::{GroupId, JobEntry, PartDigest, ReleaseKind, Sum, Summed, Times};

/// The number of an entry in the journal. None is given twice. A group has the number of its first
/// entry.
pub type EntryNumber = i64;

/// What a job adds to a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupEntry {
    /// The group that it belongs to. None if it begins a group.
    pub group: Option<GroupId>,
    /// What the group's records have in common.
    pub key: String,
    /// The times of all records that the group has had so far, if the node knows them.
    pub times: Option<Times>,
    /// Whether the group's time was over when it began, and it takes more records that come late.
    pub began_late: bool,
    /// The records that came with the job.
    pub records: Vec<EntryRecord>,
    /// By sum of the job: what these records add. Empty if the group does not wait.
    pub sums: Vec<EntrySum>,
    /// How the group ended, if it did.
    pub released: Option<Released>,
}

/// A record of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryRecord {
    /// The job that brought it, if that is not the job of the entry. Entries of an earlier form
    /// name it.
    pub job: Option<JobEntry>,
    /// Its number in its file.
    pub record: u64,
    /// Where in the file it begins, in octets.
    pub offset: u64,
    /// When it was made, if the node knows that.
    pub time_ms: Option<i64>,
    /// Whether it had to wait. The record that makes its group complete did not.
    pub is_held: bool,
    /// The digest of its octets. Records of an early form have none.
    #[serde(with = "octets")]
    pub digest: Option<PartDigest>,
    /// Its octets, if it waits.
    #[serde(with = "octets")]
    pub octets: Option<Vec<u8>>,
}

/// A sum of the records of an entry. Its value is `high * 2^32 + low`, as the journal writes sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntrySum {
    /// The high part.
    pub high: i64,
    /// The low 32 bits, from 0.
    pub low: i64,
    /// How many records have a part in it.
    pub records: u64,
}

/// How a group ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Released {
    /// How.
    pub kind: ReleaseKind,
    /// Which job ended it, and when, if that is not the job of the entry. Entries of an earlier
    /// form name it.
    pub by: Option<(Option<JobEntry>, i64)>,
}

/// A sum of the records that wait in a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingSum {
    /// The sum, as it was defined when the group began.
    pub sum: Sum,
    /// Its value, over the entries that have it.
    pub value: Summed,
    /// Whether all entries of the group have it. If not, records came while the flow did not have
    /// this sum.
    pub is_whole: bool,
}

impl From<Summed> for EntrySum {
    fn from(Summed { sum, records }: Summed) -> Self {
        EntrySum { high: (sum >> 32) as i64, low: (sum & 0xffff_ffff) as i64, records }
    }
}

impl From<EntrySum> for Summed {
    fn from(EntrySum { high, low, records }: EntrySum) -> Self {
        Summed { sum: (i128::from(high) << 32) + i128::from(low), records }
    }
}

/// Octets in an entry. An entry in text form has them as hexadecimal digits.
mod octets {
    use serde::de::{Error as _, Unexpected};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<O, S>(octets: &Option<O>, to: S) -> Result<S::Ok, S::Error>
    where
        O: AsRef<[u8]> + Serialize,
        S: Serializer,
    {
        if !to.is_human_readable() {
            return octets.serialize(to);
        }
        let digits = |octets: &O| -> String {
            octets.as_ref().iter().map(|octet| format!("{octet:02X}")).collect()
        };
        octets.as_ref().map(digits).serialize(to)
    }

    pub(super) fn deserialize<'de, O, D>(from: D) -> Result<Option<O>, D::Error>
    where
        O: TryFrom<Vec<u8>> + Deserialize<'de>,
        D: Deserializer<'de>,
    {
        if !from.is_human_readable() {
            return Option::deserialize(from);
        }
        let Some(digits) = Option::<String>::deserialize(from)? else { return Ok(None) };
        let invalid = || D::Error::invalid_value(Unexpected::Str(&digits), &"hexadecimal digits");
        let pairs = digits.as_bytes().chunks(2);
        let octet = |pair: &[u8]| {
            let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2);
            u8::from_str_radix(pair?, 16).ok()
        };
        let octets: Option<Vec<u8>> = pairs.map(octet).collect();
        octets.and_then(|octets| O::try_from(octets).ok()).map(Some).ok_or_else(invalid)
    }
}
