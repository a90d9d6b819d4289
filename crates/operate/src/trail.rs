//! The audit trail of a flow, whether a gateway runs it or not.

use std::path::Path;

use journal::audit_trail::{self, Action, AuditEntry};
use store::Page;

use crate::page::PageQuery;
use flow::flow_journal;
use flow::flow_journal::JournalError;

/// Gives the audit trail of a flow to `give`, the oldest entry first, until it returns an error.
pub fn trail<E>(
    flow: &Path,
    mut give: impl FnMut(AuditEntry) -> Result<(), E>,
) -> Result<Result<(), E>, JournalError> {
    let mut page = PageQuery::after(0);
    loop {
        let (entries, more) = recent(flow, page.rows())?;
        page.after = entries.last().map(|entry| entry.id);
        if let Err(error) = entries.into_iter().try_for_each(&mut give) {
            return Ok(Err(error));
        }
        if !more {
            return Ok(Ok(()));
        }
    }
}

/// Returns the entries of a page, and whether there are more.
pub fn recent(flow: &Path, page: Page) -> Result<(Vec<AuditEntry>, bool), JournalError> {
    Ok(page.cut(flow_journal::read(flow, |db| audit_trail::recent(db, page))?))
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
