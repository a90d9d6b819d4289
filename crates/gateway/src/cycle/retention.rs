//! Retention: the journal forgets files that were done long ago, so that it does not grow forever.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use journal::{Pruned, audit_trail};
use runtime::time::at_ms;
use store::{Connection, QueryResult, StoreError, params};

use crate::commit::{self, Transactions};
use crate::plan::Plan;
use assurance::control_totals;
use assurance::sequence;
use collection::refused;
use collection::sources::Source;
use distribution as delivery;
use flow::reasons;
use state::groups;
use state::in_memory;
use state::timers;
use suspense::{self, forget_broken_off};

/// How long the journal keeps files by default: 400 days.
const RETENTION: Duration = Duration::from_secs(400 * 24 * 60 * 60);

/// The most files to forget in one transaction, so that commits do not wait long for it.
const FILES_AT_ONCE: u32 = 500;

const COUNT_FORGOTTEN: &str = "INSERT INTO forgotten VALUES (1, ?, ?) ON CONFLICT DO UPDATE
     SET files = files + excluded.files, until_ms = max(until_ms, excluded.until_ms)";

/// The time between two runs of retention.
const FORGET_EVERY: Duration = Duration::from_secs(60);

/// Runs retention when it is due.
#[derive(Debug, Default)]
pub(crate) struct Forgetting {
    /// When the last run ended that left nothing too old.
    last: Option<Instant>,
}

impl Forgetting {
    /// Forgets what is too old, if that is due.
    pub(crate) fn now_and_then(
        &mut self,
        plan: &Plan,
        journal: &Transactions,
    ) -> Result<(), StoreError> {
        self.when_due(|| {
            in_memory::forget(&plan.topology, journal, &journal.unused);
            timers::forget(&plan.topology, journal)?;
            remove_duplicates(plan, journal);
            forget(plan, journal)
        })
    }

    /// Forgets groups of nodes, if that is due. None of the nodes' records may be in work, since one could find a group
    /// just then.
    pub(crate) fn groups_now_and_then(
        &mut self,
        plan: &Plan,
        journal: &Transactions,
        nodes: &[usize],
    ) -> Result<(), StoreError> {
        self.when_due(|| forget_groups(plan, journal, nodes))
    }

    fn when_due(
        &mut self,
        forget: impl FnOnce() -> Result<Pruned, StoreError>,
    ) -> Result<(), StoreError> {
        if self.last.is_some_and(|last| last.elapsed() < FORGET_EVERY) {
            return Ok(());
        }
        let forgotten = forget();
        if !matches!(forgotten, Ok(Pruned::Some)) {
            self.last = Some(Instant::now());
        }
        forgotten.map(drop)
    }
}

/// Forgets what is older than the flow keeps, except what is needed to detect duplicates.
fn forget(plan: &Plan, journal: &Transactions) -> Result<Pruned, StoreError> {
    let before = retained_since(plan, journal);
    journal.commit(move |db| {
        alarm::prune(db, before)?;
        delivery::prune(db, before)?;
        refused::prune(db, before)?;
        investigation::prune(db, before)?;
        actions::prune(db, before)?;
        audit_trail::forget(db, before)
    })?;
    let of_jobs = forget_broken_off(journal, &journal.jobs)?;
    let of_traces = lineage::forget(&plan.trace, &journal.view.shelf, journal)?;
    groups::look_at_keys(&plan.topology, journal)?;
    journal.commit(move |db| reasons::prune(db, before))?;
    journal.commit(move |db| {
        let of_sequences = sequence::prune(db, before)?;
        let of_files = forget_files(db, before)?;
        let all = [of_jobs, of_traces, of_sequences, of_files] == [Pruned::All; 4];
        Ok(if all { Pruned::All } else { Pruned::Some })
    })
}

/// Removes duplicates from in buffers once they are too old to be known. No user cleans up there.
fn remove_duplicates(plan: &Plan, journal: &Transactions) {
    let buffers = plan.collection.sources.iter().filter(|source| source.collect.is_buffer());
    for Source { network_element: name, collect, duplicates, .. } in buffers {
        let before = at_ms(journal.now_ms()).checked_sub(duplicates.window());
        let duplicates = collect.duplicates().unwrap_or_else(|error| {
            tracing::warn!(
                target: "flow::retention",
                network_element = name,
                "{name}: could not look for duplicates in its in buffer: {error}"
            );
            Vec::new()
        });
        let is_old = |(_, arrived_at): &(PathBuf, SystemTime)| {
            before.is_some_and(|before| *arrived_at < before)
        };
        for (path, _) in duplicates.into_iter().filter(is_old) {
            let (shown, file) = (path.display(), path.file_name().unwrap_or_default());
            let file = &*file.to_string_lossy();
            match fs::remove_file(&path) {
                Ok(()) => {
                    tracing::info!(
                        target: "flow::retention",
                        network_element = name,
                        file,
                        "{name}: \"{shown}\" was kept long enough"
                    );
                }
                Err(error) => {
                    tracing::warn!(
                        target: "flow::retention",
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
    plan: &Plan,
    journal: &Transactions,
    nodes: &[usize],
) -> Result<Pruned, StoreError> {
    let before = retained_since(plan, journal);
    let reader = journal.reader()?;
    let remembered = groups::remembered(&plan.topology, &reader, nodes, journal.now_ms(), before);
    let remembered = journal.answer(remembered)?;
    journal.commit(move |db| groups::forget(db, &remembered))
}

/// Returns the time before which nothing is kept, in milliseconds since 1970.
fn retained_since(plan: &Plan, journal: &Transactions) -> i64 {
    let windows = plan.collection.sources.iter().map(|source| source.duplicates.window());
    let remembered = plan.topology.graph.nodes.iter().filter_map(|node| node.template.in_memory());
    let windows = windows.chain(remembered.filter_map(|state| state.window()));
    let retention = windows.fold(plan.retention.unwrap_or(RETENTION), Duration::max);
    journal.now_ms().saturating_sub(i64::try_from(retention.as_millis()).unwrap_or(i64::MAX))
}

fn forget_files(db: &Connection, before: i64) -> QueryResult<Pruned> {
    let (some, last_ms) = commit::forgettable(db, before, FILES_AT_ONCE)?;
    // Groups need the sums that go with the audit.
    groups::prune_files(db, &some)?;
    suspense::prune_files(db, &some)?;
    in_memory::prune_files(db, &some)?;
    investigation::prune_files(db, &some)?;
    control_totals::prune_files(db, &some)?;
    lineage::prune_files(db, &some)?;
    commit::prune_files(db, &some)?;
    if let Some(last_ms) = last_ms {
        db.prepare_cached(COUNT_FORGOTTEN)?.execute(params![some.len() as i64, last_ms])?;
    }
    Ok(if some.len() < FILES_AT_ONCE as usize { Pruned::All } else { Pruned::Some })
}
