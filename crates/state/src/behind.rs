//! The alarm of records that are judged long after they happened: the gateway is behind, or a network element brings them late.

use alarm::{AlarmKey, EventType, Kind, Severity};
use flow::topology::Topology;
use journal::Journal;
use node::{Alerting, Judge};
use runtime::time::now_ms;
use store::{Connection, QueryResult, StoreError};

use crate::groups::expiry::giving;
use crate::groups::given_by;

/// The kinds of alarms of this module.
pub const ALARMS: &[&Kind] = &[BEHIND];

const BEHIND: &Kind =
    &Kind::new("judging-behind", Severity::Major, EventType::Quality, "thresholdCrossed");

/// Raises the alarm if the latest record of a file was judged so many seconds after it happened, else clears it.
pub(crate) fn note(
    db: &Connection,
    (node, limit_s): (&str, u32),
    element: &str,
    (newest_s, done_ms): (u32, i64),
) -> QueryResult<()> {
    let subject = given_by(element, node);
    let key = AlarmKey { kind: BEHIND, subject: &subject };
    let behind_s = done_ms / 1_000 - i64::from(newest_s);
    if behind_s <= i64::from(limit_s) {
        return alarm::clear(db, now_ms(), key);
    }
    // A text that stays the same makes no new event.
    let behind = match behind_s / 3_600 {
        0 => format!("more than {} minutes", limit_s / 60),
        hours => format!("{hours} hours or more"),
    };
    let text = format!(
        "\"{node}\" judges records of \"{element}\" {behind} after they happened: what its rules find is late"
    );
    alarm::raise(db, now_ms(), key, &text)
}

/// Clears alarms of nodes that have no limit any more.
pub(crate) fn clear(
    flow: &Topology,
    journal: &Journal,
    reader: &Connection,
) -> Result<(), StoreError> {
    let raised = journal.answer(alarm::raised(reader, ALARMS))?;
    let has_limit = |subject: &str| {
        let mut nodes = flow.graph.nodes.iter().enumerate();
        nodes.any(|(place, node)| {
            let judge = node.template.judge();
            let policy = judge.as_deref().and_then(Judge::alerting).map(Alerting::alert_policy);
            policy.is_some_and(|policy| policy.behind_s.is_some())
                && giving(flow, place).any(|element| given_by(&element.name, &node.name) == subject)
        })
    };
    let over: Vec<_> = raised.into_iter().filter(|raised| !has_limit(&raised.subject)).collect();
    alarm::reconcile([].into_iter(), &over, journal)
}
