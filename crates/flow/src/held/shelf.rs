//! What a node that holds records is given in a worker.

use std::sync::Arc;

use journal::View;
use node::{
    Equipment, KeptPart, OnShelf, OpenGroup, Part, PartDigest, Shelf, StateError, Times,
    TypeChanged,
};
use store::{Answer, Connection, OptionalExtension as _, StoreError};

use super::{Keepings, form};
use crate::graph::GraphNode;
use crate::topology::Topology;

/// What a node needs, if it holds records. Its cache is the database's own, as large as the flow says for all workers.
pub(crate) fn equipment(
    flow: &Topology,
    keepings: &Keepings,
    node: usize,
    view: &View,
) -> Result<Option<Equipment>, StoreError> {
    let GraphNode { name, template, .. } = &flow.graph.nodes[node];
    let (Some(holds), Some(keeping)) = (template.holds(), &keepings[node]) else {
        return Ok(None);
    };
    let reader = view.cached_reader(holds.memory_octets)?;
    let refusal = view.answer(form::refusal(flow, keepings, node, &reader))?;
    let shelf = Box::new(JournalShelf { reader, node: name.clone(), refusal });
    let clock = Arc::clone(&view.clock);
    let latest_ms = Box::new(move || clock.latest_ms());
    Ok(Some(Equipment { shelf, codec: keeping.codec(), latest_ms }))
}

struct JournalShelf {
    reader: Connection,
    node: String,
    /// Why nothing can be taken from it.
    refusal: Option<TypeChanged>,
}

impl Shelf for JournalShelf {
    fn groups(&mut self, key: &str) -> Result<OnShelf, StateError> {
        match &self.refusal {
            Some(refusal) => Err(StateError::TypeChanged(Box::new(refusal.clone()))),
            None => said(groups(&self.reader, &self.node, key)),
        }
    }

    fn count(&mut self) -> Result<u64, StateError> {
        let select = "SELECT open FROM held_node WHERE node = ?";
        let count = one(&self.reader, select, &[&self.node]);
        said(count).map(|count| count.unwrap_or(0) as u64)
    }

    fn digests(&mut self, key: &str) -> Result<Vec<PartDigest>, StateError> {
        said(digests(&self.reader, &self.node, key))
    }

    fn watermark(&mut self, network_element: &str) -> Result<Option<i64>, StateError> {
        said(watermark(&self.reader, &self.node, network_element))
    }
}

/// One statement for both, since each takes a lock. Groups that were set aside are not among them: their records are in
/// suspense, and join others when they come again.
fn groups(db: &Connection, node: &str, key: &str) -> Answer<OnShelf> {
    let mut select = db.prepare_cached(
        "SELECT id, released_ms IS NULL, first_ms, last_ms, time_ms, octets, digest, began_late, file
         FROM held_group
         LEFT JOIN held_part ON in_group = id AND released_ms IS NULL
         WHERE node = ? AND key = ? AND release IS NOT 'suspended' ORDER BY id, place",
    )?;
    let mut rows = select.query([node, key])?;
    let mut found = OnShelf::default();
    while let Some(row) = rows.next()? {
        let id = row.get(0)?;
        if !row.get(1)? {
            let (first, last): (Option<i64>, Option<i64>) = (row.get(2)?, row.get(3)?);
            let times = first.zip(last).map(|(first_ms, last_ms)| Times { first_ms, last_ms });
            found.released.push(times);
            continue;
        }
        let part = Part { time_ms: row.get(4)?, octets: row.get(5)? };
        let part = KeptPart { part, digest: row.get(6)?, job: row.get(8)? };
        match found.open.last_mut() {
            Some(group) if group.id == id => group.parts.push(part),
            _ => {
                let (began_late, parts) = (row.get(7)?, vec![part]);
                found.open.push(OpenGroup { id, began_late, parts });
            }
        }
    }
    Ok(found)
}

/// Parts of before they had digests have none.
fn digests(db: &Connection, node: &str, key: &str) -> Answer<Vec<PartDigest>> {
    let mut select = db.prepare_cached(
        "SELECT digest FROM held_group JOIN held_part ON in_group = id
         WHERE node = ? AND key = ? AND release <> 'suspended' AND digest IS NOT NULL",
    )?;
    select.query_map([node, key], |row| row.get(0))?.collect()
}

/// The latest time that a record of a network element had in a node.
pub(super) fn watermark(db: &Connection, node: &str, element: &str) -> Answer<Option<i64>> {
    let select = "SELECT time_ms FROM watermark WHERE node = ? AND network_element = ?";
    one(db, select, &[node, element])
}

fn one(db: &Connection, select: &str, values: &[&str]) -> Answer<Option<i64>> {
    let mut select = db.prepare_cached(select)?;
    select.query_row(store::params_from_iter(values), |row| row.get(0)).optional()
}

fn said<T>(answer: Answer<T>) -> Result<T, StateError> {
    answer.map_err(StateError::journal)
}
