//! Records of a job that are set aside, until the journal has the job.
//!
//! If a file has many, they are written to the journal while it is read, and not again when it is done. The row of the
//! file then names the job number under which they were written. So the end of a file whose records all failed takes no
//! longer than that of any other file.

use std::io;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use reason::Reason;
use serde::{Deserialize, Serialize};
use store::{Connection, QueryResult, StoreError, params};

use super::checksum::digest;
use flow::outcome::Why;
use flow::reasons;
use journal::{JobId, Journal, Pruned, for_each};

/// Octets that are kept in memory. Above this, records go to the journal before the job is done; no query shows them
/// yet.
const OCTETS_MAX: usize = 1 << 20;

/// Memory of a record's row besides its texts.
const ROW_OCTETS: usize = size_of::<Row>();

/// Records of broken-off jobs that are deleted in one transaction.
const FORGOTTEN_AT_ONCE: usize = 1_000;

/// How long one pass of such deletes runs before other work continues.
const FORGOTTEN_FOR: Duration = Duration::from_millis(200);

/// Jobs that have records in the journal before they are done themselves.
#[derive(Debug)]
pub struct JobsAside {
    /// The number of the next job; the journal has no such number yet.
    next: AtomicI64,
    /// Jobs that will never be done. No query shows their records, which are deleted in small steps.
    broken_off: Mutex<Vec<i64>>,
}

/// The owner of a record that is set aside.
#[derive(Clone, Copy, Debug)]
pub(super) enum Of {
    /// A file that is done.
    File(JobId),
    /// A job that is in progress.
    Job(i64),
}

/// A record that is set aside.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The reason for which it is set aside.
    pub why: Why,
    /// Its number in the file, from 1.
    pub record: u64,
    /// Its offset in the file, in octets.
    pub offset: u64,
    /// The node that could not process it; empty if it could not be read.
    pub node: String,
    /// The error.
    pub reason: Reason,
    /// Its octets, as they were read.
    pub octets: Vec<u8>,
}

/// Where the records of a large job go before the job is done.
#[derive(Clone, Copy)]
pub enum Spill<'p> {
    /// To the journal of this process, under a number of these jobs. No query shows them yet.
    Journal(&'p Journal, &'p JobsAside),
    /// To the process that writes the journal.
    Writer(&'p dyn TakesRows),
}

/// The writer of the journal, for a process that does not write it itself.
pub trait TakesRows: Sync {
    /// Takes records of the current job.
    fn take(&self, rows: Vec<Row>) -> io::Result<()>;

    /// Drops the records taken so far: the job was abandoned or started again.
    fn take_back(&self);
}

/// The records of a job that are set aside.
pub struct SetAside<'p> {
    spill: Spill<'p>,
    rows: Vec<Row>,
    octets: usize,
    /// The context from the file that is needed to read one of them alone.
    context: Vec<u8>,
    /// The number under which some are in the journal. Dropping this value breaks that job off.
    job: Option<i64>,
    /// Whether the writer has some. Dropping this value takes those back.
    has_spilled: bool,
}

/// The records of a job that are set aside, on their way into the journal.
#[derive(Debug)]
pub struct Rows {
    rows: Vec<Row>,
    context: Vec<u8>,
    job: Option<i64>,
}

/// What the row of a file says of its records that are set aside.
#[derive(Clone, Copy, Debug)]
pub struct FileColumns<'r> {
    /// The number under which some of them were written before the file was done.
    pub job: Option<i64>,
    /// The context that is needed to read one of them alone.
    pub context: Option<&'r [u8]>,
}

impl<'p> SetAside<'p> {
    /// Returns an empty set.
    pub fn new(spill: Spill<'p>) -> Self {
        SetAside {
            spill,
            rows: Vec::new(),
            octets: 0,
            context: Vec::new(),
            job: None,
            has_spilled: false,
        }
    }

    /// Notes the context that is needed to read a record of the file alone.
    pub fn context(&mut self, context: &[u8]) {
        self.context = context.into();
    }

    /// Sets a record aside.
    pub fn put(&mut self, row: Row) -> io::Result<()> {
        self.octets += ROW_OCTETS + row.node.len() + row.reason.octets() + row.octets.len();
        self.rows.push(row);
        if self.octets < OCTETS_MAX {
            return Ok(());
        }
        self.octets = 0;
        let rows = std::mem::take(&mut self.rows);
        let (journal, jobs) = match self.spill {
            Spill::Journal(journal, jobs) => (journal, jobs),
            Spill::Writer(writer) => {
                self.has_spilled = true;
                return writer.take(rows);
            }
        };
        let next = || jobs.next.fetch_add(1, Ordering::Relaxed);
        let of = Of::Job(*self.job.get_or_insert_with(next));
        let committed =
            journal.commit(move |db| rows.iter().try_for_each(|row| row.insert(db, of)));
        committed.map_err(io::Error::other)
    }

    /// Takes what is to be noted with the job.
    pub fn rows(&mut self) -> Rows {
        let context = std::mem::take(&mut self.context);
        Rows { rows: std::mem::take(&mut self.rows), context, job: self.job }
    }

    /// Takes the context for reading records of the file alone, and the records that were not spilled.
    pub fn take(&mut self) -> (Vec<u8>, Vec<Row>) {
        self.has_spilled = false;
        (std::mem::take(&mut self.context), std::mem::take(&mut self.rows))
    }

    /// Keeps the spilled records: the journal has the job.
    pub fn keep(&mut self) {
        self.job = None;
    }
}

impl Drop for SetAside<'_> {
    fn drop(&mut self) {
        match (self.spill, self.job) {
            (Spill::Journal(_, jobs), Some(job)) => jobs.break_off(job),
            (Spill::Writer(writer), _) if self.has_spilled => writer.take_back(),
            _ => {}
        }
    }
}

impl Row {
    pub(super) fn insert(&self, db: &Connection, of: Of) -> QueryResult<()> {
        let (file, job) = match of {
            Of::File(JobId(file)) => (Some(file), None),
            Of::Job(job) => (None, Some(job)),
        };
        let Row { why, record, offset, node, reason, octets } = self;
        let (record, offset) = (*record as i64, *offset as i64);
        let reason = reasons::columns(db, reason)?;
        db.prepare_cached(
            "INSERT INTO suspense (file, job, why, record, offset, node, reason, reason_id, reason_values, octets, octets_digest)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            file,
            job,
            why.word(),
            record,
            offset,
            node,
            reason.text,
            reason.id,
            reason.values,
            octets,
            digest(octets)
        ])
        .map(drop)
    }
}

impl Rows {
    /// Returns what the row of their file says of them; none if there are none.
    pub fn file_columns(&self) -> Option<FileColumns<'_>> {
        let context = (!self.context.is_empty()).then_some(self.context.as_slice());
        (self.job.is_some() || !self.rows.is_empty())
            .then_some(FileColumns { job: self.job, context })
    }

    /// Notes them with their file. The caller writes [`file_columns`](Self::file_columns) to the file's row.
    pub fn insert(&self, db: &Connection, entry: JobId) -> QueryResult<()> {
        self.rows.iter().try_for_each(|row| row.insert(db, Of::File(entry)))
    }

    /// Drops all of them: the file is a duplicate, so none of its records is noted.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.job = None;
    }
}

impl JobsAside {
    /// Reads the jobs of a journal that no other process writes. So a job without a file will never get one.
    pub fn of(db: &Connection) -> QueryResult<Self> {
        let next = "SELECT 1 + max(ifnull((SELECT max(job) FROM suspense WHERE file IS NULL), 0),
                                   ifnull((SELECT max(job) FROM file WHERE job IS NOT NULL), 0))";
        // Steps from each job to the next, so that the records themselves are not read.
        let broken_off = "WITH RECURSIVE known(job) AS (
                 SELECT min(job) FROM suspense WHERE file IS NULL UNION ALL
                 SELECT (SELECT min(job) FROM suspense WHERE file IS NULL AND job > known.job)
                 FROM known WHERE known.job IS NOT NULL)
             SELECT job FROM known WHERE job IS NOT NULL
                 AND NOT EXISTS (SELECT 1 FROM file WHERE file.job = known.job)";
        let broken_off =
            db.prepare(broken_off)?.query_map([], |row| row.get(0))?.collect::<QueryResult<_>>()?;
        let next = db.query_row(next, [], |row| row.get(0))?;
        Ok(JobsAside { next: AtomicI64::new(next), broken_off: Mutex::new(broken_off) })
    }

    fn break_off(&self, job: i64) {
        self.broken_off.lock().unwrap_or_else(PoisonError::into_inner).push(job);
    }

    fn any_broken_off(&self) -> Option<i64> {
        self.broken_off.lock().unwrap_or_else(PoisonError::into_inner).last().copied()
    }

    fn is_forgotten(&self, job: i64) {
        self.broken_off
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|other| *other != job);
    }
}

/// Deletes the records that these jobs set aside.
pub fn prune_files(db: &Connection, jobs: &[JobId]) -> QueryResult<()> {
    let delete = "DELETE FROM suspense WHERE id IN (SELECT id FROM set_aside WHERE file = ?)";
    for_each(db, delete, jobs)
}

/// Deletes records of broken-off jobs, and returns whether more are left.
pub fn forget_broken_off(journal: &Journal, jobs: &JobsAside) -> Result<Pruned, StoreError> {
    let end = Instant::now() + FORGOTTEN_FOR;
    while let Some(job) = jobs.any_broken_off() {
        if Instant::now() >= end {
            return Ok(Pruned::Some);
        }
        let forgotten = journal.commit(move |db| forget_some(db, job))?;
        if forgotten < FORGOTTEN_AT_ONCE {
            jobs.is_forgotten(job);
        }
    }
    Ok(Pruned::All)
}

fn forget_some(db: &Connection, job: i64) -> QueryResult<usize> {
    // The check matters if an error hid whether the commit of the file succeeded: the journal may have the file after
    // all.
    let delete = "DELETE FROM suspense WHERE id IN
             (SELECT id FROM suspense WHERE job = ?1 AND file IS NULL ORDER BY id LIMIT ?2)
         AND NOT EXISTS (SELECT 1 FROM file WHERE file.job = ?1)";
    db.prepare_cached(delete)?.execute(params![job, FORGOTTEN_AT_ONCE as i64])
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::Path;

    use super::*;

    pub(crate) const RECORDS: usize = 20_000;

    /// A journal, and the jobs that have records in it before they are done.
    pub(crate) struct Opened {
        pub(crate) journal: Journal,
        jobs: JobsAside,
    }

    pub(crate) fn journal(folder: &Path) -> Opened {
        let (flow, state) = (folder.join("flow.toml"), folder.join("flow.state"));
        let journal = flow::flow_journal::open(&flow, &state, std::time::SystemTime::now).unwrap();
        let jobs = journal.commit(JobsAside::of).unwrap();
        Opened { journal, jobs }
    }

    /// Sets aside some twenty megabytes of records.
    pub(crate) fn set_aside(opened: &Opened) -> SetAside<'_> {
        let mut aside = SetAside::new(Spill::Journal(&opened.journal, &opened.jobs));
        for record in 0..RECORDS {
            let (node, reason) = ("isRoaming".into(), Reason::uncoded("no IMSI"));
            let octets = vec![7; 1_000];
            let (record, offset) = (record as u64, 0);
            aside.put(Row { why: Why::Suspended, record, offset, node, reason, octets }).unwrap();
        }
        aside
    }

    pub(crate) fn end(Opened { journal, .. }: &Opened, mut aside: SetAside<'_>) {
        let rows = aside.rows();
        journal
            .commit(move |db| {
                let insert = "INSERT INTO file (network_element, path, size, modified_ns, done_ms,
                         records, delivered, filtered, held, suspended, duplicate)
                     VALUES ('boston', 'in/a.ber', 0, 0, 0, ?1, 0, 0, 0, ?1, 0)";
                db.execute(insert, [RECORDS as i64])?;
                let entry = JobId(db.last_insert_rowid());
                let job = rows.file_columns().and_then(|file_columns| file_columns.job);
                db.execute("UPDATE file SET job = ? WHERE id = ?", params![job, entry.0])?;
                rows.insert(db, entry)
            })
            .unwrap();
        aside.keep();
    }

    fn count(Opened { journal, .. }: &Opened, of: &str) -> usize {
        let count = format!("SELECT count(*) FROM {of}");
        journal.commit(move |db| db.query_row(&count, [], |row| row.get::<_, i64>(0))).unwrap()
            as usize
    }

    #[test]
    fn a_file_of_which_all_is_set_aside_ends_in_a_short_transaction() {
        let folder = tempfile::tempdir().unwrap();
        let journal = journal(folder.path());
        let log = || folder.path().join("flow.state/journal.db-wal").metadata().unwrap().len();
        let aside = set_aside(&journal);
        let before = log();
        end(&journal, aside);
        assert_eq!(count(&journal, "set_aside"), RECORDS);
        let grown = log() - before;
        assert!(grown < 3 << 20, "{grown} octets: what was written already was written again");
    }

    #[test]
    fn what_was_broken_off_is_seen_by_nobody_and_forgotten_little_by_little() {
        let folder = tempfile::tempdir().unwrap();
        let first = journal(folder.path());
        end(&first, set_aside(&first));
        drop(set_aside(&first));
        drop(first);
        let second = journal(folder.path());
        end(&second, set_aside(&second));
        assert_eq!(count(&second, "set_aside"), 2 * RECORDS);
        assert!(count(&second, "suspense") > 2 * RECORDS);
        while forget_broken_off(&second.journal, &second.jobs).unwrap() == Pruned::Some {}
        assert_eq!(count(&second, "suspense"), 2 * RECORDS);
        assert_eq!(count(&second, "set_aside"), 2 * RECORDS);
    }
}
