//! Checks the books: that each balance is the sum of its entries, and that all sums are zero.

use std::collections::HashMap;

use ledger::{AccountId, BucketId, Entry, Millis};
use store::{Connection, params};

use crate::desk::AccountsError;
use crate::embedded::Embedded;
use crate::history::decoded;
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
        let mut checking = Checking::default();
        let mut after = (AccountId(0), 0);
        loop {
            let page = self.all_entries(after, PAGE)?;
            let Some(last) = page.last() else { break };
            after = (last.account, last.entry.number);
            for booked in &page {
                if checking.account != Some(booked.account) {
                    self.end_account(&mut checking);
                    checking.begin(booked.account);
                }
                checking.entry(booked);
            }
        }
        self.end_account(&mut checking);
        for ((currency, unit), sums) in self.totalled() {
            if sums.buckets + sums.systems != 0 {
                let sum = sums.buckets + sums.systems;
                checking.fault(format!("the sum of {unit:?} in {currency:?} is {sum}, not zero"));
            }
        }
        Ok(checking.checked)
    }

    /// Compares the balances of an account with those in memory, unless it has changed since.
    fn end_account(&self, checking: &mut Checking) {
        let Some(id) = checking.account else { return };
        let faults: Vec<String> = self.look(id, |account| {
            let Some(account) = account else {
                return vec![format!("account {} has entries and is not there", id.0)];
            };
            if account.entries != checking.last {
                return Vec::new();
            }
            let wrong = account.buckets().iter().filter_map(|bucket| {
                let sum = checking.balances.get(&bucket.id).copied().unwrap_or_default();
                (sum != bucket.amount).then(|| {
                    let (bucket, amount) = (bucket.id.0, bucket.amount);
                    format!("balance {bucket} of account {} is {amount}, its entries {sum}", id.0)
                })
            });
            wrong.collect()
        });
        faults.into_iter().for_each(|fault| checking.fault(fault));
    }
}

/// A check that is under way: an account, and what its entries sum up to.
#[derive(Default)]
struct Checking {
    account: Option<AccountId>,
    /// The number of its last entry.
    last: u64,
    balances: HashMap<BucketId, i64>,
    checked: Checked,
}

impl Checking {
    fn begin(&mut self, account: AccountId) {
        self.account = Some(account);
        self.last = 0;
        self.balances.clear();
        self.checked.accounts += 1;
    }

    fn entry(&mut self, BookedEntry { account, entry, .. }: &BookedEntry) {
        self.checked.entries += 1;
        let Entry { number, bucket, amount, balance, .. } = *entry;
        if number != self.last + 1 {
            let last = self.last;
            self.fault(format!("account {}: entry {number} follows entry {last}", account.0));
        }
        self.last = number;
        let sum = self.balances.entry(bucket).or_default();
        let expected = i128::from(*sum) + i128::from(amount);
        *sum = balance;
        if expected != i128::from(balance) {
            let text = format!("account {}: entry {number} leaves {balance}", account.0);
            self.fault(format!("{text}, and its amount {expected}"));
        }
    }

    fn fault(&mut self, text: String) {
        self.checked.fault_count += 1;
        if self.checked.faults.len() < FAULTS_MAX {
            self.checked.faults.push(text);
        }
    }
}

fn read(
    db: &Connection,
    (account, number): (AccountId, u64),
    count: usize,
) -> Result<Vec<BookedEntry>, Fault> {
    let select = "SELECT account, number, at_ms, body FROM account_entry
                  WHERE (account, number) > (?, ?) ORDER BY account, number LIMIT ?";
    let mut select = db.prepare_cached(select)?;
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    let values = params![account.0.cast_signed(), number.cast_signed(), count];
    let mut rows = select.query(values)?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        let (account, number): (i64, i64) = (row.get(0)?, row.get(1)?);
        let damaged = || Fault::Damaged(format!("entry {number} of account {account}"));
        let (entry, remark) = decoded(blob(row, 3)?).ok_or_else(damaged)?;
        let account = AccountId(account.cast_unsigned());
        entries.push(BookedEntry { account, at: row.get(2)?, entry, remark });
    }
    Ok(entries)
}
