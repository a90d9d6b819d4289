//! The events of the live stream: what a client receives as their data.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

use crate::api::Graph;

/// The data of an event, by the event's name: `graph`, `figures` or `changed`.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum LiveEvent<'a> {
    Graph(&'a Graph),
    Figures(&'a LiveFigures),
    Changed(LiveChanged),
}

impl LiveEvent<'_> {
    /// Returns the data in JSON, as it is sent.
    pub(crate) fn data(&self) -> String {
        serde_json::to_string(self).expect("all keys are texts, so the data has a JSON form")
    }
}

/// The figures of a moment. Counts begin with the start of the gateway.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveFigures {
    /// When the figures were taken.
    pub(crate) at: String,
    /// The seconds since the figures before.
    pub(crate) seconds: f64,
    /// By name of the network element.
    pub(crate) elements: BTreeMap<String, LiveElement>,
    /// By name of the node.
    pub(crate) nodes: BTreeMap<String, LiveNode>,
    /// By name of the post-processing system.
    pub(crate) systems: BTreeMap<String, LiveSystem>,
    /// The edges that were added while the gateway ran, with the records that they missed.
    pub(crate) edges: Vec<LiveEdge>,
    /// The threads that process files.
    pub(crate) threads: LiveThreads,
    /// Open records in suspense.
    pub(crate) suspense_open: u64,
    /// Raised alarms.
    pub(crate) alarms: LiveAlarms,
    /// Raised alarms that are not acknowledged.
    pub(crate) alarms_unacknowledged: LiveAlarms,
    /// Whether the journal accepts writes.
    pub(crate) journal_is_written: bool,
    /// `low` while the alarm `disk-low` is raised, `free` otherwise.
    pub(crate) room: &'static str,
}

/// The figures of a network element.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveElement {
    /// Files that are done.
    pub(crate) files: u64,
    /// Records of these files.
    pub(crate) records: u64,
    /// Octets of these files.
    pub(crate) octets: u64,
    /// Jobs that wait, and files that stay in the folder.
    pub(crate) waiting: u64,
    /// Records by outcome: `delivered`, `filtered`, `held`, `suspended` and `duplicate`.
    pub(crate) outcomes: BTreeMap<&'static str, u64>,
}

/// The figures of a node.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveNode {
    /// Records that came to the node.
    pub(crate) records: u64,
    /// Records that the node made.
    pub(crate) made: u64,
    /// Records that left the node, by stream.
    pub(crate) streams: BTreeMap<String, u64>,
    /// Records by outcome: `delivered`, `filtered`, `held`, `suspended` and `duplicate`.
    pub(crate) outcomes: BTreeMap<&'static str, u64>,
    /// The keys that the node remembers. Absent for a node that remembers none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) keys: Option<u64>,
}

/// The figures of a post-processing system.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveSystem {
    /// Records that came to the system.
    pub(crate) records: u64,
    /// Files that were made for the system.
    pub(crate) files: u64,
    /// Deliveries that wait.
    pub(crate) waiting_deliveries: u64,
}

/// An edge that was added while the gateway ran. Subtract `before` from the records of the stream
/// to get the records that went along the edge.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveEdge {
    /// The network element or node that the edge leaves.
    pub(crate) from: String,
    /// The stream of `from`; empty for that of a network element.
    pub(crate) stream: String,
    /// The node or post-processing system that the edge enters.
    pub(crate) to: String,
    /// The records that had left by the stream before the edge was added.
    pub(crate) before: u64,
}

/// The threads that process files.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveThreads {
    /// All threads.
    pub(crate) all: usize,
    /// The threads that process a file now.
    pub(crate) working: usize,
}

/// The number of alarms by severity.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveAlarms {
    pub(crate) critical: usize,
    pub(crate) major: usize,
    pub(crate) minor: usize,
    pub(crate) warning: usize,
}

/// A notice that something changed; request it again to see the change.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveChanged {
    /// `flow`, `alarms` or `versions`.
    pub(crate) what: &'static str,
}
