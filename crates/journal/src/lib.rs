//! The journal of a running service: a database that one process may change, in the folder of the
//! service's state.
//!
//! When [`Journal::commit`] has returned, its change is on the disk. A change of [`Journal::later`]
//! may be lost. Times come from a guarded [clock](clock::Clock), which is not misled when the
//! machine's clock is set.

#![forbid(unsafe_code)]

pub mod audit_trail;
pub mod clock;
mod diagnosis;
mod lock;
mod view;

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use store::{Commits, Committing, Connection, QueryResult, Reader, Store, StoreError, Versions};

pub use clock::Clock;
use diagnosis::{full, obstacle};
pub use diagnosis::{no_room, no_room_to_write};
use diagnostics::octets;
use lock::{Lock, LockError};
use runtime::threads;
pub use view::View;

/// The name of the database in the folder of a service's state.
pub const DATABASE: &str = "journal.db";

/// The SQL of the tables that each journal has. A service adds it to the first version of its own
/// tables.
pub const TABLES: &str = include_str!("tables.sql");

/// The log target. It is stable, since operators filter by it.
const LOG: &str = "flow::journal";

/// The time after which the log explains why opening the journal takes long.
const LOG_AFTER: Duration = Duration::from_secs(1);

/// The tables of a service in its journal.
#[derive(Debug)]
pub struct Schema {
    /// All versions of the tables.
    pub versions: Versions<'static>,
    /// Returns the time of the newest row, in milliseconds since 1970: the service was alive then.
    pub newest_ms: fn(&Connection) -> QueryResult<Option<i64>>,
    /// Whether the machine's clock is trusted after a pause of any length. A service that charges by the time cannot work by
    /// another one for an hour. One that only waits and deletes by it can.
    pub trusts_pauses: bool,
}

/// The folders of a service.
#[derive(Clone, Copy, Debug)]
pub struct Folders<'f> {
    /// The folder of its state. It is created if it is missing.
    pub state: &'f Path,
    /// The folder of its files. The journal has paths within it as relative paths, so that the
    /// folder can be moved.
    pub base: &'f Path,
}

/// Why a journal cannot be opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process uses it.
    #[error("another process has the journal: {holder}; stop it first")]
    InUse {
        /// The process, according to the lock file.
        holder: String,
    },
    /// Its folder cannot be used.
    #[error("could not use the folder \"{}\" for the state: {error}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The database is damaged.
    #[error(transparent)]
    Damaged(StoreError),
    /// The database reports an error, and the cause was found.
    #[error("{obstacle} ({error})")]
    Blocked {
        /// The cause.
        obstacle: String,
        /// The error of the database.
        error: StoreError,
    },
    /// The database reports an error.
    #[error(transparent)]
    Store(StoreError),
}

impl From<StoreError> for OpenError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Damaged { .. } | StoreError::Lost { .. } => OpenError::Damaged(error),
            StoreError::Database { ref path, .. } => match obstacle(Path::new(path)) {
                Some(obstacle) => OpenError::Blocked { obstacle, error },
                None => OpenError::Store(error),
            },
            StoreError::Full { ref path } => {
                let obstacle = full(Path::new(path).parent().unwrap_or(Path::new("")));
                OpenError::Blocked { obstacle, error }
            }
            error => OpenError::Store(error),
        }
    }
}

/// Whether pruning has finished. Jobs run between its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pruned {
    /// All expired rows are deleted.
    All,
    /// There are more expired rows.
    Some,
}

/// Executes a statement for each job.
pub fn for_each(db: &Connection, statement: &str, jobs: &[JobId]) -> QueryResult<()> {
    let mut statement = db.prepare_cached(statement)?;
    jobs.iter().try_for_each(|JobId(job)| statement.execute([job]).map(drop))
}

/// The number of a job in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct JobId(pub i64);

/// The journal, and the right to run the service.
#[derive(Debug)]
pub struct Journal {
    store: Store,
    /// Reads the journal.
    pub view: View,
    /// The identity of the open file. Another file may have its name now.
    identity: Option<FileIdentity>,
    /// Whether it was created by this call.
    pub is_new: bool,
    /// Whether a write has failed, so that it can no longer be written.
    pub has_failed: AtomicBool,
    /// Whether the last two processes that used it crashed.
    pub crashed_repeatedly: bool,
    lock: Lock,
}

/// The right to use a folder of a state that has no journal. It ends when this is dropped.
#[derive(Debug)]
pub struct FolderLock {
    _lock: Lock,
}

impl FolderLock {
    /// Takes the right to use a folder, which is created if it is missing.
    ///
    /// # Errors
    ///
    /// Another process has it, or the folder cannot be used.
    pub fn take(state: &Path) -> Result<Self, OpenError> {
        let lock = take_lock(state)?;
        Ok(FolderLock { _lock: lock })
    }
}

fn take_lock(state: &Path) -> Result<Lock, OpenError> {
    let unusable = |error| OpenError::Folder { folder: state.into(), error };
    runtime::durable::make_private_folder(state).map_err(unusable)?;
    Lock::take(&state.join("lock")).map_err(|error| match error {
        LockError::File(error) => unusable(error),
        LockError::InUse { holder } => OpenError::InUse { holder },
    })
}

impl Journal {
    /// Opens or creates the journal of a service.
    pub fn open(
        Folders { state, base }: Folders<'_>,
        schema: &'static Schema,
        machine: fn() -> SystemTime,
    ) -> Result<Self, OpenError> {
        let unusable = |error| OpenError::Folder { folder: state.into(), error };
        let lock = take_lock(state)?;
        let database = state.join(DATABASE);
        // A power cut may leave an empty file.
        let is_new = std::fs::metadata(&database).map_or(0, |metadata| metadata.len()) == 0;
        let store = log_if_slow(&database, || Store::open(&database, schema.versions))?;
        let clock = store.commit(move |db| Clock::new(machine, schema, db))?;
        let view = View::new(store.readers().clone(), base, clock).map_err(unusable)?;
        Ok(Journal {
            store,
            view,
            identity: FileIdentity::of(&database),
            is_new,
            has_failed: AtomicBool::new(false),
            crashed_repeatedly: lock.crashed_repeatedly,
            lock,
        })
    }

    /// Returns the lock of the state for a worker process: no other gateway begins while one of them runs.
    ///
    /// # Errors
    ///
    /// This process has too many open files.
    pub fn lock_for_worker(&self) -> io::Result<OwnedFd> {
        self.lock.shared()
    }

    /// Returns the number and the duration of commits.
    pub fn commits(&self) -> Arc<Commits> {
        Arc::clone(self.store.commits())
    }

    /// Makes a change, and returns when it is on the disk.
    pub fn commit<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> QueryResult<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.answer_commit(self.store.commit(change))
    }

    /// Makes a large change, in a transaction of its own, and returns when it is on the disk.
    pub fn commit_alone<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> QueryResult<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.answer_commit(self.store.commit_alone(change))
    }

    fn answer_commit<T>(&self, committed: Result<T, StoreError>) -> Result<T, StoreError> {
        if let Err(StoreError::Stopped { .. }) = &committed {
            self.has_failed.store(true, Ordering::Relaxed);
        }
        committed
    }

    /// Begins a change, and returns before it is made. Changes are made in the order in which they began.
    pub fn begin<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> QueryResult<T> + Send + 'static,
    ) -> Committing<T> {
        self.store.begin(change)
    }

    /// Makes a change without waiting for it. Use it for changes that may be repeated if they are
    /// lost.
    pub fn later(&self, change: impl FnOnce(&Connection) -> QueryResult<()> + Send + 'static) {
        self.store.later(change);
    }

    /// Runs an action outside of the journal that depends on committed changes only. The action may
    /// be lost. See [`Store::after_commit`].
    pub fn after_commit(
        &self,
        action: impl FnOnce(&Connection) -> QueryResult<()> + Send + 'static,
    ) {
        self.store.after_commit(action);
    }

    /// Returns the guarded time, in milliseconds since 1970. It does not follow at once when the
    /// machine's clock is set.
    pub fn now_ms(&self) -> i64 {
        self.view.clock.now_ms()
    }

    /// Returns the latest possible time. Retention periods begin at this time, so that a clock that
    /// was set back does not shorten them.
    pub fn latest_ms(&self) -> i64 {
        self.view.clock.latest_ms()
    }

    /// Returns the time of the machine's clock, in milliseconds since 1970. Use it only to show it
    /// to users.
    pub fn machine_ms(&self) -> i64 {
        self.view.clock.machine_ms()
    }

    /// Notes that the service is alive. If the clock is trusted again after a doubt, calls `shift`
    /// to correct times that were written meanwhile.
    pub fn beat(&self, shift: fn(&Connection, clock::Shift) -> QueryResult<()>) {
        if let Some(heartbeat) = self.view.clock.tick().filter(|_| self.view.is_written) {
            self.later(move |db| heartbeat.note(db, shift));
        }
    }

    /// Returns whether the database file still exists. Writes to a removed file succeed, but are
    /// lost.
    pub fn is_there(&self) -> bool {
        // This process does not write to another file of the same name.
        FileIdentity::of(self.view.database()) == self.identity
    }

    /// Returns whether it exists and no write has failed.
    pub fn can_be_written(&self) -> bool {
        self.is_there() && !self.has_failed.load(Ordering::Relaxed)
    }

    /// Converts the error of a query.
    pub fn answer<T>(&self, answer: QueryResult<T>) -> Result<T, StoreError> {
        self.view.answer(answer)
    }

    /// Returns a connection for queries.
    pub fn reader(&self) -> Result<Reader, StoreError> {
        self.view.reader()
    }
}

/// Opens a database, and writes a message to the log if this takes long: a large database is
/// checked completely if it was not closed normally.
fn log_if_slow<T>(database: &Path, open: impl FnOnce() -> T) -> T {
    let size = std::fs::metadata(database).map_or(0, |metadata| metadata.len());
    let (opened, waiting) = mpsc::channel::<()>();
    thread::scope(|scope| {
        // Without the thread, only the message is missing.
        let _ = threads::spawn_scoped(scope, move || {
            if waiting.recv_timeout(LOG_AFTER) == Err(RecvTimeoutError::Timeout) {
                tracing::info!(target: LOG, "checking the journal ({})", octets(size));
            }
        });
        let store = open();
        drop(opened);
        store
    })
}

/// Distinguishes a file from another of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileIdentity {
    disk: u64,
    inode: u64,
}

impl FileIdentity {
    /// Returns the identity of the file at a path, if there is one.
    fn of(path: &Path) -> Option<Self> {
        let found = std::fs::metadata(path).ok()?;
        Some(FileIdentity { disk: found.dev(), inode: found.ino() })
    }
}
