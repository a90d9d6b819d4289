//! Lists the audit trail.

use journal::audit_trail::{self, AuditEntry};
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::context::Context;
use crate::operation::Operation;
use crate::page::PageQuery;
use crate::refusal::ReadError;

/// Lists the entries of the audit trail, the newest first.
///
/// The audit trail has the actions of users and tokens, with their reasons.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
pub struct ListTrail {
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
    type Error = ReadError;

    const NAME: &'static str = "trail list";
    const ROLE: Role = Role::Viewer;
    const IS_CHANGE: bool = false;

    fn perform(self, context: &Context<'_>) -> Result<Trail, ReadError> {
        let page = self.page.rows();
        let entries = context.read(|db| audit_trail::recent(db, page))?;
        let (entries, more) = page.cut(entries);
        Ok(Trail { entries, more })
    }
}
