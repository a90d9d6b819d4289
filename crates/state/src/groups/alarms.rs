//! Alarms of groups that keep waiting after their time is over, because something prevents their end.

use alarm::{Completeness, Condition};
use journal::Journal;
use store::{Connection, QueryResult, StoreError};

use super::missing::is_any_overdue;
use super::waiting_for_files;
use super::waiting_for_files::{INCOMPLETE, WAITING};
use crate::groups::expiry::Before;

use flow::backlog::{Backlog, first_of};
use flow::topology::Topology;

/// Raises alarms for groups that could not be ended now, for groups that wait for records in suspense or for files that
/// were not processed, and for groups that ended without those files.
pub fn alarm_of_groups(
    flow: &Topology,
    Backlog { is_all, held_up, unsettled, ending, .. }: &Backlog,
    journal: &Journal,
    db: &Connection,
) -> Result<(), StoreError> {
    let held_up = first_of(held_up.iter().map(String::as_str).collect()).map(|first| Condition {
        kind: WAITING,
        subject: String::new(),
        text: format!("groups whose time is over could not be ended, and wait: {first}; that is tried again with every look"),
    });
    let missing = journal.answer(missing(flow, journal, db))?;
    let behind = journal.answer(waiting_for_files::wrong(flow, unsettled, ending, journal, db))?;
    let raised = journal.answer(alarm::raised(db, &[WAITING, INCOMPLETE]))?;
    alarm::reconcile_partly(
        if *is_all { Completeness::Complete } else { Completeness::Partial },
        held_up.into_iter().chain(missing).chain(behind),
        &raised,
        journal,
    )
}

/// Returns a condition for each node whose groups wait for records in suspense.
fn missing(flow: &Topology, journal: &Journal, db: &Connection) -> QueryResult<Vec<Condition>> {
    let mut wrong = Vec::new();
    for (place, node) in flow.graph.nodes.iter().enumerate() {
        let Some(settings) = node.template.group_settings() else { continue };
        let Before { first_ms, came_ms } = Before::of(flow, journal, db, place, settings)?;
        if is_any_overdue(db, &node.name, settings.within, (first_ms, came_ms))? {
            let subject = node.name.clone();
            let text = format!(
                "\"{subject}\": groups whose time is over wait for records in suspense, which are to be retried or \
                 discarded: \"tollgate matching list\" says which, and for which"
            );
            wrong.push(Condition { kind: WAITING, subject, text });
        }
    }
    Ok(wrong)
}
