//! A plan at work: what the workers of one process share while it runs. Another plan begins with all of it empty.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use runtime::sync::lock;

use crate::definition::fusion;
use crate::definition::fusion::Role;
use crate::plan::Plan;

/// How long a stop may wait to be seen.
pub(crate) const STOP_SEEN: Duration = Duration::from_millis(50);

/// A plan at work.
pub(crate) struct Running {
    pub(crate) plan: Plan,
    pub(crate) in_hand: OutputsInHand,
    /// By node; found when the first worker asks.
    roles: OnceLock<Vec<Role>>,
}

impl Running {
    pub(crate) fn new(plan: Plan) -> Self {
        Running { plan, in_hand: OutputsInHand::default(), roles: OnceLock::new() }
    }

    /// What the nodes are to the records that come to them.
    pub(crate) fn roles(&self) -> &[Role] {
        self.roles.get_or_init(|| fusion::roles(&self.plan.topology.graph))
    }
}

/// The outputs that jobs have in hand. Its lock is taken once a file.
#[derive(Default)]
pub(crate) struct OutputsInHand(Mutex<HashSet<PathBuf>>);

impl OutputsInHand {
    /// Adds outputs, unless one of them is in hand already, or is among them twice: then that one is returned.
    pub(crate) fn add(&self, targets: &[PathBuf]) -> Result<(), PathBuf> {
        let mut all = lock(&self.0);
        let is_taken = |(place, target): &(usize, &PathBuf)| {
            all.contains(*target) || targets[..*place].contains(target)
        };
        if let Some((_, taken)) = targets.iter().enumerate().find(is_taken) {
            return Err(taken.clone());
        }
        all.extend(targets.iter().cloned());
        Ok(())
    }

    /// Adds the outputs of a job that is in the journal: whatever is in hand, they are its own.
    pub(crate) fn add_noted(&self, targets: &[PathBuf]) {
        lock(&self.0).extend(targets.iter().cloned());
    }

    pub(crate) fn remove(&self, targets: &[PathBuf]) {
        let mut all = lock(&self.0);
        for target in targets {
            all.remove(target);
        }
    }
}
