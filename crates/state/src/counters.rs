//! Keyed state on disk, such as counters of subscribers. Each value is a row of the journal, and is
//! written in the transaction of the job that changes it.

pub mod alarms;
pub mod change;
pub mod keyed;
pub mod requests;

use journal::View;
use node::{OnDisk, StateError, ValueReader};
use store::{Connection, OptionalExtension as _, QueryResult, StoreError};

use flow::topology::Topology;

pub use alarms::ALARMS;
pub(crate) use alarms::check_counters;
pub use keyed::{KeyedBy, note};

/// Returns the reader for the values of a node, if its state is on disk. The flow file sets the
/// size of the database's cache for all workers.
pub fn reader(
    flow: &Topology,
    node: usize,
    view: &View,
) -> Result<Option<Box<dyn ValueReader>>, StoreError> {
    let node = &flow.graph.nodes[node];
    let Some(state) = node.template.on_disk() else { return Ok(None) };
    let reader = view.cached_reader(state.memory_octets)?;
    Ok(Some(Box::new(JournalValues { reader, node: node.name.clone() })))
}

struct JournalValues {
    reader: Connection,
    node: String,
}

impl ValueReader for JournalValues {
    fn read(&mut self, key: &str, to: &mut Vec<u8>) -> Result<(), StateError> {
        let select = "SELECT octets FROM kept WHERE node = ? AND key = ?";
        let found = self.reader.prepare_cached(select).and_then(|mut select| {
            let octets = |row: &store::Row<'_>| {
                to.extend_from_slice(row.get_ref(0)?.as_blob()?);
                Ok(())
            };
            select.query_row([&self.node, key], octets).optional()
        });
        found.map(drop).map_err(StateError::journal)
    }
}

/// Selects the names of nodes with values. It steps from each name to the next, so that it does not
/// read the values.
const NODES: &str = "WITH RECURSIVE known(node) AS (
        SELECT min(node) FROM kept UNION ALL
        SELECT (SELECT min(node) FROM kept WHERE node > known.node) FROM known WHERE known.node IS NOT NULL)
    SELECT node FROM known WHERE node IS NOT NULL";

/// Returns the names of nodes that have values in a database, in order.
pub fn stored_nodes(db: &Connection) -> QueryResult<Vec<String>> {
    db.prepare(NODES)?.query_map([], |row| row.get(0))?.collect()
}

/// Returns the nodes of a flow with state on disk.
pub fn flow_nodes(flow: &Topology) -> impl Iterator<Item = (&str, OnDisk)> {
    let nodes = flow.graph.nodes.iter();
    nodes.filter_map(|node| Some((node.name.as_str(), node.template.on_disk()?)))
}

/// The value of a key in a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredValue {
    /// The node.
    pub node: String,
    /// The value.
    pub octets: Vec<u8>,
    /// The file whose records changed it last; `None` if the journal no longer has that file.
    pub file: Option<String>,
}

/// Returns the values of a key, in the order of node names.
pub fn stored_values(db: &Connection, key: &str) -> QueryResult<Vec<StoredValue>> {
    // Looks each node up by its key, as there may be millions of other keys.
    let mut select = db.prepare(&format!(
        "SELECT node, octets, ifnull(original.name, file.name)
         FROM kept LEFT JOIN file ON file.id = changed_by LEFT JOIN file AS original ON original.id = file.retry_of
         WHERE kept.node IN ({NODES}) AND key = ? ORDER BY node"
    ))?;
    let value = |row: &store::Row<'_>| {
        Ok(StoredValue { node: row.get(0)?, octets: row.get(1)?, file: row.get(2)? })
    };
    select.query_map([key], value)?.collect()
}
