//! Acknowledging alarms, and taking that back: by whom and with what remark is in the audit trail.

use journal::audit_trail::Author;
use store::{Connection, QueryResult, params};

use crate::event::{self, Remark, Transition};

/// Selects raised alarms: those for which all that is given holds; all if nothing is given.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Alarms with these numbers.
    pub numbers: Option<Vec<i64>>,
    /// Alarms of this kind.
    pub kind: Option<String>,
    /// Alarms about this.
    pub subject: Option<String>,
}

/// Whether an alarm is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcknowledgementState {
    /// A person looks after it.
    Acknowledged,
    /// It waits for a person.
    Unacknowledged,
}

/// Acknowledges the raised alarms of a selection, or takes that back, with an entry in the audit trail for each. The remark
/// may be empty. Returns how many were not in this state before.
///
/// `now_ms` is what the machine's clock says, in milliseconds since 1970.
pub fn acknowledge(
    db: &Connection,
    now_ms: i64,
    selection: &Selection,
    state: AcknowledgementState,
    author: &Author<'_>,
    remark: &str,
) -> QueryResult<usize> {
    let alarms = selected(db, selection, state)?;
    for (alarm, subject) in &alarms {
        let entry = author.record(db, subject, remark)?;
        let (transition, entry) = match state {
            AcknowledgementState::Acknowledged => (Transition::Acknowledged, Some(entry)),
            AcknowledgementState::Unacknowledged => (Transition::Unacknowledged, None),
        };
        db.execute("UPDATE alarm SET acknowledged = ? WHERE id = ?", params![entry, alarm])?;
        event::record(
            db,
            *alarm,
            (transition, now_ms),
            Some(Remark { who: author.who, text: remark }),
        )?;
    }
    Ok(alarms.len())
}

/// Returns the alarms of a selection that are not in a state, each by its number and as the audit trail names it.
fn selected(
    db: &Connection,
    selection: &Selection,
    state: AcknowledgementState,
) -> QueryResult<Vec<(i64, String)>> {
    let Selection { numbers, kind, subject } = selection;
    let numbers = numbers.as_ref().map(|numbers| serde_json::json!(numbers).to_string());
    let mut select = db.prepare(
        "SELECT id, kind, subject FROM alarm WHERE cleared_ms IS NULL AND (acknowledged IS NULL) = ?1
             AND (?2 IS NULL OR id IN (SELECT value FROM json_each(?2)))
             AND (?3 IS NULL OR kind = ?3) AND (?4 IS NULL OR subject = ?4)
         ORDER BY id",
    )?;
    let is_unacknowledged = state == AcknowledgementState::Acknowledged;
    let selected = select.query_map(params![is_unacknowledged, numbers, kind, subject], |row| {
        let (id, kind, subject): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok((id, format!("alarm {id} {kind} {subject}").trim_end().to_owned()))
    })?;
    selected.collect()
}
