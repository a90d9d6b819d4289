//! What the nodes and systems did with the records of a file.
//!
//! A record's passage through a node is a step of its way, which is counted when the record is kept, so that nothing is counted
//! of one that somebody refuses on its way.

use super::path_tree::PathTree;
use crate::definition::fusion::Role;
use crate::definition::graph::GraphNode;
use crate::definition::outcome::{Class, Why};
use crate::definition::report::NodeAccount;
use crate::definition::topology::Topology;

/// Counts of a node besides those of its streams.
const BESIDE_STREAMS: u32 = 4;

/// The passages of the file in hand. What counts has the same number as the step that is counted; the trace may have more.
pub(crate) struct Passages {
    pub(crate) ways: PathTree,
    /// Of the record in hand.
    way: u32,
    /// What is beside the way of the record in hand.
    beside: Vec<Beside>,
    /// Whether it is to be known of each record which way it took.
    is_traced: bool,
    counted: Counted,
    /// Where in the counts a node's begin: one for each of its streams, on which a record goes on as one; then those of
    /// records of which nothing became, of those that were made into others, of those that wait, and of groups that
    /// were released without a record.
    firsts: Vec<u32>,
    /// By chain: where its counts begin, one for each way out, and by way the counts of what a record passes on it.
    chains: Vec<(u32, Vec<Vec<u32>>)>,
    /// By node: where the counts of it begin, or of the chain that begins with it.
    entered: Vec<u32>,
}

/// What was counted of records.
pub(crate) struct Counted {
    counts: Vec<Count>,
    /// By node and then by system. Those refused are counted here at once.
    accounts: Vec<NodeAccount>,
}

/// What is rare enough that ways need not have it.
enum Beside {
    /// What a node made.
    Made { count: u32, made: u32 },
    /// A step that no way has: there are too many.
    Step(u32),
}

#[derive(Clone, Copy, Default)]
struct Count {
    records: u64,
    made: u64,
}

impl Counted {
    pub(crate) fn new(flow: &Topology, roles: &[Role]) -> Self {
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

    pub(crate) fn clear(&mut self) {
        self.counts.fill(Count::default());
        self.accounts.iter_mut().for_each(NodeAccount::clear);
    }

    /// So many records took a step, if it is one that is counted.
    fn took(&mut self, step: u32, records: u64) {
        if let Some(count) = self.counts.get_mut(step as usize) {
            count.records += records;
        }
    }
}

impl Passages {
    /// Of which so many steps are traced, if any are.
    pub(crate) fn new(flow: &Topology, roles: &[Role], traced: Option<usize>) -> Self {
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
            let ways = joined.passed.iter().map(|passed| passed.iter().map(count).collect());
            entered[node] = all;
            chains.push((all, ways.collect()));
            all += joined.passed.len() as u32;
        }
        let counted = Counted::new(flow, roles);
        Passages {
            ways: PathTree::new(traced.unwrap_or(counted.counts.len())),
            way: 0,
            beside: Vec::new(),
            is_traced: traced.is_some(),
            counted,
            firsts,
            chains,
            entered,
        }
    }

    /// A file begins.
    pub(crate) fn clear(&mut self) {
        self.forget();
        self.settle();
        self.relieve();
        self.counted.clear();
    }

    /// Goes on with what was counted of other records of the file, and leaves there what it had.
    pub(crate) fn swap(&mut self, other: &mut Counted) {
        self.settle();
        std::mem::swap(&mut self.counted, other);
    }

    /// What was counted of other records of the file.
    pub(crate) fn add(&mut self, other: &Counted) {
        for (count, other) in self.counted.counts.iter_mut().zip(&other.counts) {
            count.records += other.records;
            count.made += other.made;
        }
        for (account, other) in self.counted.accounts.iter_mut().zip(&other.accounts) {
            account.add(other);
        }
    }

    /// Where the counts of a node begin, or of the chain that begins with it.
    pub(crate) fn first(&self, node: usize) -> u32 {
        self.entered[node]
    }

    /// The record in hand took a step.
    #[inline(always)]
    pub(crate) fn step(&mut self, step: u32) {
        match self.ways.known(self.way, step) {
            0 => self.new_step(step),
            way => self.way = way,
        }
    }

    /// Nobody took this step from there before, or they are too many who did.
    #[cold]
    #[inline(never)]
    fn new_step(&mut self, step: u32) {
        // A crowded tree that is traced begins anew when the record is through.
        let is_crowded = !self.is_traced && self.ways.are_crowded();
        match is_crowded || self.ways.is_long(self.way) {
            true => self.beside.push(Beside::Step(step)),
            false => self.way = self.ways.longer(self.way, step),
        }
    }

    /// The record in hand went on from a node or a chain, by its first count, on a stream or way out.
    #[inline(always)]
    pub(crate) fn went_on(&mut self, first: u32, stream: u16) {
        self.step(first + u32::from(stream));
    }

    /// A node of so many streams made so many of the record in hand.
    pub(crate) fn made(&mut self, first: u32, streams: usize, made: usize) {
        self.has_made(first + streams as u32 + u32::from(made > 0), made);
    }

    /// The record in hand waits in a node of so many streams.
    pub(crate) fn held(&mut self, first: u32, streams: usize) {
        self.step(first + streams as u32 + 2);
    }

    /// A node of so many streams made so many of a group that waited.
    pub(crate) fn released(&mut self, first: u32, streams: usize, made: usize) {
        self.has_made(first + streams as u32 + 3, made);
    }

    fn has_made(&mut self, count: u32, made: usize) {
        self.step(count);
        if made > 0 {
            self.beside.push(Beside::Made { count, made: made as u32 });
        }
    }

    /// The steps of the record in hand that its way has.
    pub(crate) fn steps(&self) -> Vec<u32> {
        self.ways.steps_of(self.way)
    }

    /// Those that it does not have.
    pub(crate) fn beyond(&self) -> impl Iterator<Item = u32> + '_ {
        self.beside.iter().filter_map(|beside| match beside {
            Beside::Step(step) => Some(*step),
            Beside::Made { .. } => None,
        })
    }

    /// Makes the way of the record in hand longer, however long it is.
    pub(crate) fn lengthen(&mut self, step: u32) {
        self.way = self.ways.longer(self.way, step);
    }

    /// Whether anything is beside the way of the record in hand, to be [counted](Self::keep_beside) too.
    #[inline(always)]
    pub(crate) fn is_any_beside(&self) -> bool {
        !self.beside.is_empty()
    }

    /// The record in hand is kept. Returns its way, and the number of that in the open block of the trace, and 1.
    #[inline(always)]
    pub(crate) fn keep(&mut self) -> (u32, u32) {
        let way = std::mem::take(&mut self.way);
        (way, self.ways.count(way))
    }

    /// The record in hand is kept: what is beside its way.
    #[cold]
    pub(crate) fn keep_beside(&mut self) {
        for beside in self.beside.drain(..) {
            match beside {
                Beside::Made { count, made } => {
                    self.counted.counts[count as usize].made += u64::from(made);
                }
                Beside::Step(step) => self.counted.took(step, 1),
            }
        }
    }

    /// Counts what ways have, step by step.
    fn settle(&mut self) {
        self.ways.take_counts(|step, records| self.counted.took(step, records));
    }

    /// A crowded tree begins anew, between records.
    pub(crate) fn relieve(&mut self) {
        if self.ways.are_crowded() {
            self.settle();
            self.ways.clear();
        }
    }

    /// The record in hand is none.
    fn forget(&mut self) {
        self.way = 0;
        self.beside.clear();
    }

    /// The record in hand is refused; whoever set it aside has it in its account.
    #[cold]
    pub(crate) fn take_back(&mut self, set_aside: Option<(usize, Why)>) {
        self.forget();
        let Some((place, why)) = set_aside else { return };
        let account = &mut self.counted.accounts[place];
        account.records += 1;
        match why {
            Why::Suspended => account.suspended += 1,
            Why::Duplicate => account.duplicate += 1,
        }
    }

    /// A post-processing system was given so many records.
    pub(crate) fn given(&mut self, system: usize, records: u64) {
        let account = &mut self.counted.accounts[self.firsts.len() + system];
        account.records += records;
        account.delivered += records;
    }

    /// The accounts of the nodes and systems that records of the file came to.
    pub(crate) fn accounts(&mut self, nodes: &[GraphNode]) -> Vec<NodeAccount> {
        self.settle();
        let Counted { counts, accounts } = &mut self.counted;
        for (first, ways) in &self.chains {
            for (way, passed) in ways.iter().enumerate() {
                let Count { records, .. } = std::mem::take(&mut counts[*first as usize + way]);
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
                    // What is made goes on there, where there is one.
                    [stream] => *stream += made,
                    _ => {}
                }
                // Records of a group that waited were counted when they came.
                let Some(class) = class else { continue };
                account.records += records;
                *account.column(class) += records;
            }
        }
        let is_any = |account: &&NodeAccount| account.records + account.made > 0;
        accounts.iter().filter(is_any).cloned().collect()
    }
}
