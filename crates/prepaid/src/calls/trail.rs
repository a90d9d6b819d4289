//! Lists who changed accounts.

use journal::audit_trail::AuditEntry;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Call, Clerk, PAGE_MAX, page, unusable};
use crate::refused::Refused;

/// Lists what users and programs changed in the charging system, the newest first.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct ListChargingTrail {
    /// Only what changed this account: a number of the subscriber, or `#` and the number of the account.
    pub account: Option<String>,
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
        let wanted = page(self.before, self.limit);
        let Some(account) = &self.account else {
            let (entries, more) = clerk.system.back.trail(wanted).map_err(unusable)?;
            return Ok(ChargingTrail { entries, more });
        };
        let subject = format!("account {}", clerk.account(account)?.0);
        let is_of_account = |entry: &AuditEntry| {
            let rest = entry.subject.strip_prefix(&subject);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
        };
        let (mut found, mut before) = (Vec::new(), self.before);
        let most = wanted.limit as usize;
        loop {
            let (entries, more) =
                clerk.system.back.trail(page(before, Some(PAGE_MAX))).map_err(unusable)?;
            before = entries.last().map(|last| last.id);
            found.extend(entries.into_iter().filter(is_of_account));
            if found.len() > most || !more {
                let more = found.len() > most;
                found.truncate(most);
                return Ok(ChargingTrail { entries: found, more });
            }
        }
    }

    fn subject(&self) -> Option<String> {
        Some(String::new())
    }
}
