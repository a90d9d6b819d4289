//! Changes which services an account is barred from.

use ledger::{Action, Services};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::accounts::PrepaidAccount;
use super::{Call, Clerk, done, text};
use crate::refused::Refused;
use crate::rules::Rules;

/// Changes which services the subscribers of a prepaid account cannot use, such as data for a child. It pays nothing for
/// them from now on: the next request of a session that is open is refused. What is free can be used.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct SetBarredServices {
    /// A number of the subscriber, or `#` and the number of the account.
    pub account: String,
    /// The services, as the plans name them; empty for none.
    pub services: Vec<String>,
    /// The reason.
    pub because: String,
}

impl Call for SetBarredServices {
    type Reply = PrepaidAccount;

    const NAME: &'static str = "account bar";

    fn perform(self, clerk: &Clerk<'_>) -> Result<PrepaidAccount, Refused> {
        let account = clerk.account(&self.account)?;
        let because = text("the reason", &self.because)?;
        let services = services(&self.services, &clerk.system.rules())?;
        let names = match &self.services[..] {
            [] => "no service".to_owned(),
            names => names.join(", "),
        };
        let trail = clerk.trail(Self::NAME, format!("account {}: {names}", account.0), because);
        let outcome = clerk.operate_open(account, Action::Bar(services), trail)?;
        done(outcome.receipt, "")?;
        clerk.shown(account)
    }

    fn subject(&self) -> Option<String> {
        Some(format!("account {}", self.account))
    }
}

/// Returns the set of services with these names.
pub(super) fn services(names: &[String], rules: &Rules) -> Result<Services, Refused> {
    let mut services = Services::NONE;
    for name in names {
        let place = rules.charging.services.iter().position(|known| known == name);
        let unknown = || Refused::ServiceUnknown { service: name.clone() };
        services.0 |= Services::one(place.ok_or_else(unknown)? as u8).0;
    }
    Ok(services)
}
