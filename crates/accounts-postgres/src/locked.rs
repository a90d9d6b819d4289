//! Changes under locks: of all accounts that they name, or of none.
//!
//! A transaction locks the rows, the front decides, and stores what has changed. Rows of the caller are in the same
//! transaction. If the answer to the commit is lost, the row of the writer says whether it was done. That row was changed
//! before the commit, so a look at it waits until the commit has ended.

use accounts::{AccountsError, Task};
use ledger::{Account, AccountId, Action, Millis, Operation, Outcome, Transfer};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use crate::connection::{Attempts, Connection, Fault};
use crate::copies::AccountCopy;
use crate::drafts::{Drafts, lazily_due};
use crate::front::Front;

/// A transaction that has locked accounts.
pub struct Transaction<'t> {
    connection: &'t mut Connection,
    drafts: Drafts,
}

impl std::fmt::Debug for Transaction<'_> {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Transaction").finish_non_exhaustive()
    }
}

/// What a caller stores in the transaction of a change. It may be called more than once; only the last time counts.
pub trait Also: FnMut(&mut Transaction<'_>) -> Result<(), Fault> {}

impl<F: FnMut(&mut Transaction<'_>) -> Result<(), Fault>> Also for F {}

impl Transaction<'_> {
    /// Runs a statement.
    ///
    /// # Errors
    ///
    /// The server fails, or refuses the statement. Nothing of the transaction is stored then.
    pub fn query(
        &mut self,
        sql: &'static str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, Fault> {
        self.connection.query(sql, parameters)
    }

    /// Returns one of the accounts. `None` if there is none.
    pub fn account(&self, id: AccountId) -> Option<&Account> {
        self.drafts.account(id)
    }

    /// Works on a task.
    pub(crate) fn work<T: Task>(&mut self, task: &mut T) {
        self.drafts.work(task);
    }

    /// Performs an operation.
    pub(crate) fn perform(
        &mut self,
        account: AccountId,
        at: Millis,
        action: Action<'_>,
    ) -> Outcome {
        self.drafts.perform(&Operation { account, at, action })
    }

    /// Makes a transfer.
    pub(crate) fn transfer(&mut self, transfer: &Transfer<'_>) -> Outcome {
        self.drafts.transfer(transfer)
    }

    /// Returns whether an account has changed.
    pub(crate) fn has_changed(&self) -> bool {
        self.drafts.have_changed()
    }
}

/// A transaction whose commit was not answered: its call, and what it returns if it was done.
type Unanswered<R> = Option<((Vec<u8>, i64), R)>;

impl Front {
    /// Works on a task under a lock. If it changed something, `also` stores rows of the caller in the same transaction,
    /// such as an entry of the audit trail.
    ///
    /// # Errors
    ///
    /// It is not known whether the task is done.
    pub fn run_with<T: Task>(
        &self,
        task: &mut T,
        mut also: impl Also,
    ) -> Result<(), AccountsError> {
        let id = task.account();
        self.locked(&[id], |of| {
            of.work(task);
            if of.has_changed() { also(of) } else { Ok(()) }
        })
    }

    /// Works on accounts under locks, which may be none. Stores all that changed, and what the work stored itself. The work
    /// may be done more than once; only the last time counts.
    ///
    /// # Errors
    ///
    /// It is not known whether it is done; or the work has undone it.
    pub fn locked<R>(
        &self,
        ids: &[AccountId],
        mut work: impl FnMut(&mut Transaction<'_>) -> Result<R, Fault>,
    ) -> Result<R, AccountsError> {
        let mut connection = self.connection();
        let (mut attempts, mut unanswered) = (Attempts::begin(), None);
        loop {
            let tried = self.attempt(&mut connection, ids, &mut unanswered, &mut work);
            match tried {
                Ok(Some(result)) => return Ok(result),
                Ok(None) => {}
                Err(fault) => {
                    connection.give_up();
                    attempts.next(fault)?;
                }
            }
        }
    }

    /// Tries a transaction. Returns `None` if another front has opened one of the accounts meanwhile.
    fn attempt<R>(
        &self,
        connection: &mut Connection,
        ids: &[AccountId],
        unanswered: &mut Unanswered<R>,
        work: &mut impl FnMut(&mut Transaction<'_>) -> Result<R, Fault>,
    ) -> Result<Option<R>, Fault> {
        connection.connect()?;
        connection.batch("BEGIN")?;
        if let Some((of, _)) = unanswered
            && was_done(connection, of)?
        {
            connection.give_up();
            return Ok(unanswered.take().map(|(_, result)| result));
        }
        *unanswered = None;
        let drafts = lock(connection, ids)?;
        let mut transaction = Transaction { connection, drafts };
        let result = work(&mut transaction)?;
        let Transaction { connection, drafts } = transaction;
        let (call, copies) = drafts.finish(lazily_due);
        let of = connection.next_call();
        if !call.store(connection, &of)?.is_empty() {
            connection.batch("ROLLBACK")?;
            return Ok(None);
        }
        *unanswered = Some((of, result));
        connection.batch("COMMIT")?;
        copies.into_iter().for_each(|(id, copy)| self.put(id, copy));
        Ok(unanswered.take().map(|(_, result)| result))
    }
}

/// Returns whether a call of this writer is done, after the transaction that may have been about to end has ended.
fn was_done(connection: &mut Connection, (writer, call): &(Vec<u8>, i64)) -> Result<bool, Fault> {
    let look = "INSERT INTO account_writer AS w VALUES ($1, 0, NULL, now())
                ON CONFLICT (id) DO UPDATE SET at = excluded.at RETURNING w.call";
    let last: i64 = connection.query(look, &[writer])?[0].try_get(0)?;
    Ok(last == *call)
}

/// Locks the rows of accounts, in order, and returns drafts of them.
fn lock(connection: &mut Connection, ids: &[AccountId]) -> Result<Drafts, Fault> {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    let given: Vec<i64> = ids.iter().map(|id| id.0.cast_signed()).collect();
    let select = "SELECT id, version, due_ms, body FROM account WHERE id = ANY ($1)
                  ORDER BY id FOR UPDATE";
    let mut drafts = Drafts::default();
    let rows = connection.query(select, &[&given])?;
    let mut rows = rows.iter().peekable();
    for id in ids {
        let is_of = |row: &&Row| row.get::<_, i64>(0) == id.0.cast_signed();
        let copy = match rows.next_if(is_of) {
            Some(row) => AccountCopy::read(row, id, 1)?,
            None => AccountCopy::default(),
        };
        drafts.add(id, copy);
    }
    Ok(drafts)
}
