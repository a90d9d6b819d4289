//! Counts what the nodes and systems did with the records of a file.
//!
//! A record's passage through a node is a step of its path. The steps are counted when the record is kept. Of a record
//! that a node rejects, the nodes and edges on the path to that node are counted apart: its changes are taken back, but
//! it came there.

use super::edges::{Edges, Giver};
use super::path_tree::PathTree;
use flow::fusion::Role;
use flow::graph::{GraphNode, Target};
use flow::outcome::{Class, Why};
use flow::report::{NodeAccount, SourceCount};
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
    /// For each node that begins a chain: for each link, the nodes before it, each with its stream.
    links: Vec<Vec<Vec<(usize, usize)>>>,
    /// The end of the counts of nodes.
    nodes_end: u32,
    edges: Edges,
}

/// Where a record was set aside, and why.
#[derive(Clone, Copy, Debug)]
pub struct SetAside {
    /// The place of the node or system in the accounts.
    pub place: usize,
    /// Why.
    pub why: Why,
    /// If the node is within a chain: the first node of the chain, and the link.
    pub link: Option<(usize, usize)>,
}

/// The counts of records.
pub struct Counted {
    counts: Vec<Count>,
    /// The accounts of the nodes and then the systems. Rejected records are counted here at once.
    accounts: Vec<NodeAccount>,
    /// For each edge, the records that came on it and were refused.
    refused_on: Vec<u64>,
    /// For each place, the kept records that came to it on no edge.
    on_no_edge: Vec<u64>,
}

/// A count that is too rare to be part of a path.
enum Beside {
    /// The records that a node made, by the count of their stream.
    Made { count: u32, made: u32 },
    /// The record came to this place on no edge.
    Entered(usize),
    /// A step that no path has, since there are too many paths or steps.
    Step(u32),
}

/// A node that a record left, and its stream; `None` if the node made other records of it.
type Passed = (usize, Option<usize>);

/// Returns which of the steps of a record gave it to a place that it is at now. Records go depth first. So each step of
/// the place itself ended the visit from the last step before it that leads there, unless that step made several records.
fn last_giver(passed: &[Passed], at: usize, leads_there: impl Fn(Passed) -> bool) -> Option<usize> {
    let mut open = Vec::new();
    for (number, step) in passed.iter().enumerate() {
        if step.0 == at {
            open.pop_if(|giver: &mut usize| passed[*giver].1.is_some());
        }
        if leads_there(*step) {
            open.push(number);
        }
    }
    // A record may be refused at a place that it left already: a duplicate is found when the job ends.
    open.last().copied().or_else(|| passed.iter().rposition(|step| leads_there(*step)))
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
        let edges = Edges::new(flow);
        Counted {
            counts: vec![Count::default(); counts],
            accounts: of_nodes.chain(of_systems).collect(),
            refused_on: vec![0; edges.count()],
            on_no_edge: vec![0; edges.places()],
        }
    }

    /// Sets all counts to zero, for the next file.
    pub fn clear(&mut self) {
        self.counts.fill(Count::default());
        self.accounts.iter_mut().for_each(NodeAccount::clear);
        self.refused_on.fill(0);
        self.on_no_edge.fill(0);
    }

    /// Counts records that took a step, if the step is counted.
    fn took(&mut self, step: u32, records: u64) {
        if let Some(count) = self.counts.get_mut(step as usize) {
            count.records += records;
        }
    }

    /// Counts a record that a node gave to a place, and that was refused there or behind it.
    fn refused_behind(&mut self, edges: &Edges, from: Passed, to: usize) {
        let (node, stream) = from;
        self.accounts[node].refused_later += 1;
        if let Some(edge) = edges.between(node, stream, to) {
            self.refused_on[edge] += 1;
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
        let (mut chains, nodes_end) = (Vec::new(), all);
        let mut entered = firsts.clone();
        let mut links = vec![Vec::new(); nodes.len()];
        for (node, role) in roles.iter().enumerate() {
            let Role::First(joined) = role else { continue };
            let count = |(node, stream): &(usize, usize)| firsts[*node] + *stream as u32;
            let exits = joined.passed.iter().map(|passed| passed.iter().map(count).collect());
            links[node] = joined.before.clone();
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
            links,
            nodes_end,
            edges: Edges::new(flow),
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
        let sums = self.counted.refused_on.iter_mut().zip(&other.refused_on);
        sums.for_each(|(sum, count)| *sum += count);
        let sums = self.counted.on_no_edge.iter_mut().zip(&other.on_no_edge);
        sums.for_each(|(sum, count)| *sum += count);
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

    /// Notes that the current record begins at a receiver within the flow, and came to it on no edge.
    #[cold]
    pub fn entered(&mut self, target: Target) {
        self.beside.extend(self.edges.place(target).map(Beside::Entered));
    }

    /// Counts the records that a node made of the current record. `made` has the stream of each.
    pub fn made(&mut self, first: u32, streams: usize, made: impl ExactSizeIterator<Item = usize>) {
        self.step(first + streams as u32 + u32::from(made.len() > 0));
        self.has_made(first, made);
    }

    /// Counts that the current record waits in a node.
    pub fn held(&mut self, first: u32, streams: usize) {
        self.step(first + streams as u32 + 2);
    }

    /// Counts the records that a node made of a released group. `made` has the stream of each.
    pub fn released(&mut self, first: u32, streams: usize, made: impl Iterator<Item = usize>) {
        self.step(first + streams as u32 + 3);
        self.has_made(first, made);
    }

    fn has_made(&mut self, first: u32, made: impl Iterator<Item = usize>) {
        for stream in made {
            let of_stream = first + stream as u32;
            match self.beside.last_mut() {
                Some(Beside::Made { count, made }) if *count == of_stream => *made += 1,
                _ => self.beside.push(Beside::Made { count: of_stream, made: 1 }),
            }
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
            Beside::Made { .. } | Beside::Entered(_) => None,
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
                Beside::Entered(place) => self.counted.on_no_edge[place] += 1,
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
    pub fn forget(&mut self) {
        self.path = 0;
        self.beside.clear();
    }

    /// Counts that the current record was set aside: in the account of that place, and at the nodes and edges on its path to
    /// there. What it did beside that path is not counted. Call it before the trace notes the record, which may clear the
    /// tree of paths.
    #[cold]
    pub fn count_refused(&mut self, SetAside { place, why, link }: SetAside) {
        let account = &mut self.counted.accounts[place];
        account.records += 1;
        match why {
            Why::Suspended => account.suspended += 1,
            Why::Duplicate => account.duplicate += 1,
        }
        let mut at = place;
        // The links of a chain that end with a refusal have no steps.
        if let Some((first, link)) = link {
            for (node, stream) in self.links[first][link].iter().rev() {
                self.counted.refused_behind(&self.edges, (*node, Some(*stream)), at);
                at = *node;
            }
        }
        let mut passed = self.passed();
        let leads_to =
            |(node, stream): Passed, at: usize| self.edges.between(node, stream, at).is_some();
        while let Some(before) = last_giver(&passed, at, |step| leads_to(step, at)) {
            self.counted.refused_behind(&self.edges, passed[before], at);
            at = passed[before].0;
            passed.truncate(before);
        }
        let has_entered = self.beside.iter().any(|beside| matches!(beside, Beside::Entered(_)));
        if let Some(edge) = self.edges.of_element(at).filter(|_| !has_entered) {
            self.counted.refused_on[edge] += 1;
        }
    }

    /// Returns the nodes that the current record left, each with its stream; without one if it made other records.
    fn passed(&self) -> Vec<Passed> {
        let mut passed = Vec::new();
        for step in self.steps().into_iter().chain(self.beyond()) {
            match self.chains.iter().find_map(|(first, exits)| exit_of(*first, exits, step)) {
                Some(exit) => passed.extend(exit.iter().filter_map(|count| self.left(*count))),
                None => passed.extend(self.left(step)),
            }
        }
        passed
    }

    /// Returns the node that a record left, and by which stream, for the step that counts it.
    fn left(&self, step: u32) -> Option<Passed> {
        let node = self.firsts.partition_point(|first| *first <= step).checked_sub(1)?;
        let next = self.firsts.get(node + 1).copied().unwrap_or(self.nodes_end);
        if step >= next {
            return None;
        }
        let (offset, streams) =
            (step - self.firsts[node], next - self.firsts[node] - BESIDE_STREAMS);
        match offset.checked_sub(streams) {
            None => Some((node, Some(offset as usize))),
            Some(1 | 3) => Some((node, None)),
            Some(_) => None,
        }
    }

    /// Counts records that a post-processing system was given.
    pub fn given(&mut self, system: usize, records: u64) {
        let account = &mut self.counted.accounts[self.firsts.len() + system];
        account.records += records;
        account.delivered += records;
    }

    /// Returns the accounts of the nodes and systems that records of the file reached. `element` is its network element.
    pub fn accounts(&mut self, nodes: &[GraphNode], element: &str) -> Vec<NodeAccount> {
        self.settle();
        let Counted { counts, accounts, .. } = &mut self.counted;
        for (first, exits) in &self.chains {
            for (path, passed) in exits.iter().enumerate() {
                let Count { records, .. } = std::mem::take(&mut counts[*first as usize + path]);
                for count in passed {
                    counts[*count as usize].records += records;
                }
            }
        }
        // For each node and stream, the records that went on there.
        let mut left: Vec<Vec<u64>> = Vec::with_capacity(nodes.len());
        for ((node, first), account) in nodes.iter().zip(&self.firsts).zip(&mut *accounts) {
            let streams = node.streams.iter().map(|targets| match targets.is_empty() {
                true => Some(Class::Filtered),
                false => Some(Class::Delivered),
            });
            let beside = [Some(Class::Filtered), Some(Class::Delivered), Some(Class::Held), None];
            let counts = &mut counts[*first as usize..];
            let mut of_streams = Vec::with_capacity(node.streams.len());
            for (count, class) in counts.iter_mut().zip(streams.chain(beside)) {
                let Count { records, made } = std::mem::take(count);
                account.made += made;
                if of_streams.len() < node.streams.len() {
                    of_streams.push(records + made);
                }
                // Records of a released group were counted when they arrived.
                let Some(class) = class else { continue };
                account.records += records;
                *account.column(class) += records;
            }
            left.push(of_streams);
        }
        for place in 0..self.edges.places() {
            self.count_sources(place, &left, nodes, element);
        }
        let is_any =
            |account: &&NodeAccount| account.records + account.made + account.refused_later > 0;
        self.counted.accounts.iter().filter(is_any).cloned().collect()
    }

    /// Counts the records that came to a place, by edge.
    fn count_sources(
        &mut self,
        place: usize,
        left: &[Vec<u64>],
        nodes: &[GraphNode],
        element: &str,
    ) {
        let Counted { accounts, refused_on, on_no_edge, .. } = &mut self.counted;
        let account = &mut accounts[place];
        let edges = self.edges.entering(place);
        let kept_of = |giver: &Giver| match giver {
            Giver::Stream { node, counted, .. } => left[*node][*counted],
            Giver::Element => 0,
        };
        let from_nodes: u64 = edges.iter().map(|(_, giver)| kept_of(giver)).sum();
        let kept = account.delivered + account.filtered + account.held;
        // What came from no node came from the network element.
        let of_element = kept.saturating_sub(from_nodes + on_no_edge[place]);
        for (edge, giver) in edges {
            let (from, stream, kept) = match giver {
                Giver::Element => (element, String::new(), of_element),
                Giver::Stream { node, named, .. } => {
                    let GraphNode { name, template, .. } = &nodes[*node];
                    (name.as_str(), template.outputs()[*named].name.clone(), kept_of(giver))
                }
            };
            let records = kept + refused_on[*edge];
            if records > 0 {
                account.sources.push(SourceCount { from: from.to_owned(), stream, records });
            }
        }
    }
}

/// Returns the counts of an exit of a chain, for the step that counts it.
fn exit_of(first: u32, exits: &[Vec<u32>], step: u32) -> Option<&[u32]> {
    exits.get(step.checked_sub(first)? as usize).map(Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The node `a` gives records to `b` and `c`, and `c` to `b`.
    const A: usize = 0;
    const B: usize = 1;
    const C: usize = 2;

    fn giver_of_b(passed: &[usize]) -> Option<usize> {
        let passed: Vec<Passed> = passed.iter().map(|node| (*node, Some(0))).collect();
        last_giver(&passed, B, |(node, _)| node != B).map(|number| passed[number].0)
    }

    #[test]
    fn a_record_that_comes_to_a_node_twice_is_refused_on_the_edge_of_that_visit() {
        assert_eq!(giver_of_b(&[A]), Some(A));
        assert_eq!(giver_of_b(&[A, C]), Some(C), "first from `c`");
        assert_eq!(giver_of_b(&[A, C, B]), Some(A), "then from `a`");
        assert_eq!(giver_of_b(&[A, B, C]), Some(C), "first from `a`, then from `c`");
        assert_eq!(giver_of_b(&[A, B]), Some(A), "it left `b`, and is refused there later");
    }

    #[test]
    fn each_of_several_records_that_a_node_made_comes_from_it() {
        let passed = [(A, None), (B, Some(0)), (B, Some(0))];
        assert_eq!(last_giver(&passed, B, |(node, _)| node == A), Some(0));
    }
}
