//! Released groups are remembered for some time, so that the same files again find the same groups. The time of the
//! records counts where they have one, so the speed of processing does not matter.

use journal::{JobId, Pruned, for_each};
use node::EntryNumber;
use store::{Connection, QueryResult, params};

use super::expiry::time;
use super::key_index::sealed;
use flow::topology::Topology;

/// Batches of entries that are deleted in one transaction.
const AT_ONCE: usize = 8;

/// A node, and the times before which its groups are forgotten.
pub struct Remembered {
    pub(super) node: String,
    /// The limit for the time of a group's last record.
    pub(super) made_ms: Option<i64>,
    /// The limit for the time of the release.
    pub(super) released_ms: i64,
}

/// Returns the limits of some nodes, and of nodes that the flow lacks. The time of records may stand still, but no group is
/// remembered longer than files are retained.
pub fn remembered(
    flow: &Topology,
    db: &Connection,
    nodes: &[usize],
    now_ms: i64,
    kept_since_ms: i64,
) -> QueryResult<Vec<Remembered>> {
    let mut remembered = Vec::new();
    for place in nodes.iter().copied() {
        let node = &flow.graph.nodes[place];
        let Some(settings) = node.template.group_settings() else { continue };
        let history = i64::try_from(settings.history.as_millis()).unwrap_or(i64::MAX);
        let time = if settings.record_time.is_some() { time(flow, db, place)? } else { None };
        let released_ms = match time {
            Some(_) => kept_since_ms,
            None => now_ms.saturating_sub(history),
        };
        let made_ms = time.map(|time| time.saturating_sub(history));
        remembered.push(Remembered { node: node.name.clone(), made_ms, released_ms });
    }
    // A node that the flow lacks needs them no more.
    let mut select = db.prepare_cached("SELECT node FROM held_node")?;
    for node in select.query_map([], |row| row.get::<_, String>(0))? {
        let node = node?;
        if flow.graph.nodes.iter().all(|known| known.name != node) {
            remembered.push(Remembered { node, made_ms: None, released_ms: kept_since_ms });
        }
    }
    Ok(remembered)
}

/// Forgets the older groups, and deletes entries if all groups of their batch are forgotten. Returns whether more are left
/// to delete.
pub fn forget(db: &Connection, remembered: &[Remembered]) -> QueryResult<Pruned> {
    let mut forgotten = Pruned::All;
    for Remembered { node, made_ms, released_ms } in remembered {
        let note = "INSERT INTO group_forgotten (node, made_ms, released_ms) VALUES (?1, ?2, ?3)
            ON CONFLICT DO UPDATE SET made_ms = max(ifnull(made_ms, excluded.made_ms), excluded.made_ms),
                released_ms = max(released_ms, excluded.released_ms)
            WHERE made_ms IS NOT excluded.made_ms OR released_ms <> excluded.released_ms";
        db.prepare_cached(note)?.execute(params![node, made_ms, released_ms])?;
        let over = over(db, (node, *made_ms, *released_ms))?;
        if over.len() == AT_ONCE {
            forgotten = Pruned::Some;
        }
        for (first, end) in over {
            delete(db, first, end)?;
        }
    }
    Ok(forgotten)
}

/// Batches of the node `?1` whose groups ended before the times `?2` or `?3`, and none of whose groups waits.
pub(super) const OVER: &str = "SELECT first, first + entries FROM group_batch AS batch
    WHERE node = ?1 AND released_ms IS NOT NULL AND (last_ms < ?2 OR released_ms < ?3)
        AND NOT EXISTS (SELECT 1 FROM group_state AS state INDEXED BY group_state_open
            WHERE state.is_open AND state.node = batch.node
                AND state.page >= batch.first AND state.page < batch.first + batch.entries)
        AND EXISTS (SELECT 1 FROM group_batch AS later WHERE later.first > batch.first)
    ORDER BY first LIMIT ?4";

/// Returns some batches of a node whose groups are all forgotten, each as its range of numbers. The last batch of all
/// stays, so that its numbers are not given again.
fn over(
    db: &Connection,
    (node, made_ms, released_ms): (&str, Option<i64>, i64),
) -> QueryResult<Vec<(EntryNumber, EntryNumber)>> {
    let mut select = db.prepare_cached(OVER)?;
    let values = params![node, made_ms, released_ms, AT_ONCE as i64];
    select.query_map(values, |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// Entries of groups that wait were to be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the entries {first} to {last} of groups would be deleted, and a group of them waits")]
struct Waits {
    first: EntryNumber,
    last: EntryNumber,
}

/// Deletes the batch with the entries from `first` to before `end`.
fn delete(db: &Connection, first: EntryNumber, end: EntryNumber) -> QueryResult<()> {
    let waits = "SELECT 1 FROM group_state WHERE page >= ? AND page < ? AND is_open";
    if db.prepare_cached(waits)?.exists([first, end])? {
        return Err(store::undone(Waits { first, last: end - 1 }));
    }
    for delete in [
        "DELETE FROM group_page WHERE first >= ? AND first < ?",
        "DELETE FROM group_state WHERE page >= ? AND page < ?",
        "DELETE FROM group_link WHERE page >= ? AND page < ?",
        "DELETE FROM group_request WHERE id >= ? AND id < ?",
        "DELETE FROM group_batch WHERE first >= ? AND first < ?",
    ] {
        db.prepare_cached(delete)?.execute([first, end])?;
    }
    sealed::prune(db, (first, end))
}

/// Deletes what groups have of these jobs. Their amounts go into a balance, so that what waits can still be compared
/// with what files left to wait.
pub fn prune_files(db: &Connection, jobs: &[JobId]) -> QueryResult<()> {
    const TO_BALANCE: &str = "INSERT INTO held_balance
         SELECT at, name, iif(side = 'kept', high, -high), iif(side = 'kept', low, -low),
             iif(side = 'kept', records, -records)
         FROM amount WHERE file = ? AND side IN ('kept', 'waited') AND at <> ''
     ON CONFLICT DO UPDATE SET high = high + excluded.high, low = low + excluded.low,
         records = records + excluded.records";
    for_each(db, TO_BALANCE, jobs)?;
    for_each(db, "DELETE FROM held_missing WHERE file = ?", jobs)?;
    for_each(db, "DELETE FROM held WHERE file = ?", jobs)
}
