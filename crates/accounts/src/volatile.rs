//! Accounts in memory alone, for trials and measurements: nothing is stored.

use std::sync::{Mutex, PoisonError};

use ledger::{Book, Effects};

use crate::desk::{Accounts, AccountsError, Desk, Task};

/// Accounts that are not stored.
#[derive(Debug, Default)]
pub struct Volatile {
    all: Mutex<(Book, Effects)>,
}

impl Volatile {
    /// Calls `look` with all accounts.
    pub fn look<T>(&self, look: impl FnOnce(&Book) -> T) -> T {
        look(&self.all.lock().unwrap_or_else(PoisonError::into_inner).0)
    }
}

impl Accounts for Volatile {
    fn run<T: Task>(&self, tasks: &mut [T]) -> Result<(), AccountsError> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let (book, effects) = &mut *all;
        for task in tasks {
            let id = task.account();
            effects.clear();
            task.work(&mut Desk::new(book, id, effects));
        }
        Ok(())
    }
}
