//! Alarms of stored state that no node of the flow uses.

use std::sync::Mutex;
use std::time::Duration;

use alarm::{AlarmKey, Condition, EventType, Kind, Severity};
use diagnostics::counted;
use journal::Journal;
use runtime::sync::lock;
use runtime::time::now_ms;
use store::{Connection, QueryResult, StoreError};

/// Stored state of a node that was changed, renamed or removed since. Duplicates of its records are
/// not found.
#[derive(Clone, Debug)]
pub(crate) struct UnusedNode {
    pub(super) node: String,
    /// The text of the alarm.
    pub(super) text: String,
    /// When the state expires anyway.
    pub(super) until_ms: i64,
    /// Whether the flow has no node of this name.
    pub(super) is_gone: bool,
}

const FORGOTTEN: &Kind = &Kind::new(
    "duplicates-forgotten",
    Severity::Major,
    EventType::Processing,
    "configurationOrCustomizationError",
);

/// The kinds of alarms that are raised here.
pub const ALARMS: &[&Kind] = &[FORGOTTEN];

/// How long the state of a removed node stays, in case its name was mistyped. This is the default
/// window of a duplicate check.
pub(crate) const RETENTION_WITHOUT_NODE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The tables with the state of nodes.
pub(super) const TABLES: [&str; 3] = ["noted", "state_delta", "state_snapshot"];

/// Returns the SQL that selects the names of nodes in a table. It steps from each name to the next,
/// so that it does not read the state.
pub(crate) fn select_names(table: &str) -> String {
    format!(
        "WITH RECURSIVE known(node) AS (
            SELECT min(node) FROM {table} UNION ALL
            SELECT (SELECT min(node) FROM {table} WHERE node > known.node) FROM known WHERE known.node IS NOT NULL)
        SELECT node FROM known WHERE node IS NOT NULL"
    )
}

/// The stored state that no node of the flow uses.
#[derive(Debug, Default)]
pub struct UnusedState(Mutex<Vec<UnusedNode>>);

impl UnusedState {
    /// Replaces the list, and raises and clears alarms.
    pub(super) fn replace(
        &self,
        unused: Vec<UnusedNode>,
        journal: &Journal,
        reader: &Connection,
    ) -> Result<(), StoreError> {
        let raised = journal.answer(alarm::raised(reader, &[FORGOTTEN]))?;
        if !unused.is_empty() || !raised.is_empty() {
            let now = unused.clone();
            journal.commit(move |db| update(db, &raised, &now))?;
        }
        *lock(&self.0) = unused;
        Ok(())
    }

    /// Returns the nodes that the flow does not have.
    pub(super) fn gone(&self) -> Vec<String> {
        let unused = lock(&self.0);
        unused.iter().filter(|state| state.is_gone).map(|state| state.node.clone()).collect()
    }

    /// Takes out the state that has expired.
    pub(super) fn take_expired(&self, now_ms: i64) -> Vec<UnusedNode> {
        lock(&self.0).extract_if(.., |state| state.until_ms <= now_ms).collect()
    }
}

/// Raises alarms for unused state, and clears those that no longer apply.
fn update(db: &Connection, raised: &[Condition], unused: &[UnusedNode]) -> QueryResult<()> {
    let is_over = |alarm: &&Condition| unused.iter().all(|state| state.node != alarm.subject);
    for alarm in raised.iter().filter(is_over) {
        alarm::clear(db, now_ms(), alarm.key())?;
    }
    unused.iter().try_for_each(|UnusedNode { node, text, .. }| {
        alarm::raise(db, now_ms(), AlarmKey { kind: FORGOTTEN, subject: node }, text)
    })
}

/// Clears the alarms of removed state.
pub(super) fn clear(db: &Connection, removed: &[UnusedNode]) -> QueryResult<()> {
    removed.iter().try_for_each(|UnusedNode { node, .. }| {
        alarm::clear(db, now_ms(), AlarmKey { kind: FORGOTTEN, subject: node })
    })
}

/// Returns the state of nodes that the flow does not have.
pub(super) fn without_node(
    reader: &Connection,
    is_in_flow: impl Fn(&str) -> bool,
    now_ms: i64,
) -> QueryResult<Vec<UnusedNode>> {
    let mut names: Vec<String> = Vec::new();
    for table in TABLES {
        let mut select = reader.prepare(&select_names(table))?;
        let found: Vec<String> =
            select.query_map([], |row| row.get(0))?.collect::<QueryResult<_>>()?;
        names.extend(found.into_iter().filter(|name| !is_in_flow(name)));
    }
    names.sort_unstable();
    names.dedup();
    let mut select = reader.prepare(
        "SELECT sum(files), max(last_ms) FROM (
             SELECT files, done_ms AS last_ms
             FROM (SELECT count(*) AS files, max(file) AS last FROM noted WHERE node = ?1) JOIN file ON file.id = last
             UNION ALL
             SELECT count(*), max(done_ms) FROM state_delta WHERE node = ?1
             UNION ALL
             SELECT 0, max(done_ms) FROM state_snapshot WHERE node = ?1)",
    )?;
    let mut unused = Vec::new();
    for node in names {
        let (files, last_ms): (i64, i64) =
            select.query_row([&node], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let text = format!(
            "the flow no longer has a node \"{node}\": its state from {} is not used, unless a node gets this name \
             again",
            counted(files as usize, "file")
        );
        let until_ms = last_ms + RETENTION_WITHOUT_NODE.as_millis() as i64;
        unused.push(UnusedNode { node, text, until_ms, is_gone: true });
    }
    unused.retain(|state| state.until_ms > now_ms);
    Ok(unused)
}
