//! The journal as it is read: also by processes beside the gateway's own, which do not write it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use store::{Answer, Connection, Reader, Readers, StoreError};

use super::{Clock, Folders, OpenError, Schema};

/// What the database's cache is counted in.
const KILOBYTE: u64 = 1024;

/// What is read of a journal.
#[derive(Clone, Debug)]
pub struct View {
    readers: Readers,
    /// What time it is.
    pub clock: Arc<Clock>,
    /// Whether the journal is written to.
    pub is_written: bool,
    /// How many may read it at once that keep what they read.
    workers: Arc<AtomicUsize>,
    /// The folder that relative paths begin at.
    current: PathBuf,
    /// Paths within it are noted as they lie in it, so that all of it can be moved.
    folder: PathBuf,
}

impl View {
    /// That of a service whose files lie in a folder.
    pub(crate) fn new(readers: Readers, base: &Path, clock: Clock) -> io::Result<Self> {
        let current = std::env::current_dir()?;
        let folder = current.join(base);
        // Who says nothing has one.
        let workers = Arc::new(AtomicUsize::new(1));
        Ok(View { readers, clock: Arc::new(clock), is_written: true, workers, current, folder })
    }

    /// That of a service that runs, in another process.
    pub fn open(
        Folders { state, base }: Folders<'_>,
        schema: &'static Schema,
        machine: fn() -> SystemTime,
    ) -> Result<Self, OpenError> {
        let readers = Readers::of(&state.join(super::DATABASE));
        let reader = readers.lend()?;
        let clock = Clock::new(machine, schema.newest_ms, &reader);
        let clock = clock.map_err(|error| readers.refused(&error))?;
        let unusable = |error| OpenError::Folder { folder: state.into(), error };
        Self::new(readers, base, clock).map_err(unusable)
    }

    /// The database.
    pub(crate) fn database(&self) -> &Path {
        self.readers.path()
    }

    /// The folder of the service's state.
    pub fn state(&self) -> PathBuf {
        self.database().parent().unwrap_or(Path::new("")).into()
    }

    /// The folder that noted paths begin at.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A connection to ask by.
    pub fn reader(&self) -> Result<Reader, StoreError> {
        self.readers.lend()
    }

    /// What a reader was answered.
    pub fn answer<T>(&self, answer: Answer<T>) -> Result<T, StoreError> {
        answer.map_err(|error| self.readers.refused(&error))
    }

    /// So many workers will read it from now on, each with a [connection of its own](Self::cached_reader) for each node.
    pub fn is_read_by(&self, workers: usize) {
        self.workers.store(workers.max(1), Ordering::Relaxed);
    }

    /// A connection to ask by, of one for each worker, which together keep so many octets of what they read.
    pub fn cached_reader(&self, octets: u64) -> Result<Connection, StoreError> {
        let reader = self.readers.open()?;
        let workers = self.workers.load(Ordering::Relaxed) as u64;
        let cached = (octets / workers / KILOBYTE).clamp(1, i32::MAX as u64) as i64;
        // Less than nothing is a number of kilobytes to it.
        self.answer(reader.pragma_update(None, "cache_size", -cached))?;
        Ok(reader)
    }

    /// The path that was noted so.
    pub fn located(&self, noted: &str) -> PathBuf {
        self.folder.join(noted)
    }

    /// A path as it is noted. Paths come from texts, so they are text.
    pub fn noted(&self, path: &Path) -> String {
        let path = self.current.join(path);
        path.strip_prefix(&self.folder).unwrap_or(&path).to_string_lossy().into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Journal, TABLES};

    const EMPTY: Schema =
        Schema { versions: store::Versions::new(&[TABLES]), newest_ms: |_| Ok(None) };

    #[test]
    fn a_journal_in_whose_place_another_lies_is_not_there() {
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
        copied.expect("a copy, as of a backup that is put back");
        assert!(!journal.is_there() && !journal.can_be_written());
        std::fs::remove_dir_all(&state).expect("it can be removed");
        std::fs::rename(&moved, &state).expect("it can be put back");
        assert!(journal.is_there());
    }

    #[test]
    fn all_workers_together_keep_no_more_than_a_node_may() {
        let folder = tempfile::tempdir().expect("a folder");
        let folders = Folders { state: &folder.path().join("state"), base: folder.path() };
        let journal = Journal::open(folders, &EMPTY, SystemTime::now);
        let view = journal.expect("a journal").view;
        let octets = 64_000_000 / 3;
        for workers in [1, 2, 8, 96] {
            view.is_read_by(workers);
            let readers: Vec<Connection> =
                (0..workers).map(|_| view.cached_reader(octets).expect("a reader")).collect();
            let cache_octets = |reader: &Connection| -> u64 {
                let kilobytes =
                    reader.query_row("PRAGMA cache_size", [], |row| row.get::<_, i64>(0));
                kilobytes.expect("its cache").unsigned_abs() * KILOBYTE
            };
            let all: u64 = readers.iter().map(cache_octets).sum();
            assert!(all <= octets && all > octets / 2, "{workers} workers keep {all} octets");
        }
    }
}
