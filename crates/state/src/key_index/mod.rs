//! The index of which records are about a key, beside the journal.
//!
//! The [deltas](node::Judged::delta) of jobs say it already. A [thread](run) takes them from the journal once their jobs are in it, and adds
//! them to files of a day, so no job waits for it, and a job costs nothing more. The files say through which job they are complete, and
//! the deltas of later jobs stay in the journal until they are, so nothing is lost or there twice after a kill.

mod erasure;
mod indexer;

use std::path::{Path, PathBuf};
use std::time::Duration;

use flow::topology::Topology;
use journal::Journal;
use store::{Connection, QueryResult, StoreError, params};

pub use erasure::{Erasures, erase, erasures};
pub use indexer::{ALARMS, Until, run};

/// The folder of all indexes, in that of the state.
const FOLDER: &str = "fraud";

/// The index of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeIndex {
    /// The node.
    pub node: String,
    /// Through which job the index has all entries. `None`: nothing is added any more.
    pub through: Option<i64>,
    /// How long entries stay, in seconds.
    pub retention_s: u32,
}

/// Returns the folder of the index of a node.
pub fn folder(state: &Path, node: &str) -> PathBuf {
    let is_plain = |octet: u8| octet.is_ascii_alphanumeric() || octet == b'-' || octet == b'_';
    let name = match node.bytes().all(is_plain) {
        true => node.to_owned(),
        false => format!("={}", blake3::hash(node.as_bytes()).to_hex()),
    };
    state.join(FOLDER).join(name)
}

/// Returns the secret of the journal, by which keys have their digests. It leaves the journal nowhere.
pub fn secret(db: &Connection) -> QueryResult<Vec<u8>> {
    db.query_row("SELECT secret FROM key_secret", [], |row| row.get(0))
}

/// Returns the indexes that there are.
pub fn indexes(db: &Connection) -> QueryResult<Vec<NodeIndex>> {
    let mut select =
        db.prepare_cached("SELECT node, through, retention_s FROM key_index ORDER BY node")?;
    let index = |row: &store::Row<'_>| {
        Ok(NodeIndex { node: row.get(0)?, through: row.get(1)?, retention_s: row.get(2)? })
    };
    select.query_map([], index)?.collect()
}

/// Returns how many jobs of a node are in the journal, and not in the index yet.
pub fn behind(db: &Connection, node: &str, through: i64) -> QueryResult<i64> {
    let count = "SELECT count(*) FROM state_delta WHERE node = ? AND job > ?";
    db.prepare_cached(count)?.query_row(params![node, through], |row| row.get(0))
}

/// Notes which nodes have an index from now on. A new one begins with the next job. That of another node stays until its time is over.
pub(crate) fn note_nodes(flow: &Topology, journal: &Journal) -> Result<(), StoreError> {
    let nodes = flow.graph.nodes.iter().filter_map(|node| {
        let judge = node.template.judge()?;
        Some((node.name.clone(), seconds(judge.alerting()?.index()?)))
    });
    let nodes: Vec<(String, u32)> = nodes.collect();
    if nodes.is_empty() && journal.answer(indexes(&*journal.reader()?))?.is_empty() {
        return Ok(());
    }
    journal.commit(move |db| {
        for index in indexes(db)?.iter().filter(|of| nodes.iter().all(|(node, _)| *node != of.node)) {
            db.execute("UPDATE key_index SET through = NULL WHERE node = ?", [&index.node])?;
        }
        let insert = "INSERT INTO key_index VALUES (?, (SELECT ifnull(max(id), 0) FROM file), ?)
                      ON CONFLICT DO UPDATE SET through = ifnull(through, excluded.through), retention_s = excluded.retention_s";
        nodes.iter().try_for_each(|(node, retention_s)| db.execute(insert, params![node, retention_s]).map(drop))
    })
}

fn seconds(length: Duration) -> u32 {
    u32::try_from(length.as_secs()).unwrap_or(u32::MAX)
}
