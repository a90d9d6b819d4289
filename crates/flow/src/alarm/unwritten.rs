//! The alarm that no journal has: where its own disk is full, nothing can be written to it, so who looks for alarms looks
//! at the disk too.

use std::path::Path;

use super::{Alarm, Kind, shown};
use crate::journal;
use crate::room::DISK_LOW;
use crate::time::now_ms;

/// What is wrong with the disk of a journal, where that cannot be written and does not say so itself.
pub(super) fn unwritten(database: &Path, known: &[Alarm]) -> Option<Alarm> {
    let folder = database.parent()?;
    let no_room = journal::no_room(folder)?;
    let subject = folder.display().to_string();
    let is_known = |alarm: &Alarm| {
        alarm.cleared.is_none() && alarm.kind == DISK_LOW && alarm.subject == subject
    };
    if known.iter().any(is_known) {
        return None;
    }
    let Kind { severity, event_type, probable_cause, .. } = Kind::of(DISK_LOW);
    Some(Alarm {
        id: 0,
        kind: DISK_LOW.to_owned(),
        subject,
        text: format!("{no_room}: the journal cannot be written, and no file is processed"),
        raised: shown(now_ms()),
        cleared: None,
        severity,
        event_type,
        probable_cause,
        acknowledged: None,
    })
}
