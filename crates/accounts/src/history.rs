//! The history of an account: its entries, the newest first.

use ledger::{AccountId, Entry, Millis};
use store::{Connection, params};

use crate::desk::AccountsError;
use crate::embedded::Embedded;
use crate::load::{Fault, blob};
use crate::stored;

/// An entry of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountEntry {
    /// When it was made.
    pub at: Millis,
    /// The entry.
    pub entry: Entry,
    /// What the caller stored with it.
    pub remark: Vec<u8>,
}

impl Embedded {
    /// Returns the last entries of an account before one, the newest first. All that is stored is in it.
    ///
    /// # Errors
    ///
    /// The journal cannot be read, or is damaged.
    pub fn entries(
        &self,
        account: AccountId,
        before: Option<u64>,
        count: usize,
    ) -> Result<Vec<AccountEntry>, AccountsError> {
        self.project(self.last_stored())?;
        let reader = self.journal.reader()?;
        read(&reader, account, (before, count)).map_err(|fault| fault.of(&self.journal))
    }
}

fn read(
    db: &Connection,
    account: AccountId,
    (before, count): (Option<u64>, usize),
) -> Result<Vec<AccountEntry>, Fault> {
    let before = before.and_then(|before| i64::try_from(before).ok()).unwrap_or(i64::MAX);
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    let select = "SELECT number, at_ms, body FROM account_entry WHERE account = ? AND number < ?
                  ORDER BY number DESC LIMIT ?";
    let mut select = db.prepare_cached(select)?;
    let mut rows = select.query(params![account.0.cast_signed(), before, count])?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        let number: i64 = row.get(0)?;
        let damaged = || Fault::Damaged(format!("entry {number} of account {}", account.0));
        let (entry, remark) = stored::read_entry(blob(row, 2)?).ok_or_else(damaged)?;
        entries.push(AccountEntry { at: row.get(1)?, entry, remark });
    }
    Ok(entries)
}
