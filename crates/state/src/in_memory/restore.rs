//! Restores the state of nodes from snapshots and deltas at the start.

use diagnostics::counted;
use journal::{Journal, View};
use node::{InMemory, JudgedLater, PARTS, StateError, StoredState, frame_keys};
use runtime::time::{at_ms, shown};
use store::{Connection, QueryResult, StoreError, params};

use super::alarms::{UnusedNode, UnusedState, without_node};
use super::forms::{self, StoredForm};
use super::nodes;
use flow::topology::Topology;

/// Selects the keys that earlier versions wrote for a node since a time, in the order of jobs. The
/// index has this order, so SQLite does not sort, which would need as much disk space as the keys.
pub(super) const NOTED: &str =
    "SELECT noted.file, done_ms, form, octets FROM noted CROSS JOIN file ON file.id = noted.file
    WHERE node = ? AND done_ms >= ? ORDER BY noted.file";

/// Selects the deltas of a node since a time and after a job, in the order of jobs.
pub(super) const DELTAS: &str = "SELECT job, done_ms, form, octets FROM state_delta
    WHERE node = ? AND done_ms >= ? AND job > ? ORDER BY job";

/// Selects the parts of a node's snapshot.
pub(super) const PARTS_OF: &str = "SELECT through, done_ms, octets FROM state_snapshot
    WHERE node = ? AND form = ? ORDER BY part";

/// Restores the nodes whose state is in this process, and raises alarms for stored state that no
/// node uses. Returns messages for the user.
pub fn restore(
    flow: &Topology,
    (journal, unused_state): (&Journal, &UnusedState),
    is_here: impl Fn(usize) -> bool,
) -> Result<Vec<String>, StoreError> {
    let reader = journal.reader()?;
    let (mut problems, mut unused) = (Vec::new(), Vec::new());
    for (place, node) in flow.graph.nodes.iter().enumerate() {
        let Some(state) = node.template.in_memory() else { continue };
        let of = (node.name.as_str(), state);
        let form = journal.answer(forms::stored_form(&reader, of))?;
        let at = (&form, journal.now_ms());
        if !is_here(place) {
            unused.extend(journal.answer(unused_by(&reader, of, at))?);
            continue;
        }
        forms::note((&reader, journal), of)?;
        unused.extend(journal.answer(restore_node(&reader, of, at, &mut problems))?);
        if form.description.is_some() {
            forms::store_again(journal, of, form)?;
        }
    }
    let has_state = |name: &str| nodes(flow).any(|(node, _)| node == name);
    unused.extend(journal.answer(without_node(&reader, has_state, journal.now_ms()))?);
    unused_state.replace(unused, journal, &reader)?;
    Ok(problems)
}

/// Restores some nodes in a worker process. Returns messages for the user.
pub fn restore_nodes(
    flow: &Topology,
    view: &View,
    nodes: &[usize],
) -> Result<Vec<String>, StoreError> {
    let (reader, mut problems) = (view.reader()?, Vec::new());
    for node in nodes.iter().map(|node| &flow.graph.nodes[*node]) {
        let Some(state) = node.template.in_memory() else { continue };
        let of = (node.name.as_str(), state);
        let form = view.answer(forms::stored_form(&reader, of))?;
        let at = (&form, view.clock.now_ms());
        view.answer(restore_node(&reader, of, at, &mut problems))?;
    }
    Ok(problems)
}

/// Restores a node. Returns its state in other forms, which it cannot use.
pub(super) fn restore_node(
    reader: &Connection,
    (node, state): (&str, &dyn InMemory),
    (form, now_ms): (&StoredForm, i64),
    problems: &mut Vec<String>,
) -> QueryResult<Option<UnusedNode>> {
    let mut report = |restored: Result<(), StateError>| {
        if let Err(problem) = restored {
            problems.push(format!("could not restore the state of \"{node}\": {problem}"));
        }
    };
    let StoredForm { name: form, description, unread_ms } = form;
    let description = description.as_deref();
    let through = through(reader, (node, form))?;
    if through.is_some() {
        let mut select = reader.prepare(PARTS_OF)?;
        let mut rows = select.query([node, form.as_str()])?;
        while let Some(row) = rows.next()? {
            let at = at_ms(row.get(1)?);
            report(state.restore(StoredState {
                job: row.get(0)?,
                at,
                octets: row.get_ref(2)?.as_blob()?,
                description,
            }));
        }
    }
    let others = each_delta(reader, (node, form), since_ms(state, now_ms), through, |delta| {
        let restore = |octets: &[u8]| {
            let (job, at) = (delta.job, at_ms(delta.done_ms));
            state.restore(StoredState { job, at, octets, description })
        };
        report(match delta.is_framed {
            true => restore(delta.octets),
            false => frame_keys(delta.octets).and_then(|octets| restore(&octets)),
        });
    })?;
    let later = state.restored().into_iter().map(|JudgedLater { rule, from_s }| {
        let from = shown(i64::from(from_s) * 1_000);
        format!(
            "the rule \"{rule}\" of \"{node}\" is judged from {from} on: some of its measures are new, and count all of their time then"
        )
    });
    problems.extend(later);
    Ok(others.unused((node, state), *unread_ms))
}

/// Returns the state of a node in other forms, which it cannot use.
fn unused_by(
    reader: &Connection,
    (node, state): (&str, &dyn InMemory),
    (form, now_ms): (&StoredForm, i64),
) -> QueryResult<Option<UnusedNode>> {
    let through = through(reader, (node, &form.name))?;
    let since_ms = since_ms(state, now_ms);
    let others = each_delta(reader, (node, &form.name), since_ms, through, |_| {})?;
    Ok(others.unused((node, state), form.unread_ms))
}

/// Returns the last job that all parts of a snapshot include. `None` if there is no complete
/// snapshot: then no delta was deleted.
pub(super) fn through(reader: &Connection, (node, form): (&str, &str)) -> QueryResult<Option<i64>> {
    let select =
        "SELECT min(through) FROM state_snapshot WHERE node = ? AND form = ? HAVING count(*) = ?";
    let mut select = reader.prepare(select)?;
    let mut rows = select.query(params![node, form, PARTS as i64])?;
    rows.next()?.map(|row| row.get(0)).transpose()
}

/// Returns the time since which deltas of a node are needed.
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
    /// False for the bare keys of earlier versions.
    is_framed: bool,
}

/// The deltas of a node in other forms.
#[derive(Default)]
struct OtherForms {
    count: usize,
    last_ms: i64,
}

/// Calls `take` for each delta of a node since a time and after a job, in the order of jobs. Counts
/// those in other forms.
fn each_delta(
    reader: &Connection,
    (node, form): (&str, &str),
    since_ms: i64,
    through: Option<i64>,
    mut take: impl FnMut(Delta<'_>),
) -> QueryResult<OtherForms> {
    let mut others = OtherForms::default();
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

impl OtherForms {
    /// Returns the alarm of them, or of a snapshot alone that is in a form that cannot be read, with the time of its last job.
    fn unused(
        self,
        (node, state): (&str, &dyn InMemory),
        unread_ms: Option<i64>,
    ) -> Option<UnusedNode> {
        let (files, last_ms) = match self.count {
            0 => ("earlier files".to_owned(), unread_ms?),
            count => (counted(count, "file"), self.last_ms),
        };
        Some(UnusedNode {
            node: node.into(),
            text: state.without(node, &files),
            until_ms: last_ms.saturating_sub(since_ms(state, 0)),
            is_gone: false,
        })
    }
}
