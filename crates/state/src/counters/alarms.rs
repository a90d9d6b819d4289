//! Alarms of counters that are no longer used: those of removed or renamed nodes, and those of
//! nodes that now make keys from other settings, so that subscribers may have new counters.

use alarm::{Condition, EventType, Kind, Severity};
use journal::Journal;
use store::{Connection, QueryResult, StoreError};

use super::keyed::{KeyKinds, accept, key_kinds};
use super::{flow_nodes, stored_nodes};
use flow::topology::Topology;

/// The alarm for counters of a node that the flow no longer has, or that no longer has counters.
pub const ORPHANED: &Kind = &Kind::new(
    "counters-orphaned",
    Severity::Major,
    EventType::Processing,
    "configurationOrCustomizationError",
);
/// The alarm for counters of a node whose keys were made from other settings.
pub const KEYED_OTHERWISE: &Kind = &Kind::new(
    "counters-keyed-otherwise",
    Severity::Major,
    EventType::Processing,
    "configurationOrCustomizationError",
);

/// The kinds of alarms that are raised here.
pub const ALARMS: &[&Kind] = &[ORPHANED, KEYED_OTHERWISE];

/// Raises alarms for counters of nodes that the flow no longer has, and for counters with other
/// kinds of keys. Clears alarms that no longer apply.
pub(crate) fn check_counters(flow: &Topology, journal: &Journal) -> Result<(), StoreError> {
    let reader = journal.reader()?;
    let mut wrong = journal.answer(orphans(flow, &reader))?;
    for (node, state) in flow_nodes(flow) {
        match journal.answer(key_kinds(&reader, node, state.keyed_by))? {
            KeyKinds::None | KeyKinds::Current => {}
            KeyKinds::Unknown => {
                let (node, keyed_by) = (node.to_owned(), state.keyed_by);
                journal.commit(move |db| accept(db, &node, keyed_by))?;
            }
            KeyKinds::Others => wrong.push(keyed_otherwise(node)),
        }
    }
    let raised = journal.answer(alarm::raised(&reader, &[ORPHANED, KEYED_OTHERWISE]))?;
    alarm::reconcile(wrong.into_iter(), &raised, journal)
}

/// Returns a condition for each node that the flow no longer has and that still has counters.
fn orphans(flow: &Topology, db: &Connection) -> QueryResult<Vec<Condition>> {
    let is_in_flow = |name: &str| flow_nodes(flow).any(|(node, _)| node == name);
    let orphan = |node: String| {
        let text = format!(
            "the journal has counters of \"{node}\", but the flow has no rating node of this name with counters: their \
             bundles and discounts are not used. Give a rating node this name; or move or drop the counters on the page \
             Tariffs or with \"tollgate tariff counters\" and --move or --forget"
        );
        Condition { kind: ORPHANED, subject: node, text }
    };
    Ok(stored_nodes(db)?.into_iter().filter(|node| !is_in_flow(node)).map(orphan).collect())
}

fn keyed_otherwise(node: &str) -> Condition {
    let text = format!(
        "the rating node \"{node}\" has counters from before a change of the settings that identify the subscriber \
         (account, or served and numbers): subscribers may get their bundles twice. Undo the change; or accept or drop \
         the old counters on the page Tariffs or with \"tollgate tariff counters\" and --accept or --forget"
    );
    Condition { kind: KEYED_OTHERWISE, subject: node.to_owned(), text }
}
