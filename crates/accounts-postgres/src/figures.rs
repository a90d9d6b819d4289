//! Which accounts there are, and the sessions in progress.

use std::collections::BTreeSet;

use accounts::{AccountsError, Figures, OpenSession};
use ledger::{AccountId, Currency, SessionKey};

use crate::connection::Fault;
use crate::copies;
use crate::front::Front;
use crate::shared::get;

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

    /// Returns the sessions in progress after one, in the order of accounts and keys, and `count` at most. Accounts without
    /// one are passed over, which takes some tenths of a second for a million.
    ///
    /// # Errors
    ///
    /// The server fails, or a row is damaged.
    pub fn open_sessions(
        &self,
        after: Option<(AccountId, SessionKey)>,
        count: usize,
    ) -> Result<Vec<OpenSession>, AccountsError> {
        let select = "SELECT id, body FROM account WHERE id >= $1 AND open_sessions > 0
                      ORDER BY id LIMIT $2";
        let from = after.map_or(0, |(after, _)| after.0.cast_signed());
        // Each account has one at least, but the first, of which all may have been returned before.
        let accounts = i64::try_from(count).unwrap_or(i64::MAX).saturating_add(1);
        let mut found = Vec::new();
        for row in self.connection().ask(select, &[&from, &accounts])? {
            let id = AccountId(get::<i64>(&row, 0)?.cast_unsigned());
            let account = copies::account(id, get(&row, 1)?)?;
            let sessions = account.sessions().iter().filter(|session| !session.is_closed);
            let sessions = sessions.map(|session| OpenSession::of(id, &account, session));
            found.extend(sessions.filter(|of| after.is_none_or(|after| after < (id, of.session))));
        }
        found.truncate(count);
        Ok(found)
    }

    /// Returns how much there is. All accounts are counted, which takes some tenths of a second for a million.
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
        Ok(Figures {
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
