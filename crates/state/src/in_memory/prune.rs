//! Removing state that is older than the window of its node.

use journal::{JobId, Journal, for_each};
use runtime::time::at_ms;
use store::{Connection, QueryResult, params};

use super::alarms::{RETENTION_WITHOUT_NODE, UnusedState, clear};
use super::{forms, nodes};
use flow::topology::Topology;

/// Deletes the keys that earlier versions wrote for these jobs.
pub fn prune_files(db: &Connection, jobs: &[JobId]) -> QueryResult<()> {
    for_each(db, "DELETE FROM noted WHERE file = ?", jobs)
}

/// The state to delete: all state of a node from before a time, except a snapshot in the current
/// form.
pub(super) struct Old {
    pub(super) node: String,
    /// Empty if the flow does not have the node.
    pub(super) form: String,
    pub(super) before_ms: i64,
}

/// Deletes state that is older than the window of its node, or, for removed nodes, than
/// [`RETENTION_WITHOUT_NODE`].
pub fn forget(flow: &Topology, journal: &Journal, unused: &UnusedState) {
    let now_ms = journal.now_ms();
    let before_ms = |age: std::time::Duration| {
        now_ms.saturating_sub(i64::try_from(age.as_millis()).unwrap_or(i64::MAX))
    };
    let of_nodes = nodes(flow).filter_map(|(node, state)| {
        state.expire(at_ms(now_ms));
        let before_ms = before_ms(state.window()?);
        Some(Old { node: node.to_owned(), form: state.form(), before_ms })
    });
    let gone = unused.gone().into_iter();
    let of_gone = gone.map(|node| Old {
        node,
        form: String::new(),
        before_ms: before_ms(RETENTION_WITHOUT_NODE),
    });
    let old: Vec<Old> = of_nodes.chain(of_gone).collect();
    let expired = unused.take_expired(now_ms);
    journal.later(move |db| {
        old.iter().try_for_each(|old| delete(db, old))?;
        clear(db, &expired)
    });
}

/// Deletes state from the oldest on, up to the first that has not expired. If the clock was set
/// back, later state with older times stays.
pub(super) fn delete(db: &Connection, Old { node, form, before_ms }: &Old) -> QueryResult<()> {
    let noted = "DELETE FROM noted WHERE node = ?1 AND file < ifnull(
                     (SELECT file FROM noted JOIN file AS job ON job.id = noted.file
                      WHERE node = ?1 AND done_ms >= ?2 ORDER BY noted.file LIMIT 1), 1 << 62)";
    db.prepare_cached(noted)?.execute(params![node, before_ms])?;
    let deltas = "DELETE FROM state_delta WHERE node = ?1 AND job < ifnull(
                      (SELECT job FROM state_delta WHERE node = ?1 AND done_ms >= ?2 ORDER BY job LIMIT 1), 1 << 62)
                      AND job <= ifnull((SELECT through FROM key_index WHERE node = ?1), 1 << 62)";
    db.prepare_cached(deltas)?.execute(params![node, before_ms])?;
    let snapshots = "DELETE FROM state_snapshot WHERE node = ?1 AND form <> ?2 AND done_ms < ?3";
    db.prepare_cached(snapshots)?.execute(params![node, form, before_ms])?;
    if form.is_empty() { forms::forget(db, node) } else { Ok(()) }
}
