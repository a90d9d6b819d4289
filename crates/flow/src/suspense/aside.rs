//! The records of a job that are set aside, until the journal has the job.

use std::sync::atomic::{AtomicI64, Ordering};

use store::{Answer, Connection, StoreError, params};

use super::Why;
use crate::journal::{Entry, Journal};

/// Octets that are kept in memory; more go to the journal before the job is done, where nobody sees them.
const OCTETS_MAX: usize = 1 << 20;

/// What the memory of a record's row takes besides its texts.
const ROW_OCTETS: usize = size_of::<Row>();

/// Numbers of jobs that have records in the journal.
static JOBS: AtomicI64 = AtomicI64::new(1);

/// A record that is set aside.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) why: Why,
    pub(crate) record: u64,
    pub(crate) offset: u64,
    /// Where it could not be processed; empty where it could not be read.
    pub(crate) node: String,
    pub(crate) reason: String,
    pub(crate) octets: Vec<u8>,
}

/// The records of a job that are set aside.
pub(crate) struct SetAside<'p> {
    journal: &'p Journal,
    rows: Vec<Row>,
    octets: usize,
    /// What of their file they need to be read alone.
    context: Context,
    /// The number under which some lie in the journal. They go away with this.
    job: Option<i64>,
}

/// The same, on their way into the journal.
#[derive(Debug)]
pub(crate) struct Rows {
    rows: Vec<Row>,
    context: Context,
    job: Option<i64>,
}

/// What of a file its records need to be read alone.
#[derive(Debug, Default)]
struct Context {
    octets: Vec<u8>,
    /// Whether it may be asked for though none is set aside now: records may be that wait in a node.
    is_kept: bool,
}

impl<'p> SetAside<'p> {
    /// None yet.
    pub(crate) fn new(journal: &'p Journal) -> Self {
        SetAside { journal, rows: Vec::new(), octets: 0, context: Context::default(), job: None }
    }

    /// Notes what records of the file need to be read alone; kept also where none of them is set aside now.
    pub(crate) fn context(&mut self, context: &[u8], is_kept: bool) {
        self.context = Context { octets: context.into(), is_kept };
    }

    /// Sets a record aside.
    pub(crate) fn put(&mut self, row: Row) -> Result<(), StoreError> {
        self.octets += ROW_OCTETS + row.node.len() + row.reason.len() + row.octets.len();
        self.rows.push(row);
        if self.octets < OCTETS_MAX {
            return Ok(());
        }
        let job = *self.job.get_or_insert_with(|| JOBS.fetch_add(1, Ordering::Relaxed));
        self.octets = 0;
        let rows = std::mem::take(&mut self.rows);
        self.journal
            .commit(move |db| rows.iter().try_for_each(|row| row.insert(db, None, Some(job))))
    }

    /// What is to be noted with the job.
    pub(crate) fn rows(&mut self) -> Rows {
        let context = std::mem::take(&mut self.context);
        Rows { rows: std::mem::take(&mut self.rows), context, job: self.job }
    }

    /// The journal has them.
    pub(crate) fn keep(&mut self) {
        self.job = None;
    }
}

impl Drop for SetAside<'_> {
    fn drop(&mut self) {
        if let Some(job) = self.job {
            self.journal.later(move |db| forget(db, job));
        }
    }
}

impl Row {
    pub(super) fn insert(
        &self,
        db: &Connection,
        file: Option<i64>,
        job: Option<i64>,
    ) -> Answer<()> {
        let Row { why, record, offset, node, reason, octets } = self;
        let (record, offset) = (*record as i64, *offset as i64);
        db.prepare_cached(
            "INSERT INTO suspense (file, job, why, record, offset, node, reason, octets)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![file, job, why.word(), record, offset, node, reason, octets])
        .map(drop)
    }
}

impl Rows {
    /// Notes them with the file they are of.
    pub(crate) fn insert(&self, db: &Connection, Entry(file): Entry) -> Answer<()> {
        if let Some(job) = self.job {
            let update = "UPDATE suspense SET file = ?, job = NULL WHERE job = ? AND file IS NULL";
            db.prepare_cached(update)?.execute([file, job])?;
        }
        let Context { octets, is_kept } = &self.context;
        let is_any = *is_kept || self.job.is_some() || !self.rows.is_empty();
        if is_any && !octets.is_empty() {
            let update = "UPDATE file SET context = ? WHERE id = ?";
            db.prepare_cached(update)?.execute(params![octets, file])?;
        }
        self.rows.iter().try_for_each(|row| row.insert(db, Some(file), None))
    }

    /// Of a file that turned out to be a duplicate: none of its records is noted.
    pub(crate) fn clear(&mut self, db: &Connection) -> Answer<()> {
        self.rows.clear();
        self.job.take().map_or(Ok(()), |job| forget(db, job))
    }
}

fn forget(db: &Connection, job: i64) -> Answer<()> {
    let delete = "DELETE FROM suspense WHERE job = ? AND file IS NULL";
    db.prepare_cached(delete)?.execute([job]).map(drop)
}

/// Forgets what jobs had set aside that a run before did not come to the end of.
pub(crate) fn forget_jobs(db: &Connection) -> Answer<()> {
    db.execute("DELETE FROM suspense WHERE file IS NULL", []).map(drop)
}
