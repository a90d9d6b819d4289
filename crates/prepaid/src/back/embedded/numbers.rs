//! All numbers in memory, and as they are stored.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use ledger::AccountId;
use store::{Connection, QueryResult, params};

use crate::back::{AssignedNumber, BesideRow};
use crate::number_texts::NumberTexts;
use crate::numbers::{Number, NumberTaken};

/// All numbers, in memory.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    accounts: HashMap<Number, AccountId>,
    texts: NumberTexts,
    /// The largest account with a number.
    last: u64,
}

impl Numbers {
    pub(crate) fn load(db: &Connection) -> QueryResult<Self> {
        let mut numbers = Numbers::default();
        let mut select = db.prepare("SELECT number, account FROM subscriber_number")?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let number: String = row.get(0)?;
            let account: i64 = row.get(1)?;
            numbers.add(Number::stored(number), AccountId(account.cast_unsigned()));
        }
        Ok(numbers)
    }

    pub(crate) fn account(&self, number: &Number) -> Option<AccountId> {
        self.accounts.get(number).copied()
    }

    fn add(&mut self, number: Number, account: AccountId) {
        self.last = self.last.max(account.0);
        if !self.accounts.contains_key(&number) {
            self.texts.add(number.as_str());
        }
        self.accounts.insert(number, account);
    }

    fn remove(&mut self, number: &Number) {
        if self.accounts.remove(number).is_some() {
            self.texts.remove(number.as_str());
        }
    }

    /// Returns numbers that have a text in them and begin with another, and their accounts, in order, after one.
    pub(crate) fn with_part(
        &self,
        (part, beginning): (&str, &str),
        after: &str,
        count: usize,
    ) -> Vec<(String, AccountId)> {
        let is_one = |text: &str| text > after && text.starts_with(beginning);
        let found = self.texts.with_part(part, is_one, count).into_iter();
        let account = |text: &str| self.accounts[&Number::stored(text.to_owned())];
        found.map(|text| (account(&text), text)).map(|(account, text)| (text, account)).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.accounts.len()
    }

    /// Returns the number of the largest account that has a number.
    pub(crate) fn last_account(&self) -> u64 {
        self.last
    }
}

/// All numbers, while they are read: none is removed meanwhile.
pub(crate) type AllNumbers<'b> = RwLockReadGuard<'b, Numbers>;

/// The numbers of a system that runs. Requests read them, and hold them until they are answered; a change waits for the disk
/// without them.
#[derive(Debug)]
pub(crate) struct NumberBook {
    numbers: RwLock<Numbers>,
    /// Held by a change until it is stored, so that no two take the same number.
    changes: Mutex<()>,
}

impl NumberBook {
    pub(super) fn new(numbers: Numbers) -> Self {
        NumberBook { numbers: RwLock::new(numbers), changes: Mutex::new(()) }
    }

    pub(crate) fn read(&self) -> AllNumbers<'_> {
        self.numbers.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Numbers> {
        self.numbers.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a change. The next one waits until it is dropped.
    pub(crate) fn turn(&self) -> MutexGuard<'_, ()> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds numbers, which are stored.
    pub(super) fn add(&self, added: impl IntoIterator<Item = (Number, AccountId)>) {
        let mut numbers = self.write();
        added.into_iter().for_each(|(number, account)| numbers.add(number, account));
    }

    /// Adds the numbers among rows, which are stored.
    pub(super) fn note(&self, rows: Vec<BesideRow>) {
        for row in rows {
            if let BesideRow::Numbers(assigned) = row {
                self.add(assigned.into_iter().map(|of| (of.number, of.account)));
            }
        }
    }

    /// Removes a number, unless its account is in use. No request that has found it is in progress then.
    pub(super) fn remove(&self, number: &Number, is_in_use: impl FnOnce() -> bool) -> bool {
        let mut numbers = self.write();
        let is_free = !is_in_use();
        if is_free {
            numbers.remove(number);
        }
        is_free
    }
}

/// The numbers that are looked at in order before all are. Among these, a part is found soon that every 40th number has; and
/// of a part that fewer have, there are few to be put in order.
pub(super) const WALKED: usize = 2_000;

/// Stores that a number leads to an account, if it leads to the one before, or to this one already.
pub(super) fn insert(db: &Connection, assigned: &AssignedNumber) -> QueryResult<()> {
    let insert = "INSERT INTO subscriber_number VALUES (?1, ?2)
                  ON CONFLICT (number) DO UPDATE SET account = ?2 WHERE account IN (?2, ?3)";
    let AssignedNumber { number, account, before } = assigned;
    let before = before.map(|before| before.0.cast_signed());
    let values = params![number.as_str(), account.0.cast_signed(), before];
    match db.prepare_cached(insert)?.execute(values)? {
        1 => Ok(()),
        _ => Err(store::undone(NumberTaken { number: number.as_str().to_owned() })),
    }
}

/// Deletes a number.
pub(super) fn delete(db: &Connection, number: &Number) -> QueryResult<()> {
    db.prepare_cached("DELETE FROM subscriber_number WHERE number = ?")?
        .execute([number.as_str()])?;
    Ok(())
}

/// Returns the numbers of an account, in order.
pub(super) fn of_account(db: &Connection, account: AccountId) -> QueryResult<Vec<String>> {
    let select = "SELECT number FROM subscriber_number WHERE account = ? ORDER BY number";
    let mut select = db.prepare_cached(select)?;
    let rows = select.query_map([account.0.cast_signed()], |row| row.get(0))?;
    rows.collect()
}

/// Returns numbers that begin with a text, and their accounts, in order, after one.
pub(super) fn beginning_with(
    db: &Connection,
    (beginning, after): (&str, &str),
    count: usize,
) -> QueryResult<Vec<(String, AccountId)>> {
    // All numbers are ASCII, so this is behind all that begin with the text.
    let end = format!("{beginning}\u{7f}");
    let select = "SELECT number, account FROM subscriber_number
                  WHERE number >= ?1 AND number < ?2 AND number > ?3 ORDER BY number LIMIT ?4";
    let mut select = db.prepare_cached(select)?;
    let rows = select.query_map(params![beginning, end, after, count as i64], |row| {
        Ok((row.get(0)?, AccountId(row.get::<_, i64>(1)?.cast_unsigned())))
    })?;
    rows.collect()
}
