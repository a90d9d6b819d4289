//! The audit trail: listed, and noted in for what has no operation yet.

mod list;

pub use list::{ListTrail, Trail};

use std::path::Path;

use flow::flow_journal;
use flow::flow_journal::JournalError;
use journal::audit_trail::Author;

/// Notes what a user did that the journal has no other record of: changes of the flow, or of who may change it.
///
/// # Errors
///
/// There is no journal, or it cannot be written.
pub fn note(
    flow: &Path,
    who: &str,
    action: &str,
    subject: &str,
    reason: &str,
) -> Result<(), JournalError> {
    let author = Author::new(who, action);
    flow_journal::change(flow, |db| author.record(db, subject, reason).map(drop))
}
