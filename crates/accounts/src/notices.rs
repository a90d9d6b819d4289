//! Notices of accounts, in the order in which they were made.

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
    /// When it was made.
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
    /// Returns the notices after one that are folded, in order, and `count` at most. A caller that stores the last number that
    /// it has sent, and goes on after it, sends each.
    ///
    /// # Errors
    ///
    /// The journal cannot be read, or is damaged.
    pub fn notices(&self, after: u64, count: usize) -> Result<Vec<AccountNotice>, AccountsError> {
        let reader = self.journal.reader()?;
        let select = "SELECT number, account, at_ms, body FROM account_notice WHERE number > ?
                      ORDER BY number LIMIT ?";
        read(&reader, select, (after, count)).map_err(|fault| fault.of(&self.journal))
    }

    /// Returns the notices of an account, the newest first, and `count` at most.
    ///
    /// # Errors
    ///
    /// The journal cannot be read, or is damaged.
    pub fn notices_of(
        &self,
        account: AccountId,
        count: usize,
    ) -> Result<Vec<AccountNotice>, AccountsError> {
        self.project(self.last_stored())?;
        let reader = self.journal.reader()?;
        let select = "SELECT number, account, at_ms, body FROM account_notice WHERE account = ?
                      ORDER BY number DESC LIMIT ?";
        let found = read(&reader, select, (account.0, count));
        found.map_err(|fault| fault.of(&self.journal))
    }

    /// Returns how many notices are folded after one.
    ///
    /// # Errors
    ///
    /// The journal cannot be read.
    pub fn count_notices(&self, after: u64) -> Result<u64, AccountsError> {
        let after = i64::try_from(after).unwrap_or(i64::MAX);
        let select = "SELECT count(*) FROM account_notice WHERE number > ?";
        let count = self.journal.reader()?.query_row(select, [after], |row| row.get::<_, i64>(0));
        Ok(self.journal.answer(count)?.cast_unsigned())
    }

    /// Deletes notices that were made before a time: those among the first thousand, so that others do not wait for long.
    ///
    /// # Errors
    ///
    /// The journal fails.
    pub fn forget_notices(&self, before: Millis) -> Result<(), AccountsError> {
        const FIRST: &str = "(SELECT number, at_ms FROM account_notice ORDER BY number LIMIT 1000)";
        let some = format!("SELECT EXISTS (SELECT 1 FROM {FIRST} WHERE at_ms < ?)");
        let is_some = self.journal.reader()?.query_row(&some, [before], |row| row.get(0));
        if !self.journal.answer(is_some)? {
            return Ok(());
        }
        let delete = format!(
            "DELETE FROM account_notice WHERE number IN (SELECT number FROM {FIRST} WHERE at_ms < ?)"
        );
        Ok(self.journal.commit(move |db| db.execute(&delete, [before]).map(drop))?)
    }
}

/// Reads the notices that a statement finds after a number, or of an account.
fn read(
    db: &Connection,
    select: &str,
    (of, count): (u64, usize),
) -> Result<Vec<AccountNotice>, Fault> {
    let of = i64::try_from(of).unwrap_or(i64::MAX);
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    let mut select = db.prepare_cached(select)?;
    let mut rows = select.query(params![of, count])?;
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
