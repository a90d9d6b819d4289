//! The alarm of groups that wait in nodes which the flow no longer has. No job releases them.

use alarm::{Condition, EventType, Kind, Severity};
use diagnostics::counted;
use store::{Connection, QueryResult};

use flow::topology::Topology;

/// The alarm for groups that wait in a node which the flow no longer has, or which is no matching node any more.
pub const ORPHANED: &Kind = &Kind::new(
    "groups-orphaned",
    Severity::Major,
    EventType::Processing,
    "configurationOrCustomizationError",
);

/// Returns a condition for each removed node with waiting groups.
pub fn orphans(flow: &Topology, db: &Connection) -> QueryResult<Vec<Condition>> {
    let mut select = db.prepare("SELECT node, open FROM held_node WHERE open > 0 ORDER BY node")?;
    let open = select.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))?;
    let is_there = |name: &str| {
        flow.graph
            .nodes
            .iter()
            .any(|node| node.name == name && node.template.group_settings().is_some())
    };
    let mut orphans = Vec::new();
    for open in open {
        let (node, groups) = open?;
        if !is_there(&node) {
            let text = format!(
                "{} of records wait in \"{node}\", which is no matching node of the flow any more: {} cannot end. Give a \
                 matching node this name again, then they go on",
                counted(groups as usize, "group"),
                if groups == 1 { "it" } else { "they" }
            );
            orphans.push(Condition { kind: ORPHANED, subject: node, text });
        }
    }
    Ok(orphans)
}
