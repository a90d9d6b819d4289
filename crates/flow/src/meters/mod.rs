//! Metrics of a gateway: counters since its start, and its current state.
//!
//! A record costs nothing here. Counters change once a file, with what the journal is given of it. The current state is
//! set with each look into the folders, or read from the journal on request.

mod day;
mod delays;
mod sizes;
mod standing;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant, SystemTime};

use journal::JobId;
use runtime::sync::lock;

pub use store::{COMMIT_SECONDS, Commits};

use crate::report::{FileAccount, NodeAccount, SourceCount, add_sources};
pub use day::done_since;
use delays::Delays;
pub use sizes::{Decision, DeliveringSizes, GroupShare, GroupSize, Sizes, Threads};
pub use standing::{DiskFree, Standing, standing};

/// Metrics that a run writes and other threads read.
#[derive(Debug, Default)]
pub struct Meters {
    tallies: Mutex<Tallies>,
    now: Mutex<Now>,
    sizes: Mutex<Sizes>,
    delays: Mutex<Delays>,
    working: AtomicUsize,
    commits: OnceLock<Arc<Commits>>,
    /// The number of flows that have run so far.
    flows: AtomicU64,
}

/// The outcomes of records. ORDER OUTCOMES
pub const OUTCOMES: [&str; 5] = ["delivered", "filtered", "held", "suspended", "duplicate"];

/// Numbers of records by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcomes(pub [u64; OUTCOMES.len()]);

impl Outcomes {
    fn add(&mut self, counts: [u64; OUTCOMES.len()]) {
        self.0.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }

    fn since(mut self, before: Outcomes) -> Outcomes {
        self.0.iter_mut().zip(before.0).for_each(|(now, before)| *now -= before);
        self
    }
}

/// Counters of a network element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfElement {
    /// Files that are done.
    pub files: u64,
    /// How many of these files came before.
    pub duplicate_files: u64,
    /// Octets of all files that are done.
    pub octets: u64,
    /// Their records.
    pub records: Outcomes,
    /// Records that were retried.
    pub retried: Outcomes,
}

/// Counters of a node or a post-processing system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfNode {
    /// The records.
    pub records: Outcomes,
    /// Records that it made.
    pub made: u64,
    /// Records that it passed on, and that were refused behind it. They are in no outcome.
    pub refused_later: u64,
    /// All records that came to it, by edge.
    pub sources: Vec<SourceCount>,
    /// Files that were made for it, if it is a system.
    pub files: u64,
}

/// Counters since the gateway was started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tallies {
    /// The last job of the journal that was done before the gateway was started, or that the counts include. Jobs with
    /// higher numbers are not included.
    pub last_job: i64,
    /// The counts by network element.
    pub elements: BTreeMap<String, OfElement>,
    /// The counts by node.
    pub nodes: BTreeMap<String, OfNode>,
    /// The counts by post-processing system.
    pub systems: BTreeMap<String, OfNode>,
}

/// The current state.
#[derive(Clone, Debug, Default)]
pub struct Now {
    /// Tasks that wait and files that cannot be processed, by network element.
    pub waiting: BTreeMap<String, usize>,
    /// Keys that nodes know, by node. For a process beside the gateway's, the last number that it sent, while it runs.
    pub keys: BTreeMap<String, u64>,
    /// Folders that are written to.
    pub folders: Vec<PathBuf>,
    /// The time of the last look into the folders.
    pub looked: Option<Instant>,
    /// Whether the last write to the journal succeeded.
    pub journal_is_written: bool,
    /// Whether the run is over.
    pub has_ended: bool,
}

impl Now {
    /// Returns the time since the last look into the folders, if there was one.
    pub fn looked(&self) -> Option<Duration> {
        self.looked.map(|looked| looked.elapsed())
    }
}

/// A finished file or finished retries, as written to the journal.
pub struct Done<'d> {
    /// The counts of its records.
    pub account: &'d FileAccount,
    /// The counts of the nodes and systems that its records came to.
    pub nodes: &'d [NodeAccount],
    /// The systems for which a file was made.
    pub outputs: &'d [String],
}

impl Meters {
    /// Returns the counters.
    pub fn tallies(&self) -> Tallies {
        lock(&self.tallies).clone()
    }

    /// Returns the current state.
    pub fn now(&self) -> Now {
        lock(&self.now).clone()
    }

    /// Returns the number of threads that process files, and how many are busy now.
    pub fn threads(&self) -> (usize, usize) {
        (lock(&self.sizes).threads(), self.working.load(Ordering::Relaxed))
    }

    /// Returns the threads of each group, and the last decisions.
    pub fn sizes(&self) -> Sizes {
        lock(&self.sizes).clone()
    }

    /// Returns the number of flows that have run so far; a new number means a new flow.
    pub fn flows(&self) -> u64 {
        self.flows.load(Ordering::Relaxed)
    }

    /// Notes that a new flow runs.
    pub fn runs(&self) {
        self.flows.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the counts of the journal's commits, once there is a journal.
    pub fn commits(&self) -> Option<&Commits> {
        self.commits.get().map(Arc::as_ref)
    }

    /// Sets the counts of the journal's commits, and the last job that the journal has. Later calls change nothing.
    pub fn has_journal(&self, commits: Arc<Commits>, last_job: Option<JobId>) {
        // A later journal is of the same process, since a run has one. If the commits are there, so is the last job.
        if self.commits.get().is_none() {
            lock(&self.tallies).includes(last_job.unwrap_or(JobId(0)));
            let _ = self.commits.set(commits);
        }
    }

    /// Counts a finished file.
    pub fn file(&self, job: JobId, done: &Done<'_>, octets: u64, is_duplicate: bool) {
        let mut tallies = lock(&self.tallies);
        tallies.includes(job);
        let element = entry(&mut tallies.elements, &done.account.network_element);
        element.files += 1;
        element.duplicate_files += u64::from(is_duplicate);
        element.octets += octets;
        element.records.add(outcomes(done.account));
        tallies.nodes_of(done);
    }

    /// Notes that the outputs of a file which arrived at `arrived_at` are where their receivers look for them.
    pub fn delivered(&self, arrived_at: SystemTime) {
        lock(&self.delays).delivered(arrived_at, SystemTime::now());
    }

    /// Remembers the arrival of a finished file with outputs to transfer.
    pub fn to_be_transferred(&self, file: JobId, arrived_at: SystemTime) {
        lock(&self.delays).remember(file, arrived_at);
    }

    /// Notes that an output of this file is where a receiver looks for it.
    pub fn transferred(&self, file: JobId) {
        lock(&self.delays).transferred(file, SystemTime::now());
    }

    /// Takes the longest time from arrival to delivery of the files delivered since the last call. Retried records, and
    /// what groups became, have no arrival.
    pub fn take_slowest(&self) -> Option<Duration> {
        lock(&self.delays).take_slowest()
    }

    /// Counts retried records.
    pub fn retried(&self, job: JobId, done: &Done<'_>) {
        let mut tallies = lock(&self.tallies);
        tallies.includes(job);
        let element = entry(&mut tallies.elements, &done.account.network_element);
        element.retried.add(outcomes(done.account));
        tallies.nodes_of(done);
    }

    /// Counts the outputs of groups whose time is over.
    pub fn expired(&self, job: JobId, nodes: &[NodeAccount], outputs: &[String]) {
        let account = &FileAccount::default();
        let mut tallies = lock(&self.tallies);
        tallies.includes(job);
        tallies.nodes_of(&Done { account, nodes, outputs });
    }

    /// Sets the current state after a look into the folders.
    pub fn look(&self, now: Now) {
        *lock(&self.now) = Now { looked: Some(Instant::now()), has_ended: false, ..now };
    }

    /// Notes that the run is over.
    pub fn ended(&self) {
        let mut now = lock(&self.now);
        now.has_ended = true;
        now.waiting.clear();
    }

    /// Sets the groups of a flow that starts or continues; earlier decisions are kept.
    pub fn begins_with(&self, sizes: Sizes, decision: Decision) {
        let mut now = lock(&self.sizes);
        let decisions = std::mem::take(&mut now.decisions);
        *now = Sizes { decisions, ..sizes };
        now.decide(decision);
    }

    /// Sets the number of threads that all groups without their own now have.
    pub fn balanced(&self, threads: usize, decision: Decision) {
        let mut now = lock(&self.sizes);
        now.common.threads = threads;
        now.decide(decision);
    }

    /// Counts a thread as busy until the returned value is dropped.
    pub fn works(&self) -> impl Drop + '_ {
        struct Works<'m>(&'m AtomicUsize);
        impl Drop for Works<'_> {
            fn drop(&mut self) {
                self.0.fetch_sub(1, Ordering::Relaxed);
            }
        }
        self.working.fetch_add(1, Ordering::Relaxed);
        Works(&self.working)
    }
}

impl Tallies {
    /// Returns by how much the counters grew since `before`. What did not change is left out.
    pub fn since(&self, before: &Tallies) -> Tallies {
        let nodes = |now: &BTreeMap<String, OfNode>, before: &BTreeMap<String, OfNode>| {
            grown(now, before, OfNode::since)
        };
        Tallies {
            last_job: self.last_job,
            elements: grown(&self.elements, &before.elements, OfElement::since),
            nodes: nodes(&self.nodes, &before.nodes),
            systems: nodes(&self.systems, &before.systems),
        }
    }

    /// Adds the counters of other jobs.
    pub fn add(&mut self, other: &Tallies) {
        self.last_job = self.last_job.max(other.last_job);
        for (name, other) in &other.elements {
            entry(&mut self.elements, name).add(other);
        }
        for (name, other) in &other.nodes {
            entry(&mut self.nodes, name).add(other);
        }
        for (name, other) in &other.systems {
            entry(&mut self.systems, name).add(other);
        }
    }

    fn includes(&mut self, JobId(job): JobId) {
        self.last_job = self.last_job.max(job);
    }

    fn nodes_of(&mut self, done: &Done<'_>) {
        for account in done.nodes {
            let NodeAccount { delivered, filtered, held, suspended, duplicate, .. } = account;
            let of = if account.is_system { &mut self.systems } else { &mut self.nodes };
            let of = entry(of, &account.node);
            // ORDER OUTCOMES
            of.records.add([*delivered, *filtered, *held, *suspended, *duplicate]);
            of.made += account.made;
            of.refused_later += account.refused_later;
            add_sources(&mut of.sources, &account.sources);
        }
        for system in done.outputs {
            entry(&mut self.systems, system).files += 1;
        }
    }
}

/// Returns by how much each entry grew since `before`, without those that did not.
fn grown<T: Default + PartialEq>(
    now: &BTreeMap<String, T>,
    before: &BTreeMap<String, T>,
    since: fn(&T, &T) -> T,
) -> BTreeMap<String, T> {
    let none = T::default();
    let of = |(name, now): (&String, &T)| {
        let grown = since(now, before.get(name).unwrap_or(&none));
        (grown != none).then(|| (name.clone(), grown))
    };
    now.iter().filter_map(of).collect()
}

impl OfElement {
    fn since(&self, before: &OfElement) -> OfElement {
        OfElement {
            files: self.files - before.files,
            duplicate_files: self.duplicate_files - before.duplicate_files,
            octets: self.octets - before.octets,
            records: self.records.since(before.records),
            retried: self.retried.since(before.retried),
        }
    }

    fn add(&mut self, other: &OfElement) {
        self.files += other.files;
        self.duplicate_files += other.duplicate_files;
        self.octets += other.octets;
        self.records.add(other.records.0);
        self.retried.add(other.retried.0);
    }
}

impl OfNode {
    fn since(&self, before: &OfNode) -> OfNode {
        let source = |now: &SourceCount| {
            let known = before.sources.iter().find(|known| known.is_of(now));
            let records = now.records - known.map_or(0, |known| known.records);
            (records > 0).then(|| SourceCount { records, ..now.clone() })
        };
        OfNode {
            records: self.records.since(before.records),
            made: self.made - before.made,
            refused_later: self.refused_later - before.refused_later,
            sources: self.sources.iter().filter_map(source).collect(),
            files: self.files - before.files,
        }
    }

    fn add(&mut self, other: &OfNode) {
        self.records.add(other.records.0);
        self.made += other.made;
        self.refused_later += other.refused_later;
        add_sources(&mut self.sources, &other.sources);
        self.files += other.files;
    }
}

fn outcomes(account: &FileAccount) -> [u64; OUTCOMES.len()] {
    let FileAccount { delivered, filtered, held, suspended, duplicate, .. } = account;
    [*delivered, *filtered, *held, *suspended, *duplicate] // ORDER OUTCOMES
}

fn entry<'m, T: Default>(map: &'m mut BTreeMap<String, T>, name: &str) -> &'m mut T {
    if !map.contains_key(name) {
        map.insert(name.to_owned(), T::default());
    }
    map.get_mut(name).expect("it is there")
}
