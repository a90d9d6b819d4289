//! Accounts in the memory of this process, with a journal (SQLite). No other process may have them.

mod approvals;
mod assignment;
mod names;
mod numbers;
mod recorded;
mod versions;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::SystemTime;

use accounts::{AccountsError, Desk, Lapsed, Task};
use journal::audit_trail::{self, AuditEntry, Author};
use journal::{Folders, Journal, Schema};
use ledger::{Account, AccountId, Key, Millis, Outcome, SystemAccount, Transfer};
use store::{Connection, Page, QueryResult, Versions};

use super::{BesideRow, Named, Settled};
use crate::approvals::StoredRequest;
use crate::numbers::Number;
use crate::records::{RecordFile, Recorded};
use crate::system::OpenError;
use crate::versions::StoredVersion;
use numbers::{NumberBook, Numbers};

pub(crate) use numbers::AllNumbers;

static SCHEMA: Schema = Schema {
    versions: Versions::new(&[journal::TABLES, accounts::TABLES, include_str!("tables.sql")]),
    newest_ms: |db| db.query_row("SELECT max(at_ms) FROM trail", [], |row| row.get(0)),
    trusts_pauses: true,
};

/// Accounts in the memory of this process, with a journal.
pub(crate) struct Embedded {
    pub(super) accounts: Arc<accounts::Embedded>,
    pub(super) journal: Arc<Journal>,
    pub(super) numbers: NumberBook,
    /// The number of the last account that was opened.
    last_account: AtomicU64,
}

/// Returns what stores rows in a transaction.
pub(super) fn stores(
    rows: Vec<BesideRow>,
) -> impl FnOnce(&Connection) -> QueryResult<()> + Send + 'static {
    move |db| rows.iter().try_for_each(|row| insert(row, db))
}

fn insert(row: &BesideRow, db: &Connection) -> QueryResult<()> {
    match row {
        BesideRow::Trail { who, action, subject, because } => {
            Author::new(who, action).record(db, subject, because).map(drop)
        }
        BesideRow::Numbers(assigned) => {
            assigned.iter().try_for_each(|assigned| numbers::insert(db, assigned))
        }
        BesideRow::Approved(number) => approvals::delete(db, *number).map(drop),
        BesideRow::Version(version) => versions::insert(db, version),
    }
}

impl Embedded {
    /// Opens the accounts in a folder. Only one process may have them.
    ///
    /// # Errors
    ///
    /// Another process has them, or they cannot be read.
    pub(crate) fn open(state: &Path) -> Result<Self, OpenError> {
        let base = state.parent().unwrap_or(Path::new(""));
        let journal = Arc::new(Journal::open(Folders { state, base }, &SCHEMA, SystemTime::now)?);
        let accounts = Arc::new(accounts::Embedded::open(Arc::clone(&journal))?);
        let numbers = {
            let reader = journal.reader()?;
            journal.answer(Numbers::load(&reader))?
        };
        // A number may have an account that is not there: its import was interrupted.
        let last_account = accounts.last_account().map_or(0, |AccountId(last)| last);
        let last_account = last_account.max(numbers.last_account());
        Ok(Embedded {
            accounts,
            journal,
            numbers: NumberBook::new(numbers),
            last_account: AtomicU64::new(last_account),
        })
    }

    /// Returns the accounts in a state in which requests store nothing.
    pub(crate) fn without_durability(self) -> Self {
        let accounts = Arc::into_inner(self.accounts).expect("nothing else has them yet");
        Embedded { accounts: Arc::new(accounts.without_durability()), ..self }
    }

    fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> QueryResult<T>,
    ) -> Result<T, AccountsError> {
        let reader = self.journal.reader()?;
        Ok(self.journal.answer(read(&reader))?)
    }

    fn store<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> QueryResult<T> + Send + 'static,
    ) -> Result<T, AccountsError> {
        Ok(self.journal.commit(change)?)
    }

    pub(super) fn run_with<T: Task>(
        &self,
        task: &mut T,
        rows: Vec<BesideRow>,
    ) -> Result<(), AccountsError> {
        let (assigned, is_changed) = (rows.clone(), Arc::new(AtomicBool::new(false)));
        let (note, store) = (Arc::clone(&is_changed), stores(rows));
        let also = move |db: &Connection| {
            note.store(true, Ordering::Relaxed);
            store(db)
        };
        self.accounts.run_with(task, also)?;
        if is_changed.load(Ordering::Relaxed) {
            self.numbers.note(assigned);
        }
        Ok(())
    }

    pub(super) fn transfer(
        &self,
        transfer: &Transfer<'_>,
        rows: Vec<BesideRow>,
    ) -> Result<Outcome, AccountsError> {
        self.accounts.transfer(transfer, stores(rows))
    }

    pub(super) fn next_accounts(&self, count: usize) -> Vec<AccountId> {
        let first = self.last_account.fetch_add(count as u64, Ordering::Relaxed) + 1;
        (first..).take(count).map(AccountId).collect()
    }

    pub(super) fn settle(
        &self,
        (at, until): (Millis, Millis),
        renew: impl Fn(&mut Desk<'_>, SystemAccount, Millis) -> bool,
    ) -> Result<Settled, AccountsError> {
        let Lapsed { ended, .. } = self.accounts.lapse(at, until)?;
        self.accounts.age(at)?;
        let periods = self.renew(at, &renew)?;
        // What a renewal has rolled over does not end.
        self.accounts.expire(at)?;
        self.accounts.warn(at)?;
        Ok(Settled { ended, periods })
    }

    fn renew(
        &self,
        at: Millis,
        renew: &impl Fn(&mut Desk<'_>, SystemAccount, Millis) -> bool,
    ) -> Result<usize, AccountsError> {
        use accounts::Accounts as _;
        let mut count = 0;
        loop {
            let due = self.accounts.renewals_due(at);
            if due.is_empty() {
                return Ok(count);
            }
            let renewing = |(account, of)| Renewing { account, of, at, renew, is_paid: false };
            let mut tasks: Vec<_> = due.into_iter().map(renewing).collect();
            self.accounts.run(&mut tasks)?;
            count += tasks.iter().filter(|task| task.is_paid).count();
        }
    }

    pub(super) fn commit(&self, rows: Vec<BesideRow>) -> Result<(), AccountsError> {
        let assigned = rows.clone();
        self.store(stores(rows))?;
        self.numbers.note(assigned);
        Ok(())
    }

    pub(super) fn trail(&self, page: Page) -> Result<Vec<AuditEntry>, AccountsError> {
        self.read(|db| audit_trail::recent(db, &(0..i64::MAX), page))
    }

    pub(super) fn numbers_of(&self, account: AccountId) -> Result<Vec<String>, AccountsError> {
        self.read(|db| numbers::of_account(db, account))
    }

    pub(super) fn find_numbers(
        &self,
        (begins, part): (&str, &str),
        after: &str,
        count: usize,
    ) -> Result<Vec<(String, AccountId)>, AccountsError> {
        let walked = if part.is_empty() { count } else { numbers::WALKED };
        let mut found = self.read(|db| numbers::beginning_with(db, (begins, after), walked))?;
        let are_all = found.len() < walked;
        found.retain(|(number, _)| number.contains(part));
        if are_all || found.len() >= count {
            found.truncate(count);
            return Ok(found);
        }
        Ok(self.numbers.read().with_part((part, begins), after, count))
    }

    pub(super) fn number_count(&self) -> Result<u64, AccountsError> {
        Ok(self.numbers.read().len() as u64)
    }

    pub(super) fn remove_number(
        &self,
        (number, account): (&Number, AccountId),
        is_in_use: impl Fn(&Account) -> bool,
        rows: Vec<BesideRow>,
    ) -> Result<bool, AccountsError> {
        let is_in_use = || self.accounts.look(account, |of| of.is_some_and(is_in_use));
        if !self.numbers.remove(number, is_in_use) {
            return Ok(false);
        }
        let (stored, store) = (number.clone(), stores(rows));
        let change = move |db: &Connection| {
            numbers::delete(db, &stored)?;
            store(db)
        };
        if let Err(why) = self.store(change) {
            self.numbers.add([(number.clone(), account)]);
            return Err(why);
        }
        Ok(true)
    }

    pub(super) fn names(&self, of: Named) -> Result<Vec<String>, AccountsError> {
        self.read(|db| names::known(db, of))
    }

    pub(super) fn add_names(
        &self,
        of: Named,
        names: Vec<String>,
        most: usize,
    ) -> Result<Vec<String>, AccountsError> {
        self.store(move |db| names::add(db, of, (&names, most)))
    }

    pub(super) fn versions(&self, page: Page) -> Result<Vec<StoredVersion>, AccountsError> {
        self.read(|db| versions::page(db, page))
    }

    pub(super) fn version_at(&self, at: Millis) -> Result<Option<StoredVersion>, AccountsError> {
        self.read(|db| versions::at(db, at))
    }

    pub(super) fn version_text(&self, digest: &str) -> Result<Option<String>, AccountsError> {
        self.read(|db| versions::text(db, digest))
    }

    pub(super) fn approvals(&self) -> Result<Vec<StoredRequest>, AccountsError> {
        self.read(approvals::all)
    }

    pub(super) fn approval(&self, number: i64) -> Result<Option<StoredRequest>, AccountsError> {
        self.read(|db| approvals::find(db, number))
    }

    pub(super) fn await_approval(
        &self,
        request: StoredRequest,
        requests_max: usize,
        rows: Vec<BesideRow>,
    ) -> Result<Option<i64>, AccountsError> {
        self.store(move |db| {
            let (number, is_new) = approvals::insert(db, &request)?;
            if approvals::count(db)? > requests_max {
                approvals::delete(db, number)?;
                return Ok(None);
            }
            if is_new {
                stores(rows)(db)?;
            }
            Ok(Some(number))
        })
    }

    pub(super) fn reject(&self, number: i64, rows: Vec<BesideRow>) -> Result<bool, AccountsError> {
        self.store(move |db| match approvals::delete(db, number)? {
            true => stores(rows)(db).map(|()| true),
            false => Ok(false),
        })
    }

    pub(super) fn assign_records(
        &self,
        records: Vec<(Key, Option<AccountId>)>,
        now: Millis,
    ) -> Result<Vec<Option<AccountId>>, AccountsError> {
        self.store(move |db| assignment::assign(db, &records, now))
    }

    pub(super) fn forget_records(&self, now: Millis) -> Result<(), AccountsError> {
        match self.read(|db| assignment::are_any_over(db, now))? {
            true => self.store(move |db| assignment::delete_over(db, now)),
            false => Ok(()),
        }
    }

    pub(super) fn recorded(&self) -> Result<Recorded, AccountsError> {
        self.read(recorded::recorded)
    }

    pub(super) fn record(&self, file: &RecordFile) -> Result<bool, AccountsError> {
        let file = file.clone();
        self.store(move |db| recorded::record(db, &file))
    }

    pub(super) fn sent_notices(&self) -> Result<u64, AccountsError> {
        let last =
            self.read(|db| db.query_row("SELECT last FROM notice_sent", [], |row| row.get(0)));
        last.map(i64::cast_unsigned)
    }

    pub(super) fn note_sent(&self, last: u64) -> Result<(), AccountsError> {
        let update = "UPDATE notice_sent SET last = ?";
        self.store(move |db| db.execute(update, [last.cast_signed()]).map(drop))
    }

    pub(super) fn skip_records(&self, last: u64) -> Result<(), AccountsError> {
        self.store(move |db| recorded::skip(db, last))
    }
}

/// A subscription that may be due.
struct Renewing<'r, R> {
    account: AccountId,
    of: SystemAccount,
    at: Millis,
    renew: &'r R,
    is_paid: bool,
}

impl<R: Fn(&mut Desk<'_>, SystemAccount, Millis) -> bool> Task for Renewing<'_, R> {
    fn account(&self) -> AccountId {
        self.account
    }

    fn work(&mut self, desk: &mut Desk<'_>) {
        self.is_paid = (self.renew)(desk, self.of, self.at);
    }
}
