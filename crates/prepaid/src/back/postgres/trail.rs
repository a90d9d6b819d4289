//! The audit trail in a database.

use accounts::AccountsError;
use accounts_postgres::{Fault, Row, Transaction};
use journal::audit_trail::AuditEntry;
use runtime::time::shown;
use store::Page;

use super::{Postgres, column};

/// Stores an entry: who did what, to what and why.
pub(super) fn insert(
    of: &mut Transaction<'_>,
    (who, action): (&str, &str),
    (subject, because): (&str, &str),
) -> Result<(), Fault> {
    let insert = "INSERT INTO audit_entry (at_ms, who, action, subject, reason) 
        VALUES (floor(extract(epoch FROM clock_timestamp()) * 1000), $1, $2, $3, $4)";
    of.query(insert, &[&who, &action, &subject, &because]).map(drop)
}

impl Postgres {
    /// Returns the entries of a page, the newest first, and one more if there are more.
    pub(in crate::back) fn trail(&self, page: Page) -> Result<Vec<AuditEntry>, AccountsError> {
        let select = "SELECT id, at_ms, who, action, subject, reason FROM audit_entry
                      WHERE id < $1 AND id > $2 ORDER BY id DESC LIMIT $3";
        let rows = self.front.ask(select, &[&page.below(), &page.above(), &page.one_more()])?;
        rows.iter().map(entry).collect()
    }
}

fn entry(row: &Row) -> Result<AuditEntry, AccountsError> {
    Ok(AuditEntry {
        id: column(row, 0)?,
        at: shown(column(row, 1)?),
        who: column(row, 2)?,
        action: column(row, 3)?,
        subject: column(row, 4)?,
        reason: column(row, 5)?,
        is_view: false,
        before: None,
        after: None,
    })
}
