//! Read access to a journal, also for worker processes, which do not write to it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use store::{Connection, QueryResult, Reader, Readers, StoreError};

use super::{Clock, Folders, OpenError, Schema};

/// The unit of the database's cache, in octets.
const KILOBYTE: u64 = 1024;

/// Reads a journal.
#[derive(Clone, Debug)]
pub struct View {
    readers: Readers,
    /// The guarded clock.
    pub clock: Arc<Clock>,
    /// Whether this process writes to the journal.
    pub is_written: bool,
    /// The number of workers that share a cache size.
    workers: Arc<AtomicUsize>,
    /// The working directory, for relative paths.
    current: PathBuf,
    /// The folder of the service. Paths within it are stored as relative paths, so that it can be
    /// moved.
    folder: PathBuf,
}

impl View {
    /// Makes the view of a service whose files are in a folder.
    pub(crate) fn new(readers: Readers, base: &Path, clock: Clock) -> io::Result<Self> {
        let current = std::env::current_dir()?;
        let folder = current.join(base);
        // The default is a single worker.
        let workers = Arc::new(AtomicUsize::new(1));
        Ok(View { readers, clock: Arc::new(clock), is_written: true, workers, current, folder })
    }

    /// Opens the journal of a service that runs in another process.
    pub fn open(
        Folders { state, base }: Folders<'_>,
        schema: &'static Schema,
        machine: fn() -> SystemTime,
    ) -> Result<Self, OpenError> {
        let readers = Readers::of(&state.join(super::DATABASE));
        let reader = readers.lend()?;
        let clock = Clock::new(machine, schema, &reader);
        let clock = clock.map_err(|error| readers.error(&error))?;
        let unusable = |error| OpenError::Folder { folder: state.into(), error };
        Self::new(readers, base, clock).map_err(unusable)
    }

    /// Returns the path of the database.
    pub(crate) fn database(&self) -> &Path {
        self.readers.path()
    }

    /// Returns the folder of the service's state.
    pub fn state(&self) -> PathBuf {
        self.database().parent().unwrap_or(Path::new("")).into()
    }

    /// Returns the folder for stored relative paths.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns a connection for queries.
    pub fn reader(&self) -> Result<Reader, StoreError> {
        self.readers.lend()
    }

    /// Converts the error of a query.
    pub fn answer<T>(&self, answer: QueryResult<T>) -> Result<T, StoreError> {
        answer.map_err(|error| self.readers.error(&error))
    }

    /// Sets the number of workers, each of which has its own [connections](Self::cached_reader).
    pub fn set_workers(&self, workers: usize) {
        self.workers.store(workers.max(1), Ordering::Relaxed);
    }

    /// Returns a connection for one worker. The caches of all workers together have this many
    /// octets.
    pub fn cached_reader(&self, octets: u64) -> Result<Connection, StoreError> {
        let reader = self.readers.open()?;
        let workers = self.workers.load(Ordering::Relaxed) as u64;
        let cached = (octets / workers / KILOBYTE).clamp(1, i32::MAX as u64) as i64;
        // SQLite takes a negative number as kilobytes.
        self.answer(reader.pragma_update(None, "cache_size", -cached))?;
        Ok(reader)
    }

    /// Returns the path for a stored path.
    pub fn located(&self, noted: &str) -> PathBuf {
        self.folder.join(noted)
    }

    /// Returns the form in which a path is stored. Paths come from texts, so they are UTF-8.
    pub fn noted(&self, path: &Path) -> String {
        let path = self.current.join(path);
        path.strip_prefix(&self.folder).unwrap_or(&path).to_string_lossy().into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Journal, TABLES};

    const EMPTY: Schema = Schema {
        versions: store::Versions::new(&[TABLES]),
        newest_ms: |_| Ok(None),
        trusts_pauses: false,
    };

    #[test]
    fn a_journal_that_was_replaced_by_another_file_does_not_exist() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = folder.path().join("state");
        let folders = Folders { state: &state, base: folder.path() };
        let journal = Journal::open(folders, &EMPTY, SystemTime::now);
        let journal = journal.expect("a journal");
        assert!(journal.is_there() && journal.can_be_written());
        let moved = folder.path().join("moved");
        std::fs::rename(&state, &moved).expect("it can be moved");
        assert!(!journal.is_there(), "nothing has its name");
        std::fs::create_dir(&state).expect("a folder");
        let copied = std::fs::copy(moved.join("journal.db"), state.join("journal.db"));
        copied.expect("a copy, like a restored backup");
        assert!(!journal.is_there() && !journal.can_be_written());
        std::fs::remove_dir_all(&state).expect("it can be removed");
        std::fs::rename(&moved, &state).expect("it can be put back");
        assert!(journal.is_there());
    }

    #[test]
    fn the_caches_of_all_workers_share_the_size() {
        let folder = tempfile::tempdir().expect("a folder");
        let folders = Folders { state: &folder.path().join("state"), base: folder.path() };
        let journal = Journal::open(folders, &EMPTY, SystemTime::now);
        let view = journal.expect("a journal").view;
        let octets = 64_000_000 / 3;
        for workers in [1, 2, 8, 96] {
            view.set_workers(workers);
            let readers: Vec<Connection> =
                (0..workers).map(|_| view.cached_reader(octets).expect("a reader")).collect();
            let cache_octets = |reader: &Connection| -> u64 {
                let kilobytes =
                    reader.query_row("PRAGMA cache_size", [], |row| row.get::<_, i64>(0));
                kilobytes.expect("its cache").unsigned_abs() * KILOBYTE
            };
            let all: u64 = readers.iter().map(cache_octets).sum();
            assert!(all <= octets && all > octets / 2, "{workers} workers have {all} octets");
        }
    }
}
