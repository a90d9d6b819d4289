//! The embedded database as Tollgate uses it: SQLite, bundled, with one writer whose transactions hold the
//! changes of all who wait for it, so that many changes cost one sync. Who is not the gateway and has a change to make
//! now and then uses [`change`].
//!
//! SQLite, since a journal is read in as many ways as it is written (by file, by state, by time, for audits), its
//! format outlives programs, and every operator has a tool that opens it. Write-ahead log and `synchronous=FULL`:
//! what [`Store::commit`] has returned from is on the disk. The library is the bundled one: older ones lose
//! commits when their log starts anew (fixed in 3.51.3).
#![forbid(unsafe_code)]

mod aside;
mod clean_end;
mod commits;
mod log;
mod look;
mod migrate;
mod private;
mod readers;
mod whole;
mod witness;
mod writer;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

pub use rusqlite::types::ValueRef;
pub use rusqlite::{
    Connection, Error as NoAnswer, OptionalExtension, Params, Result as Answer, Row, ToSql, params,
    params_from_iter,
};

use rusqlite::config::DbConfig;
use rusqlite::{OpenFlags, TransactionBehavior};

pub use aside::put_aside;
use clean_end::{Mark, Seen};
pub use commits::{COMMIT_SECONDS, Commits};
use look::Looked;
pub use readers::{Reader, Readers};
use witness::Witness;
use writer::Writer;

/// How long is waited for a lock. Readers wait for opening and recovery alone; of those who write, one waits for the
/// other's transaction.
const BUSY_WAIT: Duration = Duration::from_secs(10);

/// Why a store cannot be opened, read or written.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The database refuses.
    #[error("the database \"{path}\": {reason}")]
    Database {
        /// Its file.
        path: String,
        /// What it says.
        reason: String,
    },
    /// What is in it is not what was written.
    #[error("the database \"{path}\" is damaged: {reason}")]
    Damaged {
        /// Its file.
        path: String,
        /// How that was seen.
        reason: String,
    },
    /// It has not all that was written.
    #[error(
        "the database \"{path}\" is damaged: {lost} of the transactions that were written to it are missing, since its \
         log (\"{path}-wal\") is not there or not whole, or an older file lies in its place; who means that removes \
         \"{witness}\""
    )]
    Lost {
        /// Its file.
        path: String,
        /// How many, at least.
        lost: u32,
        /// The file that says so.
        witness: String,
    },
    /// It was written by a later version of this program.
    #[error(
        "the database \"{path}\" has version {found}, this program knows up to {known}: \
         use the newer program"
    )]
    Newer {
        /// Its file.
        path: String,
        /// The version in it.
        found: u32,
        /// The last this program knows.
        known: u32,
    },
    /// It was written by an earlier version of this program, and nothing but the program that writes it changes it.
    #[error(
        "the database \"{path}\" has version {found}, this program reads {known}: \
         it is brought there when the gateway is started"
    )]
    Older {
        /// Its file.
        path: String,
        /// The version in it.
        found: u32,
        /// The one this program reads.
        known: u32,
    },
    /// A write failed earlier, so that nobody knows what is on the disk: only opening it anew tells.
    #[error("the database \"{path}\" is no longer written, since a write failed: {reason}")]
    Stopped {
        /// Its file.
        path: String,
        /// What failed.
        reason: String,
    },
}

impl StoreError {
    /// Whether what was written is not there any more as it was: trying again does not help, and no other program would.
    pub fn is_damage(&self) -> bool {
        matches!(self, StoreError::Damaged { .. } | StoreError::Lost { .. })
    }
}

/// A database that is open.
#[derive(Debug)]
pub struct Store {
    readers: Readers,
    writer: Writer,
}

impl Store {
    /// Opens or creates a database, and migrates it to the latest version; refuses one that is
    /// damaged. Each migration is SQL that upgrades the version before; published migrations never
    /// change. Only the owner has access to the database, including one that everyone could read
    /// before.
    pub fn open(path: &Path, migrations: &[&str]) -> Result<Self, StoreError> {
        private::keep_private(path)?;
        Self::open_shared(path, migrations)
    }

    /// As [`Store::open`], but keeps the permissions of the file; a new file gets the default ones.
    pub fn open_shared(path: &Path, migrations: &[&str]) -> Result<Self, StoreError> {
        private::is_plain(path)?;
        let refused = |error: rusqlite::Error| refused(path, &error);
        log::check(path)?;
        let is_new = std::fs::metadata(path).map_or(0, |database| database.len()) == 0;
        let known = clean_end::known(path);
        let trusted = known.filter(|_| whole::is_large(path));
        let mut connection = Connection::open(path).map_err(refused)?;
        if trusted.is_none() {
            whole::check(&connection, path)?;
        }
        durable(&connection).map_err(refused)?;
        migrate::migrate(&mut connection, path, migrations)?;
        let right_before = known.map(|known| known.tables);
        let tables = whole::check_tables(&connection, path, migrations, right_before)?;
        let checked = trusted.map_or_else(SystemTime::now, |trusted| trusted.checked);
        let readers = Readers::of(path);
        let witness = Witness::open(&connection, path, is_new)?;
        let mark = Mark::open(path, Seen { checked, tables });
        Ok(Store { readers, writer: Writer::start(connection, path, witness, mark) })
    }

    /// Makes a change, and returns when it is on the disk. Changes of several threads share a transaction; one
    /// that fails is undone alone.
    pub fn commit<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> Answer<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writer.commit(change)
    }

    /// Makes a change and does not wait: of use for what may be repeated when it is lost.
    pub fn later(&self, change: impl FnOnce(&Connection) -> Answer<()> + Send + 'static) {
        self.writer.later(change);
    }

    /// Does something elsewhere on the grounds of what is on the disk, which does not change meanwhile: between two
    /// transactions, when all changes that were asked for before are made or undone. It may be lost.
    pub fn behind(&self, deed: impl FnOnce(&Connection) -> Answer<()> + Send + 'static) {
        self.writer.behind(deed);
    }

    /// A connection to read by, which sees what was committed before.
    pub fn reader(&self) -> Result<Reader, StoreError> {
        self.readers.lend()
    }

    /// What it has committed.
    pub fn commits(&self) -> &Arc<Commits> {
        self.writer.commits()
    }

    /// Those who read what this writes.
    pub fn readers(&self) -> &Readers {
        &self.readers
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.readers.end();
    }
}

/// What is said of a column whose text is not what was written.
pub fn unreadable(error: impl std::error::Error + Send + Sync + 'static) -> rusqlite::Error {
    let ty = rusqlite::types::Type::Text;
    rusqlite::Error::FromSqlConversionFailure(0, ty, Box::new(error))
}

/// What a change ends with that is not to be made after all: it is undone as a whole.
pub fn undone(reason: impl std::error::Error + Send + Sync + 'static) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(Box::new(reason))
}

/// Asks a database that another process may write meanwhile: all answers are of one moment.
pub fn read<T>(
    path: &Path,
    migrations: &[&str],
    ask: impl FnOnce(&Connection) -> Answer<T>,
) -> Result<T, StoreError> {
    let refused = |error: rusqlite::Error| refused(path, &error);
    private::is_plain(path)?;
    let looked = Looked::open(path)?;
    migrate::check(&looked.db, path, migrations)?;
    looked.db.execute_batch("BEGIN").map_err(refused)?;
    let answer = ask(&looked.db);
    match looked.is_of_one_moment(path) {
        true => answer.map_err(refused),
        false => Err(StoreError::Database {
            path: path.display().to_string(),
            reason: "somebody wrote to it while it was read: ask again".into(),
        }),
    }
}

/// Makes a change to a database that another process may have open, and write: one transaction, which is on the disk
/// when this returns. The database is as the program that owns it left it; it is not made, nor brought to a version.
pub fn change<T>(
    path: &Path,
    migrations: &[&str],
    change: impl FnOnce(&Connection) -> Answer<T>,
) -> Result<T, StoreError> {
    let refused = |error: rusqlite::Error| refused(path, &error);
    private::is_plain(path)?;
    let mut db = open_there(path).map_err(refused)?;
    whole::leave_log(&db, true).map_err(refused)?;
    durable(&db).map_err(refused)?;
    migrate::check(&db, path, migrations)?;
    // A transaction that begins by reading could find that another has written before it does.
    let transaction =
        db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(refused)?;
    // Now nobody else writes to the log.
    log::check(path)?;
    whole::leave_log(&transaction, false).map_err(refused)?;
    let made = change(&transaction).map_err(refused)?;
    transaction.commit().map_err(refused)?;
    Ok(made)
}

/// Opens a database that is there.
fn open_there(path: &Path) -> Answer<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags)?;
    db.busy_timeout(BUSY_WAIT)?;
    Ok(db)
}

fn open_reader(path: &Path) -> Answer<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let reader = Connection::open_with_flags(path, flags)?;
    reader.busy_timeout(BUSY_WAIT)?;
    planned_once(&reader)?;
    Ok(reader)
}

/// What the database says of its file.
fn refused(path: &Path, error: &rusqlite::Error) -> StoreError {
    match whole::is_damage(error) {
        true => whole::damaged(path, error.to_string()),
        false => {
            StoreError::Database { path: path.display().to_string(), reason: error.to_string() }
        }
    }
}

/// A statement is planned once. Otherwise it is again whenever it is given other values, where its plan could depend on
/// them: that took half the time of those that are executed for every record.
fn planned_once(connection: &Connection) -> Answer<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(drop)
}

fn durable(connection: &Connection) -> Answer<()> {
    connection.busy_timeout(BUSY_WAIT)?;
    planned_once(connection)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", "ON")
}
