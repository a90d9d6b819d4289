//! The events of the live stream: what a client receives as their data.

use std::collections::BTreeMap;

use operate::drawing::Graph;
use serde::Serialize;
use utoipa::ToSchema;

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

/// The figures of a moment. Counts are those of three windows: the last 10 seconds, the last 5 minutes, and today.
/// `seconds` has the length of each window. Names without a count in any window are left out.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveFigures {
    /// When the figures were taken.
    pub(crate) at: String,
    /// How many seconds each window covers. Divide counts by it to get rates.
    pub(crate) seconds: LiveSeconds,
    /// By name of the network element.
    pub(crate) elements: BTreeMap<String, LiveElement>,
    /// By name of the node.
    pub(crate) nodes: BTreeMap<String, LiveNode>,
    /// By name of the post-processing system.
    pub(crate) systems: BTreeMap<String, LiveSystem>,
    /// The edges that records went over.
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
    /// The room on the disk of the journal.
    pub(crate) room: DiskRoom,
}

/// Whether a disk has room: `low` while the alarm `disk-low` is raised, `free` otherwise.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DiskRoom {
    /// The alarm `disk-low` is raised.
    Low,
    /// There is enough room.
    Free,
}

/// The seconds that each window covers.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveSeconds {
    /// 10 seconds. Less if the gateway was started later, more if figures were late.
    pub(crate) ten_seconds: f64,
    /// 300 to 310 seconds. Less if the gateway was started later, more if figures were late.
    pub(crate) five_minutes: f64,
    /// The seconds since midnight in UTC. Today includes what earlier runs of the gateway did. Until that is read from
    /// the journal, which takes a moment after a start, today begins with the start.
    pub(crate) today: f64,
}

/// The figures of a network element.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveElement {
    /// Jobs that wait, and files that stay in the folder.
    pub(crate) waiting: u64,
    pub(crate) ten_seconds: LiveElementCounts,
    pub(crate) five_minutes: LiveElementCounts,
    pub(crate) today: LiveElementCounts,
}

/// What became of the records of a network element in the whole flow. A file counts when it is done. `in` is the sum of
/// `out`, `filtered`, `suspended`, `held` and `duplicate`. Records that are retried do not count again.
#[derive(Default, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveElementCounts {
    /// Files that are done.
    pub(crate) files: u64,
    /// Octets of these files.
    pub(crate) octets: u64,
    /// Records of these files.
    #[serde(rename = "in")]
    pub(crate) records_in: u64,
    /// Records of which at least one record was written for a post-processing system.
    pub(crate) out: u64,
    /// Records that the flow dropped by its own rules.
    pub(crate) filtered: u64,
    /// Records that could not be read, or that a node or post-processing system refused.
    pub(crate) suspended: u64,
    /// Records that waited in a node when their file was done.
    pub(crate) held: u64,
    /// Records that came before, alone or with their file.
    pub(crate) duplicate: u64,
}

/// The figures of a node.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveNode {
    /// The keys that the node remembers. Absent for a node that remembers none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) keys: Option<u64>,
    pub(crate) ten_seconds: LiveNodeCounts,
    pub(crate) five_minutes: LiveNodeCounts,
    pub(crate) today: LiveNodeCounts,
}

/// What a node did with the records that came to it. `in` is the sum of `out`, `filtered`, `suspended`, `held` and
/// `duplicate`. It is also the sum of the edges that enter the node, except for records that a retry gives to the node
/// directly.
///
/// A record that is refused at a later node counts here as `out`: it came to the node and left it, although its outputs
/// were taken back. It counts on one path only, from its network element to the node that refused it.
#[derive(Default, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveNodeCounts {
    /// Records that came to the node.
    #[serde(rename = "in")]
    pub(crate) records_in: u64,
    /// Records that the node passed on, or of which it made others.
    pub(crate) out: u64,
    /// Records that the node dropped, or that left it by a stream without a receiver.
    pub(crate) filtered: u64,
    /// Records that the node itself refused.
    pub(crate) suspended: u64,
    /// Records that began to wait in the node. They do not count again when they are released.
    pub(crate) held: u64,
    /// Records that the node found to be duplicates.
    pub(crate) duplicate: u64,
    /// Records that the node made, of records that came or of groups that ended. They leave the node in place of those.
    /// Records that were taken back after a refusal at a later node do not count.
    pub(crate) made: u64,
}

/// The figures of a post-processing system.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveSystem {
    /// Deliveries that wait.
    pub(crate) waiting_deliveries: u64,
    pub(crate) ten_seconds: LiveSystemCounts,
    pub(crate) five_minutes: LiveSystemCounts,
    pub(crate) today: LiveSystemCounts,
}

/// The records that came to a post-processing system. `in` is the sum of `out` and `suspended`. It is also the sum of
/// the edges that enter the system, except for records that a retry gives to it directly.
#[derive(Default, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveSystemCounts {
    /// Records that came to the system.
    #[serde(rename = "in")]
    pub(crate) records_in: u64,
    /// Records that were written to its files.
    pub(crate) out: u64,
    /// Records that could not be encoded.
    pub(crate) suspended: u64,
    /// Files that were made for the system.
    pub(crate) files: u64,
}

/// The records that went over an edge in each window, including those that were refused at its end or behind it. After
/// a node that makes records, these are the records that it made.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveEdge {
    /// The network element or node that the edge leaves.
    pub(crate) from: String,
    /// The stream of `from`; empty for that of a network element.
    pub(crate) stream: String,
    /// The node or post-processing system that the edge enters.
    pub(crate) to: String,
    pub(crate) ten_seconds: u64,
    pub(crate) five_minutes: u64,
    pub(crate) today: u64,
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

/// What changed in the gateway.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LiveSubject {
    /// The flow.
    Flow,
    /// The raised alarms.
    Alarms,
    /// The saved versions.
    Versions,
}

/// A notice that something changed; request it again to see the change.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveChanged {
    /// What changed.
    pub(crate) what: LiveSubject,
}
