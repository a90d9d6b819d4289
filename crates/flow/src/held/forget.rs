//! Groups that were released are remembered for some time.

use store::{Answer, Connection, params};

use crate::prepare::Prepared;
use crate::retention::Forgotten;

/// Groups of a node that are forgotten in one transaction.
const AT_ONCE: usize = 20_000;

/// By node: before when its groups were released that are forgotten.
pub(crate) fn before(flow: &Prepared, now_ms: i64) -> Vec<(String, i64)> {
    let nodes = flow.graph.nodes.iter();
    let before = nodes.filter_map(|node| {
        let history = i64::try_from(node.template.holds()?.history.as_millis()).ok()?;
        Some((node.name.clone(), now_ms.saturating_sub(history)))
    });
    before.collect()
}

/// Forgets some.
pub(crate) fn forget(db: &Connection, before: &[(String, i64)]) -> Answer<Forgotten> {
    let mut forgotten = Forgotten::All;
    for (node, released_ms) in before {
        let delete = "DELETE FROM held_group WHERE id IN (SELECT id FROM held_group
                      WHERE node = ? AND released_ms < ? ORDER BY released_ms LIMIT ?)";
        let values = params![node, released_ms, AT_ONCE as i64];
        if db.prepare_cached(delete)?.execute(values)? == AT_ONCE {
            forgotten = Forgotten::Some;
        }
    }
    Ok(forgotten)
}
