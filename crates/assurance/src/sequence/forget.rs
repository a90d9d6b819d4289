//! Clears alarms of counts that the flow no longer has: no later file would clear them.

use alarm::{Condition, Kind};
use journal::Journal;
use store::Connection;

use super::Counted;
use super::alarms::{ALARMS, SILENT, TOTALS};
use crate::Assurance;
use flow::flow_journal::AccessError;
use flow::topology::Topology;

/// Clears the alarms of counts that the flow no longer has.
pub(super) fn forget(
    flow: &Topology,
    assurance: &Assurance,
    journal: &Journal,
    reader: &Connection,
    now_ms: i64,
) -> Result<(), AccessError> {
    for over in alarm::raised(reader, ALARMS)? {
        let Condition { kind, subject, .. } = &over;
        let mut counted = flow.elements.iter().zip(&assurance.counted);
        if counted.any(|(element, counted)| is_counted(&element.name, counted, kind, subject)) {
            continue;
        }
        journal.commit(move |db| alarm::clear(db, now_ms, over.key()))?;
    }
    Ok(())
}

/// Returns whether a file of the element can still clear the alarm.
fn is_counted(element: &str, counted: &Counted, kind: &Kind, subject: &str) -> bool {
    let Some(rest) = subject.strip_prefix(element) else { return false };
    let is_of = |what: &str| {
        rest.strip_prefix(what).is_some_and(|rest| rest.is_empty() || rest.starts_with(" of "))
    };
    if kind == SILENT {
        rest.is_empty() && counted.silent.is_some()
    } else if kind == TOTALS {
        rest.is_empty() && !counted.totals.is_empty()
    } else {
        (counted.files.is_some() && is_of(" files"))
            || (counted.records.is_some() && is_of(" records"))
    }
}
