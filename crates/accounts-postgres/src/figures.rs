//! Which accounts there are, and the sessions in progress.

use std::collections::BTreeSet;

use accounts::{AccountsError, Figures, SessionPlace};
use ledger::{Account, AccountId, Currency, Session, Unit};
use tokio_postgres::Row;

use crate::connection::Fault;
use crate::copies;
use crate::front::Front;
use crate::shared::get;

/// The accounts with sessions in progress that are read at once.
const ACCOUNTS_AT_ONCE: i64 = 1_000;

impl Front {
    /// Returns the accounts after one, in order, and `count` at most.
    ///
    /// # Errors
    ///
    /// The server fails.
    pub fn accounts(
        &self,
        after: Option<AccountId>,
        count: usize,
    ) -> Result<Vec<AccountId>, AccountsError> {
        let select = "SELECT id FROM account WHERE id > $1 ORDER BY id LIMIT $2";
        let after = after.map_or(-1, |after| after.0.cast_signed());
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let rows = self.connection().ask(select, &[&after, &count])?;
        let ids = rows.iter().map(|row| Ok(AccountId(get::<i64>(row, 0)?.cast_unsigned())));
        Ok(ids.collect::<Result<_, Fault>>()?)
    }

    /// Returns the accounts for which a question is answered with yes, in order. All accounts are read.
    ///
    /// # Errors
    ///
    /// The server fails, or a row is damaged.
    pub fn accounts_where(
        &self,
        is_wanted: impl Fn(&Account) -> bool,
    ) -> Result<Vec<AccountId>, AccountsError> {
        let (mut found, mut next) = (Vec::new(), 0);
        loop {
            let select = "SELECT id, body FROM account WHERE id >= $1 ORDER BY id LIMIT $2";
            let page = accounts(&self.connection().ask(select, &[&next, &ACCOUNTS_AT_ONCE])?)?;
            let Some((last, _)) = page.last() else { return Ok(found) };
            next = last.0.cast_signed() + 1;
            let wanted = page.iter().filter(|(_, account)| is_wanted(account));
            found.extend(wanted.map(|(id, _)| *id));
        }
    }

    /// Returns what `of` makes of the sessions in progress after one, in the order of accounts and keys, and `count` at
    /// most. `of` leaves a session out by `None`. Accounts without one are passed over, which takes some tenths of a second
    /// for a million.
    ///
    /// # Errors
    ///
    /// The server fails, or a row is damaged.
    pub fn open_sessions<T>(
        &self,
        after: Option<SessionPlace>,
        count: usize,
        mut of: impl FnMut(AccountId, &Account, &Session) -> Option<T>,
    ) -> Result<Vec<T>, AccountsError> {
        let mut found = Vec::new();
        let mut next = after.map_or(0, |(after, _)| after.0.cast_signed());
        loop {
            let page = self.accounts_in_use(next)?;
            let Some((last, _)) = page.last() else { return Ok(found) };
            next = last.0.cast_signed() + 1;
            for (id, account) in &page {
                let sessions = account.sessions().iter().filter(|session| !session.is_closed);
                let later =
                    |session: &&Session| after.is_none_or(|after| after < (*id, session.key));
                found
                    .extend(sessions.filter(later).filter_map(|session| of(*id, account, session)));
                if found.len() >= count {
                    found.truncate(count);
                    return Ok(found);
                }
            }
        }
    }

    /// Returns some of the accounts with sessions in progress from one on, in order.
    fn accounts_in_use(&self, from: i64) -> Result<Vec<(AccountId, Account)>, AccountsError> {
        let select = "SELECT id, body FROM account WHERE id >= $1 AND open_sessions > 0
                      ORDER BY id LIMIT $2";
        Ok(accounts(&self.connection().ask(select, &[&from, &ACCOUNTS_AT_ONCE])?)?)
    }

    /// Returns how much there is. All accounts are counted, which takes some tenths of a second for a million, and those with
    /// sessions in progress are read.
    ///
    /// # Errors
    ///
    /// The server fails.
    pub fn figures(&self) -> Result<Figures, AccountsError> {
        let select =
            "SELECT count(*), coalesce(sum(open_sessions), 0), coalesce(sum(closed_sessions), 0),
                      (SELECT count(*) FROM account_batch) FROM account";
        let rows = self.connection().ask(select, &[])?;
        let count = |column| Ok::<_, Fault>(get::<i64>(&rows[0], column)? as usize);
        let (mut reserved, mut next) = (0, 0);
        loop {
            let page = self.accounts_in_use(next)?;
            let Some((last, _)) = page.last() else { break };
            next = last.0.cast_signed() + 1;
            let buckets = page.iter().flat_map(|(_, account)| account.buckets());
            let money = buckets.filter(|bucket| bucket.unit == Unit::Money);
            reserved += money.map(|bucket| i128::from(bucket.reserved)).sum::<i128>();
        }
        Ok(Figures {
            reserved,
            accounts: count(0)?,
            open_sessions: count(1)?,
            closed_sessions: count(2)?,
            batches: count(3)?,
        })
    }

    /// Returns the largest account.
    ///
    /// # Errors
    ///
    /// The server fails.
    pub fn last_account(&self) -> Result<Option<AccountId>, AccountsError> {
        let rows = self.connection().ask("SELECT max(id) FROM account", &[])?;
        Ok(get::<Option<i64>>(&rows[0], 0)?.map(|id| AccountId(id.cast_unsigned())))
    }

    /// Returns the currencies of accounts.
    ///
    /// # Errors
    ///
    /// The server fails, or a row is damaged.
    pub fn currencies(&self) -> Result<BTreeSet<Currency>, AccountsError> {
        let rows = self.connection().ask("SELECT DISTINCT currency FROM account", &[])?;
        let currencies = rows.iter().map(|row| {
            let number = u16::try_from(get::<i32>(row, 0)?);
            number.map(Currency).map_err(|_| Fault::damaged("the currency of an account"))
        });
        Ok(currencies.collect::<Result<_, Fault>>()?)
    }
}

/// Reads the columns `id` and `body`.
fn accounts(rows: &[Row]) -> Result<Vec<(AccountId, Account)>, Fault> {
    let account = |row: &Row| {
        let id = AccountId(get::<i64>(row, 0)?.cast_unsigned());
        Ok((id, copies::account(id, get(row, 1)?)?))
    };
    rows.iter().map(account).collect()
}
