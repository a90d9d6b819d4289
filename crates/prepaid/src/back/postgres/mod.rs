//! All in a database server (PostgreSQL). Any number of processes may have it; none has anything that may not be lost.

mod approvals;
mod assignment;
mod clock;
mod names;
mod notices;
mod numbers;
mod recorded;
mod trail;
mod versions;

use std::path::Path;
use std::sync::Arc;

use accounts::{AccountsError, Desk, Task};
use accounts_postgres::{Config, Due, Fault, Front, Row, Transaction};
use diagnostics::with_causes;
use journal::FolderLock;
use ledger::{AccountId, Millis, Outcome, SystemAccount, Transfer};

use super::{BesideRow, Settled};
use crate::LOG;
use crate::system::OpenError;
use clock::ServerClock;

/// Accounts in a database server.
pub(crate) struct Postgres {
    pub(super) front: Arc<Front>,
    clock: ServerClock,
    /// What this process is known by when it writes records.
    name: [u8; 16],
    /// The folder has the socket for commands, which one process may answer.
    _folder: FolderLock,
}

/// Returns what stores rows in a transaction, however often it is tried.
pub(super) fn stores(
    rows: &[BesideRow],
) -> impl FnMut(&mut Transaction<'_>) -> Result<(), Fault> + '_ {
    |of| rows.iter().try_for_each(|row| insert(row, of))
}

fn insert(row: &BesideRow, of: &mut Transaction<'_>) -> Result<(), Fault> {
    match row {
        BesideRow::Trail { who, action, subject, because } => {
            trail::insert(of, (who, action), (subject, because))
        }
        BesideRow::Numbers(assigned) => numbers::insert(of, assigned),
        BesideRow::Approved(number) => approvals::finish(of, *number),
        BesideRow::Version(version) => versions::insert(of, version),
    }
}

impl Postgres {
    /// Opens the accounts in a database. Any number of processes may have them, each with a folder of its own.
    ///
    /// # Errors
    ///
    /// The server is not there or refuses, the tables are those of another version of this program, or another process has
    /// the folder.
    pub(crate) fn open(config: Config, state: &Path) -> Result<Self, OpenError> {
        let folder = FolderLock::take(state)?;
        let mut name = [0; 16];
        getrandom::fill(&mut name).map_err(|why| AccountsError::Server(why.into()))?;
        let front = Front::open(config, include_str!("tables.sql"))?;
        let clock = ServerClock::read(&front)?;
        Ok(Postgres { front: Arc::new(front), clock, name, _folder: folder })
    }

    /// Returns the time.
    pub(super) fn now_ms(&self) -> Millis {
        self.clock.now_ms()
    }

    /// Compares the clock with the server. Without an answer, this process counts on.
    pub(super) fn beat(&self) {
        if let Err(why) = self.clock.adjust(&self.front) {
            tracing::warn!(target: LOG, "the time of the database is not known: {}", with_causes(&why));
        }
    }

    /// Runs a transaction that locks no accounts.
    fn transaction<T>(
        &self,
        work: impl FnMut(&mut Transaction<'_>) -> Result<T, Fault>,
    ) -> Result<T, AccountsError> {
        self.front.locked(&[], work)
    }

    pub(super) fn run_with<T: Task>(
        &self,
        task: &mut T,
        rows: Vec<BesideRow>,
    ) -> Result<(), AccountsError> {
        self.front.run_with(task, stores(&rows))
    }

    pub(super) fn transfer(
        &self,
        transfer: &Transfer<'_>,
        rows: Vec<BesideRow>,
    ) -> Result<Outcome, AccountsError> {
        self.front.transfer(transfer, stores(&rows))
    }

    pub(super) fn next_accounts(&self, count: usize) -> Result<Vec<AccountId>, AccountsError> {
        let select = "SELECT nextval('subscriber_account') FROM generate_series(1, $1::bigint)";
        let rows = self.front.ask(select, &[&(count as i64)])?;
        rows.iter().map(|row| column(row, 0).map(account)).collect()
    }

    pub(super) fn settle(
        &self,
        (at, until): (Millis, Millis),
        renew: impl Fn(&mut Desk<'_>, SystemAccount, Millis) -> bool,
    ) -> Result<Settled, AccountsError> {
        let Due { ended, periods, .. } = self.front.settle_due(at, until, renew)?;
        Ok(Settled { ended, periods })
    }

    pub(super) fn commit(&self, rows: Vec<BesideRow>) -> Result<(), AccountsError> {
        self.transaction(stores(&rows))
    }
}

/// Reads a column of a row.
fn column<'r, T: accounts_postgres::FromSql<'r>>(
    row: &'r Row,
    place: usize,
) -> Result<T, AccountsError> {
    row.try_get(place).map_err(|why| AccountsError::Server(why.into()))
}

fn account(number: i64) -> AccountId {
    AccountId(number.cast_unsigned())
}
