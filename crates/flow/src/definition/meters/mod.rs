//! What a gateway does, in figures: counters since it was started, and how it stands.
//!
//! A record costs nothing here. What is counted is what the journal is told of a file that is done, once a file; how it
//! stands is said once a look into the folders, or asked of the journal by who wants to know.

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

use crate::definition::report::{FileAccount, NodeAccount};
use crate::definition::topology::Topology;
use delays::Delays;
pub use edges::{Edge, Edges};
pub use sizes::{Decision, DeliveringSizes, GroupShare, GroupSize, Sizes, Threads};
pub use standing::{DiskFree, Standing, standing};

/// Figures that a run fills, and others read.
#[derive(Debug, Default)]
pub struct Meters {
    tallies: Mutex<Tallies>,
    now: Mutex<Now>,
    sizes: Mutex<Sizes>,
    delays: Mutex<Delays>,
    working: AtomicUsize,
    commits: OnceLock<Arc<Commits>>,
    /// By node: the names of its streams.
    streams: Mutex<BTreeMap<String, Vec<String>>>,
    edges: Mutex<Edges>,
    /// How many flows ran so far.
    flows: AtomicU64,
}

/// What became of records. ORDER OUTCOMES
pub const OUTCOMES: [&str; 5] = ["delivered", "filtered", "held", "suspended", "duplicate"];

/// Records by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcomes(pub [u64; OUTCOMES.len()]);

impl Outcomes {
    fn add(&mut self, counts: [u64; OUTCOMES.len()]) {
        self.0.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
}

/// What came from a network element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfElement {
    /// Files that are done.
    pub files: u64,
    /// Files of these that came before.
    pub duplicate_files: u64,
    /// Octets of all files that are done.
    pub octets: u64,
    /// Their records.
    pub records: Outcomes,
    /// Records that were put through again.
    pub retried: Outcomes,
}

/// What came to a node or a post-processing system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfNode {
    /// The records.
    pub records: Outcomes,
    /// Records that it made.
    pub made: u64,
    /// By stream: the records that went on there, those that it made included where there is one stream.
    pub streams: Vec<u64>,
    /// Files that were made for it, if it is a system.
    pub files: u64,
}

/// What was done since the gateway was started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tallies {
    /// By network element.
    pub elements: BTreeMap<String, OfElement>,
    /// By node.
    pub nodes: BTreeMap<String, OfNode>,
    /// By post-processing system.
    pub systems: BTreeMap<String, OfNode>,
}

/// How it stands.
#[derive(Clone, Debug, Default)]
pub struct Now {
    /// Tasks that wait, and files that stay where they are, by network element.
    pub waiting: BTreeMap<String, usize>,
    /// Keys that nodes know, by node: those of a process beside the gateway's as it said last, if it runs.
    pub keys: BTreeMap<String, u64>,
    /// Folders that are written to.
    pub folders: Vec<PathBuf>,
    /// When somebody last looked into the folders.
    pub(crate) looked: Option<Instant>,
    /// Whether the journal takes what is written, as far as anybody has tried.
    pub journal_is_written: bool,
    /// Whether the run is over.
    pub has_ended: bool,
}

impl Now {
    /// How long ago somebody last looked into the folders, if anybody has.
    pub fn looked(&self) -> Option<Duration> {
        self.looked.map(|looked| looked.elapsed())
    }
}

/// A file that is done, or records that were put through again, as the journal has them.
pub(crate) struct Done<'d> {
    pub(crate) account: &'d FileAccount,
    pub(crate) nodes: &'d [NodeAccount],
    /// The systems for which a file was made.
    pub(crate) outputs: &'d [String],
}

impl Meters {
    /// What was done.
    pub fn tallies(&self) -> Tallies {
        lock(&self.tallies).clone()
    }

    /// How it stands.
    pub fn now(&self) -> Now {
        lock(&self.now).clone()
    }

    /// Threads that process files, and how many of them do so now.
    pub fn threads(&self) -> (usize, usize) {
        (lock(&self.sizes).threads(), self.working.load(Ordering::Relaxed))
    }

    /// Who works for whom, and why.
    pub fn sizes(&self) -> Sizes {
        lock(&self.sizes).clone()
    }

    /// By node of the flow that runs: the names of its streams.
    pub fn streams(&self) -> BTreeMap<String, Vec<String>> {
        lock(&self.streams).clone()
    }

    /// By edge of the flow that runs: what had gone out where it begins before it was there.
    pub fn edges(&self) -> Edges {
        lock(&self.edges).clone()
    }

    /// How many flows ran so far: another number is another flow.
    pub fn flows(&self) -> u64 {
        self.flows.load(Ordering::Relaxed)
    }

    /// Another flow runs.
    pub(crate) fn runs(&self, flow: &Topology) {
        self.flows.fetch_add(1, Ordering::Relaxed);
        let streams = flow.graph.nodes.iter().map(|node| {
            let names = node.template.outputs().iter().map(|output| output.name.clone());
            (node.name.clone(), names.collect())
        });
        *lock(&self.streams) = streams.collect();
        let mut edges = lock(&self.edges);
        *edges = edges::edges(flow, &lock(&self.tallies), &edges);
    }

    /// What the journal has committed, once there is one.
    pub fn commits(&self) -> Option<&Commits> {
        self.commits.get().map(Arc::as_ref)
    }

    pub(crate) fn has_journal(&self, commits: Arc<Commits>) {
        // Another that follows is of the same process: a run has one.
        let _ = self.commits.set(commits);
    }

    /// Counts a file that is done.
    pub(crate) fn file(&self, done: &Done<'_>, octets: u64, is_duplicate: bool) {
        let mut tallies = lock(&self.tallies);
        let element = entry(&mut tallies.elements, &done.account.network_element);
        element.files += 1;
        element.duplicate_files += u64::from(is_duplicate);
        element.octets += octets;
        element.records.add(outcomes(done.account));
        tallies.nodes_of(done);
    }

    /// A file is done that came then: what was made of it is where its receivers look for it.
    pub(crate) fn delivered(&self, came: SystemTime) {
        lock(&self.delays).delivered(came, SystemTime::now());
    }

    /// A file is done that came then, and something of it is to be carried to a receiver.
    pub(crate) fn to_be_carried(&self, file: JobId, came: SystemTime) {
        lock(&self.delays).remember(file, came);
    }

    /// What was made of this file is where a receiver looks for it.
    pub(crate) fn carried(&self, file: JobId) {
        lock(&self.delays).carried(file, SystemTime::now());
    }

    /// How long the slowest file took, from its coming to its delivery, of those that were delivered since this was last
    /// asked. What was put through again, and what groups made, has no coming.
    pub fn take_slowest(&self) -> Option<Duration> {
        lock(&self.delays).take_slowest()
    }

    /// Counts records that were put through again.
    pub(crate) fn retried(&self, done: &Done<'_>) {
        let mut tallies = lock(&self.tallies);
        let element = entry(&mut tallies.elements, &done.account.network_element);
        element.retried.add(outcomes(done.account));
        tallies.nodes_of(done);
    }

    /// Counts what groups made whose time was over.
    pub(crate) fn expired(&self, nodes: &[NodeAccount], outputs: &[String]) {
        let account = &FileAccount::default();
        lock(&self.tallies).nodes_of(&Done { account, nodes, outputs });
    }

    /// Somebody looks into the folders, and finds that it stands so.
    pub(crate) fn look(&self, now: Now) {
        *lock(&self.now) = Now { looked: Some(Instant::now()), has_ended: false, ..now };
    }

    /// The run is over.
    pub(crate) fn ended(&self) {
        let mut now = lock(&self.now);
        now.has_ended = true;
        now.waiting.clear();
    }

    /// A flow begins, or goes on, with such groups; what was decided before stays known.
    pub(crate) fn begins_with(&self, sizes: Sizes, decision: Decision) {
        let mut now = lock(&self.sizes);
        let decisions = std::mem::take(&mut now.decisions);
        *now = Sizes { decisions, ..sizes };
        now.decide(decision);
    }

    /// So many threads work now for all groups that have none of their own.
    pub(crate) fn balanced(&self, threads: usize, decision: Decision) {
        let mut now = lock(&self.sizes);
        now.common.threads = threads;
        now.decide(decision);
    }

    /// A thread works until this goes away.
    pub(crate) fn works(&self) -> impl Drop + '_ {
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
