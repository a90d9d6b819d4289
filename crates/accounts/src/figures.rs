//! Which accounts there are, and the sessions in progress. All are read from memory, which takes some milliseconds for a
//! million accounts; each shard is locked for its part of that time.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use ledger::{Account, AccountId, Currency, Session, SessionKey, SystemAccount, Unit};

use crate::desk::AccountsError;
use crate::embedded::Embedded;

/// The place of a session among all: its account and its key.
pub type SessionPlace = (AccountId, SessionKey);

/// How much there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Accounts.
    pub accounts: usize,
    /// Sessions in progress.
    pub open_sessions: usize,
    /// Sessions that have ended, and are remembered.
    pub closed_sessions: usize,
    /// The money that is reserved, in billionths.
    pub reserved: i128,
    /// Batches in the journal: those that are not folded, and the last that is.
    pub batches: usize,
}

impl Embedded {
    /// Returns the accounts after one, in order, and `count` at most.
    pub fn accounts(&self, after: Option<AccountId>, count: usize) -> Vec<AccountId> {
        let mut first = First::new(count);
        self.each(|id, _| {
            if after.is_none_or(|after| after < id) {
                first.offer(id);
            }
        });
        first.sorted()
    }

    /// Returns the accounts for which a question is answered with yes, in no order.
    pub fn accounts_where(&self, is_wanted: impl Fn(&Account) -> bool) -> Vec<AccountId> {
        let mut found = Vec::new();
        self.each(|id, account| found.extend(is_wanted(account).then_some(id)));
        found
    }

    /// Returns what `of` makes of the sessions in progress after one, in the order of accounts and keys, and `count` at
    /// most. `of` leaves a session out by `None`.
    pub fn open_sessions<T>(
        &self,
        after: Option<SessionPlace>,
        count: usize,
        mut of: impl FnMut(AccountId, &Account, &Session) -> Option<T>,
    ) -> Vec<T> {
        let mut first = BTreeMap::<SessionPlace, T>::new();
        self.each(|id, account| {
            for session in account.sessions().iter().filter(|session| !session.is_closed) {
                let place = (id, session.key);
                let is_full = first.len() >= count;
                let is_behind =
                    is_full && first.last_key_value().is_none_or(|(last, _)| *last < place);
                if is_behind || after.is_some_and(|after| place <= after) {
                    continue;
                }
                if let Some(found) = of(id, account, session) {
                    first.insert(place, found);
                    if is_full {
                        first.pop_last();
                    }
                }
            }
        });
        first.into_values().collect()
    }

    /// Returns how much there is.
    ///
    /// # Errors
    ///
    /// The journal cannot be read.
    pub fn figures(&self) -> Result<Figures, AccountsError> {
        let mut figures = Figures { batches: self.batches()?, ..Figures::default() };
        self.each(|_, account| {
            let sessions = account.sessions();
            let closed = sessions.iter().filter(|session| session.is_closed).count();
            figures.accounts += 1;
            figures.closed_sessions += closed;
            figures.open_sessions += sessions.len() - closed;
            let money = account.buckets().iter().filter(|bucket| bucket.unit == Unit::Money);
            figures.reserved += money.map(|bucket| i128::from(bucket.reserved)).sum::<i128>();
        });
        Ok(figures)
    }

    /// Returns the largest account.
    pub fn last_account(&self) -> Option<AccountId> {
        let mut last = None;
        self.each(|id, _| last = last.max(Some(id)));
        last
    }

    /// Returns the currencies of accounts.
    pub fn currencies(&self) -> BTreeSet<Currency> {
        let mut currencies = BTreeSet::new();
        self.each(|_, account| {
            currencies.insert(account.currency);
        });
        currencies
    }

    /// Returns the balances of system accounts. No task may run meanwhile.
    pub fn system_balances(&self) -> BTreeMap<(Currency, Unit, SystemAccount), i128> {
        let mut balances = BTreeMap::new();
        for place in 0..self.shards.len() {
            for (of, sum) in self.shard(place).book.totals().balances() {
                *balances.entry(of).or_default() += sum;
            }
        }
        balances
    }

    fn batches(&self) -> Result<usize, AccountsError> {
        let select = "SELECT count(*) FROM account_batch";
        let count = self.journal.reader()?.query_row(select, [], |row| row.get::<_, u32>(0));
        Ok(self.journal.answer(count)? as usize)
    }

    fn each(&self, mut each: impl FnMut(AccountId, &Account)) {
        for place in 0..self.shards.len() {
            self.shard(place).book.accounts().for_each(|(id, account)| each(id, account));
        }
    }
}

/// The first of some values that come in no order.
struct First<T> {
    count: usize,
    /// The last of them on top.
    values: BinaryHeap<T>,
}

impl<T: Ord> First<T> {
    fn new(count: usize) -> Self {
        First { count, values: BinaryHeap::new() }
    }

    fn offer(&mut self, value: T) {
        self.values.push(value);
        if self.values.len() > self.count {
            self.values.pop();
        }
    }

    fn sorted(self) -> Vec<T> {
        self.values.into_sorted_vec()
    }
}
