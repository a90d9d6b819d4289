//! The audit trail of a flow, whether a gateway runs it or not.

use std::path::Path;

use journal::audit_trail::{self, Action, AuditEntry};

use flow::flow_journal;
use flow::flow_journal::JournalError;
use flow::recent::Recent;

/// Gives the audit trail of a flow to `give`, the oldest entry first, until it returns an error.
pub fn trail<E>(
    flow: &Path,
    mut give: impl FnMut(AuditEntry) -> Result<(), E>,
) -> Result<Result<(), E>, JournalError> {
    let mut last = 0;
    loop {
        let page = flow_journal::read(flow, |db| audit_trail::page(db, last))?;
        let Some(end) = page.last() else { return Ok(Ok(())) };
        last = end.id;
        if let Err(error) = page.into_iter().try_for_each(&mut give) {
            return Ok(Err(error));
        }
    }
}

/// Returns the last entries, the newest first, and whether there are more.
pub fn recent(flow: &Path, page: Recent) -> Result<(Vec<AuditEntry>, bool), JournalError> {
    let at_most = i64::from(page.limit) + 1;
    let entries = flow_journal::read(flow, |db| audit_trail::before(db, page.before(), at_most))?;
    Ok(page.cut(entries))
}

/// Notes what a user did that the journal has no other record of: changes of the flow, or of who may change it.
pub fn note(
    flow: &Path,
    who: &str,
    action: &str,
    subject: &str,
    reason: &str,
) -> Result<(), JournalError> {
    let action = Action { who, action, subject, reason, change: None };
    flow_journal::change(flow, |db| action.record(db).map(drop))
}
