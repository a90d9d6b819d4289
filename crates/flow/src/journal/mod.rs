//! The journal: which input files are done, and what was made of them. It alone decides: before a file is in it,
//! all that was made of the file is under temporary names and the job is repeated; behind that, only what is
//! left to do is done: outputs get their names, the input is marked.

mod book;
mod hindrance;
mod known;
mod lock;
#[cfg(test)]
mod migrations;
mod results;
mod row;

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};
use store::{Answer, Commits, Connection, Reader, Row, Store, StoreError};

use crate::added;
use crate::alarm::Teller;
use crate::clock::Clock;
use crate::file;
use crate::held::ExpiryRow;
use crate::job::Made;
use crate::memory::Unknown;
use crate::meters::{self, Meters};
use crate::protocol::Unfinished;
use crate::room::octets;
use crate::suspense::{JobsAside, RetryRow, Shares};
use crate::threads;
use crate::time::since_epoch_ns;
use crate::worker::{Expired, Retried};
pub(crate) use book::{Book, DoneBefore};
use hindrance::hindrance;
pub(crate) use hindrance::{no_room, no_room_to_write};
pub(crate) use known::{counted, known, known_system};
use lock::Lock;
pub(crate) use results::ResultRows;
use row::FileRow;
pub(crate) use row::{Journaled, NewEntry};

/// Versions of the database; one that was published is never changed.
pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("1.sql"),
    include_str!("contents.sql"),
    include_str!("alarm.sql"),
    include_str!("suspense.sql"),
    include_str!("sequence.sql"),
    include_str!("noted.sql"),
    include_str!("passage.sql"),
    include_str!("amount.sql"),
    include_str!("trail.sql"),
    include_str!("retry.sql"),
    include_str!("retention.sql"),
    include_str!("again.sql"),
    include_str!("held.sql"),
    include_str!("aside.sql"),
    include_str!("forgotten.sql"),
    include_str!("form.sql"),
    include_str!("returning.sql"),
    include_str!("missing.sql"),
    include_str!("asked.sql"),
    include_str!("kept.sql"),
    include_str!("clock.sql"),
    include_str!("remembered.sql"),
    include_str!("held_sum.sql"),
    include_str!("held_digest.sql"),
    include_str!("held_key.sql"),
    include_str!("held_late.sql"),
    include_str!("gone.sql"),
    include_str!("kept_by.sql"),
    include_str!("held_balance.sql"),
    include_str!("missing_at.sql"),
    include_str!("missing_open.sql"),
    include_str!("kept_generation.sql"),
    include_str!("pending_element.sql"),
    include_str!("alarm_event.sql"),
    include_str!("notified.sql"),
    include_str!("drift.sql"),
    include_str!("delivery.sql"),
    include_str!("trace.sql"),
    include_str!("archive.sql"),
    include_str!("fetched.sql"),
    include_str!("slice.sql"),
    include_str!("suspense_digest.sql"),
    include_str!("reopened.sql"),
    include_str!("kept_asked.sql"),
    include_str!("put_off.sql"),
    include_str!("unnamed.sql"),
    include_str!("delivery_discarded.sql"),
    include_str!("delivered.sql"),
    include_str!("suspense_open.sql"),
    include_str!("added.sql"),
    include_str!("poison.sql"),
    include_str!("contents_size.sql"),
    include_str!("doubt.sql"),
    include_str!("suspense_waiting.sql"),
    include_str!("habit.sql"),
    include_str!("alarm_since.sql"),
];

/// How long the journal is opened before it is told why that takes so long.
const TOLD_AFTER: Duration = Duration::from_secs(1);

/// The database in the folder of a flow's state.
const DATABASE: &str = "journal.db";

/// Why there is no journal, or nothing in it that could be asked for.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The flow file cannot be read: perhaps another was meant.
    #[error("cannot read \"{}\"", flow.display())]
    Flow {
        /// The flow file.
        flow: PathBuf,
        /// Why.
        #[source]
        cause: std::io::Error,
    },
    /// Neither the flow nor the journal has such a network element.
    #[error("no network element \"{name}\" in \"{}\"; {known}", flow.display())]
    UnknownElement {
        /// What was asked for.
        name: String,
        /// The flow file.
        flow: PathBuf,
        /// Which there are.
        known: String,
    },
    /// Neither the flow nor the journal has something of such a name.
    #[error("there is no {what} \"{name}\" in \"{}\", nor in its journal", flow.display())]
    UnknownName {
        /// What was asked for.
        what: &'static str,
        /// Its name.
        name: String,
        /// The flow file.
        flow: PathBuf,
    },
    /// What comes again would be counted twice.
    #[error(
        "\"{0}\" keeps counters of subscribers, which would count what comes again once more: if that is right, \
         say --even-counters"
    )]
    CountsAgain(String),
    /// Nothing is numbered or totalled.
    #[error(
        "no network element of \"{}\" has a sequence; give one file-sequence, record-sequence or totals, \
         see docs/reference/flow.md",
        .0.display()
    )]
    Uncounted(PathBuf),
    /// Another gateway runs the flow.
    #[error("another gateway runs this flow: {holder}; stop it first")]
    InUse {
        /// Which, as its lock says.
        holder: String,
    },
    /// The folder of the state cannot be used.
    #[error("could not use the folder \"{}\" for the flow's state: {error}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// No gateway has run the flow yet.
    #[error("no gateway has run \"{}\" yet: there is no \"{}\"", flow.display(), database.display())]
    Missing {
        /// The flow file.
        flow: PathBuf,
        /// Where the journal would be.
        database: PathBuf,
    },
    /// The database is not as it was written.
    #[error("{0}; nothing was processed, see docs/how-to/recover-from-a-damaged-journal.md")]
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

impl From<StoreError> for JournalError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Damaged { .. } | StoreError::Lost { .. } => JournalError::Damaged(error),
            StoreError::Database { ref path, .. } => match hindrance(Path::new(path)) {
                Some(hindrance) => JournalError::Hindered { hindrance, error },
                None => JournalError::Store(error),
            },
            error => JournalError::Store(error),
        }
    }
}

/// The journal of a flow, and the right to run it.
#[derive(Debug)]
pub(crate) struct Journal {
    /// Before the store, so that the store is closed last: who closes a database last, and may write, leaves it in one
    /// file.
    teller: Mutex<Teller>,
    store: Store,
    /// What is read of it.
    pub(crate) book: Book,
    /// The file that is open, whatever has its name now.
    identity: Option<FileIdentity>,
    /// Whether it was begun now: there was none.
    pub(crate) is_new: bool,
    /// Those that have records in it before they are done.
    pub(crate) jobs: JobsAside,
    /// What was noted in it that no node of the flow knows.
    pub(crate) unknown: Mutex<Vec<Unknown>>,
    /// Whether outputs may be without their names.
    pub(crate) has_unfinished: AtomicBool,
    /// Whether it can no longer be written.
    pub(crate) has_failed: AtomicBool,
    /// Whether the last two gateways that had it did not end in order.
    pub(crate) were_brought_down: bool,
    /// Where it is counted what is done.
    pub(crate) meters: Arc<Meters>,
    /// What of that was set aside of late.
    pub(crate) shares: Shares,
    _lock: Lock,
}

/// A file in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Entry(pub(crate) i64);

/// Asks the journal of a flow, whether a gateway runs it or not.
pub(crate) fn look<T>(
    flow: &Path,
    ask: impl FnOnce(&Connection) -> Answer<T>,
) -> Result<T, JournalError> {
    Ok(store::read(&existing(flow)?, MIGRATIONS, ask)?)
}

/// Changes the journal of a flow, whether a gateway runs it or not.
pub(crate) fn change<T>(
    flow: &Path,
    change: impl FnOnce(&Connection) -> Answer<T>,
) -> Result<T, JournalError> {
    Ok(store::change(&existing(flow)?, MIGRATIONS, change)?)
}

/// The database of a flow's journal.
pub(crate) fn existing(flow: &Path) -> Result<PathBuf, JournalError> {
    let cause = |cause| JournalError::Flow { flow: flow.into(), cause };
    let database = file::outline(flow).map_err(cause)?.state.join(DATABASE);
    match database.exists() {
        true => Ok(database),
        false => Err(JournalError::Missing { flow: flow.into(), database }),
    }
}

impl Journal {
    /// Opens the journal in the folder of a flow's state, both of which are made where they are missing. Where that takes
    /// long, it is told why.
    pub(crate) fn open(
        state: &Path,
        flow: &Path,
        machine: fn() -> SystemTime,
    ) -> Result<Self, JournalError> {
        let unusable = |error| JournalError::Folder { folder: state.into(), error };
        transport::make_private_folder(state).map_err(unusable)?;
        let lock = Lock::take(&state.join("lock")).map_err(unusable)?;
        let lock = lock.map_err(|holder| JournalError::InUse { holder })?;
        let database = state.join(DATABASE);
        // An empty one is what a power cut may leave.
        let is_new = std::fs::metadata(&database).map_or(0, |metadata| metadata.len()) == 0;
        let store = telling_why(&database, || Store::open(&database, MIGRATIONS))?;
        let (has_unfinished, has_failed) = (AtomicBool::new(true), AtomicBool::new(false));
        let jobs = store.commit(JobsAside::of)?;
        let clock = store.commit(move |db| Clock::new(machine, db))?;
        let book = Book::new(store.readers().clone(), flow, clock).map_err(unusable)?;
        let teller = Mutex::new(Teller::new(store.reader()?));
        Ok(Journal {
            store,
            teller,
            book,
            identity: FileIdentity::of(&database),
            is_new,
            jobs,
            unknown: Mutex::default(),
            has_unfinished,
            has_failed,
            were_brought_down: lock.were_brought_down,
            meters: Arc::default(),
            shares: Shares::default(),
            _lock: lock,
        })
    }

    /// Notes that files are done whose outputs are all on the disk; returns when that is on the disk too. One that
    /// came before, perhaps with the same group, is noted as a duplicate, and what was made of it is not. With them is
    /// noted of which files all outputs have their names.
    pub(crate) fn done(
        &self,
        made: &mut [Made<'_>],
        finished: &[Entry],
    ) -> Result<Vec<Journaled>, StoreError> {
        let rows: Vec<FileRow> = made.iter_mut().map(|made| self.row(made)).collect();
        let of_rows = made.iter().zip(&rows);
        let came: Vec<_> =
            of_rows.map(|(made, row)| (made.job.found.came(), row.results.is_carried())).collect();
        let done: Vec<Journaled> = self.note(rows, finished, FileRow::insert)?;
        let now = Instant::now();
        for ((journaled, (came, is_carried)), made) in done.iter().zip(came).zip(made) {
            let Journaled { entry, account, duplicate_of, nodes, systems, octets } = journaled;
            let done = meters::Done { account, nodes, outputs: systems };
            self.meters.file(&done, *octets, duplicate_of.is_some());
            self.shares.file(&done, &made.claim.flow.limits, now);
            match came.filter(|_| duplicate_of.is_none()) {
                Some(came) if is_carried => self.meters.to_be_carried(*entry, came),
                Some(came) => self.meters.delivered(came),
                None => {}
            }
        }
        Ok(done)
    }

    /// What was committed.
    pub(crate) fn commits(&self) -> Arc<Commits> {
        Arc::clone(self.store.commits())
    }

    /// Makes a change; returns when it is on the disk.
    pub(crate) fn commit<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> Answer<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let committed = self.store.commit(change);
        if let Err(StoreError::Stopped { .. }) = &committed {
            self.has_failed.store(true, Ordering::Relaxed);
        }
        committed
    }

    /// Notes that retries are done, as [`done`](Self::done) does for files.
    pub(crate) fn retried(
        &self,
        retried: &mut [Retried<'_>],
        finished: &[Entry],
    ) -> Result<Vec<Entry>, StoreError> {
        let done_ms = self.latest_ms();
        let row = |retried: &mut Retried<'_>| RetryRow {
            done_ms,
            job: retried.job.clone(),
            account: retried.account.clone(),
            results: ResultRows::of(&mut retried.results, &self.book),
            gathered: retried.gathered.take(),
            ends: std::mem::take(&mut retried.ends),
        };
        let rows: Vec<RetryRow> = retried.iter_mut().map(row).collect();
        let noted = self.note(rows, finished, |row, db| Ok((row.insert(db)?, row)))?;
        let of_job = |(entry, RetryRow { account, results, .. })| {
            let outputs = &results.systems();
            self.meters.retried(&meters::Done {
                account: &account,
                nodes: &results.accounts,
                outputs,
            });
            entry
        };
        Ok(noted.into_iter().map(of_job).collect())
    }

    /// Notes that groups were released whose time is over, as [`done`](Self::done) does for files.
    pub(crate) fn expired(
        &self,
        expired: &mut [Expired<'_>],
        finished: &[Entry],
    ) -> Result<Vec<Entry>, StoreError> {
        let done_ms = self.latest_ms();
        let row = |expired: &mut Expired<'_>| ExpiryRow {
            done_ms,
            node: expired.node.to_owned(),
            network_element: expired.network_element.to_owned(),
            name: expired.name.clone(),
            results: ResultRows::of(&mut expired.results, &self.book),
        };
        let rows: Vec<ExpiryRow> = expired.iter_mut().map(row).collect();
        let noted = self.note(rows, finished, |row, db| Ok((row.insert(db)?, row.results)))?;
        let now = Instant::now();
        for ((_, results), expired) in noted.iter().zip(expired) {
            self.shares.groups(&results.accounts, &expired.claim.flow.limits, now);
        }
        let of_job = |(entry, results): (Entry, ResultRows)| {
            self.meters.expired(&results.accounts, &results.systems());
            entry
        };
        Ok(noted.into_iter().map(of_job).collect())
    }

    /// Notes jobs, and of which the outputs have their names.
    fn note<R: Send + 'static, N: Send + 'static>(
        &self,
        rows: Vec<R>,
        finished: &[Entry],
        insert: fn(R, &Connection) -> Answer<N>,
    ) -> Result<Vec<N>, StoreError> {
        let finished = finished.to_vec();
        self.commit(move |db| {
            note_finished(db, &finished)?;
            rows.into_iter().map(|row| insert(row, db)).collect()
        })
    }

    fn row(&self, made: &mut Made<'_>) -> FileRow {
        let Made { job, contents, digest, duplicate_of, account, results, .. } = made;
        let Made { aside, gathered, claim, .. } = made;
        let (path, size, modified_ns) = self.book.identity(&job.found);
        FileRow {
            path,
            size,
            modified_ns,
            contents: *contents,
            digest: *digest,
            now_ms: self.now_ms(),
            done_ms: self.latest_ms(),
            is_archived: claim.flow.archive.is_some(),
            duplicates: claim.flow.elements[job.element].duplicates,
            duplicate_of: duplicate_of.clone(),
            account: account.clone(),
            results: ResultRows::of(results, &self.book),
            aside: aside.rows(),
            gathered: gathered.take(),
        }
    }

    /// Notes that all outputs of jobs have their names; returns when that is on the disk.
    pub(crate) fn finished(&self, entries: &[Entry]) -> Result<(), StoreError> {
        let entries = entries.to_vec();
        self.commit(move |db| note_finished(db, &entries))
    }

    /// Notes that inputs are marked, and where they lie. Where that is lost, a file of its path, size and time is marked
    /// again.
    pub(crate) fn marked(&self, inputs: Vec<(Entry, PathBuf)>) {
        if inputs.is_empty() {
            return;
        }
        let entries: Vec<Entry> = inputs.iter().map(|(entry, _)| *entry).collect();
        // What lies in an in buffer came whole.
        let (state, now_ms) = (self.book.state(), self.now_ms());
        let others = inputs.into_iter().filter(|(_, path)| !path.starts_with(&state));
        let others: Vec<_> = others.map(|(entry, path)| (entry, self.book.noted(&path))).collect();
        self.later(move |db| {
            note(db, "UPDATE file SET marked = 1 WHERE id = ?", &entries)?;
            added::watch(db, &others, now_ms)
        });
    }

    /// Notes which inputs that are done and not marked lie no more where they lay: nobody will mark them. That they came is
    /// not forgotten, since their folder may be on a disk that is not there just now.
    pub(crate) fn note_gone(&self) -> Result<(), StoreError> {
        let reader = self.reader()?;
        let unmarked = self.answer(unmarked(&reader))?;
        let gone = unmarked.into_iter().filter(|input| input.is_gone(self.book.folder()));
        let gone: Vec<Entry> = gone.map(|input| input.entry).collect();
        if gone.is_empty() {
            return Ok(());
        }
        self.commit(move |db| note(db, "UPDATE file SET marked = 2 WHERE id = ?", &gone))
    }

    /// The time by which what waits is over, and what is old forgotten. A clock that was set does not count at once.
    pub(crate) fn now_ms(&self) -> i64 {
        self.book.clock.now_ms()
    }

    /// The latest time that it may be: what is known for some time is known from then on, so that a clock that was set back
    /// does not make it be forgotten.
    pub(crate) fn latest_ms(&self) -> i64 {
        self.book.clock.latest_ms()
    }

    /// The gateway looks, and so is alive.
    pub(crate) fn seen_alive(&self) {
        if let Some(note) = self.book.clock.look().filter(|_| self.book.is_kept) {
            self.later(note);
        }
    }

    /// Whether its database is still there: one that was removed takes what is written and keeps nothing.
    pub(crate) fn is_there(&self) -> bool {
        // Another that has its name is not what this gateway writes to.
        FileIdentity::of(self.book.database()) == self.identity
    }

    /// Whether it is there, and takes what is written.
    pub(crate) fn can_be_written(&self) -> bool {
        self.is_there() && !self.has_failed.load(Ordering::Relaxed)
    }

    /// What a reader was answered.
    pub(crate) fn answer<T>(&self, answer: Answer<T>) -> Result<T, StoreError> {
        self.book.answer(answer)
    }

    /// Makes a change that may be repeated when it is lost.
    pub(crate) fn later(&self, change: impl FnOnce(&Connection) -> Answer<()> + Send + 'static) {
        self.store.later(change);
    }

    /// Does something elsewhere that may be lost, on the grounds of what the journal has on the disk: not of what a change
    /// that is made just now says, and may never have said.
    pub(crate) fn behind(&self, deed: impl FnOnce(&Connection) -> Answer<()> + Send + 'static) {
        self.store.behind(deed);
    }

    /// The files that are not finished.
    pub(crate) fn unfinished(&self) -> Result<Vec<Unfinished<PathBuf>>, StoreError> {
        let folder = self.book.folder().to_path_buf();
        self.store.commit(move |db| {
            let mut files = db.prepare("SELECT id FROM file WHERE finished = 0 ORDER BY id")?;
            let mut outputs =
                db.prepare("SELECT path FROM output WHERE file = ? ORDER BY rowid")?;
            let files: Vec<i64> = files.query_map([], |row| row.get(0))?.collect::<Answer<_>>()?;
            let one = |file| {
                let paths = outputs.query_map([file], |row| row.get::<_, String>(0))?;
                let outputs = paths.map(|path| Ok(folder.join(path?))).collect::<Answer<_>>()?;
                Ok(Unfinished { entry: Entry(file), outputs })
            };
            files.into_iter().map(one).collect()
        })
    }

    /// Has what is new of alarms in the log.
    pub(crate) fn tell_alarms(&self) {
        self.with_teller(Teller::news);
    }

    /// As [`tell_alarms`](Self::tell_alarms), for those who come often.
    pub(crate) fn tell_alarms_now_and_then(&self) {
        self.with_teller(Teller::news_now_and_then);
    }

    fn with_teller(&self, news: impl FnOnce(&mut Teller) -> Answer<Vec<String>>) {
        let mut teller = self.teller.lock().unwrap_or_else(PoisonError::into_inner);
        match news(&mut teller) {
            Ok(news) => news.iter().for_each(|news| tracing::warn!("{news}")),
            Err(error) => tracing::error!("the alarms could not be read: {error}"),
        }
    }

    /// A connection to ask by.
    pub(crate) fn reader(&self) -> Result<Reader, StoreError> {
        self.book.reader()
    }
}

/// Opens a database. A large one is looked at as a whole where it was not closed in order; nobody is to wonder what the
/// gateway does meanwhile.
fn telling_why<T>(database: &Path, open: impl FnOnce() -> T) -> T {
    let size = std::fs::metadata(database).map_or(0, |metadata| metadata.len());
    let (opened, waiting) = mpsc::channel::<()>();
    thread::scope(|scope| {
        // Without it, nobody is told.
        let _ = threads::start(scope, move || {
            if waiting.recv_timeout(TOLD_AFTER) == Err(RecvTimeoutError::Timeout) {
                tracing::info!("checking the journal ({})", octets(size));
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

/// An input that is done and not marked.
struct Unmarked {
    entry: Entry,
    path: String,
    size: i64,
    modified_ns: i64,
}

fn unmarked(db: &Connection) -> Answer<Vec<Unmarked>> {
    // The first condition is that of the index.
    let select = "SELECT id, path, size, modified_ns FROM file WHERE marked <> 1 AND marked = 0";
    let unmarked = |row: &Row<'_>| {
        Ok(Unmarked {
            entry: Entry(row.get(0)?),
            path: row.get(1)?,
            size: row.get(2)?,
            modified_ns: row.get(3)?,
        })
    };
    db.prepare(select)?.query_map([], unmarked)?.collect()
}

impl Unmarked {
    /// Whether it is seen that nothing, or another file, has its place.
    fn is_gone(&self, folder: &Path) -> bool {
        match std::fs::metadata(folder.join(&self.path)) {
            Ok(there) => {
                let modified_ns = there.modified().map_or(0, since_epoch_ns);
                (there.len() as i64, modified_ns) != (self.size, self.modified_ns)
            }
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }
}

fn note_finished(db: &Connection, entries: &[Entry]) -> Answer<()> {
    note(db, "UPDATE file SET finished = 1 WHERE id = ?", entries)
}

fn note(db: &Connection, update: &str, entries: &[Entry]) -> Answer<()> {
    let mut update = db.prepare_cached(update)?;
    entries.iter().try_for_each(|Entry(file)| update.execute([file]).map(drop))
}
