//! Lists the audit trail.

use journal::audit_trail::{self, AuditEntry};
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::context::Context;
use crate::operation::Operation;
use crate::page::PageQuery;
use crate::period::{Period, PeriodReadError};

/// Lists the entries of the audit trail, the newest first.
///
/// The audit trail has the actions of users and tokens, with their reasons. The period chooses entries by `at`.
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
}

impl Operation for ListTrail {
    type Response = Trail;
    type Error = PeriodReadError;

    const NAME: &'static str = "trail list";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<Trail, PeriodReadError> {
        let (page, at) = (self.page.rows(), self.period.range()?);
        let entries = context.read(|db| audit_trail::recent(db, &at, page))?;
        let (entries, more) = page.cut(entries);
        Ok(Trail { entries, more })
    }
}
