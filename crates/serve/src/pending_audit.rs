//! Entries of the audit trail that wait until there is a journal to write them to.

use std::sync::{Mutex, PoisonError};

/// The maximum number of waiting entries. Each used up a one-time link.
const ACTIONS_MAX: usize = 1_000;

/// An entry: a user, an action, and its subject.
#[derive(Debug)]
pub(crate) struct Action {
    pub(crate) who: String,
    pub(crate) action: String,
    pub(crate) subject: String,
}

#[derive(Debug, Default)]
pub(crate) struct PendingAudit(Mutex<Vec<Action>>);

impl PendingAudit {
    /// Adds an entry.
    ///
    /// # Errors
    ///
    /// Too many wait: the entry is returned.
    pub(crate) fn keep(&self, action: Action) -> Result<(), Action> {
        let mut actions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if actions.len() >= ACTIONS_MAX {
            return Err(action);
        }
        actions.push(action);
        Ok(())
    }

    /// Returns whether any entry waits.
    pub(crate) fn is_any(&self) -> bool {
        !self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Writes all entries in their order. Those that cannot be written go on waiting.
    pub(crate) fn note<E>(&self, note: impl Fn(&Action) -> Result<(), E>) -> Result<(), E> {
        // The lock is not held while `note` runs.
        let actions = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut noting = std::mem::take(&mut *actions());
        while let Some(first) = noting.first() {
            if let Err(error) = note(first) {
                noting.append(&mut actions());
                *actions() = noting;
                return Err(error);
            }
            noting.remove(0);
        }
        Ok(())
    }
}
