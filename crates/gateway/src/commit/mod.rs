//! The journal as jobs write it: which input files are done, and their outputs. The journal alone decides. Before it
//! has a file, all outputs of the file have temporary names, and the job is repeated after an interruption. After that,
//! only the rest is done: outputs get their names, and the input is marked.

pub(crate) mod committer;
pub(crate) mod expired;
pub(crate) mod file_ops;
pub mod known;
mod results;
mod retention;
mod retried;
mod row;

use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime};

use alarm::ChangeLog;
use journal::{JobId, Journal, for_each};
use node::Judge;
use runtime::time::since_epoch_ns;
use store::{Connection, QueryResult, Row, StoreError};

use crate::commit::expired::ExpiryRow;
use crate::execute::job::ProcessedFile;
use crate::execute::job_view::JobView;
use crate::execute::worker::{Expired, Retried};
use crate::plan::Plan;
use collection::added;
use commit_protocol::Unfinished;
use flow::flow_journal;
use flow::flow_journal::JournalError;
use flow::limits::AlarmLimits;
use flow::meters;
use flow::meters::Meters;
pub(crate) use results::ResultRows;
pub(crate) use retention::{forgettable, prune_files};
use retried::RetryRow;
use row::FileRow;
pub(crate) use row::{Journaled, NewEntry};
use state::in_memory::UnusedState;
use suspense::{JobsAside, Shares};

/// The journal of a gateway, with the state that jobs need besides it.
#[derive(Debug)]
pub struct Transactions {
    /// Declared before the journal, so that the journal is closed last: a database that a writer closes last is left as
    /// one file.
    alarms: Mutex<ChangeLog>,
    pub(crate) journal: Arc<Journal>,
    /// The view that jobs read.
    pub(crate) view: JobView,
    /// Jobs that have records in the journal before they are done.
    pub(crate) jobs: JobsAside,
    /// State in the journal that belongs to no node of the flow.
    pub(crate) unused: UnusedState,
    /// Whether some outputs may lack their final names.
    pub(crate) has_unfinished: AtomicBool,
    /// The metrics of what is done.
    pub(crate) meters: Arc<Meters>,
    /// The recent shares of rejected records.
    pub(crate) shares: Shares,
}

impl Deref for Transactions {
    type Target = Journal;

    fn deref(&self) -> &Journal {
        &self.journal
    }
}

impl Transactions {
    /// Opens the journal of a flow in its state folder. If `is_written` is false, nothing is written to it: a benchmark
    /// measures the cost of the journal that way.
    pub fn open(
        (flow, state): (&Path, &Path),
        is_written: bool,
        machine: fn() -> SystemTime,
    ) -> Result<Self, JournalError> {
        let mut journal = flow_journal::open(flow, state, machine)?;
        journal.view.is_written = is_written;
        Ok(Self::new(journal)?)
    }

    fn new(journal: Journal) -> Result<Self, StoreError> {
        let jobs = journal.commit(JobsAside::of)?;
        let alarms = Mutex::new(ChangeLog::new(journal.reader()?));
        let view = JobView::new(journal.view.clone());
        Ok(Transactions {
            alarms,
            journal: Arc::new(journal),
            view,
            jobs,
            unused: UnusedState::default(),
            has_unfinished: AtomicBool::new(true),
            meters: Arc::default(),
            shares: Shares::default(),
        })
    }

    /// Writes files as done, whose outputs are all on disk. Returns when the journal is on disk too. A file that is a
    /// duplicate, perhaps of one in the same group, is written as a duplicate without its outputs. Also marks the
    /// `finished` jobs, whose outputs all have their names.
    pub(crate) fn done(
        &self,
        plan: &Plan,
        made: &mut [ProcessedFile<'_>],
        finished: &[JobId],
    ) -> Result<Vec<Journaled>, StoreError> {
        let rows: Vec<FileRow> = made.iter_mut().map(|made| self.row(plan, made)).collect();
        let of_rows = made.iter().zip(&rows);
        let arrivals: Vec<_> = of_rows
            .map(|(made, row)| (made.job.found.arrived_at(), row.results.has_transfers()))
            .collect();
        let judges = judges(rows.iter().map(|row| &row.results));
        let done: Vec<Journaled> = self.note((rows, judges), finished, FileRow::insert)?;
        let now = Instant::now();
        for (journaled, (arrived_at, has_transfers)) in done.iter().zip(arrivals) {
            let Journaled { entry, account, duplicate_of, nodes, systems, octets } = journaled;
            let done = meters::Done { account, nodes, outputs: systems };
            self.meters.file(*entry, &done, *octets, duplicate_of.is_some());
            self.shares.file(&done, &plan.limits, now);
            match arrived_at.filter(|_| duplicate_of.is_none()) {
                Some(arrived_at) if has_transfers => {
                    self.meters.to_be_transferred(*entry, arrived_at)
                }
                Some(arrived_at) => self.meters.delivered(arrived_at),
                None => {}
            }
        }
        Ok(done)
    }

    /// Writes retries as done, as [`done`](Self::done) does for files.
    pub(crate) fn retried(
        &self,
        retried: &mut [Retried<'_>],
        finished: &[JobId],
    ) -> Result<Vec<JobId>, StoreError> {
        let done_ms = self.latest_ms();
        let row = |retried: &mut Retried<'_>| RetryRow {
            done_ms,
            job: retried.job.clone(),
            account: retried.account.clone(),
            results: ResultRows::of(&mut retried.results, &self.view),
            gathered: retried.gathered.take(),
            ends: std::mem::take(&mut retried.ends),
        };
        let rows: Vec<RetryRow> = retried.iter_mut().map(row).collect();
        let judges = judges(rows.iter().map(|row| &row.results));
        let noted = self.note((rows, judges), finished, |row, db| Ok((row.insert(db)?, row)))?;
        let of_job = |(entry, RetryRow { account, results, .. })| {
            let outputs = &results.systems();
            let done = meters::Done { account: &account, nodes: &results.accounts, outputs };
            self.meters.retried(entry, &done);
            entry
        };
        Ok(noted.into_iter().map(of_job).collect())
    }

    /// Writes the jobs that ended groups whose time was over, as [`done`](Self::done) does for files.
    pub(crate) fn expired(
        &self,
        limits: &AlarmLimits,
        expired: &mut [Expired<'_>],
        finished: &[JobId],
    ) -> Result<Vec<JobId>, StoreError> {
        let done_ms = self.latest_ms();
        let row = |expired: &mut Expired<'_>| ExpiryRow {
            done_ms,
            node: expired.node.to_owned(),
            network_element: expired.network_element.to_owned(),
            name: expired.name.clone(),
            results: ResultRows::of(&mut expired.results, &self.view),
            emitted: std::mem::take(&mut expired.emitted),
        };
        let rows: Vec<ExpiryRow> = expired.iter_mut().map(row).collect();
        let judges = judges(rows.iter().map(|row| &row.results));
        let insert = |row: ExpiryRow, db: &Connection| Ok((row.insert(db)?, row.results));
        let noted = self.note((rows, judges), finished, insert)?;
        let now = Instant::now();
        for (_, results) in &noted {
            self.shares.groups(&results.accounts, limits, now);
        }
        let of_job = |(entry, results): (JobId, ResultRows)| {
            self.meters.expired(entry, &results.accounts, &results.systems());
            entry
        };
        Ok(noted.into_iter().map(of_job).collect())
    }

    /// Inserts the rows of jobs, and marks the `finished` jobs. What judges their notes is told whether that is in the journal. Only
    /// the committer calls this, so no other job is judged before that.
    fn note<R: Send + 'static, N: Send + 'static>(
        &self,
        (rows, judges): (Vec<R>, Vec<Arc<dyn Judge>>),
        finished: &[JobId],
        insert: fn(R, &Connection) -> QueryResult<N>,
    ) -> Result<Vec<N>, StoreError> {
        let finished = finished.to_vec();
        let noted = self.commit(move |db| {
            note_finished(db, &finished)?;
            rows.into_iter().map(|row| insert(row, db)).collect()
        });
        judges.iter().for_each(|judge| judge.settle(noted.is_ok()));
        noted
    }

    fn row(&self, plan: &Plan, made: &mut ProcessedFile<'_>) -> FileRow {
        let ProcessedFile { job, contents, digest, duplicate_of, account, results, .. } = made;
        let ProcessedFile { aside, gathered, .. } = made;
        let (path, size, modified_ns) = self.view.identity(&job.found);
        FileRow {
            path,
            size,
            modified_ns,
            contents: *contents,
            digest: *digest,
            now_ms: self.now_ms(),
            done_ms: self.latest_ms(),
            is_archived: plan.archive.is_some(),
            duplicates: plan.collection.sources[job.element].duplicates,
            duplicate_of: duplicate_of.clone(),
            account: account.clone(),
            results: ResultRows::of(results, &self.view),
            aside: aside.rows(),
            gathered: gathered.take(),
        }
    }

    /// Marks jobs as finished: all their outputs have their names. Returns when that is on disk.
    pub(crate) fn finished(&self, entries: &[JobId]) -> Result<(), StoreError> {
        let entries = entries.to_vec();
        self.commit(move |db| note_finished(db, &entries))
    }

    /// Notes that inputs are marked, and their new paths. It does not wait for the disk: if it is lost, the input is
    /// marked again by its path, size and time.
    pub(crate) fn marked(&self, inputs: Vec<(JobId, PathBuf)>) {
        if inputs.is_empty() {
            return;
        }
        let entries: Vec<JobId> = inputs.iter().map(|(entry, _)| *entry).collect();
        // Not in an in buffer: a file there came whole.
        let (state, now_ms) = (self.view.state(), self.now_ms());
        let others = inputs.into_iter().filter(|(_, path)| !path.starts_with(&state));
        let others: Vec<_> = others.map(|(entry, path)| (entry, self.view.noted(&path))).collect();
        self.later(move |db| {
            for_each(db, "UPDATE file SET marked = 1 WHERE id = ?", &entries)?;
            added::watch(db, &others, now_ms)
        });
    }

    /// Notes which done but unmarked inputs are gone from their place, so that they are not marked any more. The
    /// journal still knows that they came, since their folder may be on a disk that is away.
    pub(crate) fn note_gone(&self) -> Result<(), StoreError> {
        let reader = self.reader()?;
        let unmarked = self.answer(unmarked(&reader))?;
        let gone = unmarked.into_iter().filter(|input| input.is_gone(self.view.folder()));
        let gone: Vec<JobId> = gone.map(|input| input.entry).collect();
        if gone.is_empty() {
            return Ok(());
        }
        self.commit(move |db| for_each(db, "UPDATE file SET marked = 2 WHERE id = ?", &gone))
    }

    /// Returns the last job that the journal has.
    pub(crate) fn last_job(&self) -> Result<Option<JobId>, StoreError> {
        let last = |db: &Connection| {
            db.query_row("SELECT max(id) FROM file", [], |row| row.get::<_, Option<i64>>(0))
        };
        Ok(self.answer(last(&*self.reader()?))?.map(JobId))
    }

    /// Returns the jobs that are not finished, with their outputs.
    pub(crate) fn unfinished(&self) -> Result<Vec<Unfinished<PathBuf>>, StoreError> {
        let folder = self.view.folder().to_path_buf();
        self.journal.commit(move |db| {
            let mut files = db.prepare("SELECT id FROM file WHERE finished = 0 ORDER BY id")?;
            let mut outputs =
                db.prepare("SELECT path FROM output WHERE file = ? ORDER BY rowid")?;
            let files: Vec<i64> =
                files.query_map([], |row| row.get(0))?.collect::<QueryResult<_>>()?;
            let one = |file| {
                let paths = outputs.query_map([file], |row| row.get::<_, String>(0))?;
                let outputs =
                    paths.map(|path| Ok(folder.join(path?))).collect::<QueryResult<_>>()?;
                Ok(Unfinished { entry: JobId(file), outputs })
            };
            files.into_iter().map(one).collect()
        })
    }

    /// Logs what is new of alarms.
    pub fn tell_alarms(&self) {
        self.log_alarms(ChangeLog::lines);
    }

    /// As [`tell_alarms`](Self::tell_alarms), for frequent callers: logs only if it is due.
    pub(crate) fn tell_alarms_now_and_then(&self) {
        self.log_alarms(ChangeLog::lines_if_due);
    }

    fn log_alarms(&self, lines: impl FnOnce(&mut ChangeLog) -> QueryResult<Vec<String>>) {
        let mut alarms = self.alarms.lock().unwrap_or_else(PoisonError::into_inner);
        match lines(&mut alarms) {
            Ok(lines) => {
                lines.iter().for_each(|line| tracing::warn!(target: "flow::journal", "{line}"))
            }
            Err(error) => {
                tracing::error!(target: "flow::journal", "the alarms could not be read: {error}")
            }
        }
    }
}

/// Returns what judges the notes of jobs, each once.
fn judges<'r>(results: impl Iterator<Item = &'r ResultRows>) -> Vec<Arc<dyn Judge>> {
    let mut all: Vec<Arc<dyn Judge>> = Vec::new();
    for judge in results.flat_map(ResultRows::judges) {
        if !all.iter().any(|known| Arc::ptr_eq(known, judge)) {
            all.push(Arc::clone(judge));
        }
    }
    all
}

/// An input that is done and not marked.
struct Unmarked {
    entry: JobId,
    path: String,
    size: i64,
    modified_ns: i64,
}

fn unmarked(db: &Connection) -> QueryResult<Vec<Unmarked>> {
    // The first condition makes the query use the index.
    let select = "SELECT id, path, size, modified_ns FROM file WHERE marked <> 1 AND marked = 0";
    let unmarked = |row: &Row<'_>| {
        Ok(Unmarked {
            entry: JobId(row.get(0)?),
            path: row.get(1)?,
            size: row.get(2)?,
            modified_ns: row.get(3)?,
        })
    };
    db.prepare(select)?.query_map([], unmarked)?.collect()
}

impl Unmarked {
    /// Returns whether its place is empty or has another file. False if that cannot be determined.
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

fn note_finished(db: &Connection, entries: &[JobId]) -> QueryResult<()> {
    for_each(db, "UPDATE file SET finished = 1 WHERE id = ?", entries)
}
