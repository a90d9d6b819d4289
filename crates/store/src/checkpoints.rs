//! Checkpoints: the log is moved into the database file while the writer goes on.
//!
//! SQLite makes a checkpoint within a commit. Its callers wait until a thousand pages are synced, as long as for ten
//! commits. Here, a thread copies new pages and syncs them. But the log begins at its start again only when all of it is
//! in the file, and a writer under load always adds to it. So the writer moves the few pages that are left, between two
//! transactions.
//!
//! What makes the data safe is SQLite's part: it syncs the log before it copies a page, and the file before it
//! overwrites the log. The thread syncs the file too, only so that little is left to sync while the writer waits.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::{self, JoinHandle};

use rusqlite::{Connection, Error, ErrorCode, ffi};

use crate::check_mark::Mark;
use crate::{QueryResult, configure, file_handles, open_existing};

/// The new pages for which the thread begins to copy. They are few, since a commit waits for all that the disk has to
/// write.
const COPIED_AT_ONCE: i64 = 100;

/// The pages of a log that the writer moves, with what the thread has not copied: as many as after a large transaction.
/// If the thread is slower than the writer, the writer waits for it after as many, since the log would grow for ever.
const LOG_PAGES: i64 = 1_000;

/// The checkpoints of a database.
#[derive(Debug)]
pub(crate) struct Checkpoints {
    copier: Copier,
    is_copying: bool,
    /// The pages that the log had when the thread last began to copy.
    copied: i64,
    /// The pages that the log had when the writer last moved the rest. A reader may have kept it from beginning again.
    moved: i64,
    mark: Arc<Mark>,
}

impl Checkpoints {
    /// Begins to make the checkpoints of a database, in place of those that SQLite makes for its writer.
    pub(crate) fn start(writer: &Connection, path: &Path, mark: &Arc<Mark>) -> QueryResult<Self> {
        let connection = open_existing(path)?;
        configure(&connection)?;
        let (file, copied_mark) = (path.to_owned(), Arc::clone(mark));
        let copy = move || copy(&connection, &copied_mark, file_handles::of(&file).as_deref());
        Self::with_copier(writer, mark, Copier::start(copy))
    }

    fn with_copier(writer: &Connection, mark: &Arc<Mark>, copier: Copier) -> QueryResult<Self> {
        writer.pragma_update(None, "wal_autocheckpoint", 0)?;
        let mark = Arc::clone(mark);
        Ok(Checkpoints { copier, is_copying: false, copied: 0, moved: 0, mark })
    }

    /// Goes on with moving the log. The writer calls it between two transactions.
    ///
    /// # Errors
    ///
    /// The log could not be moved.
    pub(crate) fn advance(&mut self, writer: &Connection) -> QueryResult<()> {
        let pages = log_pages(writer)?;
        // A log that has begun at its start again is shorter than before.
        if pages < self.copied {
            (self.copied, self.moved) = (0, 0);
        }
        let (uncopied, unmoved) = (pages - self.copied, pages - self.moved);
        if self.is_copying {
            let ended = match uncopied < LOG_PAGES {
                true => self.copier.poll(),
                false => Some(self.copier.wait()),
            };
            let Some(copied) = ended else { return Ok(()) };
            self.is_copying = false;
            copied?;
        }
        if unmoved >= LOG_PAGES {
            (self.copied, self.moved) = (pages, pages);
            move_log(writer, &self.mark)?;
        } else if uncopied >= COPIED_AT_ONCE {
            (self.copied, self.is_copying) = (pages, true);
            self.copier.begin();
        }
        Ok(())
    }

    /// Ends the thread, when it has copied what it copies.
    ///
    /// # Errors
    ///
    /// The log could not be copied.
    pub(crate) fn end(self) -> QueryResult<()> {
        let copied = if self.is_copying { self.copier.wait() } else { Ok(()) };
        self.copier.end();
        copied
    }
}

/// Returns the number of pages in the log.
fn log_pages(connection: &Connection) -> QueryResult<i64> {
    let mut pragma = connection.prepare_cached("PRAGMA wal_checkpoint(NOOP)")?;
    pragma.query_row([], |row| row.get("log"))
}

/// Moves the log into the database file, except for what a reader still needs to be in the log alone.
fn move_log(connection: &Connection, mark: &Mark) -> QueryResult<()> {
    mark.begin_write();
    let pragma = connection.prepare_cached("PRAGMA wal_checkpoint(PASSIVE)");
    match pragma.and_then(|mut pragma| pragma.query_row([], |_| Ok(()))) {
        // A full disk is no failure: the log stays, and is moved later.
        Err(error) if error.sqlite_error_code() != Some(ErrorCode::DiskFull) => {
            mark.remove();
            Err(error)
        }
        _ => {
            mark.idle();
            Ok(())
        }
    }
}

/// Copies the log into the database file, and syncs the file, which SQLite does only at the end of the log.
fn copy(connection: &Connection, mark: &Mark, file: Option<&File>) -> QueryResult<()> {
    move_log(connection, mark)?;
    file.map_or(Ok(()), File::sync_data).map_err(|error| {
        mark.remove();
        let cause = ffi::Error::new(ffi::SQLITE_IOERR_FSYNC);
        Error::SqliteFailure(cause, Some(format!("its file could not be synced: {error}")))
    })
}

/// The thread that copies the log.
#[derive(Debug)]
struct Copier {
    begin: Sender<()>,
    ended: Receiver<QueryResult<()>>,
    thread: JoinHandle<()>,
}

/// If it panics, the writer panics too, and the database is not written any more.
const NO_PANIC: &str = "the thread of checkpoints does not panic";

impl Copier {
    fn start(mut copy: impl FnMut() -> QueryResult<()> + Send + 'static) -> Self {
        let (begin, begun) = channel();
        let (end, ended) = channel();
        let work = move || {
            for () in begun {
                // A writer that has ended needs no answer.
                let _ = end.send(copy());
            }
        };
        let thread = thread::Builder::new().name("checkpoint".into()).spawn(work);
        Copier { begin, ended, thread: thread.expect("a thread can be started") }
    }

    /// Lets the thread copy the log as it is now.
    fn begin(&self) {
        self.begin.send(()).expect(NO_PANIC);
    }

    /// Waits until the log is copied.
    fn wait(&self) -> QueryResult<()> {
        self.ended.recv().expect(NO_PANIC)
    }

    /// Returns whether the log could be copied; `None` if the thread still copies it.
    fn poll(&self) -> Option<QueryResult<()>> {
        match self.ended.try_recv() {
            Err(TryRecvError::Empty) => None,
            ended => Some(ended.expect(NO_PANIC)),
        }
    }

    fn end(self) {
        let Copier { begin, ended: _, thread } = self;
        drop(begin);
        thread.join().expect(NO_PANIC);
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::time::{Duration, Instant, SystemTime};

    use super::*;
    use crate::check_mark::{LastCheck, beside, last_check};
    use crate::witness::Witness;
    use crate::writer::{Database, Writer};
    use crate::{Store, StoreError};

    const TABLE: &str = "CREATE TABLE file (content BLOB)";

    /// The octets of a frame of the log: a page and its head.
    const FRAME_OCTETS: u64 = 4096 + 24;

    /// The pages of the content of a commit. It has some more.
    const COMMIT_PAGES: i64 = 40;

    /// The longest log, with the commits that end its parts.
    const LOG_LIMIT: i64 = 2 * LOG_PAGES + 3 * COMMIT_PAGES;

    /// How long a slow copy takes, if the writer waits for it.
    const SLOW_COPY_MAX: Duration = Duration::from_millis(300);

    /// A database in a folder of its own.
    struct Case {
        folder: tempfile::TempDir,
    }

    impl Case {
        fn new() -> Self {
            Case { folder: tempfile::tempdir().unwrap() }
        }

        fn path(&self) -> PathBuf {
            self.folder.path().join("store.db")
        }

        fn open(&self) -> Store {
            Store::open(&self.path(), &[TABLE]).unwrap()
        }

        fn connect(&self) -> Connection {
            let connection = open_existing(&self.path()).unwrap();
            configure(&connection).unwrap();
            connection
        }

        fn mark(&self) -> Arc<Mark> {
            Arc::new(Mark::open(&self.path(), LastCheck { checked: SystemTime::now(), tables: 0 }))
        }

        /// Starts a writer whose thread copies in another way, with a connection of its own.
        fn writer(
            &self,
            mut copy: impl FnMut(&Connection, &Mark) -> QueryResult<()> + Send + 'static,
        ) -> Writer {
            drop(self.open());
            let (connection, of_copier) = (self.connect(), self.connect());
            let witness = Witness::open(&connection, &self.path(), false).unwrap();
            let mark = self.mark();
            let copied_mark = Arc::clone(&mark);
            let copier = Copier::start(move || copy(&of_copier, &copied_mark));
            let checkpoints = Checkpoints::with_copier(&connection, &mark, copier).unwrap();
            Writer::start(Database { connection, witness, mark, checkpoints }, &self.path())
        }

        /// Returns the largest number of pages that the log had.
        fn log_pages_max(&self) -> i64 {
            let octets = beside(&self.path(), "-wal").metadata().unwrap().len();
            (octets / FRAME_OCTETS).cast_signed()
        }
    }

    fn insert(db: &Connection) -> QueryResult<usize> {
        db.execute("INSERT INTO file VALUES (zeroblob(160000))", [])
    }

    /// Commits so much that the log would get so many pages without checkpoints.
    fn commit_pages(store: &Store, pages: i64) {
        (0..pages / COMMIT_PAGES).for_each(|_| assert_eq!(store.commit(insert).unwrap(), 1));
    }

    fn files(connection: &Connection) -> i64 {
        connection.query_row("SELECT count(*) FROM file", [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn a_log_that_is_copied_in_a_pause_begins_at_its_start_again() {
        let case = Case::new();
        drop(case.open());
        let connection = case.connect();
        let mark = case.mark();
        let mut checkpoints = Checkpoints::start(&connection, &case.path(), &mark).unwrap();
        for _ in 0..5 * LOG_PAGES / COMMIT_PAGES {
            insert(&connection).unwrap();
            checkpoints.advance(&connection).unwrap();
            while checkpoints.is_copying {
                checkpoints.advance(&connection).unwrap();
            }
        }
        let limit = COPIED_AT_ONCE + 2 * COMMIT_PAGES;
        assert!(case.log_pages_max() <= limit, "{} pages", case.log_pages_max());
    }

    #[test]
    fn the_log_stays_short_under_constant_load() {
        let (case, pages) = (Case::new(), 10 * LOG_PAGES);
        let store = case.open();
        commit_pages(&store, pages);
        assert!(case.log_pages_max() <= LOG_LIMIT, "{} pages", case.log_pages_max());
        assert_eq!(files(&store.reader().unwrap()), pages / COMMIT_PAGES);
        drop(store);
        assert_eq!(files(&case.open().reader().unwrap()), pages / COMMIT_PAGES);
    }

    #[test]
    fn a_log_begins_at_its_start_again_after_a_long_read() {
        let case = Case::new();
        let store = case.open();
        let reader = store.reader().unwrap();
        reader.execute_batch("BEGIN").unwrap();
        assert_eq!(files(&reader), 0);
        commit_pages(&store, 4 * LOG_PAGES);
        let pages = case.log_pages_max();
        assert!(pages >= 4 * LOG_PAGES, "the reader needs all {pages} pages");
        assert_eq!(files(&reader), 0, "it reads the state of its begin");
        drop(reader);
        commit_pages(&store, 2 * LOG_LIMIT);
        assert!(case.log_pages_max() <= pages + LOG_LIMIT, "{} pages", case.log_pages_max());
    }

    #[test]
    fn a_commit_makes_no_checkpoint() {
        let case = Case::new();
        let store = case.open();
        let pages = |db: &Connection| {
            db.pragma_query_value(None, "wal_autocheckpoint", |row| row.get::<_, i64>(0))
        };
        assert_eq!(store.commit(pages).unwrap(), 0);
    }

    #[test]
    fn the_writer_moves_the_log_if_the_thread_is_too_slow() {
        let case = Case::new();
        // It copies nothing, and lets the writer add more than it may.
        let writer = case.writer(|connection, _| {
            let (until, pages) = (Instant::now() + SLOW_COPY_MAX, log_pages(connection)?);
            while log_pages(connection)? < pages + 3 * LOG_PAGES && Instant::now() < until {
                thread::yield_now();
            }
            Ok(())
        });
        for _ in 0..4 * LOG_PAGES / COMMIT_PAGES {
            writer.commit(insert).unwrap();
        }
        assert!(case.log_pages_max() <= LOG_LIMIT, "{} pages", case.log_pages_max());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn nothing_is_written_after_a_sync_that_failed() {
        let case = Case::new();
        // This device cannot be synced.
        let device = File::open("/dev/null").unwrap();
        let path = case.path();
        let mut writer = case.writer(move |connection, mark| {
            assert!(last_check(&path).is_some());
            let copied = copy(connection, mark, Some(&device));
            assert!(last_check(&path).is_none(), "the database is checked at its next start");
            copied
        });
        let stopped = (0..LOG_PAGES).find_map(|_| writer.commit(insert).err());
        let Some(StoreError::Stopped { reason, .. }) = stopped else { panic!("{stopped:?}") };
        assert!(reason.contains("could not be synced"), "{reason}");
        let count = files(&case.connect());
        assert!(writer.end().is_err());
        assert!(last_check(&case.path()).is_none());
        let log = beside(&case.path(), "-wal").metadata().unwrap();
        assert!(log.len() > 0, "the log may be all that has what was not written");
        assert_eq!(files(&case.open().reader().unwrap()), count);
    }
}
