//! What all accounts share: notices and ended sessions, in order, and the balances of system accounts. Each call of a front
//! leaves its part; readers put the parts together.

use std::collections::BTreeMap;

use accounts::{AccountNotice, AccountSession, AccountsError, stored};
use ledger::{AccountId, Currency, Millis, SystemAccount, Unit};
use tokio_postgres::Row;

use crate::call::system_of;
use crate::connection::Fault;
use crate::front::Front;

/// The calls whose parts are put together in one transaction.
const CALLS_AT_ONCE: i32 = 1_000;

/// The balances of system accounts, with what is not added to them yet.
pub(crate) const BALANCES: &str = "SELECT system, sum(amount)::text FROM (
         SELECT system, sum AS amount FROM account_total
         UNION ALL SELECT u.system, u.amount FROM account_batch, unnest(systems, amounts) AS u(system, amount)
     ) AS part GROUP BY system";

/// The balances of system accounts, by currency, unit and account.
pub(crate) type Balances = BTreeMap<(Currency, Unit, SystemAccount), i128>;

impl Front {
    /// Puts together what calls have left until now. Readers do it by themselves; done from time to time, it keeps them
    /// quick. Connections of fronts that are gone are forgotten, too.
    ///
    /// # Errors
    ///
    /// The server fails.
    pub fn project(&self) -> Result<(), AccountsError> {
        let mut connection = self.connection();
        loop {
            let project = "SELECT account_project($1)";
            let calls: i64 = get(&connection.ask(project, &[&CALLS_AT_ONCE])?[0], 0)?;
            if calls < CALLS_AT_ONCE.into() {
                break;
            }
        }
        // A call is tried for seconds.
        let forget = "DELETE FROM account_writer WHERE at < now() - interval '1 day'";
        connection.ask(forget, &[])?;
        Ok(())
    }

    /// Returns the notices after one, in order, and `count` at most. A caller that stores the last number that it has sent,
    /// and goes on after it, sends each.
    ///
    /// # Errors
    ///
    /// The server fails, or a row is damaged.
    pub fn notices(&self, after: u64, count: usize) -> Result<Vec<AccountNotice>, AccountsError> {
        let select = "SELECT number, account, body, at_ms FROM account_notice WHERE number > $1
                      ORDER BY number LIMIT $2";
        self.numbered(select, (after, count), notice)
    }

    /// Returns the notices of an account, the newest first, and `count` at most.
    ///
    /// # Errors
    ///
    /// The server fails, or a row is damaged.
    pub fn notices_of(
        &self,
        account: AccountId,
        count: usize,
    ) -> Result<Vec<AccountNotice>, AccountsError> {
        let select = "SELECT number, account, body, at_ms FROM account_notice WHERE account = $1
                      ORDER BY number DESC LIMIT $2";
        self.numbered(select, (account.0, count), notice)
    }

    /// Returns how many notices with a number are after one.
    ///
    /// # Errors
    ///
    /// The server fails.
    pub fn count_notices(&self, after: u64) -> Result<u64, AccountsError> {
        let after = i64::try_from(after).unwrap_or(i64::MAX);
        let rows = self.ask("SELECT count(*) FROM account_notice WHERE number > $1", &[&after])?;
        let count: i64 = rows[0].try_get(0).map_err(Fault::from)?;
        Ok(count.cast_unsigned())
    }

    /// Deletes notices that were made before a time: a thousand at most, so that others do not wait for long.
    ///
    /// # Errors
    ///
    /// The server fails.
    pub fn forget_notices(&self, before: Millis) -> Result<(), AccountsError> {
        let delete = "DELETE FROM account_notice WHERE at_ms < $1 AND number IN
                          (SELECT number FROM account_notice ORDER BY number LIMIT 1000)";
        self.ask(delete, &[&before]).map(drop)
    }

    /// Returns the ended sessions after one, in order, and `count` at most. A caller that stores the last number that it
    /// has recorded, and goes on after it, records each.
    ///
    /// # Errors
    ///
    /// The server fails, or a row is damaged.
    pub fn ended_sessions(
        &self,
        after: u64,
        count: usize,
    ) -> Result<Vec<AccountSession>, AccountsError> {
        let select = "SELECT number, account, body FROM account_ended_session WHERE number > $1
                      ORDER BY number LIMIT $2";
        self.numbered(select, (after, count), |row| {
            let (number, account, body) = numbered(row)?;
            let damaged = || Fault::damaged(format!("ended session {number}"));
            let (ended, memo) = stored::read_ended_session(body).ok_or_else(damaged)?;
            Ok(AccountSession { number, account, ended, memo })
        })
    }

    /// Deletes the ended sessions until one, which is included.
    ///
    /// # Errors
    ///
    /// The server fails.
    pub fn forget_ended_sessions(&self, until: u64) -> Result<(), AccountsError> {
        // What has no number yet is before those that get one later.
        self.project()?;
        let until = i64::try_from(until).unwrap_or(i64::MAX);
        let delete = "DELETE FROM account_ended_session WHERE number <= $1";
        self.ask(delete, &[&until]).map(drop)
    }

    /// Returns what a statement finds after a number, or of an account.
    fn numbered<T>(
        &self,
        select: &'static str,
        (of, count): (u64, usize),
        read: impl Fn(&Row) -> Result<T, Fault>,
    ) -> Result<Vec<T>, AccountsError> {
        self.project()?;
        let of = i64::try_from(of).unwrap_or(i64::MAX);
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let rows = self.connection().ask(select, &[&of, &count])?;
        Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
    }

    /// Returns the balances of system accounts.
    ///
    /// # Errors
    ///
    /// The server fails, or a row is damaged.
    pub fn system_balances(&self) -> Result<Balances, AccountsError> {
        Ok(balances(&self.connection().ask(BALANCES, &[])?)?)
    }
}

fn notice(row: &Row) -> Result<AccountNotice, Fault> {
    let (number, account, body) = numbered(row)?;
    let damaged = || Fault::damaged(format!("notice {number}"));
    let notice = stored::read_notice(body).ok_or_else(damaged)?;
    Ok(AccountNotice { number, account, at: row.try_get(3)?, notice })
}

/// Reads the balances of system accounts.
pub(crate) fn balances(rows: &[Row]) -> Result<Balances, Fault> {
    let balance = |row: &Row| {
        let sum: &str = row.try_get(1)?;
        let of = system_of(row.try_get(0)?).zip(sum.parse().ok());
        of.ok_or_else(|| Fault::damaged("a sum"))
    };
    rows.iter().map(balance).collect()
}

fn numbered(row: &Row) -> Result<(u64, AccountId, &[u8]), Fault> {
    let (number, account): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
    Ok((number.cast_unsigned(), AccountId(account.cast_unsigned()), row.try_get(2)?))
}

/// Reads a column.
pub(crate) fn get<'r, T: tokio_postgres::types::FromSql<'r>>(
    row: &'r Row,
    column: usize,
) -> Result<T, Fault> {
    Ok(row.try_get(column)?)
}
