//! A plan at work, with the state that the workers of one process share. A new plan begins with empty state.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use runtime::sync::lock;

use crate::plan::Plan;
use flow::fusion;
use flow::fusion::Role;

/// The longest time that a thread takes to notice a stop.
pub(crate) const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// A plan, and what its workers share.
pub(crate) struct Running {
    pub(crate) plan: Plan,
    pub(crate) in_hand: OutputsInHand,
    /// The roles of the nodes. The first worker that needs them computes them.
    roles: OnceLock<Vec<Role>>,
}

impl Running {
    pub(crate) fn new(plan: Plan) -> Self {
        Running { plan, in_hand: OutputsInHand::default(), roles: OnceLock::new() }
    }

    /// Returns the role of each node: alone, first in a chain, or within one.
    pub(crate) fn roles(&self) -> &[Role] {
        self.roles.get_or_init(|| fusion::roles(&self.plan.topology.graph))
    }
}

/// The outputs that jobs have in hand. Its lock is taken once a file.
#[derive(Default)]
pub(crate) struct OutputsInHand(Mutex<HashSet<PathBuf>>);

impl OutputsInHand {
    /// Adds outputs. If one of them is in hand already, or is in the list twice, adds none and returns that one.
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

    /// Adds the outputs of a job that the journal has. They belong to that job, even if they are in hand already.
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
