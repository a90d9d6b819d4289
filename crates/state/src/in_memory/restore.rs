//! Reading snapshots and deltas at the start.

use diagnostics::counted;
use journal::{Journal, View};
use node::{InMemory, PARTS, StateError, Stored, frame_keys};
use runtime::time::at_ms;
use store::{Answer, Connection, StoreError, params};

use super::alarms::{Unknown, UnknownState, without_node};
use super::nodes;
use flow::topology::Topology;

/// The keys that earlier versions noted for a node since a time, in the order of jobs. The index has this order, so SQLite
/// needs no sort, which would take as much disk space as the keys.
pub(super) const NOTED: &str =
    "SELECT noted.file, done_ms, form, octets FROM noted CROSS JOIN file ON file.id = noted.file
    WHERE node = ? AND done_ms >= ? ORDER BY noted.file";

/// The deltas of a node since a time, of the jobs after one, in the order of jobs.
pub(super) const DELTAS: &str = "SELECT job, done_ms, form, octets FROM state_delta
    WHERE node = ? AND done_ms >= ? AND job > ? ORDER BY job";

/// The parts of a node's snapshot.
pub(super) const PARTS_OF: &str = "SELECT through, done_ms, octets FROM state_snapshot
    WHERE node = ? AND form = ? ORDER BY part";

/// Restores the nodes whose state is in this process, and raises alarms for state that no node takes. Returns messages for
/// the user.
pub fn restore(
    flow: &Topology,
    (journal, unknown_now): (&Journal, &UnknownState),
    is_here: impl Fn(usize) -> bool,
) -> Result<Vec<String>, StoreError> {
    let reader = journal.reader()?;
    let (mut problems, mut unknown) = (Vec::new(), Vec::new());
    for (place, node) in flow.graph.nodes.iter().enumerate() {
        let Some(state) = node.template.in_memory() else { continue };
        let of = (node.name.as_str(), state);
        let restored = match is_here(place) {
            true => restore_node(&reader, of, journal.now_ms(), &mut problems),
            false => unknown_of(&reader, of, journal.now_ms()),
        };
        unknown.extend(journal.answer(restored)?);
    }
    let has_state = |name: &str| nodes(flow).any(|(node, _)| node == name);
    unknown.extend(journal.answer(without_node(&reader, has_state, journal.now_ms()))?);
    unknown_now.replace(unknown, journal, &reader)?;
    Ok(problems)
}

/// Restores some nodes, in a process beside the gateway's. Returns messages for the user.
pub fn restore_nodes(
    flow: &Topology,
    view: &View,
    nodes: &[usize],
) -> Result<Vec<String>, StoreError> {
    let (reader, mut problems) = (view.reader()?, Vec::new());
    for node in nodes.iter().map(|node| &flow.graph.nodes[*node]) {
        let Some(state) = node.template.in_memory() else { continue };
        let of = (node.name.as_str(), state);
        view.answer(restore_node(&reader, of, view.clock.now_ms(), &mut problems))?;
    }
    Ok(problems)
}

/// Restores a node. Returns what is there in another form than the node's.
pub(super) fn restore_node(
    reader: &Connection,
    (node, state): (&str, &dyn InMemory),
    now_ms: i64,
    problems: &mut Vec<String>,
) -> Answer<Option<Unknown>> {
    let mut tell = |restored: Result<(), StateError>| {
        if let Err(problem) = restored {
            problems.push(format!("\"{node}\" cannot read what it noted: {problem}"));
        }
    };
    let form = state.form();
    let through = through(reader, (node, &form))?;
    if through.is_some() {
        let mut select = reader.prepare(PARTS_OF)?;
        let mut rows = select.query([node, form.as_str()])?;
        while let Some(row) = rows.next()? {
            let at = at_ms(row.get(1)?);
            tell(state.restore(Stored {
                job: row.get(0)?,
                at,
                octets: row.get_ref(2)?.as_blob()?,
            }));
        }
    }
    each_delta(reader, (node, &form), since_ms(state, now_ms), through, |delta| {
        let octets = delta.octets;
        tell(match delta.is_framed {
            true => state.restore(delta.stored(octets)),
            false => frame_keys(octets).and_then(|octets| state.restore(delta.stored(&octets))),
        });
    })
    .map(|others| others.unknown(node, state))
}

/// Returns what is there of a node in another form than the node's.
fn unknown_of(
    reader: &Connection,
    (node, state): (&str, &dyn InMemory),
    now_ms: i64,
) -> Answer<Option<Unknown>> {
    let form = state.form();
    let through = through(reader, (node, &form))?;
    let since_ms = since_ms(state, now_ms);
    let others = each_delta(reader, (node, &form), since_ms, through, |_| {})?;
    Ok(others.unknown(node, state))
}

/// Returns the last job that all parts of a snapshot have. None if there is no complete snapshot: then the deltas of all
/// jobs are there.
pub(super) fn through(reader: &Connection, (node, form): (&str, &str)) -> Answer<Option<i64>> {
    let select =
        "SELECT min(through) FROM state_snapshot WHERE node = ? AND form = ? HAVING count(*) = ?";
    let mut select = reader.prepare(select)?;
    let mut rows = select.query(params![node, form, PARTS as i64])?;
    rows.next()?.map(|row| row.get(0)).transpose()
}

/// Returns the time since which the changes of a node are needed.
fn since_ms(state: &dyn InMemory, now_ms: i64) -> i64 {
    state.window().map_or(i64::MIN, |window| {
        now_ms.saturating_sub(i64::try_from(window.as_millis()).unwrap_or(i64::MAX))
    })
}

/// A delta in the journal.
#[derive(Clone, Copy)]
struct Delta<'o> {
    job: i64,
    done_ms: i64,
    octets: &'o [u8],
    /// Earlier versions wrote bare keys.
    is_framed: bool,
}

impl Delta<'_> {
    fn stored<'o>(&self, octets: &'o [u8]) -> Stored<'o> {
        Stored { job: self.job, at: at_ms(self.done_ms), octets }
    }
}

/// The deltas in other forms than the node's.
#[derive(Default)]
struct Others {
    count: usize,
    last_ms: i64,
}

/// Passes on the deltas of a node since a time, after a job, in the order of jobs. Counts those in another form.
fn each_delta(
    reader: &Connection,
    (node, form): (&str, &str),
    since_ms: i64,
    through: Option<i64>,
    mut take: impl FnMut(Delta<'_>),
) -> Answer<Others> {
    let mut others = Others::default();
    for (sql, is_framed) in [(NOTED, false), (DELTAS, true)] {
        let mut select = reader.prepare(sql)?;
        let after = params![node, since_ms, through.unwrap_or(i64::MIN)];
        let mut rows = select.query(&after[..select.parameter_count()])?;
        while let Some(row) = rows.next()? {
            let done_ms = row.get(1)?;
            if row.get_ref(2)?.as_str()? != form {
                others.count += 1;
                others.last_ms = done_ms;
                continue;
            }
            let octets = row.get_ref(3)?.as_blob()?;
            take(Delta { job: row.get(0)?, done_ms, octets, is_framed });
        }
    }
    Ok(others)
}

impl Others {
    fn unknown(self, node: &str, state: &dyn InMemory) -> Option<Unknown> {
        let unknown = || Unknown {
            node: node.into(),
            text: format!(
                "\"{node}\" was made of something else (its key, or the type of its records) when it noted the records of \
                 {}: one of those that comes again is not found to be a duplicate",
                counted(self.count, "file")
            ),
            until_ms: self.last_ms.saturating_sub(since_ms(state, 0)),
            is_gone: false,
        };
        (self.count > 0).then(unknown)
    }
}
