//! Leads a record to one node, through node instances of its own: nothing is counted or written.

use std::collections::BTreeSet;

use node::{Codec, Node, Origin, Outputs, Passed};
use record::{Memory, Record};

use flow::graph::{Graph, GraphNode, Target};
use flow::topology::Topology;

/// The paths that lead to a node.
pub(super) struct Walk<'p> {
    graph: &'p Graph,
    goal: usize,
    /// Whether a path leads from a node to the goal, by node.
    leads: Vec<bool>,
    /// The instances of this walk, by node; made when the first record comes there.
    nodes: Vec<Option<Box<dyn Node>>>,
    emitted: Outputs,
    codec: Box<dyn Codec>,
    unknown_behind: BTreeSet<usize>,
    arrived: Vec<Vec<u8>>,
}

impl<'p> Walk<'p> {
    /// Prepares a walk to `goal`. `codec` is that of the goal's records.
    pub(super) fn new(flow: &'p Topology, goal: usize, codec: Box<dyn Codec>) -> Self {
        let graph = &flow.graph;
        let leads = |node| graph.reached_from(node).0.contains(&goal);
        Walk {
            graph,
            goal,
            leads: (0..graph.nodes.len()).map(leads).collect(),
            nodes: graph.nodes.iter().map(|_| None).collect(),
            emitted: Outputs::default(),
            codec,
            unknown_behind: BTreeSet::new(),
            arrived: Vec::new(),
        }
    }

    /// Returns whether records of a network element may reach the goal.
    pub(super) fn begins_at(&self, element: usize) -> bool {
        self.graph.reached(element).0.contains(&self.goal)
    }

    /// Returns the nodes behind which records cannot be predicted.
    pub(super) fn unknown_behind(&self) -> Vec<String> {
        self.unknown_behind.iter().map(|node| self.graph.nodes[*node].name.clone()).collect()
    }

    /// Leads a record of a network element to the goal. Returns the records that come there.
    pub(super) fn lead(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        origin: &Origin<'_>,
        element: usize,
    ) -> Vec<Vec<u8>> {
        self.give(memory, record, origin, &self.graph.network_elements[element].targets);
        std::mem::take(&mut self.arrived)
    }

    /// Gives a record to each target. The graph has no cycles, so the recursion is no deeper than the graph has nodes.
    fn give(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        origin: &Origin<'_>,
        targets: &[Target],
    ) {
        for target in targets {
            match *target {
                Target::Node(place) if usize::from(place) == self.goal => {
                    let mut octets = Vec::new();
                    if self.codec.write(memory, record, &mut octets).is_ok() {
                        self.arrived.push(octets);
                    }
                }
                Target::Node(place) if self.leads[usize::from(place)] => {
                    self.pass(memory, record, origin, usize::from(place));
                }
                _ => {}
            }
        }
    }

    fn pass(&mut self, memory: &mut Memory<'_>, record: Record, origin: &Origin<'_>, place: usize) {
        let at: &'p GraphNode = &self.graph.nodes[place];
        if at.template.group_settings().is_some() || at.template.has_values() {
            self.unknown_behind.insert(place);
            return;
        }
        if at.template.in_memory().is_some() {
            // The record came before, so the node would take it for a duplicate. Here it counts as new.
            return self.give(memory, record, origin, at.first_time());
        }
        let node = self.nodes[place].get_or_insert_with(|| at.template.instance());
        let mark = self.emitted.mark();
        match node.process(memory, record, origin, &mut self.emitted) {
            Ok(Passed::On(stream, next)) => {
                self.give(memory, next, origin, &at.streams[usize::from(stream)]);
            }
            Ok(Passed::Emitted) => {
                for place in mark..self.emitted.mark() {
                    let (stream, made) = self.emitted.get(place);
                    self.give(memory, made, origin, &at.streams[stream]);
                }
                self.emitted.truncate(mark);
            }
            // The record does not come to the goal.
            Ok(Passed::Waiting) | Err(_) => self.emitted.truncate(mark),
        }
    }
}
