//! Saying that an alarm was seen, and taking that back: by whom and with what remark, in the trail.

use journal::audit_trail::Action;
use store::{Answer, Connection, params};

use crate::event::{self, Said, What};

/// Which raised alarms are meant: all for which everything holds that is said.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// Their numbers.
    pub numbers: Option<Vec<i64>>,
    /// Of this kind.
    pub kind: Option<String>,
    /// About this.
    pub subject: Option<String>,
}

/// What is said of alarms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// They were seen.
    Acknowledged,
    /// That is taken back.
    Unacknowledged,
}

/// Says of raised alarms that they were seen, or takes that back. Returns how many were not so before.
pub fn acknowledge(
    db: &Connection,
    now_ms: i64,
    (chosen, seen): (&Chosen, Seen),
    said: Said<'_>,
) -> Answer<usize> {
    let Said { who, remark } = said;
    let mut changed = 0;
    for (alarm, subject) in meant(db, chosen, seen)? {
        let (what, action) = match seen {
            Seen::Acknowledged => (What::Acknowledged, "alarms acknowledge"),
            Seen::Unacknowledged => (What::Unacknowledged, "alarms unacknowledge"),
        };
        let deed = Action { who, action, subject: &subject, reason: remark, change: None };
        let entry = deed.record(db)?;
        let entry = (seen == Seen::Acknowledged).then_some(entry);
        db.execute("UPDATE alarm SET acknowledged = ? WHERE id = ?", params![entry, alarm])?;
        event::note(db, alarm, (what, now_ms), Some(said))?;
        changed += 1;
    }
    Ok(changed)
}

/// Numbers of alarms, and how the trail calls them.
fn meant(db: &Connection, chosen: &Chosen, seen: Seen) -> Answer<Vec<(i64, String)>> {
    let Chosen { numbers, kind, subject } = chosen;
    let numbers = numbers.as_ref().map(|numbers| serde_json::json!(numbers).to_string());
    let mut select = db.prepare(
        "SELECT id, kind, subject FROM alarm WHERE cleared_ms IS NULL AND (acknowledged IS NULL) = ?1
             AND (?2 IS NULL OR id IN (SELECT value FROM json_each(?2)))
             AND (?3 IS NULL OR kind = ?3) AND (?4 IS NULL OR subject = ?4)
         ORDER BY id",
    )?;
    let is_to_be_seen = seen == Seen::Acknowledged;
    let meant = select.query_map(params![is_to_be_seen, numbers, kind, subject], |row| {
        let (id, kind, subject): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok((id, format!("alarm {id} {kind} {subject}").trim_end().to_owned()))
    })?;
    meant.collect()
}
