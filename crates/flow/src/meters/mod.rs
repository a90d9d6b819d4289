//! Metrics of a gateway: counters since its start, and its current state.
//!
//! A record costs nothing here. Counters change once a file, with what the journal is given of it. The current state is
//! set with each look into the folders, or read from the journal on request.

mod delays;
mod edges;
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

use crate::report::{FileAccount, NodeAccount};
use crate::topology::Topology;
use delays::Delays;
pub use edges::{Edge, Edges};
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
    /// For each node, the names of its streams.
    streams: Mutex<BTreeMap<String, Vec<String>>>,
    edges: Mutex<Edges>,
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
    /// For each stream, the records that went on there. If a node has one stream, this includes records that it made.
    pub streams: Vec<u64>,
    /// Files that were made for it, if it is a system.
    pub files: u64,
}

/// Counters since the gateway was started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tallies {
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

    /// Returns the names of the streams of each node of the running flow.
    pub fn streams(&self) -> BTreeMap<String, Vec<String>> {
        lock(&self.streams).clone()
    }

    /// Returns, for each edge of the running flow, the records from before it existed.
    pub fn edges(&self) -> Edges {
        lock(&self.edges).clone()
    }

    /// Returns the number of flows that have run so far; a new number means a new flow.
    pub fn flows(&self) -> u64 {
        self.flows.load(Ordering::Relaxed)
    }

    /// Notes that a new flow runs.
    pub fn runs(&self, flow: &Topology) {
        self.flows.fetch_add(1, Ordering::Relaxed);
        let streams = flow.graph.nodes.iter().map(|node| {
            let names = node.template.outputs().iter().map(|output| output.name.clone());
            (node.name.clone(), names.collect())
        });
        *lock(&self.streams) = streams.collect();
        let mut edges = lock(&self.edges);
        *edges = edges::edges(flow, &lock(&self.tallies), &edges);
    }

    /// Returns the counts of the journal's commits, once there is a journal.
    pub fn commits(&self) -> Option<&Commits> {
        self.commits.get().map(Arc::as_ref)
    }

    /// Sets the counts of the journal's commits. Later calls change nothing.
    pub fn has_journal(&self, commits: Arc<Commits>) {
        // A later journal is of the same process, since a run has one.
        let _ = self.commits.set(commits);
    }

    /// Counts a finished file.
    pub fn file(&self, done: &Done<'_>, octets: u64, is_duplicate: bool) {
        let mut tallies = lock(&self.tallies);
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
    pub fn to_be_carried(&self, file: JobId, arrived_at: SystemTime) {
        lock(&self.delays).remember(file, arrived_at);
    }

    /// Notes that an output of this file is where a receiver looks for it.
    pub fn carried(&self, file: JobId) {
        lock(&self.delays).carried(file, SystemTime::now());
    }

    /// Takes the longest time from arrival to delivery of the files delivered since the last call. Retried records, and
    /// what groups became, have no arrival.
    pub fn take_slowest(&self) -> Option<Duration> {
        lock(&self.delays).take_slowest()
    }

    /// Counts retried records.
    pub fn retried(&self, done: &Done<'_>) {
        let mut tallies = lock(&self.tallies);
        let element = entry(&mut tallies.elements, &done.account.network_element);
        element.retried.add(outcomes(done.account));
        tallies.nodes_of(done);
    }

    /// Counts the outputs of groups whose time is over.
    pub fn expired(&self, nodes: &[NodeAccount], outputs: &[String]) {
        let account = &FileAccount::default();
        lock(&self.tallies).nodes_of(&Done { account, nodes, outputs });
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
    fn nodes_of(&mut self, done: &Done<'_>) {
        for account in done.nodes {
            let NodeAccount { delivered, filtered, held, suspended, duplicate, .. } = account;
            let of = if account.is_system { &mut self.systems } else { &mut self.nodes };
            let of = entry(of, &account.node);
            // ORDER OUTCOMES
            of.records.add([*delivered, *filtered, *held, *suspended, *duplicate]);
            of.made += account.made;
            of.streams.resize(of.streams.len().max(account.streams.len()), 0);
            of.streams.iter_mut().zip(&account.streams).for_each(|(sum, count)| *sum += count);
        }
        for system in done.outputs {
            entry(&mut self.systems, system).files += 1;
        }
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
