//! The thread that writes the indexes.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ::key_index::{Digests, Entry, IndexError, Writer, day_of};
use alarm::{AlarmKey, EventType, Kind, Severity};
use flow::topology::Topology;
use journal::Journal;
use node::{Alerting, Committed, Judge, NotedKey, StateError};
use runtime::shutdown::Shutdown;
use runtime::time::{at_ms, now_ms};
use store::{Connection, QueryResult, StoreError, params};

use super::erasure::{self, erasures};
use super::{folder, indexes, secret};

/// The target of log lines.
const LOG: &str = "flow::fraud";

/// The alarm while an index cannot be written.
const STOPPED: &Kind =
    &Kind::new("key-index-stopped", Severity::Major, EventType::Equipment, "outputDeviceError");

/// The kinds of alarms that are raised here.
pub const ALARMS: &[&Kind] = &[STOPPED];

/// How often it is looked for new jobs: each look that finds some writes a file.
const LOOKED_EVERY: Duration = Duration::from_secs(3);

/// The wait after a failure.
const TRIED_AGAIN: Duration = Duration::from_secs(10);

/// How often days that are too old are looked for.
const FORGET_EVERY: Duration = Duration::from_secs(60);

/// So many entries, or octets of deltas, are added at once.
const ENTRIES_AT_ONCE: usize = 1 << 20;
const OCTETS_AT_ONCE: usize = 64 << 20;

/// The signals that end the thread.
#[derive(Clone, Copy)]
pub struct Until<'u> {
    /// Set when no more jobs come or the thread is to stop.
    pub is_over: &'u Shutdown,
    /// Whether the jobs that are done are added even then.
    pub all: bool,
    /// Set when the thread is to stop at once.
    pub stop: &'u Shutdown,
}

/// Why an index is not written.
#[derive(Debug, thiserror::Error)]
enum IndexerError {
    #[error(transparent)]
    Index(#[from] IndexError),
    #[error(transparent)]
    Journal(#[from] StoreError),
    #[error("the notes of job {job} cannot be read: {cause}")]
    Notes { job: i64, cause: StateError },
}

/// The index of a node, with what its records are judged by, if it still is written.
struct Indexer<'a> {
    node: String,
    folder: PathBuf,
    judge: Option<Arc<dyn Judge>>,
    retention_s: u32,
    journal: &'a Journal,
    digests: Digests,
    /// Opened when it is needed, and again after a failure.
    index: Option<Writer>,
    forgotten: Option<Instant>,
    problem: Option<String>,
}

/// Writes the indexes of a flow until [`Until`] says so. Returns the last problem, if it still holds.
pub fn run(flow: &Topology, journal: &Journal, until: Until<'_>) -> Option<String> {
    let mut indexers = loop {
        match begin(flow, journal) {
            Ok(indexers) => break indexers,
            Err(error) => {
                tracing::warn!(target: LOG, "no index of keys is written: {error}");
                if until.is_over.is_set() {
                    return Some(error.to_string());
                }
                until.is_over.wait(TRIED_AGAIN);
            }
        }
    };
    loop {
        let is_last = until.is_over.is_set();
        if !is_last || until.all {
            indexers.iter_mut().for_each(|indexer| indexer.look(until));
        }
        let problem = indexers.iter().find_map(|indexer| indexer.problem.clone());
        if is_last || indexers.is_empty() || until.stop.is_set() {
            return problem;
        }
        until.is_over.wait(if problem.is_some() { TRIED_AGAIN } else { LOOKED_EVERY });
    }
}

fn begin<'a>(flow: &Topology, journal: &'a Journal) -> Result<Vec<Indexer<'a>>, StoreError> {
    let reader = journal.reader()?;
    let digests = Digests::new(&journal.answer(secret(&reader))?);
    let judge_of = |name: &str| {
        let node = flow.graph.nodes.iter().find(|node| node.name == name)?;
        let has_index =
            |judge: &Arc<dyn Judge>| judge.alerting().is_some_and(|of| of.index().is_some());
        node.template.judge().filter(has_index)
    };
    let all = journal.answer(indexes(&reader))?.into_iter();
    let indexers = all.map(|index| Indexer {
        folder: folder(&journal.view.state(), &index.node),
        judge: judge_of(&index.node),
        node: index.node,
        retention_s: index.retention_s,
        journal,
        digests: digests.clone(),
        index: None,
        forgotten: None,
        problem: None,
    });
    Ok(indexers.collect())
}

impl Indexer<'_> {
    /// Does all that is due.
    fn look(&mut self, until: Until<'_>) {
        match self.work(until) {
            Ok(()) => self.goes_on(),
            Err(error) => {
                self.index = None;
                self.waits(error.to_string());
            }
        }
    }

    fn work(&mut self, until: Until<'_>) -> Result<(), IndexerError> {
        let mut index = match self.index.take() {
            Some(index) => index,
            None => self.open()?,
        };
        // Old days first: they make room for the rest. What fails keeps nothing else from being done.
        let steps = [
            self.forget(&mut index),
            self.add_all(&mut index, until),
            self.erase(&mut index),
            self.merge_all(&mut index, until),
        ];
        steps.into_iter().collect::<Result<(), _>>()?;
        self.index = Some(index);
        Ok(())
    }

    /// Removes the days that are over, now and then.
    fn forget(&mut self, index: &mut Writer) -> Result<(), IndexerError> {
        if self.forgotten.is_some_and(|last| last.elapsed() < FORGET_EVERY) {
            return Ok(());
        }
        let entries = index.forget(day_of(self.oldest()))?;
        if entries > 0 {
            let node = &self.node;
            tracing::info!(target: LOG, node, "\"{node}\": the index has no more {entries} entries, whose days are over");
        }
        self.forgotten = Some(Instant::now());
        Ok(())
    }

    fn add_all(&self, index: &mut Writer, until: Until<'_>) -> Result<(), IndexerError> {
        let judge = self.judge.as_deref().and_then(Judge::alerting);
        let Some(judge) = judge else { return Ok(()) };
        let is_over = || until.stop.is_set() || until.is_over.is_set() && !until.all;
        while self.add(index, judge)? && !is_over() {}
        Ok(())
    }

    fn merge_all(&self, index: &mut Writer, until: Until<'_>) -> Result<(), IndexerError> {
        let is_over = || until.stop.is_set() || until.is_over.is_set();
        while !is_over() && index.merge(self.today(), is_over)? {}
        Ok(())
    }

    fn open(&self) -> Result<Writer, IndexerError> {
        let reader = self.journal.reader()?;
        let places = |db: &Connection| {
            let select = "SELECT (SELECT id FROM identity), (SELECT ifnull(max(id), 0) FROM file),
                              (SELECT ifnull(through, 0) FROM key_index WHERE node = ?)";
            db.query_row(select, [&self.node], |row| {
                Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?))
            })
        };
        let (identity, last, through) = self.journal.answer(places(&reader))?;
        Ok(Writer::open(&self.folder, (&identity, last), through)?)
    }

    /// Adds the next jobs. Returns whether there may be more.
    fn add(&self, index: &mut Writer, judge: &dyn Alerting) -> Result<bool, IndexerError> {
        let reader = self.journal.reader()?;
        let (after, oldest) = (index.through(), self.oldest());
        let (mut entries, mut octets, mut through, mut is_full) = (Vec::new(), 0, None, false);
        let mut unread = None;
        let mut take = |job: i64, done_ms: i64, delta: &[u8]| {
            let committed = Committed { job, at: at_ms(done_ms) };
            let taken =
                judge.keys_of(committed, delta, &mut |NotedKey { record, at_s, subject, key }| {
                    if at_s >= oldest {
                        let (key, subject) = (self.digests.of(key), index.subject(subject));
                        entries.push(Entry { key, at: at_s, job, record, subject });
                    }
                });
            unread = taken.err().map(|cause| IndexerError::Notes { job, cause });
            if unread.is_none() {
                through = Some(job);
                octets += delta.len();
            }
            is_full = entries.len() >= ENTRIES_AT_ONCE || octets >= OCTETS_AT_ONCE;
            unread.is_none() && !is_full
        };
        self.journal.answer(each_delta(&reader, &self.node, after, &mut take))?;
        drop(reader);
        if let Some(through) = through {
            index.add(entries, through)?;
            let node = self.node.clone();
            self.journal.commit(move |db| {
                let update =
                    "UPDATE key_index SET through = ? WHERE node = ? AND through IS NOT NULL";
                db.execute(update, params![through, node]).map(drop)
            })?;
        }
        unread.map_or(Ok(is_full), Err)
    }

    /// Removes the keys whose last job is in the index.
    fn erase(&self, index: &mut Writer) -> Result<(), IndexerError> {
        let mut due = self.journal.answer(erasures(&*self.journal.reader()?, &self.node))?;
        due.retain(|_, job| *job <= index.through() || self.judge.is_none());
        if due.is_empty() {
            return Ok(());
        }
        index.erase(&due)?;
        let node = self.node.clone();
        self.journal.commit(move |db| erasure::done(db, &node, &due))?;
        Ok(())
    }

    /// Returns the day of now, in days since 1970.
    fn today(&self) -> u32 {
        day_of(seconds(self.journal.now_ms()))
    }

    /// Returns the oldest time of which something is in the index.
    fn oldest(&self) -> u32 {
        seconds(self.journal.now_ms()).saturating_sub(self.retention_s)
    }

    fn goes_on(&mut self) {
        let Ok(reader) = self.journal.reader() else { return };
        let key = AlarmKey { kind: STOPPED, subject: &self.node };
        if self.problem.take().is_some() || alarm::is_raised(&reader, key).unwrap_or(false) {
            let node = self.node.clone();
            self.journal.later(move |db| {
                alarm::clear(db, now_ms(), AlarmKey { kind: STOPPED, subject: &node })
            });
        }
    }

    fn waits(&mut self, problem: String) {
        let problem = format!("the index of \"{}\" is not written: {problem}", self.node);
        if self.problem.as_ref() != Some(&problem) {
            tracing::warn!(target: LOG, node = self.node, "{problem}");
            let (node, text) = (self.node.clone(), problem.clone());
            self.journal.later(move |db| {
                let key = AlarmKey { kind: STOPPED, subject: &node };
                alarm::raise(db, now_ms(), key, &text)
            });
        }
        self.problem = Some(problem);
    }
}

/// Calls `take` with the job, when it was done, and the octets of each delta after a job, until it returns false.
fn each_delta(
    db: &Connection,
    node: &str,
    after: i64,
    take: &mut dyn FnMut(i64, i64, &[u8]) -> bool,
) -> QueryResult<()> {
    let select =
        "SELECT job, done_ms, octets FROM state_delta WHERE node = ? AND job > ? ORDER BY job";
    let mut select = db.prepare_cached(select)?;
    let mut rows = select.query(params![node, after])?;
    while let Some(row) = rows.next()? {
        if !take(row.get(0)?, row.get(1)?, row.get_ref(2)?.as_blob()?) {
            break;
        }
    }
    Ok(())
}

fn seconds(ms: i64) -> u32 {
    u32::try_from((ms / 1_000).max(0)).unwrap_or(u32::MAX)
}
