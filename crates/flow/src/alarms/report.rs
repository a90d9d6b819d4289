//! The alarms of a flow, by the path of its flow file, whether a gateway runs it or not.

use std::convert::Infallible;
use std::path::Path;

use alarm::{Alarm, AlarmKey, Chosen, DISK_LOW, Said, Seen, Which};
use runtime::time::now_ms;

use super::ALARMS;
use crate::flow_journal::{self, JournalError};
use crate::recent::Recent;

/// The alarms of a flow that are raised, the oldest first, whether a gateway runs it or not. Last what no gateway can write
/// that it is wrong.
pub fn raised_alarms(flow: &Path) -> Result<Vec<Alarm>, JournalError> {
    let mut raised = Vec::new();
    let Ok(()) = alarms(flow, Which::Raised, |alarm| {
        raised.push(alarm);
        Ok::<(), Infallible>(())
    })?;
    Ok(raised)
}

/// Gives the alarms of a flow in the same order; until one is not taken.
pub fn alarms<E>(
    flow: &Path,
    which: Which,
    mut give: impl FnMut(Alarm) -> Result<(), E>,
) -> Result<Result<(), E>, JournalError> {
    let mut last = alarm::BEGINNING;
    loop {
        let (page, end) = flow_journal::read(flow, |db| alarm::page(db, ALARMS, which, last))?;
        if let Err(error) = page.into_iter().try_for_each(&mut give) {
            return Ok(Err(error));
        }
        match end {
            Some(end) => last = end,
            None => break,
        }
    }
    Ok(unwritten(flow)?.map_or(Ok(()), give))
}

/// The last alarms of a flow, also those that are over, the newest first, and whether there are more. Behind them all what no
/// gateway can write.
pub fn recent_alarms(flow: &Path, asked: Recent) -> Result<(Vec<Alarm>, bool), JournalError> {
    let at_most = i64::from(asked.limit) + 1;
    let mut alarms =
        flow_journal::read(flow, |db| alarm::before(db, ALARMS, asked.before(), at_most))?;
    if asked.before() > 0 {
        alarms.extend(unwritten(flow)?);
    }
    Ok(asked.cut(alarms))
}

/// What is wrong with the disk of a journal, where that does not say so itself.
fn unwritten(flow: &Path) -> Result<Option<Alarm>, JournalError> {
    let database = flow_journal::existing(flow)?;
    let Some(found) = database.parent().and_then(alarm::no_room) else { return Ok(None) };
    let key = AlarmKey { kind: DISK_LOW, subject: &found.subject };
    let is_known = flow_journal::read(flow, |db| alarm::is_raised(db, key))?;
    Ok((!is_known).then_some(found))
}

/// Says of raised alarms that they were seen, or takes that back; whether a gateway runs the flow or not. Returns how many
/// were not so before.
pub fn acknowledge(
    flow: &Path,
    chosen: &Chosen,
    seen: Seen,
    who: &str,
    remark: &str,
) -> Result<usize, JournalError> {
    let said = Said { who, remark };
    flow_journal::change(flow, |db| alarm::acknowledge(db, now_ms(), (chosen, seen), said))
}
