//! Sessions that ended, in the order in which it happened.

use ledger::{AccountId, Effects, EndedSession};
use store::{Connection, QueryResult, params};

use crate::batch::{Batch, StoredOperation, operations};
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

/// The sessions of a row: some dozen pages of the database.
const ROW_SESSIONS: usize = 256;

/// The sessions that ended in some batches, in the rows that are written.
#[derive(Default)]
pub(crate) struct NewEnded {
    rows: Vec<(usize, Batch)>,
}

impl NewEnded {
    /// Adds the ended sessions among the effects of an account.
    pub(crate) fn add(&mut self, account: AccountId, effects: &Effects, one: &mut Effects) {
        for (ended, memo) in effects.ended_sessions() {
            if self.rows.last().is_none_or(|(count, _)| *count == ROW_SESSIONS) {
                self.rows.push((0, Batch::default()));
            }
            if let Some((count, row)) = self.rows.last_mut() {
                *count += 1;
                one.put_ended_session(ended, memo);
                row.add(account, ended.at, one);
            }
        }
    }
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
        let delete = "DELETE FROM account_ended_session WHERE last <= ?";
        // A row may have sessions after it: then it stays, and those until it are passed over.
        let forget = "UPDATE account_projection SET forgotten_sessions = max(forgotten_sessions, min(?, ended_sessions))";
        Ok(self.journal.commit(move |db| {
            db.execute(delete, [until])?;
            db.execute(forget, [until]).map(drop)
        })?)
    }
}

fn read(db: &Connection, after: u64, count: usize) -> Result<Vec<AccountSession>, Fault> {
    let forgotten = "SELECT forgotten_sessions FROM account_projection";
    let forgotten: i64 = db.query_row(forgotten, [], |row| row.get(0))?;
    let after = i64::try_from(after).unwrap_or(i64::MAX).max(forgotten);
    let select = "SELECT last, count, body FROM account_ended_session WHERE last > ? ORDER BY last";
    let mut select = db.prepare_cached(select)?;
    let mut rows = select.query([after])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()?
        && found.len() < count
    {
        let (last, of_row): (i64, i64) = (row.get(0)?, row.get(1)?);
        let numbered = (last - of_row + 1..).zip(operations(blob(row, 2)?));
        let wanted = numbered.filter(|(number, _)| *number > after);
        for (number, operation) in wanted.take(count - found.len()) {
            let damaged = || Fault::Damaged(format!("ended session {number}"));
            let StoredOperation { account, effects, .. } = operation.map_err(|_| damaged())?;
            let (ended, memo) = stored::read_ended_session(effects).ok_or_else(damaged)?;
            found.push(AccountSession { number: number.cast_unsigned(), account, ended, memo });
        }
    }
    Ok(found)
}

/// Writes ended sessions with the numbers after the last one.
pub(crate) fn write(db: &Connection, NewEnded { rows }: NewEnded) -> QueryResult<()> {
    let count: usize = rows.iter().map(|(count, _)| count).sum();
    let next = "UPDATE account_projection SET ended_sessions = ended_sessions + ? RETURNING ended_sessions";
    let last: i64 = db.prepare_cached(next)?.query_row([count as i64], |row| row.get(0))?;
    let mut insert = db.prepare_cached("INSERT INTO account_ended_session VALUES (?, ?, ?)")?;
    let mut last = last - count as i64;
    for (count, row) in rows {
        last += count as i64;
        insert.execute(params![last, count as i64, row.octets()])?;
    }
    Ok(())
}
