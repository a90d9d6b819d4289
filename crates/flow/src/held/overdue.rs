//! Groups whose time is over and that wait on, since something is in the way: an alarm.

use diagnostics::counted;
use store::{Answer, Connection, StoreError, params};

use super::expiry::{Before, holds_up};
use super::given_by;
use super::missing::{is_missing, overdue};
use crate::alarm::{self, Wrong};
use crate::journal::Journal;
use crate::prepare::Prepared;
use crate::queue::Unsettled;

const WAITING: &str = "groups-waiting";

/// Raises the alarms of such groups: those that could not be ended now, and those that wait for records in suspense or for
/// files that were not processed.
pub(crate) fn alarm_of_groups(
    flow: &Prepared,
    problems: &[String],
    unsettled: &[Unsettled],
    journal: &Journal,
    db: &Connection,
) -> Result<(), StoreError> {
    let held_up = problems.first().map(|first| Wrong {
        kind: WAITING,
        subject: String::new(),
        text: format!("groups whose time is over could not be ended, and wait: {first}; that is tried again with every look"),
    });
    let missing = journal.answer(missing(flow, journal, db))?;
    let unsettled = journal.answer(behind_files(flow, unsettled, journal, db))?;
    let raised = journal.answer(alarm::raised(db, &[WAITING]))?;
    alarm::stand(held_up.into_iter().chain(missing).chain(unsettled), &raised, journal)
}

/// By node: groups that wait for records in suspense.
fn missing(flow: &Prepared, journal: &Journal, db: &Connection) -> Answer<Vec<Wrong>> {
    let mut wrong = Vec::new();
    for (place, node) in flow.graph.nodes.iter().enumerate() {
        let Some(holds) = node.template.holds() else { continue };
        let Before { first_ms, came_ms } = Before::of(flow, journal, db, place, holds)?;
        let values = params![node.name, first_ms, came_ms];
        let mut select = db.prepare_cached(&overdue(holds.within))?;
        let groups: i64 = select.query_row(values, |row| row.get(0))?;
        if groups > 0 {
            let (subject, groups) = (node.name.clone(), counted(groups as usize, "group"));
            let text = format!(
                "\"{subject}\": {groups} whose time is over {} for records in suspense, which are to be retried or \
                 discarded: \"tollgate matching list\" says for which",
                if groups.starts_with("1 ") { "waits" } else { "wait" }
            );
            wrong.push(Wrong { kind: WAITING, subject, text });
        }
    }
    Ok(wrong)
}

/// By network element and node: groups that are not over by arrival, since files of the one may have what they lack.
fn behind_files(
    flow: &Prepared,
    unsettled: &[Unsettled],
    journal: &Journal,
    db: &Connection,
) -> Answer<Vec<Wrong>> {
    let mut wrong: Vec<Wrong> = Vec::new();
    for (place, node) in flow.graph.nodes.iter().enumerate() {
        let Some(holds) = node.template.holds() else { continue };
        let mut holding = unsettled.iter().filter(|of| holds_up(flow, place, of)).peekable();
        if holding.peek().is_none() {
            continue;
        }
        let Before { came_ms, .. } = Before::of(flow, journal, db, place, holds)?;
        let select = format!(
            "SELECT count(*) FROM held_group
             WHERE node = ?1 AND released_ms IS NULL AND came_ms < ?2 AND NOT {}",
            is_missing(holds.within)
        );
        let values = params![node.name, came_ms];
        let groups: i64 = db.prepare_cached(&select)?.query_row(values, |row| row.get(0))?;
        if groups == 0 {
            continue;
        }
        let groups = counted(groups as usize, "group");
        let wait = if groups.starts_with("1 ") { "waits" } else { "wait" };
        for of in holding {
            let (element, node) = (&flow.elements[of.element].name, &node.name);
            let subject = given_by(element, node);
            if wrong.iter().any(|other| other.subject == subject) {
                continue;
            }
            let text = format!(
                "\"{node}\": {groups} whose time is over {wait} for files of \"{element}\" that could not be processed \
                 or looked for, and may have what is missing: \"files-waiting\" or \"folder-unreadable\" says why; to go \
                 on without a file or folder, put a dot before its name"
            );
            wrong.push(Wrong { kind: WAITING, subject, text });
        }
    }
    Ok(wrong)
}

/// Whether such an alarm is raised.
pub(super) fn is_behind(db: &Connection, network_element: &str, node: &str) -> Answer<bool> {
    let select = "SELECT 1 FROM alarm WHERE kind = ? AND subject = ? AND cleared_ms IS NULL";
    db.prepare_cached(select)?.exists(params![WAITING, given_by(network_element, node)])
}
