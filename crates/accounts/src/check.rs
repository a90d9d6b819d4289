//! Checks the books: that each balance is the sum of its entries, and that all sums are zero.

use std::collections::{BTreeMap, HashMap};

use ledger::{Account, AccountId, BucketId, Currency, Entry, Millis, Totalled, Unit};
use store::Connection;

use crate::desk::AccountsError;
use crate::embedded::Embedded;
use crate::entries::{self, StoredEntry};
use crate::fold::row_of;
use crate::load::{Fault, blob};

/// The most faults that are named.
const FAULTS_MAX: usize = 20;

/// The entries that are read at once.
const PAGE: usize = 20_000;

/// What a check of the books has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Accounts with entries.
    pub accounts: u64,
    /// Entries.
    pub entries: u64,
    /// What is wrong: the first faults.
    pub faults: Vec<String>,
    /// How many faults there are.
    pub fault_count: u64,
}

/// An entry, with its account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookedEntry {
    /// The account.
    pub account: AccountId,
    /// When it was made.
    pub at: Millis,
    /// The entry.
    pub entry: Entry,
    /// What the caller stored with it.
    pub remark: Vec<u8>,
}

/// Books that can be checked.
pub trait Books {
    /// Returns the entries of all accounts after one, by account and number, and `count` at most.
    ///
    /// # Errors
    ///
    /// The books cannot be read, or are damaged.
    fn all_entries(
        &self,
        after: (AccountId, u64),
        count: usize,
    ) -> Result<Vec<BookedEntry>, AccountsError>;

    /// Calls `look` with each of some accounts.
    ///
    /// # Errors
    ///
    /// The books cannot be read, or are damaged.
    fn look_each(
        &self,
        ids: &[AccountId],
        look: impl FnMut(AccountId, Option<&Account>),
    ) -> Result<(), AccountsError>;

    /// Returns the sums of each currency and unit.
    ///
    /// # Errors
    ///
    /// The books cannot be read, or are damaged.
    fn sums(&self) -> Result<BTreeMap<(Currency, Unit), Totalled>, AccountsError>;
}

/// Checks that the entries of each account follow each other, that each balance is the sum of its entries, and that the
/// sums of all accounts are zero.
///
/// # Errors
///
/// The books cannot be read, or are damaged.
pub fn check(books: &impl Books) -> Result<Checked, AccountsError> {
    let mut checking = Checking::default();
    let mut after = (AccountId(0), 0);
    loop {
        let page = books.all_entries(after, PAGE)?;
        let Some(last) = page.last() else { break };
        after = (last.account, last.entry.number);
        page.iter().for_each(|booked| checking.entry(booked));
        checking.compare(books)?;
    }
    checking.end_account();
    checking.compare(books)?;
    for ((currency, unit), sums) in books.sums()? {
        let sum = sums.buckets + sums.systems;
        if sum != 0 {
            checking.fault(format!("the sum of {unit:?} in {currency:?} is {sum}, not zero"));
        }
    }
    Ok(checking.checked)
}

impl Embedded {
    /// Returns the entries of all accounts after one, by account and number, and `count` at most. All that is stored is
    /// among them.
    ///
    /// # Errors
    ///
    /// The journal cannot be read, or is damaged.
    pub fn all_entries(
        &self,
        after: (AccountId, u64),
        count: usize,
    ) -> Result<Vec<BookedEntry>, AccountsError> {
        self.project(self.last_stored())?;
        let reader = self.journal.reader()?;
        read(&reader, after, count).map_err(|fault| fault.of(&self.journal))
    }

    /// Checks that the entries of each account follow each other, that each balance is the sum of its entries, and that
    /// the sums of all accounts are zero. Requests may go on meanwhile.
    ///
    /// # Errors
    ///
    /// The journal cannot be read, or is damaged.
    pub fn check_books(&self) -> Result<Checked, AccountsError> {
        check(self)
    }
}

impl Books for Embedded {
    fn all_entries(
        &self,
        after: (AccountId, u64),
        count: usize,
    ) -> Result<Vec<BookedEntry>, AccountsError> {
        Embedded::all_entries(self, after, count)
    }

    fn look_each(
        &self,
        ids: &[AccountId],
        mut look: impl FnMut(AccountId, Option<&Account>),
    ) -> Result<(), AccountsError> {
        ids.iter().for_each(|id| self.look(*id, |account| look(*id, account)));
        Ok(())
    }

    fn sums(&self) -> Result<BTreeMap<(Currency, Unit), Totalled>, AccountsError> {
        Ok(self.totalled())
    }
}

/// A check that is under way: an account, and what its entries sum up to.
#[derive(Default)]
struct Checking {
    account: Option<AccountId>,
    of_account: Sums,
    /// Those of accounts whose entries are all read.
    ended: HashMap<AccountId, Sums>,
    checked: Checked,
}

/// What the entries of an account sum up to.
#[derive(Default)]
struct Sums {
    /// The number of the last entry.
    last: u64,
    balances: HashMap<BucketId, i64>,
}

impl Checking {
    fn entry(&mut self, BookedEntry { account, entry, .. }: &BookedEntry) {
        if self.account != Some(*account) {
            self.end_account();
            self.account = Some(*account);
            self.checked.accounts += 1;
        }
        self.checked.entries += 1;
        let Entry { number, bucket, amount, balance, .. } = *entry;
        let last = self.of_account.last;
        if number != last + 1 {
            self.fault(format!("account {}: entry {number} follows entry {last}", account.0));
        }
        self.of_account.last = number;
        let sum = self.of_account.balances.entry(bucket).or_default();
        let expected = i128::from(*sum) + i128::from(amount);
        *sum = balance;
        if expected != i128::from(balance) {
            let text = format!("account {}: entry {number} leaves {balance}", account.0);
            self.fault(format!("{text}, and its amount {expected}"));
        }
    }

    fn end_account(&mut self) {
        if let Some(account) = self.account.take() {
            self.ended.insert(account, std::mem::take(&mut self.of_account));
        }
    }

    /// Compares the balances of the accounts whose entries are all read with those that they have.
    fn compare(&mut self, books: &impl Books) -> Result<(), AccountsError> {
        let ended = std::mem::take(&mut self.ended);
        let mut ids: Vec<AccountId> = ended.keys().copied().collect();
        ids.sort_unstable();
        books.look_each(&ids, |id, account| match account {
            Some(account) => self.compare_account((id, account), &ended[&id]),
            None => self.fault(format!("account {} has entries and is not there", id.0)),
        })
    }

    /// Compares the balances of an account, unless it has changed since its entries were read.
    fn compare_account(&mut self, (id, account): (AccountId, &Account), sums: &Sums) {
        if account.entries != sums.last {
            return;
        }
        for bucket in account.buckets() {
            let sum = sums.balances.get(&bucket.id).copied().unwrap_or_default();
            if sum != bucket.amount {
                let (bucket, amount) = (bucket.id.0, bucket.amount);
                let text = format!("balance {bucket} of account {} is {amount}", id.0);
                self.fault(format!("{text}, its entries {sum}"));
            }
        }
    }

    fn fault(&mut self, text: String) {
        self.checked.fault_count += 1;
        if self.checked.faults.len() < FAULTS_MAX {
            self.checked.faults.push(text);
        }
    }
}

fn read(db: &Connection, after: (AccountId, u64), count: usize) -> Result<Vec<BookedEntry>, Fault> {
    let select = "SELECT row, body FROM account_entry WHERE row >= ? ORDER BY row, seq";
    let mut select = db.prepare_cached(select)?;
    let mut rows = select.query([row_of(after.0).cast_signed()])?;
    let (mut found, mut of_row, mut last) = (Vec::new(), Vec::new(), None);
    while let Some(row) = rows.next()? {
        let of = row.get::<_, i64>(0)?.cast_unsigned();
        if last.is_some_and(|last| last != of) {
            add_in_order(&mut found, &mut of_row);
            if found.len() >= count {
                break;
            }
        }
        last = Some(of);
        let read = entries::read(of, blob(row, 1)?, |of| of >= after.0)?.into_iter();
        let booked =
            |StoredEntry { account, at, entry, remark }| BookedEntry { account, at, entry, remark };
        of_row.extend(read.map(booked).filter(|of| (of.account, of.entry.number) > after));
    }
    add_in_order(&mut found, &mut of_row);
    found.truncate(count);
    Ok(found)
}

/// Adds the entries of a row of accounts, by account and number.
fn add_in_order(found: &mut Vec<BookedEntry>, of_row: &mut Vec<BookedEntry>) {
    of_row.sort_by_key(|of| (of.account, of.entry.number));
    found.append(of_row);
}
