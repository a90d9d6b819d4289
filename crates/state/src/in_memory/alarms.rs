//! Alarms of state that no node of the flow takes.

use std::sync::Mutex;
use std::time::Duration;

use alarm::{AlarmKey, Condition, EventType, Kind, Severity};
use diagnostics::counted;
use journal::Journal;
use runtime::sync::lock;
use runtime::time::now_ms;
use store::{Answer, Connection, StoreError};

/// State that no node of the flow takes: the node was made of something else when it was written, was renamed, or was
/// removed. Until it would be removed anyway, duplicates of its records are not found.
#[derive(Clone, Debug)]
pub(crate) struct Unknown {
    pub(super) node: String,
    pub(super) text: String,
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

/// How long the state of a removed node stays, in case its name was mistyped. It equals the default window of a duplicate
/// check.
pub(crate) const RETENTION_WITHOUT_NODE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The tables with the state of nodes.
pub(super) const TABLES: [&str; 3] = ["noted", "state_delta", "state_snapshot"];

/// The names of nodes in a table. It steps from each name to the next, so that the state itself is not read.
pub(crate) fn names(table: &str) -> String {
    format!(
        "WITH RECURSIVE known(node) AS (
            SELECT min(node) FROM {table} UNION ALL
            SELECT (SELECT min(node) FROM {table} WHERE node > known.node) FROM known WHERE known.node IS NOT NULL)
        SELECT node FROM known WHERE node IS NOT NULL"
    )
}

/// The state that no node of the flow takes.
#[derive(Debug, Default)]
pub struct UnknownState(Mutex<Vec<Unknown>>);

impl UnknownState {
    /// Replaces it by what is found now, and raises and clears alarms.
    pub(super) fn replace(
        &self,
        unknown: Vec<Unknown>,
        journal: &Journal,
        reader: &Connection,
    ) -> Result<(), StoreError> {
        let raised = journal.answer(alarm::raised(reader, &[FORGOTTEN]))?;
        if !unknown.is_empty() || !raised.is_empty() {
            let now = unknown.clone();
            journal.commit(move |db| tell(db, &raised, &now))?;
        }
        *lock(&self.0) = unknown;
        Ok(())
    }

    /// Returns the nodes that the flow does not have.
    pub(super) fn gone(&self) -> Vec<String> {
        let unknown = lock(&self.0);
        unknown.iter().filter(|of| of.is_gone).map(|of| of.node.clone()).collect()
    }

    /// Takes out what is removed by now.
    pub(super) fn take_over(&self, now_ms: i64) -> Vec<Unknown> {
        lock(&self.0).extract_if(.., |of| of.until_ms <= now_ms).collect()
    }
}

/// Raises alarms for unknown state, and clears those that no longer apply.
fn tell(db: &Connection, raised: &[Condition], unknown: &[Unknown]) -> Answer<()> {
    let is_known = |over: &&Condition| unknown.iter().all(|unknown| unknown.node != over.subject);
    for over in raised.iter().filter(is_known) {
        alarm::clear(db, now_ms(), over.key())?;
    }
    unknown.iter().try_for_each(|Unknown { node, text, .. }| {
        alarm::raise(db, now_ms(), AlarmKey { kind: FORGOTTEN, subject: node }, text)
    })
}

/// Clears the alarms of state that is removed.
pub(super) fn clear(db: &Connection, over: &[Unknown]) -> Answer<()> {
    over.iter().try_for_each(|Unknown { node, .. }| {
        alarm::clear(db, now_ms(), AlarmKey { kind: FORGOTTEN, subject: node })
    })
}

/// Returns the state of nodes that the flow does not have.
pub(super) fn without_node(
    reader: &Connection,
    is_there: impl Fn(&str) -> bool,
    now_ms: i64,
) -> Answer<Vec<Unknown>> {
    let mut names: Vec<String> = Vec::new();
    for table in TABLES {
        let mut select = reader.prepare(&self::names(table))?;
        let found: Vec<String> = select.query_map([], |row| row.get(0))?.collect::<Answer<_>>()?;
        names.extend(found.into_iter().filter(|name| !is_there(name)));
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
    let mut unknown = Vec::new();
    for node in names {
        let (files, last_ms): (i64, i64) =
            select.query_row([&node], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let text = format!(
            "no node is named \"{node}\" any more: what it noted of the records of {} is not used, unless it has \
             its name again",
            counted(files as usize, "file")
        );
        let until_ms = last_ms + RETENTION_WITHOUT_NODE.as_millis() as i64;
        unknown.push(Unknown { node, text, until_ms, is_gone: true });
    }
    unknown.retain(|unknown| unknown.until_ms > now_ms);
    Ok(unknown)
}
