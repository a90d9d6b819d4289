//! Copies of accounts, so that most batches need not read. A copy may be lost at any time, or be behind the database: what
//! was decided on one is stored only if it is the account as it is.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ledger::{Account, AccountId, Book, Effects, Millis};
use tokio_postgres::Row;

use crate::connection::Fault;

/// The maximum number of copies: with about a kilobyte each, 100 MB.
const COPIES_MAX: usize = 100_000;

/// The parts of the copies, each behind a lock.
const PARTS: usize = 16;

/// A copy of an account.
#[derive(Clone, Debug, Default)]
pub(crate) struct AccountCopy {
    /// The version of its row; 0 if there is none.
    pub(crate) version: i64,
    /// When the row says that it is due.
    pub(crate) due: Option<Millis>,
    /// The account. `None` if there is none.
    pub(crate) account: Option<Account>,
}

impl AccountCopy {
    /// Reads the columns `version`, `due_ms` and `body` of a row, of which the first is named.
    pub(crate) fn read(row: &Row, id: AccountId, column: usize) -> Result<Self, Fault> {
        let (version, due) = (row.try_get(column)?, row.try_get(column + 1)?);
        let body: Option<&[u8]> = row.try_get(column + 2)?;
        let Some(body) = body else { return Ok(AccountCopy { version, due, account: None }) };
        Ok(AccountCopy { version, due, account: Some(account(id, body)?) })
    }
}

/// Reads the stored form of an account.
pub(crate) fn account(id: AccountId, body: &[u8]) -> Result<Account, Fault> {
    let (mut book, mut effects) = (Book::default(), Effects::default());
    let decoded = effects.decode(body);
    decoded.map_err(|at| Fault::damaged(format!("the row of account {} ({at})", id.0)))?;
    book.restore(id, &effects);
    Ok(book.take(id).expect("it was restored"))
}

/// All copies of a front.
#[derive(Debug, Default)]
pub(crate) struct Copies([Mutex<HashMap<AccountId, AccountCopy>>; PARTS]);

impl Copies {
    /// Takes the copy of an account out: no two threads decide on one.
    pub(crate) fn take(&self, id: AccountId) -> Option<AccountCopy> {
        self.part(id).remove(&id)
    }

    /// Adds the copy of an account, unless there is a newer one.
    pub(crate) fn put(&self, id: AccountId, copy: AccountCopy) {
        let mut part = self.part(id);
        if part.len() >= COPIES_MAX / PARTS {
            // The next requests read what they need.
            part.clear();
        }
        if part.get(&id).is_none_or(|known| known.version < copy.version) {
            part.insert(id, copy);
        }
    }

    /// Removes all copies.
    pub(crate) fn clear(&self) {
        for part in &self.0 {
            part.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
    }

    fn part(&self, id: AccountId) -> MutexGuard<'_, HashMap<AccountId, AccountCopy>> {
        self.0[id.0 as usize % PARTS].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
