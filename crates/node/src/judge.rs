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
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use crate::{Committed, JobEntry, StateError};

/// Judges the notes of jobs.
pub trait Judge: Send + Sync {
    /// Tells the judge that this thread has taken a file, before it looks into the file at all: others may process later files meanwhile,
    /// and that makes its records no later. The file may never begin.
    fn take_file(&self);

    /// Tells the judge that this thread has done with the file that it took.
    fn leave_file(&self);

    /// Takes the notes of a job, within its transaction. Returns what it finds.
    ///
    /// # Errors
    ///
    /// The notes are not those of a node of this judge. The transaction is to be undone.
    fn judge(&self, job: Committed, notes: &[u8]) -> Result<Judged, StateError>;

    /// Returns how far back it looks: as far as what it knows of a key may matter to what it finds.
    fn looks_back(&self) -> Duration;

    /// The transaction of the jobs since the last call is over: they are in the journal, or all that they have changed is undone.
    fn settle(&self, is_committed: bool);

    /// Returns what comes of its alerts, if it finds any.
    fn alerting(&self) -> Option<&dyn Alerting> {
        None
    }

    /// Returns the names of its thresholds, if it finds what [crosses](Judged::crossings) them.
    fn thresholds(&self) -> Vec<String> {
        Vec::new()
    }
}

/// What comes of the alerts of a [judge](Judge), and of what it knows of keys.
pub trait Alerting {
    /// Returns what comes of its alerts.
    fn alert_policy(&self) -> AlertPolicy;

    /// Returns its rules.
    fn rules(&self) -> Vec<RuleSummary>;

    /// Returns how long it is stored which records are about a key; `None` if it is not.
    fn index(&self) -> Option<Duration>;

    /// Hands out whose records the notes of a job are about, from what was [stored](Judged::delta) of the job, whatever the rules were then.
    /// Those of a time to come are left out.
    ///
    /// # Errors
    ///
    /// The octets are not those of a node of this judge.
    fn keys_of(
        &self,
        job: Committed,
        delta: &[u8],
        take: &mut dyn FnMut(NotedKey<'_>),
    ) -> Result<(), StateError>;
}

impl fmt::Debug for dyn Judge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Judge").finish_non_exhaustive()
    }
}

/// What comes of the notes of a job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judged {
    /// What rules have found, in the order of the notes.
    pub alerts: Vec<Alert>,
    /// The thresholds that are crossed, or are not any more, in the order in which that was found.
    pub crossings: Vec<Crossing>,
    /// The entries of lists for which a rule fired, or did not.
    pub hits: Vec<ListHit>,
    /// What is stored of the job, to restore the state of the judge: its notes, and what they led to.
    pub delta: Vec<u8>,
    /// How many records the notes are of.
    pub records: u64,
    /// How many of these do not count, since they came too late, or are of a time to come.
    pub late: u64,
    /// The latest time of its records that count, in seconds since 1970.
    pub newest: Option<u32>,
}

/// That a record is about a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotedKey<'n> {
    /// The number of the record in its file, from 1.
    pub record: u64,
    /// When it happened, in seconds since 1970.
    pub at_s: u32,
    /// What the key is of the record, such as `caller`.
    pub subject: &'n str,
    /// The key.
    pub key: &'n [u8],
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
    /// How bad it is.
    pub severity: Severity,
    /// The type of fraud, if the rule says one.
    pub fraud_type: Option<String>,
    /// Whether the rule is only tried out: nothing depends on the alert.
    pub is_shadow: bool,
    /// The names of the actions that are requested.
    pub actions: Arc<[String]>,
    /// The condition, each name with its value.
    pub condition: String,
    /// The recent records that it is about, each with its job, in the order of their times.
    pub evidence: Vec<(JobEntry, u64)>,
}

/// What comes of the alerts of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlertPolicy {
    /// With so many points, the alerts about a key open a case for people: the sum of the highest alert of each rule.
    pub case_at: u32,
    /// Within so many seconds.
    pub case_within_s: u32,
    /// How many people approve a version of a rule before it acts.
    pub rule_approvals: u8,
    /// When records are judged so many seconds after they happened, an alarm says so.
    pub behind_s: Option<u32>,
}

/// A rule, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSummary {
    /// Its name.
    pub name: String,
    /// A digest of what it is.
    pub version: String,
    /// What it is about, such as `caller`.
    pub subject: String,
    /// The type of fraud that it finds, if it says one.
    pub fraud_type: Option<String>,
    /// Whether it is only tried out.
    pub is_shadow: bool,
    /// The names of the actions that it requests.
    pub actions: Arc<[String]>,
    /// What its file says for people.
    pub texts: RuleTexts,
}

/// What the file of a rule says for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleTexts {
    /// What it finds.
    pub title: Option<String>,
    /// Why it is there.
    pub because: Option<String>,
    /// Who answers for it.
    pub owner: Option<String>,
    /// When it is to be looked at again.
    pub until: Option<String>,
}

/// That a value of an object is beyond a threshold, or is not any more.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossing {
    /// The threshold.
    pub threshold: String,
    /// What it is about, such as `drops`.
    pub kpi: String,
    /// The object whose value it is, by its distinguished name.
    pub object: String,
    /// Whether the alarm is raised or cleared.
    pub is_raised: bool,
    /// How bad it is.
    pub severity: Severity,
    /// The period of the value, in seconds since 1970.
    pub period: Range<i64>,
    /// The value.
    pub observed: f64,
    /// What it was held against.
    pub limit: f64,
    /// Whether the value is bad above the limit, or else below.
    pub is_above: bool,
    /// The unit of both; empty without one.
    pub unit: String,
    /// How the value was found: the formula with its numbers.
    pub formula: String,
    /// The number of the record in its file, from 1.
    pub record: u64,
}

/// An entry of a list that mattered to a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListHit {
    /// The name of the list.
    pub list: String,
    /// The entry.
    pub entry: String,
    /// The time of the record, in seconds since 1970.
    pub at_s: u32,
}

/// How bad something is (ITU-T X.733, 8.1.2.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// To be looked at.
    #[default]
    Warning,
    /// A little harm.
    Minor,
    /// Harm.
    Major,
    /// Act at once.
    Critical,
}

impl Severity {
    /// All, with their names.
    pub const NAMES: [(&'static str, Severity); 4] = [
        ("warning", Severity::Warning),
        ("minor", Severity::Minor),
        ("major", Severity::Major),
        ("critical", Severity::Critical),
    ];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        Severity::NAMES[self as usize].0
    }
}
