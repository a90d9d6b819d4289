//! The status of nodes with state in other processes, as those report it.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use node::{Remembers, Template};
use serde::{Deserialize, Serialize};

/// The status of a node with state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Remembered {
    /// Why it takes no more files, if so.
    pub(crate) refuses: Option<String>,
    /// How many keys it knows.
    pub(crate) keys: Option<u64>,
}

impl Remembered {
    pub(crate) fn of(remembers: &dyn Remembers) -> Self {
        Remembered { refuses: remembers.refuses(), keys: remembers.keys() }
    }
}

/// The status of the nodes in other processes, by their places.
#[derive(Debug, Default)]
pub(crate) struct RememberedElsewhere(Mutex<BTreeMap<usize, Remembered>>);

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
        let here = template.remembers()?;
        let elsewhere = self.nodes().get(&node).cloned();
        Some(elsewhere.unwrap_or_else(|| Remembered::of(here)))
    }

    fn nodes(&self) -> MutexGuard<'_, BTreeMap<usize, Remembered>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
