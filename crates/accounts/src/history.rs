//! The history of an account: its entries, the newest first.

use ledger::{AccountId, Entry, Millis};
use store::Connection;

use crate::desk::AccountsError;
use crate::embedded::Embedded;
use crate::entries::{self, StoredEntry};
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
        // One without entries must not be looked for among those of its neighbours.
        if self.look(account, |account| account.is_none_or(|account| account.entries == 0)) {
            return Ok(Vec::new());
        }
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
    let mut select =
        db.prepare_cached("SELECT body FROM account_entry WHERE row = ? ORDER BY seq DESC")?;
    let row = entries::row_of(account);
    let mut rows = select.query([row.cast_signed()])?;
    let (mut found, mut first) = (Vec::new(), u64::MAX);
    while let Some(next) = rows.next()?
        && found.len() < count
        && first > 1
    {
        for read in entries::read(row, blob(next, 0)?, |id| id == account)?.into_iter().rev() {
            let StoredEntry { at, entry, remark, .. } = read;
            first = entry.number;
            if first < before && found.len() < count {
                found.push(AccountEntry { at, entry, remark });
            }
        }
    }
    Ok(found)
}
