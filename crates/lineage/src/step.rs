//! The steps of the paths that records take.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use flow::fusion::Role;
use flow::topology::Topology;

/// A step of a record's trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = TraceStep)]
#[allow(missing_docs)] // The names are those of the flow.
pub enum Step {
    /// The record passed a node and went on by this stream; the stream's name is empty if the node
    /// has only one.
    Passed { node: String, stream: String },
    /// The record ended in a node, which made nothing of it.
    Ended { node: String },
    /// A node made other records of it.
    Made { node: String },
    /// The record waits in a matching node.
    Held { node: String },
    /// A matching node released the group of the record.
    Released { node: String },
    /// The record was written for a system.
    Written { system: String },
    /// Many records made of it were written for a system.
    WrittenOften { system: String },
    /// A node or system refused the record, which went to suspense.
    Suspended { at: String },
    /// The record went to suspense as a duplicate.
    Duplicate { at: String },
    /// The record could not be decoded.
    Unreadable,
    /// There are more steps than the trace keeps.
    More,
}

/// The numbers of steps. The steps that [passages](super::path_counters) count come first, with the numbers of their
/// counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    counts: u32,
    systems: u32,
    places: u32,
}

impl Numbers {
    /// Returns whether passages count this step.
    pub(super) fn is_counted(self, step: u32) -> bool {
        step < self.counts
    }

    pub(super) fn written(self, system: usize) -> u32 {
        self.counts + system as u32
    }

    pub(super) fn written_often(self, system: usize) -> u32 {
        self.counts + self.systems + system as u32
    }

    pub(super) fn suspended(self, place: usize) -> u32 {
        self.counts + 2 * self.systems + place as u32
    }

    pub(super) fn duplicate(self, place: usize) -> u32 {
        self.suspended(place) + self.places
    }

    pub(super) fn unreadable(self) -> u32 {
        self.counts + 2 * self.systems + 2 * self.places
    }

    pub(super) fn more(self) -> u32 {
        self.unreadable() + 1
    }
}

/// Returns the steps of each number. A number stands for several steps where nodes are joined.
pub(super) fn steps(flow: &Topology, roles: &[Role]) -> (Vec<Vec<Step>>, Numbers) {
    let nodes = &flow.graph.nodes;
    let name = |node: usize| nodes[node].name.clone();
    let passed = |node: usize, stream: usize| {
        let outputs = nodes[node].template.outputs();
        let stream = outputs.get(stream).map_or(String::new(), |output| output.name.clone());
        Step::Passed { node: name(node), stream }
    };
    let mut all = Vec::new();
    for (node, at) in nodes.iter().enumerate() {
        all.extend((0..at.streams.len()).map(|stream| vec![passed(node, stream)]));
        // Their counts follow those of the streams.
        all.push(vec![Step::Ended { node: name(node) }]);
        all.push(vec![Step::Made { node: name(node) }]);
        all.push(vec![Step::Held { node: name(node) }]);
        all.push(vec![Step::Released { node: name(node) }]);
    }
    for role in roles {
        let Role::First(joined) = role else { continue };
        let path = |path: &Vec<(usize, usize)>| path.iter().map(|at| passed(at.0, at.1)).collect();
        all.extend(joined.passed.iter().map(path));
    }
    let counts = all.len() as u32;
    let systems: Vec<String> = flow.systems.iter().map(|system| system.name.clone()).collect();
    let places: Vec<String> =
        nodes.iter().map(|node| node.name.clone()).chain(systems.iter().cloned()).collect();
    let numbers = Numbers { counts, systems: systems.len() as u32, places: places.len() as u32 };
    all.extend(systems.iter().cloned().map(|system| vec![Step::Written { system }]));
    all.extend(systems.into_iter().map(|system| vec![Step::WrittenOften { system }]));
    all.extend(places.iter().cloned().map(|at| vec![Step::Suspended { at }]));
    all.extend(places.into_iter().map(|at| vec![Step::Duplicate { at }]));
    all.push(vec![Step::Unreadable]);
    all.push(vec![Step::More]);
    (all, numbers)
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Passed { node, stream } => write!(f, "{node}.{stream}"),
            Step::Ended { node } => write!(f, "{node} made nothing of it"),
            Step::Made { node } => write!(f, "{node} made others of it"),
            Step::Held { node } => write!(f, "it waits in {node}"),
            Step::Released { node } => write!(f, "{node} released it"),
            Step::Written { system } => write!(f, "written for {system}"),
            Step::WrittenOften { system } => write!(f, "written for {system} many times"),
            Step::Suspended { at } => write!(f, "set aside at {at}"),
            Step::Duplicate { at } => write!(f, "set aside at {at}, it came before"),
            Step::Unreadable => f.write_str("it could not be read"),
            Step::More => f.write_str("and more"),
        }
    }
}
