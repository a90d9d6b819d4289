//! Records that had left the start of an edge before the edge existed. Streams count from the start of the gateway; a
//! later edge has passed only the rest.

use std::collections::BTreeMap;

use super::Tallies;
use crate::graph::Target;
use crate::topology::Topology;

/// The giver, its stream and the receiver. The stream of a network element has no name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The network element or node.
    pub from: String,
    /// The stream of the giver.
    pub stream: String,
    /// The node or post-processing system.
    pub to: String,
}

/// For each edge of the running flow, the records from before it existed.
pub type Edges = BTreeMap<Edge, u64>;

/// Returns the edges of a new flow; edges that existed before keep their number.
pub(super) fn edges(flow: &Topology, tallies: &Tallies, before: &Edges) -> Edges {
    let mut edges = Edges::new();
    let mut take = |from: &str, stream: &str, targets: &[Target], gone: u64| {
        for to in targets.iter().filter_map(|target| name(flow, *target)) {
            let edge = Edge { from: from.to_owned(), stream: stream.to_owned(), to: to.to_owned() };
            // A stream of this name may be another one by now, with a smaller count.
            let gone = before.get(&edge).copied().filter(|before| *before <= gone).unwrap_or(gone);
            edges.insert(edge, gone);
        }
    };
    for (element, entry) in flow.elements.iter().zip(&flow.graph.network_elements) {
        let gone = tallies.elements.get(&element.name).map_or(0, |of| of.records.0.iter().sum());
        take(&element.name, "", &entry.targets, gone);
    }
    for node in &flow.graph.nodes {
        let gone = tallies.nodes.get(&node.name).map_or(&[][..], |of| of.streams.as_slice());
        for (stream, targets) in node.streams.iter().enumerate() {
            let output = &node.template.outputs()[stream].name;
            take(&node.name, output, targets, gone.get(stream).copied().unwrap_or(0));
        }
    }
    edges
}

fn name(flow: &Topology, target: Target) -> Option<&str> {
    match target {
        Target::Node(node) => Some(&flow.graph.nodes[usize::from(node)].name),
        Target::System(system) => Some(&flow.systems[usize::from(system)].name),
        Target::Duplicate(_) => None,
    }
}
