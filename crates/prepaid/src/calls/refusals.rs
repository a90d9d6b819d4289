//! What networks were refused for an account.

use runtime::time::shown;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Call, Clerk};
use crate::refusals::Refusal;
use crate::refused::Refused;

/// The most refusals of an answer.
const REFUSALS_MAX: usize = 100;

/// Lists what networks were refused for a prepaid account lately, the newest first: why its calls were cut off or did not
/// begin. The newest 100 are listed. The list is in the memory of the process that answers the networks, and does not outlive
/// it; of several processes that share a database, each has its own.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct ListRefusals {
    /// A number of the subscriber, or `#` and the number of the account.
    pub account: String,
}

/// What networks were refused for an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccountRefusals {
    /// The account.
    pub account: u64,
    /// When the list begins: at the start of the process, or when the newest was refused that is not listed. None if the
    /// process answers no networks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The refusals, the newest first.
    pub refusals: Vec<AccountRefusal>,
}

/// What a network was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccountRefusal {
    /// When it was.
    pub at: String,
    /// The client of the charging system that asked.
    pub client: String,
    /// The number that was to pay.
    pub served: String,
    /// The session: 32 hexadecimal digits.
    pub session: String,
    /// The service; empty if the request named none, since an earlier one of its session did.
    pub service: String,
    /// The number that was called; empty without one.
    pub other: String,
    /// The code: `no-money`, `barred`; `last-grant` for the last amount of a call, after which it is cut off.
    pub code: String,
    /// The reason.
    pub text: String,
}

impl Call for ListRefusals {
    type Reply = AccountRefusals;

    const NAME: &'static str = "account refusals";

    fn perform(self, clerk: &Clerk<'_>) -> Result<AccountRefusals, Refused> {
        let account = clerk.account(&self.account)?;
        let system = clerk.system;
        let (refusals, complete_since) = system.refusals.of(account, REFUSALS_MAX);
        let since = system.meters.since().map(|start| shown(complete_since.unwrap_or(start)));
        let refusals = refusals.into_iter().map(AccountRefusal::from).collect();
        Ok(AccountRefusals { account: account.0, since, refusals })
    }

    fn subject(&self) -> Option<String> {
        Some(format!("account {}", self.account))
    }
}

impl From<Refusal> for AccountRefusal {
    fn from(refusal: Refusal) -> Self {
        let Refusal { at, served, client, session, service, other, why, .. } = refusal;
        AccountRefusal {
            at: shown(at),
            client: client.to_string(),
            served: served.into(),
            session: format!("{:032x}", session.0),
            service: service.into(),
            other: other.into(),
            code: why.code,
            text: why.text,
        }
    }
}
