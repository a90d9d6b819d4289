//! The alarm of a file whose records mostly reach a node after their groups are over: other files overtook it, or its
//! clock was wrong. The flow file says what happens to such records.

use alarm::{AlarmKey, EventType, Kind, Severity};
use journal::Journal;
use runtime::time::now_ms;
use store::{Connection, QueryResult, StoreError};

use super::given_by;
use crate::groups::expiry::giving;
use flow::topology::Topology;

pub(super) const FILE_LATE: &Kind =
    &Kind::new("file-late", Severity::Minor, EventType::Time, "delayedInformation");

/// Raises the alarm if more than half of a file's records came to a node late, else clears it. If none came, the alarm
/// stays as it is.
pub(super) fn note(
    db: &Connection,
    node: &str,
    (element, file): (&str, &str),
    (came, late): (u64, u64),
) -> QueryResult<()> {
    if came == 0 {
        return Ok(());
    }
    let subject = given_by(element, node);
    let key = AlarmKey { kind: FILE_LATE, subject: &subject };
    if late <= came / 2 {
        return alarm::clear(db, now_ms(), key);
    }
    let text = format!(
        "{late} of {came} records of \"{element}/{file}\" came to \"{node}\" late: their groups were over"
    );
    alarm::raise(db, now_ms(), key, &text)
}

/// Clears alarms of network elements that no longer give a node records, for example after a rename.
pub(crate) fn clear_late(
    flow: &Topology,
    journal: &Journal,
    reader: &Connection,
) -> Result<(), StoreError> {
    let raised = journal.answer(alarm::raised(reader, &[FILE_LATE]))?;
    let gives = |raised: &str| {
        let mut nodes = flow.graph.nodes.iter().enumerate();
        nodes.any(|(place, node)| {
            giving(flow, place).any(|element| given_by(&element.name, &node.name) == raised)
        })
    };
    let over: Vec<_> = raised.into_iter().filter(|raised| !gives(&raised.subject)).collect();
    alarm::reconcile([].into_iter(), &over, journal)
}
