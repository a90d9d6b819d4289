//! Released groups are remembered for some time, so that the same files again find the same groups. The time of the
//! records counts where they have one, so the speed of processing does not matter.

use journal::{JobId, Pruned, for_each};
use store::{Answer, Connection, params};

use crate::groups::expiry::time;
use flow::topology::Topology;

/// Groups of a node that are deleted in one transaction.
const AT_ONCE: usize = 20_000;

/// A node, and the times before which its groups are forgotten.
pub struct Remembered {
    node: String,
    /// The limit for the time of a group's last record.
    made_ms: Option<i64>,
    /// The limit for the time of the release.
    released_ms: i64,
}

/// Returns the limits of some nodes. The time of records may stand still, but no group is kept longer than files are.
pub fn remembered(
    flow: &Topology,
    db: &Connection,
    nodes: &[usize],
    now_ms: i64,
    kept_since_ms: i64,
) -> Answer<Vec<Remembered>> {
    let mut remembered = Vec::new();
    for place in nodes.iter().copied() {
        let node = &flow.graph.nodes[place];
        let Some(holds) = node.template.holds() else { continue };
        let history = i64::try_from(holds.history.as_millis()).unwrap_or(i64::MAX);
        let time = if holds.record_time.is_some() { time(flow, db, place)? } else { None };
        let released_ms = match time {
            Some(_) => kept_since_ms,
            None => now_ms.saturating_sub(history),
        };
        let made_ms = time.map(|time| time.saturating_sub(history));
        remembered.push(Remembered { node: node.name.clone(), made_ms, released_ms });
    }
    Ok(remembered)
}

/// Deletes some of the older groups, and returns whether more are left.
pub fn forget(db: &Connection, remembered: &[Remembered]) -> Answer<Pruned> {
    // Each half has its own index.
    let delete = "DELETE FROM held_group WHERE id IN (
                      SELECT id FROM held_group
                      WHERE node = ?1 AND released_ms IS NOT NULL AND last_ms IS NOT NULL AND last_ms < ?2
                      UNION ALL
                      SELECT id FROM held_group WHERE node = ?1 AND released_ms < ?3
                      LIMIT ?4)";
    let mut forgotten = Pruned::All;
    for Remembered { node, made_ms, released_ms } in remembered {
        let values = params![node, made_ms, released_ms, AT_ONCE as i64];
        if db.prepare_cached(delete)?.execute(values)? == AT_ONCE {
            forgotten = Pruned::Some;
        }
    }
    Ok(forgotten)
}

/// Deletes what groups have of these jobs. Their amounts go into a balance, so that what waits can still be compared
/// with what files left to wait.
pub fn prune_files(db: &Connection, jobs: &[JobId]) -> Answer<()> {
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
