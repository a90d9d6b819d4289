//! The embedded database as Tollgate uses it: SQLite, bundled, with one writer. A transaction of
//! the writer holds the changes of all waiting callers, so many changes cost one sync. Other
//! programs than the gateway, with an occasional change, use [`change`].
//!
//! SQLite is the choice since a journal is read in many ways (by file, by state, by time, for
//! audits), its format outlives programs, and every operator has a tool that opens it. It runs with
//! a write-ahead log and `synchronous=FULL`: when [`Store::commit`] has returned, the change is on
//! the disk. The library is bundled since older ones lose commits when their log restarts (fixed in
//! 3.51.3).
#![forbid(unsafe_code)]

mod access;
mod aside;
mod check_mark;
mod checkpoints;
mod commits;
mod file_handles;
mod integrity;
mod log;
mod migrate;
mod page;
mod private;
mod read_only;
mod readers;
mod versions;
mod witness;
mod writer;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

pub use rusqlite::types::ValueRef;
pub use rusqlite::{
    CachedStatement, Connection, Error as QueryError, OptionalExtension, Params,
    Result as QueryResult, Row, Rows, ToSql, params, params_from_iter,
};

use rusqlite::config::DbConfig;
use rusqlite::{ErrorCode, OpenFlags, TransactionBehavior};

pub use access::Access;
pub use aside::put_aside;
use check_mark::{LastCheck, Mark};
use checkpoints::Checkpoints;
pub use commits::{COMMIT_SECONDS, Commits};
pub use page::{Page, TimeIndex};
use read_only::ReadOnly;
pub use readers::{Reader, Readers};
pub use versions::{Versions, dump};
use witness::Witness;
pub use writer::Committing;
use writer::{Database, Writer};

/// How long to wait for a lock. Readers only wait while a database is opened or recovered; a writer
/// waits for the transaction of another.
const BUSY_WAIT: Duration = Duration::from_secs(10);

/// The page cache of the writer, in kilobytes. It is for pages that each transaction writes again:
/// the end of tables, and the newest part of indexes.
const WRITER_CACHE_KILOBYTES: i64 = 32 << 10;

/// Why a store cannot be opened, read or written.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The database reports an error.
    #[error("the database \"{path}\": {reason}")]
    Database {
        /// Its file.
        path: String,
        /// The message.
        reason: String,
    },
    /// The disk has no room for a change. It may have room again when this is reported: a database that is closed
    /// removes its log.
    #[error("the database \"{path}\" had no room on its disk")]
    Full {
        /// Its file.
        path: String,
    },
    /// Its content is not what was written.
    #[error("the database \"{path}\" is damaged: {reason}")]
    Damaged {
        /// Its file.
        path: String,
        /// The sign of the damage.
        reason: String,
    },
    /// Some committed transactions are missing.
    #[error(
        "the database \"{path}\" is damaged: {lost} of its transactions are missing, since its log (\"{path}-wal\") is \
         missing or incomplete, or the database was replaced by an older one; to use it as it is, remove \"{witness}\""
    )]
    Lost {
        /// Its file.
        path: String,
        /// The number of missing transactions, at least.
        lost: u32,
        /// The file that holds the count.
        witness: String,
    },
    /// A later version of this program wrote it.
    #[error(
        "the database \"{path}\" has version {found}, this program knows up to {known}: \
         use the newer program"
    )]
    Newer {
        /// Its file.
        path: String,
        /// Its version.
        found: u32,
        /// The last version that this program knows.
        known: u32,
    },
    /// An earlier version of this program wrote it, and only the program that owns it migrates it.
    #[error(
        "the database \"{path}\" has version {found}, this program reads {known}: \
         start the gateway to migrate it"
    )]
    Older {
        /// Its file.
        path: String,
        /// Its version.
        found: u32,
        /// The version that this program reads.
        known: u32,
    },
    /// A write failed earlier, so the state of the disk is unknown until the database is opened
    /// again.
    #[error("the database \"{path}\" is no longer written, since a write failed: {reason}")]
    Stopped {
        /// Its file.
        path: String,
        /// The reason of the failure.
        reason: String,
    },
}

impl StoreError {
    /// Returns whether written data is lost or changed. Neither another attempt nor another program
    /// helps then.
    pub fn is_damage(&self) -> bool {
        matches!(self, StoreError::Damaged { .. } | StoreError::Lost { .. })
    }
}

/// An open database.
#[derive(Debug)]
pub struct Store {
    readers: Readers,
    writer: Writer,
}

impl Store {
    /// Opens or creates a database, and migrates it to the latest version; refuses one that is
    /// damaged. Only the owner has access to the database, including one that everyone could read
    /// before.
    pub fn open<'v>(path: &Path, versions: impl Into<Versions<'v>>) -> Result<Self, StoreError> {
        private::make_private(path)?;
        Self::open_shared(path, versions)
    }

    /// As [`Store::open`], but keeps the permissions of the file; a new file gets the default ones.
    pub fn open_shared<'v>(
        path: &Path,
        versions: impl Into<Versions<'v>>,
    ) -> Result<Self, StoreError> {
        let versions = versions.into();
        private::check_is_plain(path)?;
        let error = |cause: rusqlite::Error| store_error(path, &cause);
        log::check(path)?;
        let is_new = std::fs::metadata(path).map_or(0, |database| database.len()) == 0;
        let last_check = check_mark::last_check(path);
        let trusted = last_check.filter(|_| integrity::is_large(path));
        let mut connection = Connection::open(path).map_err(error)?;
        // A database that is refused keeps its log, which may be the only proof of what was lost.
        integrity::set_log_stays(&connection, true).map_err(error)?;
        if trusted.is_none() {
            integrity::check(&connection, path)?;
        }
        let witness = Witness::open(&connection, path, is_new)?;
        configure(&connection).map_err(error)?;
        // SQLite takes a negative number as kilobytes.
        connection.pragma_update(None, "cache_size", -WRITER_CACHE_KILOBYTES).map_err(error)?;
        migrate::migrate(&mut connection, path, versions)?;
        let right_before = last_check.map(|check| check.tables);
        let tables = integrity::check_tables(&connection, path, versions, right_before)?;
        let checked = trusted.map_or_else(SystemTime::now, |trusted| trusted.checked);
        integrity::set_log_stays(&connection, false).map_err(error)?;
        let readers = Readers::of(path);
        let mark = Arc::new(Mark::open(path, LastCheck { checked, tables }));
        let checkpoints = Checkpoints::start(&connection, path, &mark).map_err(error)?;
        let database = Database { connection, witness, mark, checkpoints };
        Ok(Store { readers, writer: Writer::start(database, path) })
    }

    /// Makes a change, and returns when it is on the disk. Changes of several threads share a
    /// transaction; a change that fails is undone alone.
    pub fn commit<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> QueryResult<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writer.commit(change)
    }

    /// Makes a large change, in a transaction of its own: in one with others, SQLite would copy each page before it is changed.
    pub fn commit_alone<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> QueryResult<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writer.commit_alone(change)
    }

    /// Begins a change, and returns before it is made. Changes are made in the order in which they began.
    pub fn begin<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> QueryResult<T> + Send + 'static,
    ) -> Committing<T> {
        self.writer.begin(change)
    }

    /// Makes a change without waiting for it. Use it for changes that may be repeated if they are
    /// lost.
    pub fn later(&self, change: impl FnOnce(&Connection) -> QueryResult<()> + Send + 'static) {
        self.writer.later(change);
    }

    /// Runs an action between two transactions, after all earlier changes are committed or undone.
    /// Use it for an action outside of the database that depends on committed changes; no change is
    /// committed meanwhile. The action may be lost.
    pub fn after_commit(
        &self,
        action: impl FnOnce(&Connection) -> QueryResult<()> + Send + 'static,
    ) {
        self.writer.after_commit(action);
    }

    /// Returns a connection for reading, which sees all earlier commits.
    pub fn reader(&self) -> Result<Reader, StoreError> {
        self.readers.lend()
    }

    /// Returns the counts of commits.
    pub fn commits(&self) -> &Arc<Commits> {
        self.writer.commits()
    }

    /// Returns the readers of this database.
    pub fn readers(&self) -> &Readers {
        &self.readers
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.readers.close();
    }
}

/// Returns the error for a column whose text cannot be parsed.
pub fn unreadable(error: impl std::error::Error + Send + Sync + 'static) -> rusqlite::Error {
    let ty = rusqlite::types::Type::Text;
    rusqlite::Error::FromSqlConversionFailure(0, ty, Box::new(error))
}

/// Returns an error with which a change undoes itself as a whole.
pub fn undone(reason: impl std::error::Error + Send + Sync + 'static) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(Box::new(reason))
}

/// Reads a database that another process may write meanwhile. All results are from one snapshot.
///
/// # Errors
///
/// The database cannot be read or has another version, or a process wrote to it while it was read
/// without shared memory.
pub fn read<'v, T>(
    path: &Path,
    versions: impl Into<Versions<'v>>,
    query: impl FnOnce(&Connection) -> QueryResult<T>,
) -> Result<T, StoreError> {
    let error = |cause: rusqlite::Error| store_error(path, &cause);
    private::check_is_plain(path)?;
    let opened = ReadOnly::open(path)?;
    migrate::check(&opened.db, path, versions.into())?;
    opened.db.execute_batch("BEGIN").map_err(error)?;
    let answer = query(&opened.db);
    match opened.is_consistent(path) {
        true => answer.map_err(error),
        false => Err(StoreError::Database {
            path: path.display().to_string(),
            reason: "another process wrote to it while it was read: try again".into(),
        }),
    }
}

/// Makes a change to a database that another process may have open and write. It is one
/// transaction, which is on the disk when this returns. The database must exist and have the latest
/// version: this neither creates nor migrates it.
pub fn change<'v, T>(
    path: &Path,
    versions: impl Into<Versions<'v>>,
    change: impl FnOnce(&Connection) -> QueryResult<T>,
) -> Result<T, StoreError> {
    let error = |cause: rusqlite::Error| store_error(path, &cause);
    private::check_is_plain(path)?;
    let mut db = open_existing(path).map_err(error)?;
    integrity::set_log_stays(&db, true).map_err(error)?;
    configure(&db).map_err(error)?;
    migrate::check(&db, path, versions.into())?;
    // A transaction that starts with a read could find, at its first write, that another process
    // has written since.
    let transaction =
        db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(error)?;
    // From here on, no other process writes to the log.
    log::check(path)?;
    witness::check(&transaction, path)?;
    integrity::set_log_stays(&transaction, false).map_err(error)?;
    let result = change(&transaction).map_err(error)?;
    transaction.commit().map_err(error)?;
    Ok(result)
}

/// Opens an existing database.
fn open_existing(path: &Path) -> QueryResult<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags)?;
    db.busy_timeout(BUSY_WAIT)?;
    Ok(db)
}

fn open_reader(path: &Path) -> QueryResult<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let reader = Connection::open_with_flags(path, flags)?;
    reader.busy_timeout(BUSY_WAIT)?;
    plan_once(&reader)?;
    Ok(reader)
}

/// Converts an error of the database at a path.
fn store_error(path: &Path, error: &rusqlite::Error) -> StoreError {
    if integrity::is_damage(error) {
        return integrity::damaged(path, error.to_string());
    }
    let path = path.display().to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::Full { path },
        _ => StoreError::Database { path, reason: error.to_string() },
    }
}

/// Makes SQLite plan each statement only once (QPSG). Otherwise, it plans a statement again for
/// other values if the plan could depend on them. That took half the time of statements that run
/// for every record.
fn plan_once(connection: &Connection) -> QueryResult<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(drop)
}

/// Configures a connection for durable commits.
fn configure(connection: &Connection) -> QueryResult<()> {
    connection.busy_timeout(BUSY_WAIT)?;
    plan_once(connection)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", "ON")
}
