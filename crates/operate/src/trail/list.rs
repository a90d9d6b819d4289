//! Lists the audit trail.

use inspection::masking::{HIDDEN, masked_key, without_numbers};
use journal::audit_trail::{self, AuditEntry};
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::context::Context;
use crate::fraud::{AddToFraudList, RemoveFromFraudList};
use crate::operation::Operation;
use crate::page::PageQuery;
use crate::period::{Period, PeriodReadError};
use crate::privacy::is_whole;
use crate::suspense::EditRecord;

/// Lists the entries of the audit trail, the newest first.
///
/// The audit trail has the actions of users and tokens, with their reasons, and their views of
/// subscriber data. For a role that does not see subscriber data, numbers in it are masked. The
/// period chooses entries by `at`.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
pub struct ListTrail {
    /// Only entries of this period.
    #[serde(flatten)]
    pub period: Period,
    /// The page.
    #[serde(flatten)]
    pub page: PageQuery,
}

/// A page of the audit trail.
#[derive(Debug, Serialize, ToSchema)]
pub struct Trail {
    /// The entries, the newest first.
    pub entries: Vec<AuditEntry>,
    /// Whether there are more entries.
    pub more: bool,
    /// `true` if subscriber data is masked. Absent otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    pub masked: bool,
}

impl Operation for ListTrail {
    type Response = Trail;
    type Error = PeriodReadError;

    const NAME: &'static str = "trail list";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<Trail, PeriodReadError> {
        let (page, at) = (self.page.rows(), self.period.range()?);
        let entries = context.read(|db| audit_trail::recent(db, &at, page))?;
        let (mut entries, more) = page.cut(entries);
        let masked = context.subscriber_access().is_masked();
        if masked {
            entries.iter_mut().for_each(hide);
        }
        Ok(Trail { entries, more, masked })
    }
}

/// Masks numbers and what was viewed, and leaves out the octets of edited records.
fn hide(entry: &mut AuditEntry) {
    if entry.is_view && !entry.subject.is_empty() {
        entry.subject = HIDDEN.to_owned();
    }
    if entry.action == EditRecord::NAME {
        (entry.before, entry.after) = (None, None);
    }
    if [AddToFraudList::NAME, RemoveFromFraudList::NAME].contains(&entry.action.as_str()) {
        for key in [&mut entry.before, &mut entry.after].into_iter().flatten() {
            *key = masked_key(key);
        }
    }
    for text in [&mut entry.subject, &mut entry.reason] {
        *text = without_numbers(text);
    }
    for value in [&mut entry.before, &mut entry.after].into_iter().flatten() {
        *value = without_numbers(value);
    }
}
