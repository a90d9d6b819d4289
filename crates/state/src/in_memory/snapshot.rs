//! Writes snapshots.

use journal::Journal;
use node::{PARTS, SnapshotPart};
use runtime::time::since_epoch_ns;
use serde::{Deserialize, Serialize};
use store::{Connection, QueryResult, StoreError, params};

use super::nodes;
use flow::topology::Topology;

/// The maximum number of deltas that are deleted in one transaction, so that jobs do not wait long
/// for it.
const DELTAS_AT_ONCE: usize = 1_000;

/// Some parts of the snapshot of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotRows {
    pub(super) node: String,
    pub(super) form: String,
    pub(super) parts: Vec<SnapshotPart>,
}

/// Returns whether nodes of a flow have state with snapshots.
pub fn has_snapshots(flow: &Topology) -> bool {
    nodes(flow).any(|(_, state)| state.has_values())
}

/// Returns the next parts of the snapshots that are due, for the nodes whose state is in this
/// process.
pub fn due(flow: &Topology) -> Vec<SnapshotRows> {
    let parts = nodes(flow).map(|(node, state)| SnapshotRows {
        node: node.to_owned(),
        form: state.form(),
        parts: state.snapshot(),
    });
    parts.filter(|rows| !rows.parts.is_empty()).collect()
}

/// Writes the parts of snapshots that are due in this process.
pub fn write_due(flow: &Topology, journal: &Journal) -> Result<(), StoreError> {
    loop {
        let due = due(flow);
        if due.is_empty() {
            return Ok(());
        }
        due.into_iter().try_for_each(|rows| write(journal, rows))?;
    }
}

/// Writes parts of a snapshot. Deletes the deltas that all parts of the node include then.
pub fn write(journal: &Journal, rows: SnapshotRows) -> Result<(), StoreError> {
    let (node, form) = (rows.node.clone(), rows.form.clone());
    let written = journal.commit(move |db| {
        insert(db, &rows)?;
        delete_covered(db, (&rows.node, &rows.form))
    });
    let mut deleted = written?;
    while deleted == DELTAS_AT_ONCE {
        let (node, form) = (node.clone(), form.clone());
        deleted = journal.commit(move |db| delete_covered(db, (&node, &form)))?;
    }
    Ok(())
}

/// Inserts parts. A part never replaces a later one, since the deltas between them may be deleted.
pub(super) fn insert(db: &Connection, rows: &SnapshotRows) -> QueryResult<()> {
    let SnapshotRows { node, form, parts } = rows;
    let mut insert = db.prepare_cached(
        "INSERT INTO state_snapshot (node, form, part, through, done_ms, octets) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET through = excluded.through, done_ms = excluded.done_ms, octets = excluded.octets
             WHERE excluded.through >= through",
    )?;
    parts.iter().try_for_each(|SnapshotPart { part, through, at, octets }| {
        let at_ms = since_epoch_ns(*at) / 1_000_000;
        insert.execute(params![node, form, part, through, at_ms, octets]).map(drop)
    })
}

/// Deletes deltas that all parts of the snapshot include, the oldest first, without those that an index of keys needs yet. Returns
/// their number.
pub(super) fn delete_covered(db: &Connection, (node, form): (&str, &str)) -> QueryResult<usize> {
    let delete = "DELETE FROM state_delta WHERE rowid IN (
                      SELECT rowid FROM state_delta WHERE node = ?1 AND form = ?2 AND job <= (
                          SELECT min(through) FROM state_snapshot WHERE node = ?1 AND form = ?2
                          HAVING count(*) = ?3)
                      AND job <= ifnull((SELECT through FROM key_index WHERE node = ?1), 1 << 62)
                      ORDER BY job LIMIT ?4)";
    let at_most = DELTAS_AT_ONCE as i64;
    db.prepare_cached(delete)?.execute(params![node, form, PARTS as i64, at_most])
}
