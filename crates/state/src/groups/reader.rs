//! The access that a worker gives a node that holds records: its groups in the journal, the codec, and the clock.

use std::sync::Arc;

use journal::View;
use node::{
    EntryNumber, Equipment, GroupReader, KeyGroups, PartDigest, ReleaseKind, StateError,
    TypeChanged,
};
use store::{Connection, OptionalExtension as _, QueryResult, StoreError};

use super::entries::{EntryReader, next_number};
use super::key_index::KeyIndex;
use super::page_state::StateReader;
use super::stored::{StoredGroup, of_key};
use super::{Keepings, layout};
use crate::event_time::watermark;
use flow::graph::GraphNode;
use flow::topology::Topology;

/// How many quarters of a node's memory are for the index of its groups. The rest is the database's own cache: entries that
/// are read again were often written together.
const INDEX_QUARTERS: u64 = 3;

/// A worker reads the journal as of one moment for so many keys at most. While it does, the journal's log cannot be
/// begun from its start again.
const KEYS_AT_ONCE: u32 = 10_000;

/// Returns the equipment of a node, if it holds records. The flow file sets the size of the memory for all workers.
pub fn equipment(
    flow: &Topology,
    keepings: &Keepings,
    node: usize,
    (view, index): (&View, &Arc<KeyIndex>),
) -> Result<Option<Equipment>, StoreError> {
    let GraphNode { name, template, .. } = &flow.graph.nodes[node];
    let (Some(settings), Some(keeping)) = (template.group_settings(), &keepings[node]) else {
        return Ok(None);
    };
    let holding = flow.graph.nodes.iter().filter_map(|node| node.template.group_settings());
    let index_octets = holding.map(|settings| settings.memory_octets / 4 * INDEX_QUARTERS).sum();
    let cache_octets = settings.memory_octets - settings.memory_octets / 4 * INDEX_QUARTERS;
    let reader = view.cached_reader(cache_octets)?;
    let refusal = view.answer(layout::refusal(flow, keepings, node, &reader))?;
    let reader = Box::new(JournalReader {
        index_octets,
        refusal,
        ..JournalReader::new(reader, name, Arc::clone(index))
    });
    let clock = Arc::clone(&view.clock);
    let latest_ms = Box::new(move || clock.latest_ms());
    Ok(Some(Equipment { reader, codec: keeping.codec(), latest_ms }))
}

/// Reads the groups of a node.
pub(super) struct JournalReader {
    reader: Connection,
    node: String,
    /// All nodes and workers share it.
    index: Arc<KeyIndex>,
    /// Octets of memory that the index may take.
    index_octets: u64,
    entries: EntryReader,
    /// The states of groups at that moment.
    states: StateReader,
    /// The moment as of which it reads, if it does: then a transaction is open.
    moment: Option<Moment>,
    /// Why its groups cannot be read, if so.
    refusal: Option<TypeChanged>,
}

/// The moment as of which a journal is read.
#[derive(Clone, Copy)]
struct Moment {
    /// How many files of the node were settled before.
    settled: u64,
    /// The number of the first entry that is not there yet.
    next: EntryNumber,
    /// How many keys may still be read as of this moment.
    keys: u32,
}

impl GroupReader for JournalReader {
    fn advance(&mut self, settled: u64) -> Result<(), StateError> {
        match &mut self.moment {
            Some(moment) if moment.settled == settled && moment.keys > 0 => {
                moment.keys -= 1;
                Ok(())
            }
            _ => {
                self.release();
                journal_answer(self.begin(settled))
            }
        }
    }

    fn release(&mut self) {
        if self.moment.take().is_some() {
            // It has only read: what fails here has no effect on what was read.
            let _ = self.reader.execute_batch("COMMIT");
        }
    }

    fn groups(&mut self, key: &str) -> Result<KeyGroups, StateError> {
        match &self.refusal {
            Some(refusal) => Err(StateError::TypeChanged(Box::new(refusal.clone()))),
            None => journal_answer(self.key_groups(key)),
        }
    }

    fn count(&mut self) -> Result<u64, StateError> {
        let select = "SELECT open FROM held_node WHERE node = ?";
        let count = one(&self.reader, select, &[&self.node]);
        journal_answer(count).map(|count| count.unwrap_or(0) as u64)
    }

    fn digests(&mut self, key: &str) -> Result<Vec<PartDigest>, StateError> {
        let released = |groups: Vec<StoredGroup>| {
            let groups = groups.into_iter().filter(is_remembered);
            groups.flat_map(|group| group.digests().collect::<Vec<_>>()).collect()
        };
        journal_answer(self.of_key(key).map(released))
    }

    fn watermark(&mut self, network_element: &str) -> Result<Option<i64>, StateError> {
        journal_answer(watermark(&self.reader, &self.node, network_element))
    }
}

impl JournalReader {
    pub(super) fn new(reader: Connection, node: &str, index: Arc<KeyIndex>) -> Self {
        JournalReader {
            reader,
            node: node.to_owned(),
            index,
            index_octets: 0,
            entries: EntryReader::default(),
            states: StateReader::default(),
            moment: None,
            refusal: None,
        }
    }

    /// Returns the groups of a key without those that were set aside: their records are in suspense, and join other
    /// groups when they are retried.
    fn key_groups(&mut self, key: &str) -> QueryResult<KeyGroups> {
        let mut found = KeyGroups::default();
        for group in self.of_key(key)? {
            if group.release.is_none() {
                found.open.push(group.into_open());
            } else if is_remembered(&group) {
                found.released.push(group.times);
            }
        }
        Ok(found)
    }

    /// Begins to read as of now.
    fn begin(&mut self, settled: u64) -> QueryResult<()> {
        self.reader.execute_batch("BEGIN")?;
        let next = next_number(&self.reader).inspect_err(|_| {
            // The next attempt begins another transaction.
            let _ = self.reader.execute_batch("COMMIT");
        })?;
        self.states = StateReader::default();
        self.moment = Some(Moment { settled, next, keys: KEYS_AT_ONCE });
        Ok(())
    }

    fn of_key(&mut self, key: &str) -> QueryResult<Vec<StoredGroup>> {
        let Self { reader, node, index, index_octets, entries, states, moment, .. } = self;
        let next = match moment {
            Some(moment) => moment.next,
            None => {
                *states = StateReader::default();
                next_number(reader)?
            }
        };
        of_key(reader, (index, *index_octets), (entries, states), (node, key), next)
    }
}

/// Returns whether a group has ended, and not by being set aside.
fn is_remembered(group: &StoredGroup) -> bool {
    group.release.is_some_and(|release| release.kind != ReleaseKind::Suspended)
}

fn one(db: &Connection, select: &str, values: &[&str]) -> QueryResult<Option<i64>> {
    let mut select = db.prepare_cached(select)?;
    select.query_row(store::params_from_iter(values), |row| row.get(0)).optional()
}

fn journal_answer<T>(answer: QueryResult<T>) -> Result<T, StateError> {
    answer.map_err(StateError::journal)
}
