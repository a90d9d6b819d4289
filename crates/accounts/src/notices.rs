//! Notices of accounts that fell below a threshold, in the order in which it happened.

use ledger::{AccountId, Effects, Millis, Notice};
use store::{Connection, QueryResult, params};

use crate::desk::AccountsError;
use crate::embedded::Embedded;
use crate::load::{Fault, blob};
use crate::stored;

/// A notice of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccountNotice {
    /// Its number among those of all accounts, from 1.
    pub number: u64,
    /// The account.
    pub account: AccountId,
    /// When it fell below the threshold.
    pub at: Millis,
    /// The notice.
    pub notice: Notice,
}

/// A notice as it is written.
pub(crate) struct NoticeRow {
    account: AccountId,
    at: Millis,
    body: Vec<u8>,
}

impl Embedded {
    /// Returns the notices after one, in order, and `count` at most. A caller that stores the last number that it has sent,
    /// and goes on after it, sends each.
    ///
    /// # Errors
    ///
    /// The journal cannot be read, or is damaged.
    pub fn notices(&self, after: u64, count: usize) -> Result<Vec<AccountNotice>, AccountsError> {
        self.project(self.last_stored())?;
        let reader = self.journal.reader()?;
        read(&reader, after, count).map_err(|fault| fault.of(&self.journal))
    }

    /// Deletes the notices until one, which is included.
    ///
    /// # Errors
    ///
    /// The journal fails.
    pub fn forget_notices(&self, until: u64) -> Result<(), AccountsError> {
        let until = i64::try_from(until).unwrap_or(i64::MAX);
        let delete = "DELETE FROM account_notice WHERE number <= ?";
        Ok(self.journal.commit(move |db| db.execute(delete, [until]).map(drop))?)
    }
}

fn read(db: &Connection, after: u64, count: usize) -> Result<Vec<AccountNotice>, Fault> {
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    let select = "SELECT number, account, at_ms, body FROM account_notice WHERE number > ?
                  ORDER BY number LIMIT ?";
    let mut select = db.prepare_cached(select)?;
    let mut rows = select.query(params![after, count])?;
    let mut notices = Vec::new();
    while let Some(row) = rows.next()? {
        let number = row.get::<_, i64>(0)?.cast_unsigned();
        let account = AccountId(row.get::<_, i64>(1)?.cast_unsigned());
        let damaged = || Fault::Damaged(format!("notice {number}"));
        let notice = stored::read_notice(blob(row, 3)?).ok_or_else(damaged)?;
        notices.push(AccountNotice { number, account, at: row.get(2)?, notice });
    }
    Ok(notices)
}

/// Returns the notices among the effects of an account.
pub(crate) fn among(
    effects: &Effects,
    account: AccountId,
    at: Millis,
) -> impl Iterator<Item = NoticeRow> {
    stored::notices(effects).map(move |body| NoticeRow { account, at, body })
}

/// Writes notices with the numbers after the last one.
pub(crate) fn write(db: &Connection, notices: Vec<NoticeRow>) -> QueryResult<()> {
    let count = notices.len() as i64;
    let next = "UPDATE account_projection SET notices = notices + ? RETURNING notices";
    let last: i64 = db.prepare_cached(next)?.query_row([count], |row| row.get(0))?;
    let mut insert = db.prepare_cached("INSERT INTO account_notice VALUES (?, ?, ?, ?)")?;
    for (number, NoticeRow { account, at, body }) in (last - count + 1..).zip(notices) {
        insert.execute(params![number, account.0.cast_signed(), at, body])?;
    }
    Ok(())
}
