//! What works on accounts, and where.

use ledger::{Account, AccountId, Action, Book, Effects, Millis, Operation, Outcome};
use store::StoreError;

/// Accounts that tasks can work on.
pub trait Accounts {
    /// Works on tasks, those of one account in their order. When it returns, all that they did and saw is durable.
    ///
    /// # Errors
    ///
    /// It is not known whether the tasks are done: the accounts must be opened again.
    fn run<T: Task>(&self, tasks: &mut [T]) -> Result<(), AccountsError>;
}

/// Work on one account.
///
/// It may be done more than once: a back whose accounts others change too decides on a copy, and again if that is no longer
/// the account. Only the last time counts. So each time, the task begins afresh: its results replace those of the time
/// before, and its request stays as it was.
pub trait Task {
    /// Returns the account.
    fn account(&self) -> AccountId;

    /// Does the work. The task stores its results in itself.
    fn work(&mut self, desk: &mut Desk<'_>);
}

/// An account that a task works on.
#[derive(Debug)]
pub struct Desk<'d> {
    book: &'d mut Book,
    id: AccountId,
    effects: &'d mut Effects,
}

impl<'d> Desk<'d> {
    /// Lets a task of a back work on an account of a book. What it changes is added to `effects`.
    pub fn new(book: &'d mut Book, id: AccountId, effects: &'d mut Effects) -> Self {
        Desk { book, id, effects }
    }
}

impl Desk<'_> {
    /// Returns the account. `None` if there is none.
    pub fn account(&self) -> Option<&Account> {
        self.book.account(self.id)
    }

    /// Performs an operation on the account.
    pub fn perform(&mut self, at: Millis, action: Action<'_>) -> Outcome {
        let operation = Operation { account: self.id, at, action };
        self.book.perform(&operation, self.effects)
    }
}

/// Why accounts cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AccountsError {
    /// The journal fails.
    #[error("the accounts cannot be stored")]
    Store(#[from] StoreError),
    /// A batch failed before, so that the accounts in memory are ahead of those on the disk.
    #[error("the accounts could not be stored before, and must be read again: {reason}")]
    Failed {
        /// Why.
        reason: String,
    },
    /// A database server fails, refuses, or is not there. What it was asked to store may be stored; what is asked next
    /// may succeed.
    #[error("the accounts cannot be reached")]
    Server(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The caller has undone the change: nothing is stored.
    #[error("{0}")]
    Undone(Box<dyn std::error::Error + Send + Sync>),
    /// A row of the journal is damaged.
    #[error("{row} of the accounts' journal is damaged")]
    Damaged {
        /// Which row.
        row: String,
    },
}
