//! Sessions that ended, in the order in which it happened.

use ledger::{AccountId, Effects, EndedSession};
use store::{Connection, QueryResult, params};

use crate::desk::AccountsError;
use crate::embedded::Embedded;
use crate::load::{Fault, blob};
use crate::stored;

/// An ended session of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountSession {
    /// Its number among those of all accounts, from 1.
    pub number: u64,
    /// The account.
    pub account: AccountId,
    /// The session, when and why it ended, and what it paid.
    pub ended: EndedSession,
    /// What the caller stored with it.
    pub memo: Vec<u8>,
}

/// An ended session as it is written.
pub(crate) struct EndedRow {
    account: AccountId,
    body: Vec<u8>,
}

impl Embedded {
    /// Returns the ended sessions after one, in order, and `count` at most. A caller that stores the last number that it
    /// has recorded, and goes on after it, records each.
    ///
    /// # Errors
    ///
    /// The journal cannot be read, or is damaged.
    pub fn ended_sessions(
        &self,
        after: u64,
        count: usize,
    ) -> Result<Vec<AccountSession>, AccountsError> {
        self.project(self.last_stored())?;
        let reader = self.journal.reader()?;
        read(&reader, after, count).map_err(|fault| fault.of(&self.journal))
    }

    /// Deletes the ended sessions until one, which is included.
    ///
    /// # Errors
    ///
    /// The journal fails.
    pub fn forget_ended_sessions(&self, until: u64) -> Result<(), AccountsError> {
        let until = i64::try_from(until).unwrap_or(i64::MAX);
        let delete = "DELETE FROM account_ended_session WHERE number <= ?";
        Ok(self.journal.commit(move |db| db.execute(delete, [until]).map(drop))?)
    }
}

fn read(db: &Connection, after: u64, count: usize) -> Result<Vec<AccountSession>, Fault> {
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    let select = "SELECT number, account, body FROM account_ended_session WHERE number > ?
                  ORDER BY number LIMIT ?";
    let mut select = db.prepare_cached(select)?;
    let mut rows = select.query(params![after, count])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let number = row.get::<_, i64>(0)?.cast_unsigned();
        let account = AccountId(row.get::<_, i64>(1)?.cast_unsigned());
        let damaged = || Fault::Damaged(format!("ended session {number}"));
        let (ended, memo) = stored::read_ended_session(blob(row, 2)?).ok_or_else(damaged)?;
        found.push(AccountSession { number, account, ended, memo });
    }
    Ok(found)
}

/// Returns the ended sessions among the effects of an account.
pub(crate) fn among(effects: &Effects, account: AccountId) -> impl Iterator<Item = EndedRow> {
    stored::ended_sessions(effects).map(move |body| EndedRow { account, body })
}

/// Writes ended sessions with the numbers after the last one.
pub(crate) fn write(db: &Connection, rows: Vec<EndedRow>) -> QueryResult<()> {
    let count = rows.len() as i64;
    let next = "UPDATE account_projection SET ended_sessions = ended_sessions + ? RETURNING ended_sessions";
    let last: i64 = db.prepare_cached(next)?.query_row([count], |row| row.get(0))?;
    let mut insert = db.prepare_cached("INSERT INTO account_ended_session VALUES (?, ?, ?)")?;
    for (number, EndedRow { account, body }) in (last - count + 1..).zip(rows) {
        insert.execute(params![number, account.0.cast_signed(), body])?;
    }
    Ok(())
}
