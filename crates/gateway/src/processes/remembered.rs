//! The status of nodes with state in other processes, as those report it.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

use node::{InMemory, Template};
use runtime::sync::lock;
use serde::{Deserialize, Serialize};

use state::in_memory::SnapshotRows;

/// The status of a node with state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Remembered {
    /// Why it takes no more files, if so.
    pub(crate) refuses: Option<String>,
    /// How many keys it knows.
    pub(crate) keys: Option<u64>,
}

impl Remembered {
    pub(crate) fn of(state: &dyn InMemory) -> Self {
        Remembered { refuses: state.refuses(), keys: Some(state.keys()) }
    }
}

/// The status of the nodes in other processes, by their places.
#[derive(Debug, Default)]
pub(crate) struct RememberedElsewhere {
    nodes: Mutex<BTreeMap<usize, Remembered>>,
    /// Parts of snapshots that the processes sent and that are not written yet.
    snapshots: Mutex<Vec<SnapshotRows>>,
}

impl RememberedElsewhere {
    pub(super) fn note(&self, node: usize, now: Remembered) {
        self.nodes().insert(node, now);
    }

    /// Resets the status of nodes: their process is gone, or not there yet.
    pub(super) fn forget(&self, nodes: &[usize]) {
        nodes.iter().for_each(|node| self.note(*node, Remembered::default()));
    }

    /// Returns the status of a node with state, in any process; of another process, its last report. None if the node
    /// keeps no state.
    pub(crate) fn of(&self, node: usize, template: &dyn Template) -> Option<Remembered> {
        let here = template.in_memory()?;
        let elsewhere = self.nodes().get(&node).cloned();
        Some(elsewhere.unwrap_or_else(|| Remembered::of(here)))
    }

    pub(super) fn add_snapshot(&self, rows: SnapshotRows) {
        lock(&self.snapshots).push(rows);
    }

    /// Takes the parts of snapshots that are to be written.
    pub(crate) fn take_snapshots(&self) -> Vec<SnapshotRows> {
        std::mem::take(&mut *lock(&self.snapshots))
    }

    fn nodes(&self) -> MutexGuard<'_, BTreeMap<usize, Remembered>> {
        lock(&self.nodes)
    }
}
