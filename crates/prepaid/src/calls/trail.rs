//! Lists who changed accounts.

use journal::audit_trail::AuditEntry;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Call, Clerk, page, unusable};
use crate::refused::Refused;

/// Lists what users and programs changed in the charging system, the newest first.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct ListChargingTrail {
    /// Only entries before this one.
    pub before: Option<i64>,
    /// The entries of a page, 500 at most.
    pub limit: Option<u32>,
}

/// A page of the audit trail of the charging system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChargingTrail {
    /// The entries, the newest first.
    pub entries: Vec<AuditEntry>,
    /// Whether there are older ones.
    pub more: bool,
}

impl Call for ListChargingTrail {
    type Reply = ChargingTrail;

    const NAME: &'static str = "charging trail";

    fn perform(self, clerk: &Clerk<'_>) -> Result<ChargingTrail, Refused> {
        let page = page(self.before, self.limit);
        let (entries, more) = clerk.system.back.trail(page).map_err(unusable)?;
        Ok(ChargingTrail { entries, more })
    }

    fn subject(&self) -> Option<String> {
        Some(String::new())
    }
}
