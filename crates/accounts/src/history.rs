//! The history of an account: its entries, the newest first.

use ledger::{AccountId, Entry, Millis};
use store::Connection;

use crate::desk::AccountsError;
use crate::embedded::Embedded;
use crate::entries::{self, StoredEntry};
use crate::fold::row_of;
use crate::load::{Fault, blob};

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
    let before = before.unwrap_or(u64::MAX);
    let select = "SELECT body FROM account_entry WHERE row = ? ORDER BY seq DESC";
    let mut select = db.prepare_cached(select)?;
    let of = row_of(account);
    let mut rows = select.query([of.cast_signed()])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()?
        && found.len() < count
    {
        let read = entries::read(of, blob(row, 0)?, |of| of == account)?.into_iter().rev();
        let entry = |StoredEntry { at, entry, remark, .. }| AccountEntry { at, entry, remark };
        found.extend(read.map(entry).filter(|of| of.entry.number < before));
    }
    found.truncate(count);
    Ok(found)
}
