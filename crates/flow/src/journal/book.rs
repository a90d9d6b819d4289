//! The journal as it is read: also by processes beside the gateway's own, which do not write it.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use store::{Answer, Connection, OptionalExtension as _, Reader, Readers, StoreError};
use transport::{Found, Mark};

use super::Entry;
use crate::clock::Clock;
use crate::input::Digest;
use crate::locked::lock;
use crate::time::since_epoch_ns;
use crate::trace::Shelf;

/// What the database's cache is counted in.
const KILOBYTE: u64 = 1024;

/// Most files that are known to have been compared.
const COMPARED_MAX: usize = 100_000;

/// A file that is done and not marked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DoneBefore {
    pub(crate) entry: Entry,
    /// How it is to be marked.
    pub(crate) mark: Mark,
    pub(crate) digest: Option<Digest>,
}

/// What is read of a journal.
#[derive(Clone, Debug)]
pub(crate) struct Book {
    readers: Readers,
    /// What time it is.
    pub(crate) clock: Arc<Clock>,
    /// Where more is of the trace than lies in it.
    pub(crate) shelf: Arc<Shelf>,
    /// Whether anything is noted in it.
    pub(crate) is_kept: bool,
    /// How many may read it at once that keep what they read.
    workers: Arc<AtomicUsize>,
    /// Files that are done and not marked, and since when what lies there was compared with them.
    compared: Arc<Mutex<BTreeMap<Entry, SystemTime>>>,
    /// The folder that relative paths begin at.
    current: PathBuf,
    /// Paths within it are noted as they lie in it, so that a flow can be moved as a whole.
    folder: PathBuf,
}

impl Book {
    /// That of a flow.
    pub(super) fn new(readers: Readers, flow: &Path, clock: Clock) -> io::Result<Self> {
        let current = std::env::current_dir()?;
        let mut folder = current.join(flow);
        folder.pop();
        let shelf = Shelf::new(readers.path().parent().unwrap_or(Path::new("")));
        let (clock, shelf) = (Arc::new(clock), Arc::new(shelf));
        // Who says nothing has one.
        let workers = Arc::new(AtomicUsize::new(1));
        let compared = Arc::default();
        Ok(Book { readers, clock, shelf, is_kept: true, workers, compared, current, folder })
    }

    /// That of a gateway that runs, in another process, which has the flow's state in a folder.
    pub(crate) fn open(
        state: &Path,
        flow: &Path,
        machine: fn() -> SystemTime,
    ) -> Result<Self, String> {
        let readers = Readers::of(&state.join(super::DATABASE));
        let reader = readers.lend().map_err(|error| error.to_string())?;
        let clock = Clock::new(machine, &reader);
        let clock = clock.map_err(|error| readers.refused(&error).to_string())?;
        Self::new(readers, flow, clock).map_err(|error| error.to_string())
    }

    /// The database.
    pub(super) fn database(&self) -> &Path {
        self.readers.path()
    }

    /// The folder of the flow's state.
    pub(crate) fn state(&self) -> PathBuf {
        self.database().parent().unwrap_or(Path::new("")).into()
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// A connection to ask by.
    pub(crate) fn reader(&self) -> Result<Reader, StoreError> {
        self.readers.lend()
    }

    /// What a reader was answered.
    pub(crate) fn answer<T>(&self, answer: Answer<T>) -> Result<T, StoreError> {
        answer.map_err(|error| self.readers.refused(&error))
    }

    /// So many workers will read it from now on, each with a [connection of its own](Self::cached_reader) for each node.
    pub(crate) fn is_read_by(&self, workers: usize) {
        self.workers.store(workers.max(1), Ordering::Relaxed);
    }

    /// A connection to ask by, of one for each worker, which together keep so many octets of what they read.
    pub(crate) fn cached_reader(&self, octets: u64) -> Result<Connection, StoreError> {
        let reader = self.readers.open()?;
        let workers = self.workers.load(Ordering::Relaxed) as u64;
        let cached = (octets / workers / KILOBYTE).clamp(1, i32::MAX as u64) as i64;
        // Less than nothing is a number of kilobytes to it.
        self.answer(reader.pragma_update(None, "cache_size", -cached))?;
        Ok(reader)
    }

    /// What is known of a file of this path, size and time that is done already and only not marked.
    pub(crate) fn find(&self, reader: &Connection, found: &Found) -> Answer<Option<DoneBefore>> {
        reader
            .prepare_cached(
                "SELECT id, duplicate_of IS NULL, digest FROM file
                 WHERE path = ? AND size = ? AND modified_ns = ? AND marked <> 1
                 ORDER BY id DESC LIMIT 1",
            )?
            .query_row(self.identity(found), |row| {
                let mark = if row.get(1)? { Mark::Done } else { Mark::Duplicate };
                Ok(DoneBefore { entry: Entry(row.get(0)?), mark, digest: row.get(2)? })
            })
            .optional()
    }

    /// Whether a file that is done was compared with what lies in its place, to which nothing was done since.
    pub(crate) fn is_compared(&self, entry: Entry, came: Option<SystemTime>) -> bool {
        came.is_some() && lock(&self.compared).get(&entry).copied() == came
    }

    /// It was, and is the same.
    pub(crate) fn compared(&self, entry: Entry, came: Option<SystemTime>) {
        let mut compared = lock(&self.compared);
        if compared.len() >= COMPARED_MAX {
            compared.clear();
        }
        compared.extend(came.map(|came| (entry, came)));
    }

    /// Whether an output of a file that is done has a name. All of them are looked through: it is asked only of a name that
    /// somebody has.
    pub(crate) fn has_output(&self, reader: &Connection, path: &Path) -> Answer<bool> {
        reader.prepare_cached("SELECT 1 FROM output WHERE path = ?")?.exists([self.noted(path)])
    }

    /// What tells a file that is not marked from one that took its place: that has another time.
    pub(super) fn identity(&self, found: &Found) -> (String, i64, i64) {
        let (size, modified) = found.version;
        (self.noted(&found.path), size as i64, modified.map_or(0, since_epoch_ns))
    }

    /// The path that was noted so.
    pub(crate) fn located(&self, noted: &str) -> PathBuf {
        self.folder.join(noted)
    }

    /// A path as it is noted. Paths come from a flow file and from names that are text, so they are text.
    pub(crate) fn noted(&self, path: &Path) -> String {
        let path = self.current.join(path);
        path.strip_prefix(&self.folder).unwrap_or(&path).to_string_lossy().into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Journal;

    #[test]
    fn a_journal_in_whose_place_another_lies_is_not_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = folder.path().join("state");
        let journal = Journal::open(&state, &folder.path().join("flow.toml"), SystemTime::now);
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
        let flow = folder.path().join("flow.toml");
        let journal = Journal::open(&folder.path().join("state"), &flow, SystemTime::now);
        let book = journal.expect("a journal").book;
        let octets = 64_000_000 / 3;
        for workers in [1, 2, 8, 96] {
            book.is_read_by(workers);
            let readers: Vec<Connection> =
                (0..workers).map(|_| book.cached_reader(octets).expect("a reader")).collect();
            let kept = |reader: &Connection| -> u64 {
                let kilobytes =
                    reader.query_row("PRAGMA cache_size", [], |row| row.get::<_, i64>(0));
                kilobytes.expect("its cache").unsigned_abs() * KILOBYTE
            };
            let all: u64 = readers.iter().map(kept).sum();
            assert!(all <= octets && all > octets / 2, "{workers} workers keep {all} octets");
        }
    }
}
