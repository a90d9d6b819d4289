//! The access that a worker gives a node that holds records: its groups in the journal, the codec, and the clock.

use std::sync::Arc;

use journal::View;
use node::{
    Equipment, GroupId, KeptPart, OnShelf, OpenGroup, Part, PartDigest, Shelf, StateError, Times,
    TypeChanged,
};
use store::{Answer, Connection, OptionalExtension as _, Row, StoreError};

use super::by_key::{Select, SpanFilters};
use super::{Keepings, layout};
use crate::event_time::watermark;
use flow::graph::GraphNode;
use flow::topology::Topology;

/// The divisor of a node's memory that gives the share of the filters. The rest is the database's own cache.
const FILTERS: u64 = 4;

/// Returns the equipment of a node, if it holds records. The flow file sets the size of the memory for all workers.
pub fn equipment(
    flow: &Topology,
    keepings: &Keepings,
    node: usize,
    (view, filters): (&View, &Arc<SpanFilters>),
) -> Result<Option<Equipment>, StoreError> {
    let GraphNode { name, template, .. } = &flow.graph.nodes[node];
    let (Some(holds), Some(keeping)) = (template.holds(), &keepings[node]) else {
        return Ok(None);
    };
    let holding = flow.graph.nodes.iter().filter_map(|node| node.template.holds());
    let filters_octets = holding.map(|holds| holds.memory_octets / FILTERS).sum();
    let reader = view.cached_reader(holds.memory_octets - holds.memory_octets / FILTERS)?;
    let refusal = view.answer(layout::refusal(flow, keepings, node, &reader))?;
    let filters = Arc::clone(filters);
    let shelf = Box::new(JournalShelf {
        reader,
        node: name.clone(),
        filters,
        filters_octets,
        groups: Select::of(
            "id, released_ms IS NULL, first_ms, last_ms, began_late, release IS 'suspended'",
        ),
        releases: Select::of("id, release"),
        refusal,
    });
    let clock = Arc::clone(&view.clock);
    let latest_ms = Box::new(move || clock.latest_ms());
    Ok(Some(Equipment { shelf, codec: keeping.codec(), latest_ms }))
}

struct JournalShelf {
    reader: Connection,
    node: String,
    /// Filters of the spans in which a key may have groups; all nodes and workers share them.
    filters: Arc<SpanFilters>,
    /// Octets of memory that the filters may take.
    filters_octets: u64,
    groups: Select,
    releases: Select,
    /// Why its groups cannot be read, if so.
    refusal: Option<TypeChanged>,
}

impl Shelf for JournalShelf {
    fn groups(&mut self, key: &str) -> Result<OnShelf, StateError> {
        match &self.refusal {
            Some(refusal) => Err(StateError::TypeChanged(Box::new(refusal.clone()))),
            None => said(self.on_shelf(key)),
        }
    }

    fn count(&mut self) -> Result<u64, StateError> {
        let select = "SELECT open FROM held_node WHERE node = ?";
        let count = one(&self.reader, select, &[&self.node]);
        said(count).map(|count| count.unwrap_or(0) as u64)
    }

    fn digests(&mut self, key: &str) -> Result<Vec<PartDigest>, StateError> {
        said(self.digests_of(key))
    }

    fn watermark(&mut self, network_element: &str) -> Result<Option<i64>, StateError> {
        said(watermark(&self.reader, &self.node, network_element))
    }
}

impl JournalShelf {
    /// Returns the groups of a key without those that were set aside: their records are in suspense, and join other
    /// groups when they are retried.
    fn on_shelf(&self, key: &str) -> Answer<OnShelf> {
        let mut found = OnShelf::default();
        self.groups_of(key, &self.groups, |row| {
            let (is_open, is_suspended): (bool, bool) = (row.get(1)?, row.get(5)?);
            if is_open {
                let (id, began_late) = (row.get(0)?, row.get(4)?);
                let parts = parts(&self.reader, id)?;
                found.open.push(OpenGroup { id, began_late, parts });
            } else if !is_suspended {
                let (first, last): (Option<i64>, Option<i64>) = (row.get(2)?, row.get(3)?);
                let times = first.zip(last).map(|(first_ms, last_ms)| Times { first_ms, last_ms });
                found.released.push(times);
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Returns the digests of released records. Rows that are older than digests have none.
    fn digests_of(&self, key: &str) -> Answer<Vec<PartDigest>> {
        let mut digests = Vec::new();
        let mut select = self.reader.prepare_cached(
            "SELECT digest FROM held_part WHERE in_group = ? AND digest IS NOT NULL",
        )?;
        self.groups_of(key, &self.releases, |row| {
            let release: Option<String> = row.get(1)?;
            if release.is_some_and(|release| release != "suspended") {
                let id: GroupId = row.get(0)?;
                for digest in select.query_map([id], |row| row.get(0))? {
                    digests.push(digest?);
                }
            }
            Ok(())
        })?;
        Ok(digests)
    }

    fn groups_of(
        &self,
        key: &str,
        select: &Select,
        take: impl FnMut(&Row<'_>) -> Answer<()>,
    ) -> Answer<()> {
        let of = (self.node.as_str(), key);
        self.filters.groups(&self.reader, select, of, self.filters_octets, take)
    }
}

/// Returns the records of a group.
fn parts(db: &Connection, group: i64) -> Answer<Vec<KeptPart>> {
    let mut select = db.prepare_cached(
        "SELECT time_ms, octets, digest, file FROM held_part WHERE in_group = ? ORDER BY place",
    )?;
    let part = |row: &Row<'_>| {
        let part = Part { time_ms: row.get(0)?, octets: row.get(1)? };
        Ok(KeptPart { part, digest: row.get(2)?, job: row.get(3)? })
    };
    select.query_map([group], part)?.collect()
}

fn one(db: &Connection, select: &str, values: &[&str]) -> Answer<Option<i64>> {
    let mut select = db.prepare_cached(select)?;
    select.query_row(store::params_from_iter(values), |row| row.get(0)).optional()
}

fn said<T>(answer: Answer<T>) -> Result<T, StateError> {
    answer.map_err(StateError::journal)
}
