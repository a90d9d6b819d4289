//! What the nodes and systems did with the records of a file.
//!
//! A record's passage through a node is noted when it happens and counted when the record is kept, so that nothing
//! is counted of one that somebody refuses on its way.

use crate::audit::Class;
use crate::chains::Role;
use crate::graph::GraphNode;
use crate::prepare::Prepared;
use crate::report::NodeAccount;
use crate::suspense::Why;

/// Counts of a node besides those of its streams.
const BESIDE_STREAMS: u32 = 4;

/// The counts of the file in hand.
pub(crate) struct Passages {
    /// Of the record in hand.
    in_hand: Vec<Passage>,
    counts: Vec<Count>,
    /// Where in the counts a node's begin: one for each of its streams, on which a record goes on as one; then those of
    /// records of which nothing became, of those that were made into others, of those that wait, and of groups that
    /// were released without a record.
    firsts: Vec<u32>,
    /// By chain: where its counts begin, one for each way out, and by way the counts of what a record passes on it.
    chains: Vec<(u32, Vec<Vec<u32>>)>,
    /// By node: where the counts of it begin, or of the chain that begins with it.
    entered: Vec<u32>,
    /// By node and then by system. Those refused are counted here at once.
    accounts: Vec<NodeAccount>,
}

/// A record that passed a node, and what was made of it.
struct Passage {
    count: u32,
    made: u32,
}

#[derive(Clone, Copy, Default)]
struct Count {
    records: u64,
    made: u64,
}

impl Passages {
    pub(crate) fn new(flow: &Prepared) -> Self {
        let nodes = &flow.graph.nodes;
        let mut firsts = Vec::with_capacity(nodes.len());
        let mut all = 0;
        for node in nodes {
            firsts.push(all);
            all += node.streams.len() as u32 + BESIDE_STREAMS;
        }
        let mut chains = Vec::new();
        let mut entered = firsts.clone();
        for (node, role) in flow.roles().iter().enumerate() {
            let Role::First(joined) = role else { continue };
            let count = |(node, stream): &(usize, usize)| firsts[*node] + *stream as u32;
            let ways = joined.passed.iter().map(|passed| passed.iter().map(count).collect());
            entered[node] = all;
            chains.push((all, ways.collect()));
            all += joined.passed.len() as u32;
        }
        let of_nodes = nodes.iter().map(|node| NodeAccount::of(&node.name, false));
        let of_systems = flow.systems.iter().map(|system| NodeAccount::of(&system.name, true));
        Passages {
            in_hand: Vec::new(),
            counts: vec![Count::default(); all as usize],
            firsts,
            chains,
            entered,
            accounts: of_nodes.chain(of_systems).collect(),
        }
    }

    /// A file begins.
    pub(crate) fn clear(&mut self) {
        self.in_hand.clear();
        self.counts.fill(Count::default());
        self.accounts.iter_mut().for_each(NodeAccount::clear);
    }

    /// What was counted of other records of the file.
    pub(crate) fn add(&mut self, other: &Passages) {
        for (count, other) in self.counts.iter_mut().zip(&other.counts) {
            count.records += other.records;
            count.made += other.made;
        }
        for (account, other) in self.accounts.iter_mut().zip(&other.accounts) {
            account.add(other);
        }
    }

    /// Where the counts of a node begin, or of the chain that begins with it.
    pub(crate) fn first(&self, node: usize) -> u32 {
        self.entered[node]
    }

    /// The record in hand went on from a node or a chain, by its first count, on a stream or way out.
    #[inline(always)]
    pub(crate) fn went_on(&mut self, first: u32, stream: u16) {
        self.in_hand.push(Passage { count: first + u32::from(stream), made: 0 });
    }

    /// A node of so many streams made so many of the record in hand.
    pub(crate) fn made(&mut self, first: u32, streams: usize, made: usize) {
        let count = first + streams as u32 + u32::from(made > 0);
        self.in_hand.push(Passage { count, made: made as u32 });
    }

    /// The record in hand waits in a node of so many streams.
    pub(crate) fn held(&mut self, first: u32, streams: usize) {
        self.in_hand.push(Passage { count: first + streams as u32 + 2, made: 0 });
    }

    /// A node of so many streams made so many of a group that waited.
    pub(crate) fn released(&mut self, first: u32, streams: usize, made: usize) {
        self.in_hand.push(Passage { count: first + streams as u32 + 3, made: made as u32 });
    }

    /// The counts by which the record in hand came.
    #[inline(always)]
    pub(crate) fn in_hand(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.in_hand.iter().map(|passage| passage.count)
    }

    /// The record in hand is kept.
    #[inline(always)]
    pub(crate) fn keep(&mut self) {
        for Passage { count, made } in &self.in_hand {
            let count = &mut self.counts[*count as usize];
            count.records += 1;
            count.made += u64::from(*made);
        }
        self.in_hand.clear();
    }

    /// The record in hand is refused; whoever set it aside has it in its account.
    #[cold]
    pub(crate) fn take_back(&mut self, set_aside: Option<(usize, Why)>) {
        self.in_hand.clear();
        let Some((place, why)) = set_aside else { return };
        let account = &mut self.accounts[place];
        account.records += 1;
        match why {
            Why::Suspended => account.suspended += 1,
            Why::Duplicate => account.duplicate += 1,
        }
    }

    /// A post-processing system was given so many records.
    pub(crate) fn given(&mut self, system: usize, records: u64) {
        let account = &mut self.accounts[self.firsts.len() + system];
        account.records += records;
        account.delivered += records;
    }

    /// The accounts of the nodes and systems that records of the file came to.
    pub(crate) fn accounts(&mut self, nodes: &[GraphNode]) -> Vec<NodeAccount> {
        for (first, ways) in &self.chains {
            for (way, passed) in ways.iter().enumerate() {
                let Count { records, .. } = std::mem::take(&mut self.counts[*first as usize + way]);
                for count in passed {
                    self.counts[*count as usize].records += records;
                }
            }
        }
        for ((node, first), account) in nodes.iter().zip(&self.firsts).zip(&mut self.accounts) {
            let streams = node.streams.iter().map(|targets| match targets.is_empty() {
                true => Some(Class::Filtered),
                false => Some(Class::Delivered),
            });
            let beside = [Some(Class::Filtered), Some(Class::Delivered), Some(Class::Held), None];
            let counts = &mut self.counts[*first as usize..];
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
        self.accounts.iter().filter(is_any).cloned().collect()
    }
}
