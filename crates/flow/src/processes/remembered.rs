//! How nodes in processes beside the gateway's stand that remember, as those say it now and then.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use node::{Remembers, Template};
use serde::{Deserialize, Serialize};

/// How a node stands that remembers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Remembered {
    /// Why it takes no more files, if it does not.
    pub(crate) refuses: Option<String>,
    /// How many keys it knows.
    pub(crate) keys: Option<u64>,
}

impl Remembered {
    pub(crate) fn of(remembers: &dyn Remembers) -> Self {
        Remembered { refuses: remembers.refuses(), keys: remembers.keys() }
    }
}

/// How those stand that are in other processes, by their places.
#[derive(Debug, Default)]
pub(crate) struct RememberedElsewhere(Mutex<BTreeMap<usize, Remembered>>);

impl RememberedElsewhere {
    pub(super) fn note(&self, node: usize, now: Remembered) {
        self.nodes().insert(node, now);
    }

    /// The process is gone that they are in, or is not there yet.
    pub(super) fn forget(&self, nodes: &[usize]) {
        nodes.iter().for_each(|node| self.note(*node, Remembered::default()));
    }

    /// How a node stands that remembers, in whichever process it is: in another as far as that has said it. None where it
    /// remembers nothing.
    pub(crate) fn of(&self, node: usize, template: &dyn Template) -> Option<Remembered> {
        let here = template.remembers()?;
        let elsewhere = self.nodes().get(&node).cloned();
        Some(elsewhere.unwrap_or_else(|| Remembered::of(here)))
    }

    fn nodes(&self) -> MutexGuard<'_, BTreeMap<usize, Remembered>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
