//! Alarms of counters that are no longer used: those of removed or renamed nodes, and those of nodes that now choose
//! the counters for a record by something else, so that subscribers may not find theirs.

use alarm::{Condition, EventType, Kind, Severity};
use journal::Journal;
use store::{Answer, Connection, StoreError};

use super::keyed::{Whose, accept, whose};
use super::{keeping, nodes};
use flow::topology::Topology;

/// The alarm for counters of a node that the flow no longer has, or that keeps nothing any more.
pub const ORPHANED: &Kind = &Kind::new(
    "counters-orphaned",
    Severity::Major,
    EventType::Processing,
    "configurationOrCustomizationError",
);
/// The alarm for counters of a node whose keys were made in another way than now.
pub const KEYED_OTHERWISE: &Kind = &Kind::new(
    "counters-keyed-otherwise",
    Severity::Major,
    EventType::Processing,
    "configurationOrCustomizationError",
);

/// The kinds of alarms that are raised here.
pub const ALARMS: &[&Kind] = &[ORPHANED, KEYED_OTHERWISE];

/// Raises alarms for counters of nodes that the flow no longer has, and for counters with keys of another kind. Clears
/// alarms that no longer apply.
pub(crate) fn look_at_counters(flow: &Topology, journal: &Journal) -> Result<(), StoreError> {
    let reader = journal.reader()?;
    let mut wrong = journal.answer(orphans(flow, &reader))?;
    for (node, keeps) in keeping(flow) {
        match journal.answer(whose(&reader, node, keeps.keyed_by))? {
            Whose::None | Whose::Own => {}
            Whose::Unknown => {
                let (node, keyed_by) = (node.to_owned(), keeps.keyed_by);
                journal.commit(move |db| accept(db, &node, keyed_by))?;
            }
            Whose::Others => wrong.push(keyed_otherwise(node)),
        }
    }
    let raised = journal.answer(alarm::raised(&reader, &[ORPHANED, KEYED_OTHERWISE]))?;
    alarm::reconcile(wrong.into_iter(), &raised, journal)
}

/// Returns a condition for each node that the flow no longer has and that still has counters.
fn orphans(flow: &Topology, db: &Connection) -> Answer<Vec<Condition>> {
    let is_there = |name: &str| keeping(flow).any(|(node, _)| node == name);
    let wrong = |node: String| {
        let text = format!(
            "no rating node \"{node}\" of the flow keeps counters any more, and the journal has some of it: its bundles \
             and discounts do not count. Give a rating node this name again; or, on the page Tariffs, or by \
             \"tollgate tariff counters\" with --move or --forget, say that it has another name now, or give them up"
        );
        Condition { kind: ORPHANED, subject: node, text }
    };
    Ok(nodes(db)?.into_iter().filter(|node| !is_there(node)).map(wrong).collect())
}

fn keyed_otherwise(node: &str) -> Condition {
    let text = format!(
        "the rating node \"{node}\" has counters that were counted when it said otherwise whose counters count a record \
         (account, or served and numbers): subscribers may have their bundles twice. Let it say that again; or, on the \
         page Tariffs, or by \"tollgate tariff counters\" with --accept or --forget, say that they are the same \
         subscribers, or give up what was counted then"
    );
    Condition { kind: KEYED_OTHERWISE, subject: node.to_owned(), text }
}
