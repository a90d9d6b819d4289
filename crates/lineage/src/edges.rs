//! The edges of a flow. Kept records are counted by the streams of nodes, so an edge needs no count of its own for them.
//! A record that is refused was on one path only, whose edges count it.

use flow::graph::{GraphNode, Target};
use flow::topology::Topology;

/// The giver of the records on an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Giver {
    /// The network element of the file.
    Element,
    /// The stream of a node.
    Stream {
        /// The node.
        node: usize,
        /// The stream whose count has the records.
        counted: usize,
        /// The stream by whose name users know the edge. Only a retry passes duplicates, which then go where records
        /// go that are none.
        named: usize,
    },
}

/// The edges, by the places that they enter: those of the nodes, then those of the systems.
pub(crate) struct Edges {
    /// For each place, the edges that enter it: their numbers and givers.
    into: Vec<Vec<(usize, Giver)>>,
    count: usize,
    nodes: usize,
}

impl Edges {
    pub(crate) fn new(flow: &Topology) -> Self {
        let nodes = &flow.graph.nodes;
        let into = vec![Vec::new(); nodes.len() + flow.systems.len()];
        let mut edges = Edges { into, count: 0, nodes: nodes.len() };
        for entry in &flow.graph.network_elements {
            edges.add(&entry.targets, Giver::Element);
        }
        for (node, at) in nodes.iter().enumerate() {
            for (stream, targets) in at.streams.iter().enumerate() {
                edges.add(targets, Giver::Stream { node, counted: stream, named: stream });
                if let [Target::Duplicate(_)] = targets.as_slice() {
                    edges.add_of_duplicates(at, node, stream);
                }
            }
        }
        edges
    }

    /// Adds the edges of duplicates that a retry passes.
    fn add_of_duplicates(&mut self, at: &GraphNode, node: usize, counted: usize) {
        let first_time = at.first_time();
        let is_first_time = |targets: &Vec<Target>| targets.as_slice() == first_time;
        if let Some(named) = at.streams.iter().position(is_first_time) {
            self.add(first_time, Giver::Stream { node, counted, named });
        }
    }

    fn add(&mut self, targets: &[Target], giver: Giver) {
        for target in targets {
            let Some(place) = self.place(*target) else { continue };
            // The edges of all network elements are one here: a file has one network element.
            if self.into[place].iter().all(|(_, known)| *known != giver) {
                self.into[place].push((self.count, giver));
                self.count += 1;
            }
        }
    }

    /// Returns the place of a receiver.
    pub(crate) fn place(&self, target: Target) -> Option<usize> {
        match target {
            Target::Node(node) => Some(usize::from(node)),
            Target::System(system) => Some(self.nodes + usize::from(system)),
            Target::Duplicate(_) => None,
        }
    }

    /// Returns the number of edges.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Returns the number of places.
    pub(crate) fn places(&self) -> usize {
        self.into.len()
    }

    /// Returns the numbers and givers of the edges that enter a place.
    pub(crate) fn entering(&self, place: usize) -> &[(usize, Giver)] {
        &self.into[place]
    }

    /// Returns the number of the edge from a node's stream to a place. For a node that makes records, the stream is
    /// unknown, and the first edge is taken.
    pub(crate) fn between(&self, from: usize, stream: Option<usize>, to: usize) -> Option<usize> {
        let is_it = |(_, giver): &&(usize, Giver)| match giver {
            Giver::Stream { node, counted, .. } => {
                *node == from && stream.is_none_or(|stream| stream == *counted)
            }
            Giver::Element => false,
        };
        self.into[to].iter().find(is_it).map(|(edge, _)| *edge)
    }

    /// Returns the number of the edge from the network element to a place.
    pub(crate) fn of_element(&self, to: usize) -> Option<usize> {
        let is_it = |(_, giver): &&(usize, Giver)| *giver == Giver::Element;
        self.into[to].iter().find(is_it).map(|(edge, _)| *edge)
    }
}
