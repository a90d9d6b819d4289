//! Groups that ended because their time was over: their outcome on each side, and how the two sides differ.
//!
//! They are no records of a file: a job of its own delivers what they become, at whatever time. So they are gathered
//! while files are run, and compared by node and key at the end.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;

use node::ReleaseKind;
use state::groups::{ReleasedGroup, released_since};
use store::{Connection, OptionalExtension as _, QueryResult, params};
use xxhash_rust::xxh3::xxh3_128;

use super::report::{
    Change, OutcomeKind, ReceiverDifference, ReceiverTotals, RecordDifference, RecordOutcome,
};
use super::run::SideView;
use super::{ReplayError, ReplayEvent, ReplayTotals};

/// The groups of one side that ended.
#[derive(Default)]
pub(super) struct Groups {
    ended: BTreeMap<NodeAndKey, Group>,
    /// The sums of their jobs.
    sums: BTreeMap<String, i128>,
    headers: BTreeMap<String, Vec<u8>>,
    /// The last job that is noted.
    last: i64,
}

type NodeAndKey = (String, String);

/// All groups of a key. Several may follow each other.
#[derive(Clone, Default)]
struct Group {
    /// The outcome of each group.
    outcomes: Vec<RecordOutcome>,
    /// The receivers, with a digest of each record that they got.
    written: Vec<(String, u128)>,
}

impl Groups {
    /// Notes the outcome of the groups that ended since the last call.
    pub(super) fn note(&mut self, view: &SideView<'_>) -> Result<(), ReplayError> {
        let mut by_job: HashMap<i64, Vec<ReleasedGroup>> = HashMap::new();
        for row in view.check(released_since(&view.db, self.last))? {
            by_job.entry(row.job).or_default().push(row);
        }
        for (job, node) in view.check(jobs_since(&view.db, self.last))? {
            self.last = job;
            self.note_job(view, (job, node), by_job.remove(&job).unwrap_or_default())?;
        }
        Ok(())
    }

    fn note_job(
        &mut self,
        view: &SideView<'_>,
        (id, node): (i64, String),
        rows: Vec<ReleasedGroup>,
    ) -> Result<(), ReplayError> {
        let Some(mut job) = view.job_of(id)? else { return Ok(()) };
        for (what, sum) in view.sums(&job)? {
            *self.sums.entry(what).or_default() += sum;
        }
        self.headers.append(&mut job.headers);
        let mut written: BTreeMap<i64, Vec<(String, u128)>> = BTreeMap::new();
        while let Some(made) = view.next(&mut job)? {
            let digests = made.written.into_iter();
            let digests = digests.map(|(system, octets)| (system, xxh3_128(&octets)));
            written.entry(made.line.position as i64).or_default().extend(digests);
        }
        for ReleasedGroup { id, node, key, kind, .. } in rows {
            let written = written.remove(&id).unwrap_or_default();
            let outcome = outcome_of(&view.db, id, &node, kind, !written.is_empty());
            let mut outcome = view.check(outcome)?;
            outcome.reason = outcome.reason.map(|reason| view.as_named(&reason));
            let known = self.ended.entry((node, key)).or_default();
            known.outcomes.push(outcome);
            known.written.extend(written);
        }
        // The journal may have forgotten the keys of some groups, if the time of the records has advanced far enough.
        if !written.is_empty() {
            let keyless = self.ended.entry((node, String::new())).or_default();
            keyless.written.extend(written.into_values().flatten());
        }
        Ok(())
    }

    /// Compares both sides. It adds the sums and what receivers get to the totals of the files.
    pub(super) fn compare(
        before: &Groups,
        after: &Groups,
        totals: &mut ReplayTotals,
        tell: &mut dyn FnMut(ReplayEvent<'_>) -> io::Result<()>,
    ) -> Result<(), ReplayError> {
        for (what, sum) in &before.sums {
            totals.all.sums.entry(what.clone()).or_default().before += sum;
        }
        for (what, sum) in &after.sums {
            totals.all.sums.entry(what.clone()).or_default().after += sum;
        }
        for (system, header) in &before.headers {
            let is_other = after.headers.get(system).is_some_and(|other| other != header);
            if is_other && !totals.all.headers.contains(system) {
                totals.all.headers.push(system.clone());
            }
        }
        let all: BTreeSet<&NodeAndKey> = before.ended.keys().chain(after.ended.keys()).collect();
        for of in all {
            let [was, is] =
                [before, after].map(|side| side.ended.get(of).cloned().unwrap_or_default());
            let receivers = receivers(&was, &is, &mut totals.all.receivers);
            if receivers.is_empty() && was.outcomes == is.outcomes {
                continue;
            }
            totals.groups_differing += 1;
            let (node, key) = of.clone();
            let difference = RecordDifference {
                network_element: String::new(),
                file: node,
                record: 0,
                offset: 0,
                key: Some(key),
                before: was.outcomes.last().cloned(),
                after: is.outcomes.last().cloned(),
                receivers,
            };
            tell(ReplayEvent::Record(&difference)).map_err(ReplayError::Output)?;
        }
        Ok(())
    }
}

/// Compares what receivers get of the groups of a key.
fn receivers(
    before: &Group,
    after: &Group,
    totals: &mut BTreeMap<String, ReceiverTotals>,
) -> Vec<ReceiverDifference> {
    let all = before.written.iter().chain(&after.written);
    let systems: BTreeSet<&String> = all.map(|(system, _)| system).collect();
    let mut found = Vec::new();
    for system in systems {
        let of = |group: &Group| -> Vec<u128> {
            let written = group.written.iter().filter(|(of, _)| of == system);
            written.map(|(_, digest)| *digest).collect()
        };
        let (before, after) = (of(before), of(after));
        let total = totals.entry(system.clone()).or_default();
        total.before += before.len() as u64;
        total.after += after.len() as u64;
        for place in 0..before.len().max(after.len()) {
            let (change, count) = match (before.get(place), after.get(place)) {
                (Some(before), Some(after)) if before == after => continue,
                (Some(_), Some(_)) => (Change::Changed, &mut total.changed),
                (Some(_), None) => (Change::OnlyBefore, &mut total.only_before),
                _ => (Change::OnlyAfter, &mut total.only_after),
            };
            *count += 1;
            let post_processing_system = system.clone();
            found.push(ReceiverDifference { post_processing_system, change, fields: Vec::new() });
        }
    }
    found
}

/// Returns the jobs that ended groups, with the node of each.
fn jobs_since(db: &Connection, last: i64) -> QueryResult<Vec<(i64, String)>> {
    let mut select = db.prepare_cached(
        "SELECT id, expired_in FROM file WHERE id > ? AND expired_in IS NOT NULL ORDER BY id",
    )?;
    select.query_map([last], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// Returns the outcome of a group that ended like this.
fn outcome_of(
    db: &Connection,
    group: i64,
    node: &str,
    kind: ReleaseKind,
    is_written: bool,
) -> QueryResult<RecordOutcome> {
    if kind != ReleaseKind::Suspended {
        let what = if is_written { OutcomeKind::Delivered } else { OutcomeKind::Filtered };
        return Ok(RecordOutcome { what, at: None, reason: None });
    }
    let mut select =
        db.prepare_cached("SELECT node, reason FROM suspense WHERE of_group = ? LIMIT 1")?;
    let aside =
        select.query_row(params![group], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let (at, reason) = aside.unwrap_or_else(|| (node.to_owned(), None));
    Ok(RecordOutcome { what: OutcomeKind::Suspended, at: Some(at), reason })
}
