//! Memories of nodes between files: the journal notes them with each file, and gives them back at the start.

use std::sync::Mutex;
use std::time::Duration;

use alarm::{AlarmKey, Condition, EventType, Kind, Severity};
use diagnostics::counted;
use journal::{JobId, Journal, View, for_each};
use node::{HeldChanges, Kept, Noted, Remembers, StateError};
use runtime::sync::lock;
use runtime::time::{at_ms, now_ms};
use store::{Answer, Connection, StoreError, params};

use crate::counters;
use crate::counters::KeyedBy;
use crate::groups;
use crate::groups::{Forms, Keepings};
use flow::topology::Topology;

/// The state changes of a node that come from a job's records.
pub struct NodeChanges<'p> {
    /// The name of the node.
    pub node: &'p str,
    /// The form of its memory ([`Remembers::form`]); empty if it remembers nothing. Only a node of the same form reads
    /// the octets back.
    pub form: String,
    /// The digest of how the node makes its keys.
    pub keyed_by: KeyedBy,
    /// The notes of the node. [`row`](Self::row) takes them.
    pub noted: Box<dyn Noted>,
}

/// The same, on its way into the journal.
#[derive(Debug)]
pub struct NotedRow {
    node: String,
    form: String,
    octets: Vec<u8>,
    held: Option<HeldChanges>,
    kept: Vec<Kept>,
    keyed_by: KeyedBy,
    now_ms: i64,
}

impl NodeChanges<'_> {
    /// Returns what to note with the job, if anything. Call it once: it takes the notes.
    pub fn row(&mut self, now_ms: i64) -> Option<NotedRow> {
        let (held, kept) = (self.noted.held(), self.noted.kept());
        let octets = self.noted.octets();
        let is_any = !octets.is_empty() || held.is_some() || !kept.is_empty();
        let (node, form, keyed_by) = (self.node.to_owned(), self.form.clone(), self.keyed_by);
        is_any.then(|| NotedRow { node, form, octets: octets.into(), held, kept, keyed_by, now_ms })
    }
}

impl NotedRow {
    /// Inserts the changes of groups, counters and memories with the job's entry, in the transaction of the job.
    pub fn insert(&self, db: &Connection, entry: JobId) -> Answer<()> {
        let NotedRow { node, form, octets, held, kept, keyed_by, now_ms } = self;
        if let Some(changes) = held {
            groups::note(db, entry, node, changes, *now_ms)?;
        }
        counters::note(db, entry, (node, *keyed_by), kept)?;
        if octets.is_empty() {
            return Ok(());
        }
        let JobId(file) = entry;
        let insert = "INSERT INTO noted (file, node, form, octets) VALUES (?, ?, ?, ?)";
        db.prepare_cached(insert)?.execute(params![file, node, form, octets]).map(drop)
    }
}

/// Notes that no node of the flow can read: the node was made of something else then, was renamed, or was removed.
/// Until such notes would expire anyway, duplicates of their records are not found.
#[derive(Clone, Debug)]
pub struct Unknown {
    node: String,
    text: String,
    until_ms: i64,
    /// Whether the flow has no node of this name.
    is_gone: bool,
}

const FORGOTTEN: &Kind = &Kind::new(
    "duplicates-forgotten",
    Severity::Major,
    EventType::Processing,
    "configurationOrCustomizationError",
);

/// The kinds of alarms that are raised here.
pub const ALARMS: &[&Kind] = &[FORGOTTEN];

/// How long the notes of a removed node are kept, in case its name was mistyped. It equals the default window of a
/// node.
const KEPT_WITHOUT_NODE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The notes of a node since a time, in the order in which files were done, which is that of their numbers. The index
/// has this order, so SQLite needs no sort, which would take as much disk space as the notes.
const SELECT: &str =
    "SELECT done_ms, form, octets FROM noted CROSS JOIN file ON file.id = noted.file
    WHERE node = ? AND done_ms >= ? ORDER BY noted.file";

/// The names of nodes with notes. It steps from each name to the next, so that the notes themselves are not read.
const NODES: &str = "WITH RECURSIVE known(node) AS (
        SELECT min(node) FROM noted UNION ALL
        SELECT (SELECT min(node) FROM noted WHERE node > known.node) FROM known WHERE known.node IS NOT NULL)
    SELECT node FROM known WHERE node IS NOT NULL";

/// The notes that no node of the flow can read.
#[derive(Debug, Default)]
pub struct UnknownMemories(Mutex<Vec<Unknown>>);

/// Gives the nodes that remember in this process their notes, and raises alarms for notes that no node takes. Returns
/// messages for the user.
pub fn restore(
    flow: &Topology,
    keepings: &Keepings,
    (journal, without_node_now): (&Journal, &UnknownMemories),
    is_here: impl Fn(usize) -> bool,
) -> Result<Vec<String>, StoreError> {
    let reader = journal.reader()?;
    let orphans = journal.answer(groups::orphans(flow, &reader))?;
    let mut forms = journal.answer(Forms::look(flow, keepings, &reader))?;
    if let Some(new) = forms.take_new() {
        journal.commit(new)?;
    }
    let wrong = orphans.into_iter().chain(forms.unreadable);
    let kinds = [groups::ORPHANED, groups::UNREADABLE];
    let raised = journal.answer(alarm::raised(&reader, &kinds))?;
    alarm::reconcile(wrong, &raised, journal)?;
    groups::clear_late(flow, journal, &reader)?;
    groups::look_at_keys(flow, journal)?;
    counters::look_at_counters(flow, journal)?;
    let (mut told, mut unknown) = (Vec::new(), Vec::new());
    for (place, node) in flow.graph.nodes.iter().enumerate() {
        let Some(remembers) = node.template.remembers() else { continue };
        let take = |done_ms, octets: &[u8]| match is_here(place) {
            true => remembers.restore(at_ms(done_ms), octets),
            false => Ok(()),
        };
        let of = (node.name.as_str(), remembers);
        let restored = restore_node(&reader, of, journal.now_ms(), take, &mut told);
        unknown.extend(journal.answer(restored)?);
    }
    let remembering = flow.graph.nodes.iter().filter(|node| node.template.remembers().is_some());
    let remembered = |name: &str| remembering.clone().any(|node| node.name == name);
    unknown.extend(journal.answer(without_node(&reader, remembered, journal.now_ms()))?);
    let raised = journal.answer(alarm::raised(&reader, &[FORGOTTEN]))?;
    if !unknown.is_empty() || !raised.is_empty() {
        let now = unknown.clone();
        journal.commit(move |db| tell(db, &raised, &now))?;
    }
    *lock(&without_node_now.0) = unknown;
    Ok(told)
}

/// Gives some nodes their notes, in a process beside the gateway's. Returns messages for the user.
pub fn restore_nodes(
    flow: &Topology,
    view: &View,
    nodes: &[usize],
) -> Result<Vec<String>, StoreError> {
    let (reader, mut told) = (view.reader()?, Vec::new());
    for node in nodes.iter().map(|node| &flow.graph.nodes[*node]) {
        let Some(remembers) = node.template.remembers() else { continue };
        let take = |done_ms, octets: &[u8]| remembers.restore(at_ms(done_ms), octets);
        let of = (node.name.as_str(), remembers);
        let now_ms = view.clock.now_ms();
        view.answer(restore_node(&reader, of, now_ms, take, &mut told))?;
    }
    Ok(told)
}

/// Passes the notes of a node to `take`. Returns those in another form than the node's.
fn restore_node(
    reader: &Connection,
    (node, remembers): (&str, &dyn Remembers),
    now_ms: i64,
    take: impl Fn(i64, &[u8]) -> Result<(), StateError>,
    told: &mut Vec<String>,
) -> Answer<Option<Unknown>> {
    let (form, window) = (remembers.form(), remembers.window().as_millis() as i64);
    let (mut others, mut last) = (0, 0);
    let mut select = reader.prepare(SELECT)?;
    let mut rows = select.query(params![node, now_ms - window])?;
    while let Some(row) = rows.next()? {
        let done_ms = row.get(0)?;
        if row.get_ref(1)?.as_str()? != form {
            others += 1;
            last = done_ms;
            continue;
        }
        if let Err(problem) = take(done_ms, row.get_ref(2)?.as_blob()?) {
            told.push(format!("\"{node}\" cannot read what it noted: {problem}"));
        }
    }
    let unknown = || Unknown {
        node: node.into(),
        text: format!(
            "\"{node}\" was made of something else (its key, or the type of its records) when it noted the records of \
             {}: one of those that comes again is not found to be a duplicate",
            counted(others, "file")
        ),
        until_ms: last + window,
        is_gone: false,
    };
    Ok((others > 0).then(unknown))
}

/// Returns the notes of nodes that the flow no longer has.
fn without_node(
    reader: &Connection,
    is_there: impl Fn(&str) -> bool,
    now_ms: i64,
) -> Answer<Vec<Unknown>> {
    let nodes: Vec<String> =
        reader.prepare(NODES)?.query_map([], |row| row.get(0))?.collect::<Answer<_>>()?;
    let mut select = reader.prepare(
        "SELECT files, done_ms
         FROM (SELECT count(*) AS files, max(file) AS last FROM noted WHERE node = ?)
         JOIN file ON file.id = last",
    )?;
    let mut unknown = Vec::new();
    for node in nodes.into_iter().filter(|node| !is_there(node)) {
        let (files, last): (i64, i64) =
            select.query_row([&node], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let text = format!(
            "no node is named \"{node}\" any more: nobody knows what it noted of the records of {}, unless it has \
             its name again",
            counted(files as usize, "file")
        );
        let until_ms = last + KEPT_WITHOUT_NODE.as_millis() as i64;
        unknown.push(Unknown { node, text, until_ms, is_gone: true });
    }
    unknown.retain(|unknown| unknown.until_ms > now_ms);
    Ok(unknown)
}

/// Raises alarms for unknown notes, and clears those that no longer apply.
fn tell(db: &Connection, raised: &[Condition], unknown: &[Unknown]) -> Answer<()> {
    let is_known = |over: &&Condition| unknown.iter().all(|unknown| unknown.node != over.subject);
    for over in raised.iter().filter(is_known) {
        alarm::clear(db, now_ms(), over.key())?;
    }
    unknown.iter().try_for_each(|Unknown { node, text, .. }| {
        alarm::raise(db, now_ms(), AlarmKey { kind: FORGOTTEN, subject: node }, text)
    })
}

/// Deletes the notes of these jobs.
pub fn prune_files(db: &Connection, jobs: &[JobId]) -> Answer<()> {
    for_each(db, "DELETE FROM noted WHERE file = ?", jobs)
}

/// Deletes notes that are older than the window of their node, or, for removed nodes, than [`KEPT_WITHOUT_NODE`].
pub fn forget(flow: &Topology, journal: &Journal, unknown: &UnknownMemories) {
    let now = journal.now_ms();
    let nodes = flow.graph.nodes.iter();
    let mut windows: Vec<(String, i64)> = nodes
        .filter_map(|node| {
            let remembers = node.template.remembers()?;
            remembers.forget(at_ms(now));
            let since = now - remembers.window().as_millis() as i64;
            Some((node.name.clone(), since))
        })
        .collect();
    let over = {
        let mut unknown = lock(&unknown.0);
        let gone = unknown.iter().filter(|unknown| unknown.is_gone);
        let since = now - KEPT_WITHOUT_NODE.as_millis() as i64;
        windows.extend(gone.map(|unknown| (unknown.node.clone(), since)));
        let (lasting, over) = unknown.drain(..).partition(|unknown| unknown.until_ms > now);
        *unknown = lasting;
        let over: Vec<Unknown> = over;
        over
    };
    journal.later(move |db| {
        // Deletes from the oldest on, up to the first note that is young enough. If the clock was set back, later notes
        // with older times stay.
        let delete = "DELETE FROM noted WHERE node = ?1 AND file < ifnull(
                          (SELECT file FROM noted JOIN file AS job ON job.id = noted.file
                           WHERE node = ?1 AND done_ms >= ?2 ORDER BY noted.file LIMIT 1), 1 << 62)";
        let mut delete = db.prepare_cached(delete)?;
        windows
            .iter()
            .try_for_each(|(node, since)| delete.execute(params![node, since]).map(drop))?;
        over.iter().try_for_each(|Unknown { node, .. }| {
            alarm::clear(db, now_ms(), AlarmKey { kind: FORGOTTEN, subject: node })
        })
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_noted_is_read_as_it_lies() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("flow.state");
        let journal = flow::flow_journal::open(
            &folder.path().join("flow.toml"),
            &state,
            std::time::SystemTime::now,
        )
        .unwrap();
        let reader = journal.reader().unwrap();
        for (what, sql) in [("records", SELECT), ("names", NODES)] {
            let mut plan = reader.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let nothing = params![None::<String>, None::<i64>];
            let values = &nothing[..plan.parameter_count()];
            let steps = plan.query_map(values, |row| row.get::<_, String>(3)).unwrap();
            let steps: Vec<String> = steps.collect::<Answer<_>>().unwrap();
            assert!(steps.iter().any(|step| step.contains("noted_by_node")), "{what}: {steps:?}");
            let sorts = |step: &String| step.contains("TEMP B-TREE") || step == "SCAN noted";
            assert!(!steps.iter().any(sorts), "{what}: {steps:?}");
        }
    }
}
