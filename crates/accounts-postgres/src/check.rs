//! Checks the books, in one view of the database: nothing changes in it while the check goes on.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use accounts::{AccountEntry, AccountsError, BookedEntry, Books, Checked};
use ledger::{Account, AccountId, Currency, Totalled, Unit};

use crate::connection::{Connection, Fault};
use crate::copies::{self, AccountCopy};
use crate::front::{Front, Lent};
use crate::history;
use crate::shared::{BALANCES, balances};

/// The accounts that are read at once.
const PAGE: i64 = 5_000;

/// The books of a database at one moment.
struct View<'v>(RefCell<Lent<'v>>);

impl Front {
    /// Checks that the entries of each account follow each other, that each balance is the sum of its entries, and that
    /// the sums of all accounts are zero. Requests may go on meanwhile.
    ///
    /// # Errors
    ///
    /// The server fails, or a row is damaged.
    pub fn check_books(&self) -> Result<Checked, AccountsError> {
        self.view(|view| accounts::check(view))
    }

    /// Returns the sums of each currency and unit. Each is zero, or amounts were lost or made. All accounts are read.
    ///
    /// # Errors
    ///
    /// The server fails, or a row is damaged.
    pub fn totalled(&self) -> Result<BTreeMap<(Currency, Unit), Totalled>, AccountsError> {
        self.view(|view| view.sums())
    }

    /// Returns the entries of all accounts after one, by account and number, and `count` at most.
    ///
    /// # Errors
    ///
    /// The server fails, or a row is damaged.
    pub fn all_entries(
        &self,
        after: (AccountId, u64),
        count: usize,
    ) -> Result<Vec<BookedEntry>, AccountsError> {
        self.view(|view| view.all_entries(after, count))
    }

    fn view<T>(
        &self,
        look: impl FnOnce(&View<'_>) -> Result<T, AccountsError>,
    ) -> Result<T, AccountsError> {
        let mut connection = self.connection();
        // A connection that is lost is found here, and not in the middle.
        connection.ask("SELECT 1", &[])?;
        connection.batch("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
        let view = View(RefCell::new(connection));
        let looked = look(&view);
        let mut connection = view.0.into_inner();
        match &looked {
            Ok(_) => connection.batch("COMMIT")?,
            Err(_) => connection.give_up(),
        }
        looked
    }
}

impl Books for View<'_> {
    fn all_entries(
        &self,
        (account, number): (AccountId, u64),
        count: usize,
    ) -> Result<Vec<BookedEntry>, AccountsError> {
        let select = "SELECT account, number, at_ms, body FROM account_entry
                      WHERE (account, number) > ($1, $2) ORDER BY account, number LIMIT $3";
        let (account, number) = (account.0.cast_signed(), number.cast_signed());
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let rows = self.0.borrow_mut().query(select, &[&account, &number, &count])?;
        let booked = rows.iter().map(|row| {
            let (account, AccountEntry { at, entry, remark }) = history::read(row)?;
            Ok(BookedEntry { account, at, entry, remark })
        });
        Ok(booked.collect::<Result<_, Fault>>()?)
    }

    fn look_each(
        &self,
        ids: &[AccountId],
        mut look: impl FnMut(AccountId, Option<&Account>),
    ) -> Result<(), AccountsError> {
        let given: Vec<i64> = ids.iter().map(|id| id.0.cast_signed()).collect();
        let select = "SELECT id, version, due_ms, body FROM account WHERE id = ANY ($1)";
        let mut read = HashMap::new();
        for row in self.0.borrow_mut().query(select, &[&given])? {
            let id = AccountId(row.get::<_, i64>(0).cast_unsigned());
            read.insert(id, AccountCopy::read(&row, id, 1)?);
        }
        for id in ids {
            look(*id, read.get(id).and_then(|copy| copy.account.as_ref()));
        }
        Ok(())
    }

    fn sums(&self) -> Result<BTreeMap<(Currency, Unit), Totalled>, AccountsError> {
        let connection = &mut *self.0.borrow_mut();
        let mut sums = BTreeMap::<(Currency, Unit), Totalled>::new();
        each_account(connection, |_, account| {
            for bucket in account.buckets() {
                let sum = sums.entry((account.currency, bucket.unit)).or_default();
                sum.buckets += i128::from(bucket.amount);
            }
        })?;
        for ((currency, unit, _), sum) in balances(&connection.query(BALANCES, &[])?)? {
            sums.entry((currency, unit)).or_default().systems += sum;
        }
        Ok(sums)
    }
}

/// Calls `each` with all accounts, in order.
fn each_account(
    connection: &mut Connection,
    mut each: impl FnMut(AccountId, &Account),
) -> Result<(), Fault> {
    let mut after: Option<i64> = None;
    loop {
        let select = "SELECT id, body FROM account WHERE $1::bigint IS NULL OR id > $1
                      ORDER BY id LIMIT $2";
        let rows = connection.query(select, &[&after, &PAGE])?;
        for row in &rows {
            let number: i64 = row.try_get(0)?;
            let id = AccountId(number.cast_unsigned());
            each(id, &copies::account(id, row.try_get(1)?)?);
            after = Some(number);
        }
        if (rows.len() as i64) < PAGE {
            return Ok(());
        }
    }
}
