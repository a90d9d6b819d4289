//! The journal of a running service: a database that one process may change, in the folder of the service's state.
//!
//! What [`Journal::commit`] has returned from is on the disk. What [`Journal::later`] was given may be lost. Time is that
//! of a guarded [clock](clock::Clock), which a machine's clock that was set does not mislead.

#![forbid(unsafe_code)]

pub mod audit_trail;
pub mod clock;
mod diagnosis;
mod lock;
mod view;

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use store::{Answer, Commits, Connection, Reader, Store, StoreError, Versions};

pub use clock::Clock;
use diagnosis::hindrance;
pub use diagnosis::{no_room, no_room_to_write};
use diagnostics::octets;
use lock::{Lock, LockError};
use runtime::threads;
pub use view::View;

/// The database in the folder of a service's state.
pub const DATABASE: &str = "journal.db";

/// The tables that each journal has, for the first version of a service's own.
pub const TABLES: &str = include_str!("tables.sql");

/// What the log calls this: levels and filters of operators name it so.
const LOG: &str = "flow::journal";

/// How long the journal is opened before the log says why that takes so long.
const LOG_AFTER: Duration = Duration::from_secs(1);

/// What a service has in its journal.
#[derive(Debug)]
pub struct Schema {
    /// All versions of its tables.
    pub versions: Versions<'static>,
    /// When something was written last, in milliseconds since 1970: the service was alive then.
    pub newest_ms: fn(&Connection) -> Answer<Option<i64>>,
}

/// Where a service has its state.
#[derive(Clone, Copy, Debug)]
pub struct Folders<'f> {
    /// The folder of its state: it is made where it is missing.
    pub state: &'f Path,
    /// The folder that its files lie in. Paths within it are noted as they lie in it, so that all of it can be moved.
    pub base: &'f Path,
}

/// Why a journal cannot be opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process has it.
    #[error("another process has the journal: {holder}; stop it first")]
    InUse {
        /// Which, as its lock says.
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
    /// The database is not as it was written.
    #[error(transparent)]
    Damaged(StoreError),
    /// The database refuses, and why is seen.
    #[error("{hindrance} ({error})")]
    Hindered {
        /// What stands in the way.
        hindrance: String,
        /// How the database says it.
        error: StoreError,
    },
    /// The database refuses.
    #[error(transparent)]
    Store(StoreError),
}

impl From<StoreError> for OpenError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Damaged { .. } | StoreError::Lost { .. } => OpenError::Damaged(error),
            StoreError::Database { ref path, .. } => match hindrance(Path::new(path)) {
                Some(hindrance) => OpenError::Hindered { hindrance, error },
                None => OpenError::Store(error),
            },
            error => OpenError::Store(error),
        }
    }
}

/// Whether all is gone that is too old, or there is more: work goes on between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pruned {
    /// All that is too old is gone.
    All,
    /// There is more of it.
    Some,
}

/// Executes a statement for each of some jobs.
pub fn for_each(db: &Connection, statement: &str, jobs: &[JobId]) -> Answer<()> {
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
    /// What is read of it.
    pub view: View,
    /// The file that is open, whatever has its name now.
    identity: Option<FileIdentity>,
    /// Whether it was begun now: there was none.
    pub is_new: bool,
    /// Whether it can no longer be written.
    pub has_failed: AtomicBool,
    /// Whether the last two processes that had it did not end in order.
    pub were_brought_down: bool,
    _lock: Lock,
}

impl Journal {
    /// Opens the journal of a service, or makes it. Where that takes long, the log says why.
    pub fn open(
        Folders { state, base }: Folders<'_>,
        schema: &'static Schema,
        machine: fn() -> SystemTime,
    ) -> Result<Self, OpenError> {
        let unusable = |error| OpenError::Folder { folder: state.into(), error };
        runtime::durable::make_private_folder(state).map_err(unusable)?;
        let lock = Lock::take(&state.join("lock")).map_err(|error| match error {
            LockError::File(error) => unusable(error),
            LockError::Held { holder } => OpenError::InUse { holder },
        })?;
        let database = state.join(DATABASE);
        // An empty one is what a power cut may leave.
        let is_new = std::fs::metadata(&database).map_or(0, |metadata| metadata.len()) == 0;
        let store = saying_why(&database, || Store::open(&database, schema.versions))?;
        let clock = store.commit(move |db| Clock::new(machine, schema.newest_ms, db))?;
        let view = View::new(store.readers().clone(), base, clock).map_err(unusable)?;
        Ok(Journal {
            store,
            view,
            identity: FileIdentity::of(&database),
            is_new,
            has_failed: AtomicBool::new(false),
            were_brought_down: lock.were_brought_down,
            _lock: lock,
        })
    }

    /// How often it was written, and how long that took.
    pub fn commits(&self) -> Arc<Commits> {
        Arc::clone(self.store.commits())
    }

    /// Makes a change; returns when it is on the disk.
    pub fn commit<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> Answer<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let committed = self.store.commit(change);
        if let Err(StoreError::Stopped { .. }) = &committed {
            self.has_failed.store(true, Ordering::Relaxed);
        }
        committed
    }

    /// Makes a change that may be repeated when it is lost.
    pub fn later(&self, change: impl FnOnce(&Connection) -> Answer<()> + Send + 'static) {
        self.store.later(change);
    }

    /// Does something elsewhere that may be lost, on the grounds of what the journal has on the disk: not of what a change
    /// that is made just now says, and may never have said.
    pub fn behind(&self, deed: impl FnOnce(&Connection) -> Answer<()> + Send + 'static) {
        self.store.behind(deed);
    }

    /// The time by which what waits is over, and what is old forgotten. A clock that was set does not count at once.
    pub fn now_ms(&self) -> i64 {
        self.view.clock.now_ms()
    }

    /// The latest time that it may be: what is known for some time is known from then on, so that a clock that was set back
    /// does not make it be forgotten.
    pub fn latest_ms(&self) -> i64 {
        self.view.clock.latest_ms()
    }

    /// What the machine's clock says, in milliseconds since 1970. People are shown it; nothing is to be computed with it.
    pub fn machine_ms(&self) -> i64 {
        self.view.clock.machine_ms()
    }

    /// Notes that the service is alive. Where a clock is believed from now on that was doubted, `shift` changes what was
    /// noted meanwhile.
    pub fn beat(&self, shift: fn(&Connection, clock::Shift) -> Answer<()>) {
        if let Some(beat) = self.view.clock.tick().filter(|_| self.view.is_written) {
            self.later(move |db| beat.note(db, shift));
        }
    }

    /// Whether its database is still there: one that was removed takes what is written and keeps nothing.
    pub fn is_there(&self) -> bool {
        // Another that has its name is not what this process writes to.
        FileIdentity::of(self.view.database()) == self.identity
    }

    /// Whether it is there, and takes what is written.
    pub fn can_be_written(&self) -> bool {
        self.is_there() && !self.has_failed.load(Ordering::Relaxed)
    }

    /// What a reader was answered.
    pub fn answer<T>(&self, answer: Answer<T>) -> Result<T, StoreError> {
        self.view.answer(answer)
    }

    /// A connection to ask by.
    pub fn reader(&self) -> Result<Reader, StoreError> {
        self.view.reader()
    }
}

/// Opens a database. A large one is looked at as a whole where it was not closed in order; nobody is to wonder what the
/// service does meanwhile.
fn saying_why<T>(database: &Path, open: impl FnOnce() -> T) -> T {
    let size = std::fs::metadata(database).map_or(0, |metadata| metadata.len());
    let (opened, waiting) = mpsc::channel::<()>();
    thread::scope(|scope| {
        // Without it, the log says nothing.
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

/// What tells a file from another that has its name: where it lies on which disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileIdentity {
    disk: u64,
    inode: u64,
}

impl FileIdentity {
    /// None where there is no file.
    fn of(path: &Path) -> Option<Self> {
        let found = std::fs::metadata(path).ok()?;
        Some(FileIdentity { disk: found.dev(), inode: found.ino() })
    }
}
