//! State that is changed in the order of the journal.
//!
//! The values of [`Keyed`](crate::Keyed) belong to one file at a time, from the first record with their key until the file is in the
//! journal. That is no good for keys of every file, such as a destination: files would wait for each other. A [`Judge`] needs no such
//! claims. Workers only note what records say; the writer of the journal hands the notes of a job to the judge, within the job's
//! transaction. So all see the same order, and what is found is in the journal with the job, or not at all.
//!
//! The notes are the [delta](crate::StateChanges::delta) of the job, to which the judge adds what it has found, and the judge is [state in memory](crate::InMemory): at a start,
//! it is restored from a snapshot and the notes of later jobs.

use std::fmt;

use crate::{Committed, JobEntry, StateError};

/// Judges the notes of jobs.
pub trait Judge: Send + Sync {
    /// Takes the notes of a job, within its transaction. Returns what it finds.
    ///
    /// # Errors
    ///
    /// The notes are not those of a node of this judge. The transaction is to be undone.
    fn judge(&self, job: Committed, notes: &[u8]) -> Result<Judged, StateError>;

    /// The transaction of the jobs since the last call is over: they are in the journal, or all that they have changed is undone.
    fn settle(&self, is_committed: bool);
}

impl fmt::Debug for dyn Judge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Judge").finish_non_exhaustive()
    }
}

/// What comes of the notes of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// What rules have found, in the order of the notes.
    pub alerts: Vec<Alert>,
    /// What is stored of the job, to restore the state of the judge: its notes, and what they led to.
    pub delta: Vec<u8>,
    /// How many notes do not count, since their records came too late, or are of a time to come.
    pub late: u64,
}

/// Something that a rule has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alert {
    /// A digest of what it is about: the same files in the same order give the same one.
    pub digest: [u8; 16],
    /// The rule.
    pub rule: String,
    /// A digest of what the rule was then.
    pub rule_version: String,
    /// What the rule is about, such as `caller`.
    pub subject: String,
    /// Which one it is.
    pub key: String,
    /// The time at which the rule fires, in seconds since 1970: that of the record, or a later one by a record that is late.
    pub at_s: u32,
    /// The number of the record in its file, from 1.
    pub record: u64,
    /// The points that it has.
    pub score: u32,
    /// The condition, each name with its value.
    pub condition: String,
    /// The recent records that it is about, each with its job, in the order of their times.
    pub evidence: Vec<(JobEntry, u64)>,
}
