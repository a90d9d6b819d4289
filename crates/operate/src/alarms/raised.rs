//! The raised alarms of a flow, with the one that its journal may not have.

use std::path::Path;

use alarm::{Alarm, AlarmKey, DISK_LOW, disk_full};
use flow::flow_journal;
use flow::flow_journal::JournalError;
use gateway::compile::alarms::ALARMS;

/// Returns the alarms of a flow that are raised, the oldest first. The last is that of a full disk, if the journal cannot be
/// written and so does not have it.
///
/// # Errors
///
/// There is no journal, or it cannot be read.
pub fn raised_alarms(flow: &Path) -> Result<Vec<Alarm>, JournalError> {
    let mut raised = flow_journal::read(flow, |db| alarm::all_raised(db, ALARMS))?;
    raised.extend(of_full_disk(flow)?);
    Ok(raised)
}

/// Returns the alarm that the disk of the journal is full, if the journal does not have it. Its number is 0.
pub(super) fn of_full_disk(flow: &Path) -> Result<Option<Alarm>, JournalError> {
    let database = flow_journal::existing(flow)?;
    let Some(found) = database.parent().and_then(disk_full::alarm) else { return Ok(None) };
    let key = AlarmKey { kind: DISK_LOW, subject: &found.subject };
    let is_known = flow_journal::read(flow, |db| alarm::is_raised(db, key))?;
    Ok((!is_known).then_some(found))
}
