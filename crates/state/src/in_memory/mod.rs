//! Keyed state in memory: its deltas and snapshots in the journal.
//!
//! Each job writes a delta for each node whose state it changes. From time to time a thread writes
//! a snapshot of the state of a node, part by part, and deletes the deltas that all its parts
//! include. At the start, a node gets its snapshot and the deltas after it.
//!
//! Earlier versions wrote the keys of duplicate checks to the table `noted`. They are read until
//! they expire.

mod alarms;
mod forms;
mod prune;
mod restore;
mod snapshot;
#[cfg(test)]
mod tests;

use journal::JobId;
use node::InMemory;
use store::{Connection, QueryResult, params};

pub use alarms::{ALARMS, UnusedState};
pub(crate) use alarms::{RETENTION_WITHOUT_NODE, select_names};
pub use prune::{forget, prune_files};
pub use restore::{restore, restore_nodes};
pub use snapshot::{SnapshotRows, due, has_snapshots, write, write_due};

use flow::topology::Topology;

/// Inserts the delta of a job for a node, after the row of the job.
pub(super) fn insert_delta(
    db: &Connection,
    JobId(job): JobId,
    (node, form): (&str, &str),
    delta: &[u8],
) -> QueryResult<()> {
    let insert = "INSERT INTO state_delta (node, job, form, done_ms, octets)
                  VALUES (?1, ?2, ?3, (SELECT done_ms FROM file WHERE id = ?2), ?4)";
    db.prepare_cached(insert)?.execute(params![node, job, form, delta]).map(drop)
}

/// Returns the nodes of a flow with state in memory.
fn nodes(flow: &Topology) -> impl Iterator<Item = (&str, &dyn InMemory)> {
    let nodes = flow.graph.nodes.iter();
    nodes.filter_map(|node| Some((node.name.as_str(), node.template.in_memory()?)))
}
