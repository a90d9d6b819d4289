//! The history of an account: its entries, the newest first.

use accounts::{AccountEntry, AccountsError, stored};
use ledger::AccountId;
use tokio_postgres::Row;

use crate::connection::Fault;
use crate::front::Front;

impl Front {
    /// Returns the last entries of an account before one, the newest first.
    ///
    /// # Errors
    ///
    /// The server fails, or a row is damaged.
    pub fn entries(
        &self,
        account: AccountId,
        before: Option<u64>,
        count: usize,
    ) -> Result<Vec<AccountEntry>, AccountsError> {
        let before = before.and_then(|before| i64::try_from(before).ok()).unwrap_or(i64::MAX);
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let select = "SELECT account, number, at_ms, body FROM account_entry
                      WHERE account = $1 AND number < $2 ORDER BY number DESC LIMIT $3";
        let of: i64 = account.0.cast_signed();
        let rows = self.connection().ask(select, &[&of, &before, &count])?;
        let entries = rows.iter().map(|row| Ok(read(row)?.1));
        Ok(entries.collect::<Result<_, Fault>>()?)
    }
}

/// Reads the columns `account`, `number`, `at_ms` and `body`.
pub(crate) fn read(row: &Row) -> Result<(AccountId, AccountEntry), Fault> {
    let (account, number): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
    let damaged = || Fault::damaged(format!("entry {number} of account {account}"));
    let (entry, remark) = stored::read_entry(row.try_get(3)?).ok_or_else(damaged)?;
    let account = AccountId(account.cast_unsigned());
    Ok((account, AccountEntry { at: row.try_get(2)?, entry, remark }))
}
