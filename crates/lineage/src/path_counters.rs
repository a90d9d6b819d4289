//! Counts what the nodes and systems did with the records of a file.
//!
//! A record's passage through a node is a step of its path. The steps are counted when the record is kept, so nothing is
//! counted of a record that a node rejects.

use super::path_tree::PathTree;
use flow::fusion::Role;
use flow::graph::GraphNode;
use flow::outcome::{Class, Why};
use flow::report::NodeAccount;
use flow::topology::Topology;

/// The counts of a node besides those of its streams.
const BESIDE_STREAMS: u32 = 4;

/// The counters of the current file. A count has the same number as its step; the trace may have more steps.
pub struct Passages {
    pub(crate) paths: PathTree,
    /// The path of the current record.
    path: u32,
    /// The counts of the current record that its path does not have.
    beside: Vec<Beside>,
    /// Whether the trace needs the path of each record.
    is_traced: bool,
    counted: Counted,
    /// The first count of each node. A node has a count for each stream on which a record goes on as one. Then follow
    /// the counts of records that ended, of records that were made into others, of records that wait, and of groups
    /// that were released without a record.
    firsts: Vec<u32>,
    /// For each chain of joined nodes: its first count, and for each exit the counts of the nodes that a record
    /// passes on it. There is one count for each exit.
    chains: Vec<(u32, Vec<Vec<u32>>)>,
    /// The first count of each node, or of the chain that begins with it.
    entered: Vec<u32>,
}

/// The counts of records.
pub struct Counted {
    counts: Vec<Count>,
    /// The accounts of the nodes and then the systems. Rejected records are counted here at once.
    accounts: Vec<NodeAccount>,
}

/// A count that is too rare to be part of a path.
enum Beside {
    /// The records that a node made.
    Made { count: u32, made: u32 },
    /// A step that no path has, since there are too many paths or steps.
    Step(u32),
}

#[derive(Clone, Copy, Default)]
struct Count {
    records: u64,
    made: u64,
}

impl Counted {
    /// Makes counters for a flow, all zero. `roles` has the role of each node.
    pub fn new(flow: &Topology, roles: &[Role]) -> Self {
        let nodes = &flow.graph.nodes;
        let of_node = |node: &GraphNode| node.streams.len() + BESIDE_STREAMS as usize;
        let of_chain = |role: &Role| match role {
            Role::First(joined) => joined.passed.len(),
            Role::Alone | Role::Within => 0,
        };
        let counts = nodes.iter().map(of_node).chain(roles.iter().map(of_chain)).sum();
        let of_nodes = nodes.iter().map(|node| NodeAccount::of(&node.name, false));
        let of_systems = flow.systems.iter().map(|system| NodeAccount::of(&system.name, true));
        Counted {
            counts: vec![Count::default(); counts],
            accounts: of_nodes.chain(of_systems).collect(),
        }
    }

    /// Sets all counts to zero, for the next file.
    pub fn clear(&mut self) {
        self.counts.fill(Count::default());
        self.accounts.iter_mut().for_each(NodeAccount::clear);
    }

    /// Counts records that took a step, if the step is counted.
    fn took(&mut self, step: u32, records: u64) {
        if let Some(count) = self.counts.get_mut(step as usize) {
            count.records += records;
        }
    }
}

impl Passages {
    /// Makes the counters of a flow. `traced` is the number of steps of the trace, if there is one.
    pub fn new(flow: &Topology, roles: &[Role], traced: Option<usize>) -> Self {
        let nodes = &flow.graph.nodes;
        let mut firsts = Vec::with_capacity(nodes.len());
        let mut all = 0;
        for node in nodes {
            firsts.push(all);
            all += node.streams.len() as u32 + BESIDE_STREAMS;
        }
        let mut chains = Vec::new();
        let mut entered = firsts.clone();
        for (node, role) in roles.iter().enumerate() {
            let Role::First(joined) = role else { continue };
            let count = |(node, stream): &(usize, usize)| firsts[*node] + *stream as u32;
            let exits = joined.passed.iter().map(|passed| passed.iter().map(count).collect());
            entered[node] = all;
            chains.push((all, exits.collect()));
            all += joined.passed.len() as u32;
        }
        let counted = Counted::new(flow, roles);
        Passages {
            paths: PathTree::new(traced.unwrap_or(counted.counts.len())),
            path: 0,
            beside: Vec::new(),
            is_traced: traced.is_some(),
            counted,
            firsts,
            chains,
            entered,
        }
    }

    /// Begins a file.
    pub fn clear(&mut self) {
        self.forget();
        self.settle();
        self.relieve();
        self.counted.clear();
    }

    /// Exchanges the counts with those of other records of the file.
    pub fn swap(&mut self, other: &mut Counted) {
        self.settle();
        std::mem::swap(&mut self.counted, other);
    }

    /// Adds the counts of other records of the file.
    pub fn add(&mut self, other: &Counted) {
        for (count, other) in self.counted.counts.iter_mut().zip(&other.counts) {
            count.records += other.records;
            count.made += other.made;
        }
        for (account, other) in self.counted.accounts.iter_mut().zip(&other.accounts) {
            account.add(other);
        }
    }

    /// Returns the first count of a node, or of the chain that begins with it.
    pub fn first(&self, node: usize) -> u32 {
        self.entered[node]
    }

    /// Adds a step to the path of the current record.
    #[inline(always)]
    pub fn step(&mut self, step: u32) {
        match self.paths.known(self.path, step) {
            0 => self.new_step(step),
            path => self.path = path,
        }
    }

    /// Handles a step that no record took from this path before, or that the tree has no room for.
    #[cold]
    #[inline(never)]
    fn new_step(&mut self, step: u32) {
        // A crowded tree with a trace is cleared after the record.
        let is_crowded = !self.is_traced && self.paths.are_crowded();
        match is_crowded || self.paths.is_long(self.path) {
            true => self.beside.push(Beside::Step(step)),
            false => self.path = self.paths.longer(self.path, step),
        }
    }

    /// Counts that the current record left a node or chain, given by its first count, on a stream or exit.
    #[inline(always)]
    pub fn went_on(&mut self, first: u32, stream: u16) {
        self.step(first + u32::from(stream));
    }

    /// Counts the records that a node made of the current record.
    pub fn made(&mut self, first: u32, streams: usize, made: usize) {
        self.has_made(first + streams as u32 + u32::from(made > 0), made);
    }

    /// Counts that the current record waits in a node.
    pub fn held(&mut self, first: u32, streams: usize) {
        self.step(first + streams as u32 + 2);
    }

    /// Counts the records that a node made of a released group.
    pub fn released(&mut self, first: u32, streams: usize, made: usize) {
        self.has_made(first + streams as u32 + 3, made);
    }

    fn has_made(&mut self, count: u32, made: usize) {
        self.step(count);
        if made > 0 {
            self.beside.push(Beside::Made { count, made: made as u32 });
        }
    }

    /// Returns the steps in the path of the current record.
    pub fn steps(&self) -> Vec<u32> {
        self.paths.steps_of(self.path)
    }

    /// Returns the steps of the current record that its path does not have.
    pub fn beyond(&self) -> impl Iterator<Item = u32> + '_ {
        self.beside.iter().filter_map(|beside| match beside {
            Beside::Step(step) => Some(*step),
            Beside::Made { .. } => None,
        })
    }

    /// Adds a step to the path of the current record, whatever its length.
    pub(crate) fn lengthen(&mut self, step: u32) {
        self.path = self.paths.longer(self.path, step);
    }

    /// Returns whether the current record has counts beside its path, for [`keep_beside`](Self::keep_beside).
    #[inline(always)]
    pub fn is_any_beside(&self) -> bool {
        !self.beside.is_empty()
    }

    /// Counts the path of the current record, which is kept. Returns the path, and its number in the open block of the
    /// trace plus 1.
    #[inline(always)]
    pub fn keep(&mut self) -> (u32, u32) {
        let path = std::mem::take(&mut self.path);
        (path, self.paths.count(path))
    }

    /// Counts what the current record has beside its path.
    #[cold]
    pub fn keep_beside(&mut self) {
        for beside in self.beside.drain(..) {
            match beside {
                Beside::Made { count, made } => {
                    self.counted.counts[count as usize].made += u64::from(made);
                }
                Beside::Step(step) => self.counted.took(step, 1),
            }
        }
    }

    /// Turns the counts of paths into counts of steps.
    fn settle(&mut self) {
        self.paths.take_counts(|step, records| self.counted.took(step, records));
    }

    /// Clears a crowded tree. Call it between records.
    pub(crate) fn relieve(&mut self) {
        if self.paths.are_crowded() {
            self.settle();
            self.paths.clear();
        }
    }

    /// Drops the path of the current record.
    fn forget(&mut self) {
        self.path = 0;
        self.beside.clear();
    }

    /// Drops the current record, which was rejected. If it was set aside, the account of that place counts it.
    #[cold]
    pub fn take_back(&mut self, set_aside: Option<(usize, Why)>) {
        self.forget();
        let Some((place, why)) = set_aside else { return };
        let account = &mut self.counted.accounts[place];
        account.records += 1;
        match why {
            Why::Suspended => account.suspended += 1,
            Why::Duplicate => account.duplicate += 1,
        }
    }

    /// Counts records that a post-processing system was given.
    pub fn given(&mut self, system: usize, records: u64) {
        let account = &mut self.counted.accounts[self.firsts.len() + system];
        account.records += records;
        account.delivered += records;
    }

    /// Returns the accounts of the nodes and systems that records of the file reached.
    pub fn accounts(&mut self, nodes: &[GraphNode]) -> Vec<NodeAccount> {
        self.settle();
        let Counted { counts, accounts } = &mut self.counted;
        for (first, exits) in &self.chains {
            for (path, passed) in exits.iter().enumerate() {
                let Count { records, .. } = std::mem::take(&mut counts[*first as usize + path]);
                for count in passed {
                    counts[*count as usize].records += records;
                }
            }
        }
        for ((node, first), account) in nodes.iter().zip(&self.firsts).zip(&mut *accounts) {
            let streams = node.streams.iter().map(|targets| match targets.is_empty() {
                true => Some(Class::Filtered),
                false => Some(Class::Delivered),
            });
            let beside = [Some(Class::Filtered), Some(Class::Delivered), Some(Class::Held), None];
            let counts = &mut counts[*first as usize..];
            account.streams.resize(node.streams.len(), 0);
            for (place, (count, class)) in counts.iter_mut().zip(streams.chain(beside)).enumerate()
            {
                let Count { records, made } = std::mem::take(count);
                account.made += made;
                match account.streams.as_mut_slice() {
                    streams if place < streams.len() => streams[place] += records,
                    // The records that a node makes leave on its only stream.
                    [stream] => *stream += made,
                    _ => {}
                }
                // Records of a released group were counted when they arrived.
                let Some(class) = class else { continue };
                account.records += records;
                *account.column(class) += records;
            }
        }
        let is_any = |account: &&NodeAccount| account.records + account.made > 0;
        accounts.iter().filter(is_any).cloned().collect()
    }
}
