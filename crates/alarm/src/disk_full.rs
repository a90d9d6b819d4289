//! The alarm that no journal has: if the journal's own disk is full, nothing can be written to it. So a list of
//! alarms includes a look at the disk, and [`notification::DirectSender`](crate::notification::DirectSender) sends this alarm without the journal.

use std::path::Path;

use runtime::time::{now_ms, shown};
use store::{Connection, QueryResult, params};

use crate::{Alarm, EventType, Kind, Severity};

/// Too little room is left on a disk.
pub const DISK_LOW: &Kind =
    &Kind::new("disk-low", Severity::Critical, EventType::Processing, "storageCapacityProblem");

/// Returns the alarm if the disk of a service's state has no room for the journal to be written. `state` is the folder that
/// the journal is in, or is to be made in.
pub fn alarm(state: &Path) -> Option<Alarm> {
    let no_room = journal::no_room(state)?;
    let Kind { severity, event_type, probable_cause, .. } = *DISK_LOW;
    Some(Alarm {
        id: 0,
        kind: DISK_LOW.name.to_owned(),
        subject: state.display().to_string(),
        text: format!("{no_room}: the journal cannot be written, and no file is processed"),
        raised: shown(now_ms()),
        cleared: None,
        severity,
        event_type,
        probable_cause,
        acknowledged: None,
    })
}

/// Returns whether the journal has this alarm, and that it was sent over a channel.
pub(crate) fn is_sent(db: &Connection, channel: &str, alarm: &Alarm) -> QueryResult<bool> {
    db.prepare_cached(
        "SELECT 1 FROM alarm JOIN alarm_event AS event ON event.alarm = alarm.id
         WHERE alarm.kind = ?1 AND alarm.subject = ?2 AND cleared_ms IS NULL AND event.what = 'raised'
             AND event.id <= (SELECT told FROM notified WHERE channel = ?3)",
    )?
    .exists(params![alarm.kind, alarm.subject, channel])
}
