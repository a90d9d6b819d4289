//! What the journal forgets of files that were done long ago, so that it does not grow for ever.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use runtime::time::at_ms;
use store::{Answer, Connection, StoreError, params};

use crate::commit::Transactions;
use crate::held;
use crate::memory;
use crate::prepare::{Element, Prepared};
use crate::suspense::forget_broken_off;
use crate::trace;

/// How long files are kept in the journal, if nothing is said.
const KEPT: Duration = Duration::from_secs(400 * 24 * 60 * 60);

/// Rows of sequences that are forgotten in one transaction.
const ROWS_AT_ONCE: u32 = 5_000;

/// Files that are forgotten in one transaction, so that no file waits long to be noted.
const FILES_AT_ONCE: u32 = 500;

/// Files and jobs that may be forgotten: wholly done, with nothing of them in suspense, nor anything that they set aside
/// and groups wait for, and not what another came from. One that was gone before it was marked may come back.
const FORGETTABLE: &str =
    "SELECT id, done_ms FROM file WHERE done_ms < ?1 AND finished AND marked = 1
         AND NOT EXISTS (SELECT 1 FROM set_aside WHERE set_aside.file = file.id AND state = 'open')
         AND NOT EXISTS (SELECT 1 FROM held_missing WHERE held_missing.file = file.id AND is_open)
         AND NOT EXISTS (SELECT 1 FROM held WHERE held.file = file.id AND waiting > 0)
         AND NOT EXISTS (
             SELECT 1 FROM delivery WHERE delivery.file = file.id AND state <> 'delivered' AND discarded IS NULL)
         AND NOT EXISTS (SELECT 1 FROM slice WHERE slice.file = file.id AND (slice.delivery IS NULL OR EXISTS (
             SELECT 1 FROM delivery WHERE delivery.id = slice.delivery AND state <> 'delivered' AND discarded IS NULL)))
         AND NOT EXISTS (SELECT 1 FROM file AS later WHERE later.retry_of = file.id)
         AND NOT EXISTS (SELECT 1 FROM file AS later WHERE later.duplicate_of = file.id)
     ORDER BY done_ms LIMIT ?2";

/// What is noted of sequences, the oldest first, as it came.
const OF_SEQUENCES: [&str; 4] = [
    "DELETE FROM arrival WHERE at_ms < ?1
         AND rowid IN (SELECT rowid FROM arrival ORDER BY rowid LIMIT ?2)",
    "DELETE FROM total WHERE at_ms < ?1 AND rowid IN (SELECT rowid FROM total ORDER BY rowid LIMIT ?2)",
    "DELETE FROM unnumbered WHERE at_ms < ?1
         AND rowid IN (SELECT rowid FROM unnumbered ORDER BY rowid LIMIT ?2)",
    "DELETE FROM gap WHERE closed_ms < ?1
         AND rowid IN (SELECT rowid FROM gap WHERE closed_ms IS NOT NULL ORDER BY rowid LIMIT ?2)",
];

/// What hangs on a file. The rest goes with it by itself.
const OF_FILE: [&str; 9] = [
    // What waits is still to be held against what files left to wait.
    "INSERT INTO held_balance
         SELECT at, name, iif(side = 'kept', high, -high), iif(side = 'kept', low, -low),
             iif(side = 'kept', records, -records)
         FROM amount WHERE file = ? AND side IN ('kept', 'waited') AND at <> ''
     ON CONFLICT DO UPDATE SET high = high + excluded.high, low = low + excluded.low,
         records = records + excluded.records",
    "DELETE FROM held_missing WHERE file = ?",
    "DELETE FROM held WHERE file = ?",
    "DELETE FROM suspense WHERE id IN (SELECT id FROM set_aside WHERE file = ?)",
    "DELETE FROM noted WHERE file = ?",
    "DELETE FROM passage WHERE file = ?",
    "DELETE FROM amount WHERE file = ?",
    "DELETE FROM trace WHERE file = ?",
    "DELETE FROM file WHERE id = ?",
];

/// What records were before somebody changed them, and after, is about people; that he did, and why, stays.
const OF_TRAIL: &str = "UPDATE trail SET before = NULL, after = NULL
     WHERE at_ms < ? AND (before IS NOT NULL OR after IS NOT NULL)";

/// What became of alarms, at most: one that comes and goes each second fills no disk.
const EVENTS_MAX: i64 = 100_000;
const MANY_EVENTS: &str =
    "DELETE FROM alarm_event WHERE id <= (SELECT max(id) FROM alarm_event) - ?";

/// Files that were put together from slices go when all of those have.
const OF_SLICES: &str = "DELETE FROM delivery
     WHERE file IS NULL AND ((state = 'delivered' AND lies IS NULL) OR discarded IS NOT NULL) AND at_ms < ?
         AND NOT EXISTS (SELECT 1 FROM slice WHERE slice.delivery = delivery.id)";

const COUNT_FORGOTTEN: &str = "INSERT INTO forgotten VALUES (1, ?, ?) ON CONFLICT DO UPDATE
     SET files = files + excluded.files, until_ms = max(until_ms, excluded.until_ms)";

/// How often the journal forgets what is too old.
const FORGET_EVERY: Duration = Duration::from_secs(60);

/// Forgets now and then.
#[derive(Debug, Default)]
pub(crate) struct Forgetting {
    /// When all was forgotten that was too old.
    last: Option<Instant>,
}

impl Forgetting {
    /// Forgets what is too old, if that is due.
    pub(crate) fn now_and_then(
        &mut self,
        flow: &Prepared,
        journal: &Transactions,
    ) -> Result<(), StoreError> {
        self.when_due(|| {
            memory::forget(flow, journal);
            remove_duplicates(flow, journal);
            forget(flow, journal)
        })
    }

    /// The same of the groups of nodes, none of whose records is in work: somebody could find a group just then.
    pub(crate) fn groups_now_and_then(
        &mut self,
        flow: &Prepared,
        journal: &Transactions,
        nodes: &[usize],
    ) -> Result<(), StoreError> {
        self.when_due(|| forget_groups(flow, journal, nodes))
    }

    fn when_due(
        &mut self,
        forget: impl FnOnce() -> Result<Forgotten, StoreError>,
    ) -> Result<(), StoreError> {
        if self.last.is_some_and(|last| last.elapsed() < FORGET_EVERY) {
            return Ok(());
        }
        let forgotten = forget();
        if !matches!(forgotten, Ok(Forgotten::Some)) {
            self.last = Some(Instant::now());
        }
        forgotten.map(drop)
    }
}

/// Forgets what is older than the flow keeps, but nothing by which a duplicate is known.
fn forget(flow: &Prepared, journal: &Transactions) -> Result<Forgotten, StoreError> {
    let before = kept_since(flow, journal);
    journal.commit(move |db| {
        let over = "DELETE FROM alarm WHERE cleared_ms < ?";
        db.prepare_cached(over)?.execute([before])?;
        db.prepare_cached("DELETE FROM alarm_event WHERE at_ms < ?")?.execute([before])?;
        db.prepare_cached(MANY_EVENTS)?.execute([EVENTS_MAX])?;
        db.prepare_cached(OF_SLICES)?.execute([before])?;
        db.prepare_cached("DELETE FROM poison WHERE at_ms < ?")?.execute([before])?;
        db.prepare_cached(OF_TRAIL)?.execute([before]).map(drop)
    })?;
    let of_jobs = forget_broken_off(journal)?;
    let of_traces = trace::forget(flow, journal)?;
    held::look_at_keys(flow, journal)?;
    journal.commit(move |db| {
        let of_sequences = forget_sequences(db, before)?;
        let of_files = forget_files(db, before)?;
        let all = [of_jobs, of_traces, of_sequences, of_files] == [Forgotten::All; 4];
        Ok(if all { Forgotten::All } else { Forgotten::Some })
    })
}

/// Removes from in buffers, where nobody else cleans up, what came before: when it is forgotten that it did.
fn remove_duplicates(flow: &Prepared, journal: &Transactions) {
    let buffers = flow.elements.iter().filter(|element| element.collect.is_buffer());
    for Element { name, collect, duplicates, .. } in buffers {
        let before = at_ms(journal.now_ms()).checked_sub(duplicates.window());
        let duplicates = collect.duplicates().unwrap_or_else(|error| {
            tracing::warn!(
                network_element = name,
                "{name}: could not look for duplicates in its in buffer: {error}"
            );
            Vec::new()
        });
        let is_old =
            |(_, came): &(PathBuf, SystemTime)| before.is_some_and(|before| *came < before);
        for (path, _) in duplicates.into_iter().filter(is_old) {
            let (shown, file) = (path.display(), path.file_name().unwrap_or_default());
            let file = &*file.to_string_lossy();
            match fs::remove_file(&path) {
                Ok(()) => {
                    tracing::info!(
                        network_element = name,
                        file,
                        "{name}: \"{shown}\" was kept long enough"
                    );
                }
                Err(error) => {
                    tracing::warn!(
                        network_element = name,
                        file,
                        "could not remove \"{shown}\": {error}"
                    );
                }
            }
        }
    }
}

fn forget_groups(
    flow: &Prepared,
    journal: &Transactions,
    nodes: &[usize],
) -> Result<Forgotten, StoreError> {
    let before = kept_since(flow, journal);
    let reader = journal.reader()?;
    let remembered = held::remembered(flow, &reader, nodes, journal.now_ms(), before);
    let remembered = journal.answer(remembered)?;
    journal.commit(move |db| held::forget(db, &remembered))
}

/// The time before which nothing is kept, in milliseconds since 1970.
fn kept_since(flow: &Prepared, journal: &Transactions) -> i64 {
    let windows = flow.elements.iter().map(|element| element.duplicates.window());
    let remembered = flow.graph.nodes.iter().filter_map(|node| node.template.remembers());
    let windows = windows.chain(remembered.map(|remembers| remembers.window()));
    let kept = windows.fold(flow.kept.unwrap_or(KEPT), Duration::max);
    journal.now_ms().saturating_sub(i64::try_from(kept.as_millis()).unwrap_or(i64::MAX))
}

fn forget_sequences(db: &Connection, before: i64) -> Answer<Forgotten> {
    let mut forgotten = Forgotten::All;
    for delete in OF_SEQUENCES {
        let deleted = db.prepare_cached(delete)?.execute(params![before, ROWS_AT_ONCE])?;
        if deleted == ROWS_AT_ONCE as usize {
            forgotten = Forgotten::Some;
        }
    }
    Ok(forgotten)
}

/// Whether there is more to forget: work goes on between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Forgotten {
    All,
    Some,
}

fn forget_files(db: &Connection, before: i64) -> Answer<Forgotten> {
    let some: Vec<(i64, i64)> = db
        .prepare_cached(FORGETTABLE)?
        .query_map(params![before, FILES_AT_ONCE], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Answer<_>>()?;
    for delete in OF_FILE {
        let mut delete = db.prepare_cached(delete)?;
        some.iter().try_for_each(|(file, _)| delete.execute([file]).map(drop))?;
    }
    if let Some((_, last_ms)) = some.last() {
        db.prepare_cached(COUNT_FORGOTTEN)?.execute(params![some.len() as i64, last_ms])?;
    }
    Ok(if some.len() < FILES_AT_ONCE as usize { Forgotten::All } else { Forgotten::Some })
}
