//! The alarms of a flow, by the path of its flow file, whether a gateway runs it or not.

use std::convert::Infallible;
use std::path::Path;

use alarm::{
    AcknowledgementState, Alarm, AlarmKey, DISK_LOW, Position, Remark, Selection, Which, disk_full,
};
use runtime::time::now_ms;
use store::Page;

use flow::flow_journal;
use flow::flow_journal::JournalError;
use gateway::compile::alarms::ALARMS;

/// Returns the alarms of a flow that are raised, the oldest first. The last is that of a full disk, if the journal cannot be
/// written and so does not have it.
pub fn raised_alarms(flow: &Path) -> Result<Vec<Alarm>, JournalError> {
    let mut raised = Vec::new();
    let Ok(()) = alarms(flow, Which::Raised, |alarm| {
        raised.push(alarm);
        Ok::<(), Infallible>(())
    })?;
    Ok(raised)
}

/// Gives alarms of a flow to `give`, in the same order, until it returns an error, which is the inner one.
pub fn alarms<E>(
    flow: &Path,
    which: Which,
    mut give: impl FnMut(Alarm) -> Result<(), E>,
) -> Result<Result<(), E>, JournalError> {
    let mut position = Some(Position::START);
    while let Some(begin) = position {
        let page = flow_journal::read(flow, |db| alarm::page(db, ALARMS, which, begin))?;
        if let Err(error) = page.alarms.into_iter().try_for_each(&mut give) {
            return Ok(Err(error));
        }
        position = page.next;
    }
    Ok(of_full_disk(flow)?.map_or(Ok(()), give))
}

/// Returns the last alarms of a flow, also cleared ones, the newest first, and whether there are more. Behind them all is that
/// of a full disk, as in [`raised_alarms`].
pub fn recent_alarms(flow: &Path, page: Page) -> Result<(Vec<Alarm>, bool), JournalError> {
    let mut alarms = flow_journal::read(flow, |db| alarm::recent(db, ALARMS, page))?;
    // Its number is 0.
    if page.above() < 0 && page.below() > 0 {
        alarms.extend(of_full_disk(flow)?);
    }
    Ok(page.cut(alarms))
}

/// Returns the alarm that the disk of the journal is full, if the journal does not have it.
fn of_full_disk(flow: &Path) -> Result<Option<Alarm>, JournalError> {
    let database = flow_journal::existing(flow)?;
    let Some(found) = database.parent().and_then(disk_full::alarm) else { return Ok(None) };
    let key = AlarmKey { kind: DISK_LOW, subject: &found.subject };
    let is_known = flow_journal::read(flow, |db| alarm::is_raised(db, key))?;
    Ok((!is_known).then_some(found))
}

/// Acknowledges raised alarms of a flow, or takes that back. Returns how many were not in this state before.
pub fn acknowledge(
    flow: &Path,
    selection: &Selection,
    state: AcknowledgementState,
    who: &str,
    remark: &str,
) -> Result<usize, JournalError> {
    let remark = Remark { who, text: remark };
    flow_journal::change(flow, |db| alarm::acknowledge(db, now_ms(), selection, state, remark))
}
