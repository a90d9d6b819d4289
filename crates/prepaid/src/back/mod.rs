//! Where the accounts of a system are, and all that is beside them: numbers, requests that wait for approval, the audit trail,
//! and what is known of records.
//!
//! ```text
//! system ─▶ back ─┬─▶ embedded: accounts in memory, the rest in the journal (SQLite); one process
//!                 └─▶ postgres: all in a database server; any number of processes
//! ```
//!
//! Both do the same. What a change stores beside accounts is given as [`BesideRow`]s, which are in its transaction.

mod embedded;
mod postgres;
mod vouchers;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use accounts::{
    AccountEntry, AccountNotice, AccountSession, Accounts, AccountsError, BookedEntry, Checked,
    Desk, Figures, SessionPlace, Task,
};
use journal::audit_trail::AuditEntry;
use ledger::{
    Account, AccountId, Currency, Key, Millis, Outcome, Session, SystemAccount, Totalled, Transfer,
    Unit,
};
use store::{Commits, Page};

use crate::approvals::StoredRequest;
use crate::definition::Place;
use crate::numbers::Number;
use crate::records::{RecordFile, Recorded};
use crate::system::OpenError;
use crate::versions::{NewVersion, StoredVersion};

pub(crate) use embedded::Embedded;
pub(crate) use postgres::Postgres;
pub(crate) use vouchers::Vouchers;

/// The balances of system accounts.
pub(crate) type Balances = BTreeMap<(Currency, Unit, SystemAccount), i128>;

/// Where the accounts of a system are.
pub(crate) enum Back {
    Embedded(Embedded),
    Postgres(Postgres),
}

/// What a change stores beside accounts, in its transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BesideRow {
    /// An entry of the audit trail.
    Trail { who: String, action: &'static str, subject: String, because: String },
    /// Numbers that lead to accounts from now on.
    Numbers(Vec<AssignedNumber>),
    /// A request that waits for approval no longer.
    Approved(i64),
    /// A version of the definition.
    Version(NewVersion),
}

/// A number that leads to an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AssignedNumber {
    pub(crate) number: Number,
    pub(crate) account: AccountId,
    /// The account that it led to when this was decided. If it leads to another one now, nothing is stored.
    pub(crate) before: Option<AccountId>,
}

/// Names that have places: a bit of a set, or the number of a system account.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Named {
    Scopes,
    Offers,
}

/// Names that would have no place: others got them in this moment.
#[derive(Debug, thiserror::Error)]
#[error(
    "there are {0} names of services, or of bundles, fees, bonuses, limits and types of subscribers, with those of other processes: too many"
)]
pub(crate) struct TooManyNames(usize);

/// What was due, and is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settled {
    /// Sessions that were open, and have ended.
    pub ended: usize,
    /// Periods of subscriptions that were paid.
    pub periods: usize,
}

/// The accounts of the numbers of some requests.
pub(crate) enum Payers<'b> {
    /// All numbers. While they are held, none is removed.
    All(embedded::AllNumbers<'b>),
    /// Those that were looked for.
    Found(HashMap<Number, AccountId>),
}

impl Payers<'_> {
    pub(crate) fn account(&self, number: &Number) -> Option<AccountId> {
        match self {
            Payers::All(numbers) => numbers.account(number),
            Payers::Found(found) => found.get(number).copied(),
        }
    }
}

/// Calls a method of the back that there is.
macro_rules! of_both {
    ($back:expr, $of:ident => $call:expr) => {
        match $back {
            Back::Embedded($of) => $call,
            Back::Postgres($of) => $call,
        }
    };
}

impl Back {
    /// Opens the accounts at a place.
    ///
    /// # Errors
    ///
    /// They cannot be read, or another process has their folder.
    pub(crate) fn open(Place { state, database }: &Place) -> Result<Self, OpenError> {
        match database {
            None => Embedded::open(state).map(Back::Embedded),
            Some(database) => Postgres::open(database.config()?, state).map(Back::Postgres),
        }
    }
}

/// Accounts.
impl Back {
    /// Works on a task. If it changed something, the rows are stored in the same transaction.
    pub(crate) fn run_with<T: Task>(
        &self,
        task: &mut T,
        rows: Vec<BesideRow>,
    ) -> Result<(), AccountsError> {
        of_both!(self, of => of.run_with(task, rows))
    }

    /// Makes a transfer. If it changed something, the rows are stored in the same transaction.
    pub(crate) fn transfer(
        &self,
        transfer: &Transfer<'_>,
        rows: Vec<BesideRow>,
    ) -> Result<Outcome, AccountsError> {
        of_both!(self, of => of.transfer(transfer, rows))
    }

    /// Calls `look` with an account as it is.
    pub(crate) fn look<T>(
        &self,
        id: AccountId,
        look: impl FnOnce(Option<&Account>) -> T,
    ) -> Result<T, AccountsError> {
        match self {
            Back::Embedded(of) => Ok(of.accounts.look(id, look)),
            Back::Postgres(of) => of.front.look(id, look),
        }
    }

    /// Calls `look` with each of some accounts as it is.
    pub(crate) fn look_each(
        &self,
        ids: &[AccountId],
        mut look: impl FnMut(AccountId, Option<&Account>),
    ) -> Result<(), AccountsError> {
        match self {
            Back::Embedded(of) => {
                ids.iter().for_each(|id| of.accounts.look(*id, |account| look(*id, account)));
                Ok(())
            }
            Back::Postgres(of) => of.front.look_each(ids, look),
        }
    }

    /// Returns the last entries of an account before one, the newest first.
    pub(crate) fn entries(
        &self,
        account: AccountId,
        before: Option<u64>,
        count: usize,
    ) -> Result<Vec<AccountEntry>, AccountsError> {
        match self {
            Back::Embedded(of) => of.accounts.entries(account, before, count),
            Back::Postgres(of) => of.front.entries(account, before, count),
        }
    }

    /// Returns the entries of all accounts after one, by account and number.
    pub(crate) fn all_entries(
        &self,
        after: (AccountId, u64),
        count: usize,
    ) -> Result<Vec<BookedEntry>, AccountsError> {
        match self {
            Back::Embedded(of) => of.accounts.all_entries(after, count),
            Back::Postgres(of) => of.front.all_entries(after, count),
        }
    }

    /// Checks that the books are right.
    pub(crate) fn check_books(&self) -> Result<Checked, AccountsError> {
        match self {
            Back::Embedded(of) => of.accounts.check_books(),
            Back::Postgres(of) => of.front.check_books(),
        }
    }

    /// Returns the sums of each currency and unit.
    pub(crate) fn totalled(&self) -> Result<BTreeMap<(Currency, Unit), Totalled>, AccountsError> {
        match self {
            Back::Embedded(of) => Ok(of.accounts.totalled()),
            Back::Postgres(of) => of.front.totalled(),
        }
    }

    /// Returns the balances of system accounts.
    pub(crate) fn system_balances(&self) -> Result<Balances, AccountsError> {
        match self {
            Back::Embedded(of) => Ok(of.accounts.system_balances()),
            Back::Postgres(of) => of.front.system_balances(),
        }
    }

    /// Returns how much there is.
    pub(crate) fn figures(&self) -> Result<Figures, AccountsError> {
        match self {
            Back::Embedded(of) => of.accounts.figures(),
            Back::Postgres(of) => of.front.figures(),
        }
    }

    /// Returns what `of` makes of the sessions in progress after one, in order.
    pub(crate) fn open_sessions<T>(
        &self,
        after: Option<SessionPlace>,
        count: usize,
        make: impl FnMut(AccountId, &Account, &Session) -> Option<T>,
    ) -> Result<Vec<T>, AccountsError> {
        match self {
            Back::Embedded(of) => Ok(of.accounts.open_sessions(after, count, make)),
            Back::Postgres(of) => of.front.open_sessions(after, count, make),
        }
    }

    /// Returns the accounts for which a question is answered with yes.
    pub(crate) fn accounts_where(
        &self,
        is_wanted: impl Fn(&Account) -> bool,
    ) -> Result<Vec<AccountId>, AccountsError> {
        match self {
            Back::Embedded(of) => Ok(of.accounts.accounts_where(is_wanted)),
            Back::Postgres(of) => of.front.accounts_where(is_wanted),
        }
    }

    /// Returns the currencies of accounts.
    pub(crate) fn currencies(&self) -> Result<Vec<Currency>, AccountsError> {
        Ok(match self {
            Back::Embedded(of) => of.accounts.currencies().into_iter().collect(),
            Back::Postgres(of) => of.front.currencies()?.into_iter().collect(),
        })
    }

    /// Returns new numbers of accounts.
    pub(crate) fn next_accounts(&self, count: usize) -> Result<Vec<AccountId>, AccountsError> {
        match self {
            Back::Embedded(of) => Ok(of.next_accounts(count)),
            Back::Postgres(of) => of.next_accounts(count),
        }
    }

    /// Does what is due by itself: sessions without an end lapse and are remembered until a time, balances expire, stages of
    /// accounts end, and `renew` charges subscriptions: it returns whether a period was paid.
    pub(crate) fn settle(
        &self,
        (at, until): (Millis, Millis),
        renew: impl Fn(&mut Desk<'_>, SystemAccount, Millis) -> bool,
    ) -> Result<Settled, AccountsError> {
        of_both!(self, of => of.settle((at, until), renew))
    }

    /// Puts changes in order, so that they are found quickly. It is done from time to time.
    pub(crate) fn fold(&self) -> Result<(), AccountsError> {
        match self {
            Back::Embedded(of) => of.accounts.fold().map(drop),
            Back::Postgres(of) => of.front.project(),
        }
    }

    /// Returns why nothing can be stored any more, until the system is opened again.
    pub(crate) fn failure(&self) -> Option<&str> {
        match self {
            Back::Embedded(of) => of.accounts.failure(),
            // The server may be there again.
            Back::Postgres(_) => None,
        }
    }

    /// Returns the time.
    pub(crate) fn now_ms(&self) -> Millis {
        match self {
            Back::Embedded(of) => of.journal.now_ms(),
            Back::Postgres(of) => of.now_ms(),
        }
    }

    /// Returns the times of the commits of this process, if it makes them itself.
    pub(crate) fn commits(&self) -> Option<Arc<Commits>> {
        match self {
            Back::Embedded(of) => Some(of.journal.commits()),
            Back::Postgres(_) => None,
        }
    }

    /// Notes that the process runs.
    pub(crate) fn beat(&self) {
        match self {
            Back::Embedded(of) => of.journal.beat(|_, _| Ok(())),
            Back::Postgres(of) => of.beat(),
        }
    }
}

impl Accounts for Back {
    fn run<T: Task>(&self, tasks: &mut [T]) -> Result<(), AccountsError> {
        match self {
            Back::Embedded(of) => of.accounts.run(tasks),
            Back::Postgres(of) => of.front.run(tasks),
        }
    }
}

/// Numbers, which lead to accounts.
impl Back {
    /// Lets changes of numbers that read before they write follow one another: those of this process, and those of others are
    /// found out when they are stored.
    pub(crate) fn number_turn(&self) -> Option<MutexGuard<'_, ()>> {
        match self {
            Back::Embedded(of) => Some(of.numbers.turn()),
            Back::Postgres(_) => None,
        }
    }

    /// Returns the accounts of numbers.
    pub(crate) fn payers<'n>(
        &self,
        numbers: impl Iterator<Item = &'n Number>,
    ) -> Result<Payers<'_>, AccountsError> {
        match self {
            Back::Embedded(of) => Ok(Payers::All(of.numbers.read())),
            Back::Postgres(of) => of.payers(numbers).map(Payers::Found),
        }
    }

    /// Returns the account of a number.
    pub(crate) fn account_of(&self, number: &Number) -> Result<Option<AccountId>, AccountsError> {
        Ok(self.payers(std::iter::once(number))?.account(number))
    }

    /// Returns the numbers of an account, in order.
    pub(crate) fn numbers_of(&self, account: AccountId) -> Result<Vec<String>, AccountsError> {
        of_both!(self, of => of.numbers_of(account))
    }

    /// Returns numbers that begin with a text and have a part in them, and their accounts, in order, after one.
    pub(crate) fn find_numbers(
        &self,
        (begins, part): (&str, &str),
        after: &str,
        count: usize,
    ) -> Result<Vec<(String, AccountId)>, AccountsError> {
        of_both!(self, of => of.find_numbers((begins, part), after, count))
    }

    /// Returns how many numbers there are.
    pub(crate) fn number_count(&self) -> Result<u64, AccountsError> {
        of_both!(self, of => of.number_count())
    }

    /// Takes a number from its account, unless the number is in use. Returns whether it is taken.
    pub(crate) fn remove_number(
        &self,
        (number, account): (&Number, AccountId),
        is_in_use: impl Fn(&Account) -> bool,
        rows: Vec<BesideRow>,
    ) -> Result<bool, AccountsError> {
        of_both!(self, of => of.remove_number((number, account), is_in_use, rows))
    }
}

/// What is beside accounts.
impl Back {
    /// Stores rows.
    pub(crate) fn commit(&self, rows: Vec<BesideRow>) -> Result<(), AccountsError> {
        of_both!(self, of => of.commit(rows))
    }

    /// Returns a page of the audit trail, and whether there is more.
    pub(crate) fn trail(&self, page: Page) -> Result<(Vec<AuditEntry>, bool), AccountsError> {
        of_both!(self, of => of.trail(page)).map(|entries| page.cut(entries))
    }

    /// Returns the names that have a place, in order.
    pub(crate) fn names(&self, of: Named) -> Result<Vec<String>, AccountsError> {
        of_both!(self, back => back.names(of))
    }

    /// Gives places to names that have none, and returns all names in their places. If there are too many, nothing is stored.
    pub(crate) fn add_names(
        &self,
        of: Named,
        names: Vec<String>,
        most: usize,
    ) -> Result<Vec<String>, AccountsError> {
        of_both!(self, back => back.add_names(of, names, most))
    }

    /// Returns a page of the versions of the definition, and whether there are more.
    pub(crate) fn versions(&self, page: Page) -> Result<(Vec<StoredVersion>, bool), AccountsError> {
        of_both!(self, of => of.versions(page)).map(|versions| page.cut(versions))
    }

    /// Returns the version that was in use at a time, or the first one if none was.
    pub(crate) fn version_at(&self, at: Millis) -> Result<Option<StoredVersion>, AccountsError> {
        of_both!(self, of => of.version_at(at))
    }

    /// Returns the text of a file of a version, by its digest.
    pub(crate) fn version_text(&self, digest: &str) -> Result<Option<String>, AccountsError> {
        of_both!(self, of => of.version_text(digest))
    }

    /// Returns the requests that wait for approval, the oldest first.
    pub(crate) fn approvals(&self) -> Result<Vec<StoredRequest>, AccountsError> {
        of_both!(self, of => of.approvals())
    }

    /// Returns a request that waits for approval.
    pub(crate) fn approval(&self, number: i64) -> Result<Option<StoredRequest>, AccountsError> {
        of_both!(self, of => of.approval(number))
    }

    /// Lets a request wait for approval; its number is not counted. Returns the number of the stored one, or of the same call
    /// that waits already. The rows are stored if it is new. `None` if so many wait already.
    pub(crate) fn await_approval(
        &self,
        request: StoredRequest,
        requests_max: usize,
        rows: Vec<BesideRow>,
    ) -> Result<Option<i64>, AccountsError> {
        of_both!(self, of => of.await_approval(request, requests_max, rows))
    }

    /// Deletes a request that waits, and stores rows with that. Returns whether it waited.
    pub(crate) fn reject(&self, number: i64, rows: Vec<BesideRow>) -> Result<bool, AccountsError> {
        of_both!(self, of => of.reject(number, rows))
    }

    /// Returns the accounts of records by their keys. If one is not decided yet, it is the one beside the key from now on.
    pub(crate) fn assign_records(
        &self,
        records: Vec<(Key, Option<AccountId>)>,
        now: Millis,
    ) -> Result<Vec<Option<AccountId>>, AccountsError> {
        of_both!(self, of => of.assign_records(records, now))
    }

    /// Deletes some of the records whose keys the ledger has forgotten. They are not debited any more, since they are too old.
    pub(crate) fn forget_records(&self, now: Millis) -> Result<(), AccountsError> {
        of_both!(self, of => of.forget_records(now))
    }
}

/// Records of ended sessions.
impl Back {
    /// Returns whether this process writes the records of ended sessions: one does at a time.
    pub(crate) fn writes_records(&self) -> Result<bool, AccountsError> {
        match self {
            Back::Embedded(_) => Ok(true),
            Back::Postgres(of) => of.writes_records(),
        }
    }

    /// Returns whether no process has written records for an hour, so that ended sessions may be forgotten.
    pub(crate) fn needs_no_records(&self) -> Result<bool, AccountsError> {
        match self {
            Back::Embedded(_) => Ok(true),
            Back::Postgres(of) => of.needs_no_records(),
        }
    }

    /// Lets another process write the records of ended sessions.
    pub(crate) fn end_records(&self) -> Result<(), AccountsError> {
        match self {
            Back::Embedded(_) => Ok(()),
            Back::Postgres(of) => of.end_records(),
        }
    }

    /// Returns the ended sessions after one, in order.
    pub(crate) fn ended_sessions(
        &self,
        after: u64,
        count: usize,
    ) -> Result<Vec<AccountSession>, AccountsError> {
        match self {
            Back::Embedded(of) => of.accounts.ended_sessions(after, count),
            Back::Postgres(of) => of.front.ended_sessions(after, count),
        }
    }

    /// Deletes the ended sessions until one.
    pub(crate) fn forget_ended_sessions(&self, until: u64) -> Result<(), AccountsError> {
        match self {
            Back::Embedded(of) => of.accounts.forget_ended_sessions(until),
            Back::Postgres(of) => of.front.forget_ended_sessions(until),
        }
    }

    /// Returns how far sessions are recorded.
    pub(crate) fn recorded(&self) -> Result<Recorded, AccountsError> {
        of_both!(self, of => of.recorded())
    }

    /// Stores that sessions are recorded, and in which file. Returns whether it is stored: not if one of them is recorded
    /// already, or a file waits for its name.
    pub(crate) fn record(&self, file: &RecordFile) -> Result<bool, AccountsError> {
        of_both!(self, of => of.record(file))
    }

    /// Stores that sessions until one are recorded, and that no file waits for its name.
    pub(crate) fn skip_records(&self, last: u64) -> Result<(), AccountsError> {
        of_both!(self, of => of.skip_records(last))
    }
}

/// Notices.
impl Back {
    /// Returns the notices after one, in order. They are there when they are folded, some seconds after they were made.
    pub(crate) fn notices(
        &self,
        after: u64,
        count: usize,
    ) -> Result<Vec<AccountNotice>, AccountsError> {
        match self {
            Back::Embedded(of) => of.accounts.notices(after, count),
            Back::Postgres(of) => of.front.notices(after, count),
        }
    }

    /// Returns the last notices of an account, the newest first.
    pub(crate) fn notices_of(
        &self,
        account: AccountId,
        count: usize,
    ) -> Result<Vec<AccountNotice>, AccountsError> {
        match self {
            Back::Embedded(of) => of.accounts.notices_of(account, count),
            Back::Postgres(of) => of.front.notices_of(account, count),
        }
    }

    /// Returns how many notices are folded after one.
    pub(crate) fn count_notices(&self, after: u64) -> Result<u64, AccountsError> {
        match self {
            Back::Embedded(of) => of.accounts.count_notices(after),
            Back::Postgres(of) => of.front.count_notices(after),
        }
    }

    /// Deletes some of the notices that were made before a time.
    pub(crate) fn forget_notices(&self, before: Millis) -> Result<(), AccountsError> {
        match self {
            Back::Embedded(of) => of.accounts.forget_notices(before),
            Back::Postgres(of) => of.front.forget_notices(before),
        }
    }

    /// Returns the number of the last notice that is sent, or left out, if this process sends notices: one does at a time.
    /// A message takes so long at most.
    pub(crate) fn sends_notices(&self, message: Duration) -> Result<Option<u64>, AccountsError> {
        match self {
            Back::Embedded(of) => of.sent_notices().map(Some),
            Back::Postgres(of) => of.sends_notices(message),
        }
    }

    /// Lets another process send notices.
    pub(crate) fn end_notices(&self) -> Result<(), AccountsError> {
        match self {
            Back::Embedded(_) => Ok(()),
            Back::Postgres(of) => of.end_notices(),
        }
    }

    /// Returns the number of the last notice that is sent, or left out.
    pub(crate) fn sent_notices(&self) -> Result<u64, AccountsError> {
        of_both!(self, of => of.sent_notices())
    }

    /// Stores the number of the last notice that is sent, or left out.
    pub(crate) fn note_sent(&self, last: u64) -> Result<(), AccountsError> {
        of_both!(self, of => of.note_sent(last))
    }
}
