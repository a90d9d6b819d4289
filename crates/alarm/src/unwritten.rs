//! The alarm that no journal has: where its own disk is full, nothing can be written to it, so who looks for alarms looks
//! at the disk too.

use std::path::Path;

use runtime::time::now_ms;
use store::{Answer, Connection, params};

use crate::{Alarm, EventType, Kind, Severity, shown};

/// Too little room is left on a disk.
pub const DISK_LOW: &Kind =
    &Kind::new("disk-low", Severity::Critical, EventType::Processing, "storageCapacityProblem");

/// What is wrong with the disk that a journal is on, or is to be, where that cannot be written.
pub fn no_room(folder: &Path) -> Option<Alarm> {
    let no_room = journal::no_room(folder)?;
    let Kind { severity, event_type, probable_cause, .. } = *DISK_LOW;
    Some(Alarm {
        id: 0,
        kind: DISK_LOW.name.to_owned(),
        subject: folder.display().to_string(),
        text: format!("{no_room}: the journal cannot be written, and no file is processed"),
        raised: shown(now_ms()),
        cleared: None,
        severity,
        event_type: event_type.word(),
        probable_cause,
        acknowledged: None,
    })
}

/// Whether the journal has it that a channel was told of such an alarm, which is raised.
pub(crate) fn is_told(db: &Connection, channel: &str, alarm: &Alarm) -> Answer<bool> {
    db.prepare_cached(
        "SELECT 1 FROM alarm JOIN alarm_event AS event ON event.alarm = alarm.id
         WHERE alarm.kind = ?1 AND alarm.subject = ?2 AND cleared_ms IS NULL AND event.what = 'raised'
             AND event.id <= (SELECT told FROM notified WHERE channel = ?3)",
    )?
    .exists(params![alarm.kind, alarm.subject, channel])
}
