//! The numbers of subscribers, and the accounts that pay for them.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use ledger::AccountId;
use store::{Connection, QueryResult, params};

use crate::number_texts::NumberTexts;

/// The maximum octets of a number: those of a user name in a SIP URI, and more.
const NUMBER_OCTETS_MAX: usize = 128;

/// A number in the form in which it is stored: digits of an E.164 number or an IMSI, or an address (RFC 8506 section 8.46).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Number(Box<str>);

/// A text is no number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{text}\" is no number of a subscriber: digits are expected, or an address such as \"sip:anna@example.org\""
)]
pub struct NotANumber {
    /// The text, cut if it is long.
    pub text: String,
}

impl Number {
    /// Reads a number as networks and people write it: `+46 70-123 45 67`, `tel:+46701234567`, `sip:anna@example.org`.
    ///
    /// # Errors
    ///
    /// It is empty, too long, or has characters that no number has.
    pub fn read(text: &str) -> Result<Self, NotANumber> {
        let not = || NotANumber { text: text.chars().take(NUMBER_OCTETS_MAX).collect() };
        let bare = text.trim();
        let bare = ["tel:", "sip:", "sips:"]
            .iter()
            .find_map(|scheme| bare.strip_prefix(scheme))
            .unwrap_or(bare);
        let number: String = match bare.contains('@') {
            true => bare.to_ascii_lowercase(),
            false => bare.chars().filter(|letter| !" -./()".contains(*letter)).collect(),
        };
        let number = number.strip_prefix('+').unwrap_or(&number);
        let is_digits = number.bytes().all(|octet| octet.is_ascii_digit());
        let is_address =
            number.contains('@') && number.bytes().all(|octet| octet.is_ascii_graphic());
        let fits = !number.is_empty() && number.len() <= NUMBER_OCTETS_MAX;
        match fits && (is_digits || is_address) {
            true => Ok(Number(number.into())),
            false => Err(not()),
        }
    }

    /// Returns the number as a text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns a part of a number in the form in which numbers are stored.
pub(crate) fn plain(part: &str) -> String {
    part.trim().trim_start_matches('+').replace([' ', '-'], "").to_ascii_lowercase()
}

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
            numbers.add(Number(number.into()), AccountId(account.cast_unsigned()));
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
        let found = found.map(|text| Number(text.into()));
        found.map(|number| (number.0.to_string(), self.accounts[&number])).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.accounts.len()
    }

    /// Returns the number of the largest account that has a number.
    pub(crate) fn last_account(&self) -> u64 {
        self.last
    }
}

/// The numbers of a system that runs. Requests read them, and hold them until they are answered; a change waits for the disk
/// without them.
#[derive(Debug)]
pub(crate) struct NumberBook {
    numbers: RwLock<Numbers>,
    /// Held by a change until it is stored, so that no two take the same number.
    changes: Mutex<()>,
}

impl NumberBook {
    pub(crate) fn new(numbers: Numbers) -> Self {
        NumberBook { numbers: RwLock::new(numbers), changes: Mutex::new(()) }
    }

    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Numbers> {
        self.numbers.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Numbers> {
        self.numbers.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a change. The next one waits until it is dropped.
    pub(crate) fn change(&self) -> NumberChange<'_> {
        let turn = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        NumberChange { book: self, _turn: turn }
    }
}

/// A change of numbers that is being made and stored.
pub(crate) struct NumberChange<'b> {
    book: &'b NumberBook,
    _turn: MutexGuard<'b, ()>,
}

impl NumberChange<'_> {
    pub(crate) fn account(&self, number: &Number) -> Option<AccountId> {
        self.book.read().account(number)
    }

    /// Adds numbers, which are stored.
    pub(crate) fn add(&self, added: impl IntoIterator<Item = (Number, AccountId)>) {
        let mut numbers = self.book.write();
        added.into_iter().for_each(|(number, account)| numbers.add(number, account));
    }

    /// Removes a number, unless its account is in use. No request that has found it is in progress then.
    pub(crate) fn remove(&self, number: &Number, is_in_use: impl FnOnce() -> bool) -> bool {
        let mut numbers = self.book.write();
        let is_free = !is_in_use();
        if is_free {
            numbers.remove(number);
        }
        is_free
    }
}

/// Stores that a number leads to an account.
pub(crate) fn insert(db: &Connection, number: &Number, account: AccountId) -> QueryResult<()> {
    let insert = "INSERT INTO subscriber_number VALUES (?1, ?2)
                  ON CONFLICT (number) DO UPDATE SET account = ?2";
    db.prepare_cached(insert)?.execute(params![number.as_str(), account.0.cast_signed()])?;
    Ok(())
}

/// Deletes a number.
pub(crate) fn delete(db: &Connection, number: &Number) -> QueryResult<()> {
    db.prepare_cached("DELETE FROM subscriber_number WHERE number = ?")?
        .execute([number.as_str()])?;
    Ok(())
}

/// Returns the numbers of an account, in order.
pub(crate) fn of_account(db: &Connection, account: AccountId) -> QueryResult<Vec<String>> {
    let select = "SELECT number FROM subscriber_number WHERE account = ? ORDER BY number";
    let mut select = db.prepare_cached(select)?;
    let rows = select.query_map([account.0.cast_signed()], |row| row.get(0))?;
    rows.collect()
}

/// Returns numbers that begin with a text, and their accounts, in order, after one.
pub(crate) fn beginning_with(
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_one_form() {
        for text in ["46701234567", "+46701234567", "tel:+46-70-123 45 67", " +46 (70) 123.45/67 "]
        {
            assert_eq!(Number::read(text).unwrap().as_str(), "46701234567", "{text}");
        }
        assert_eq!(Number::read("sip:Anna@Example.org").unwrap().as_str(), "anna@example.org");
        for text in ["", "+", "anna", "46701234567x", "ä@b", "a b@c", &"1".repeat(129)] {
            assert!(Number::read(text).is_err(), "{text}");
        }
    }
}
