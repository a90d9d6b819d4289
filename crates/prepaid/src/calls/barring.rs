//! Changes which services an account is barred from.

use ledger::{Account, Action};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::accounts::PrepaidAccount;
use super::{Call, Clerk, done, text};
use crate::refused::Refused;

/// Changes which services the subscribers of a prepaid account cannot use, such as data for a child. It pays nothing for
/// them from now on: the next request of a session that is open is refused. What is free can be used.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct SetBarredServices {
    /// A number of the subscriber, or `#` and the number of the account.
    pub account: String,
    /// The services, as the plans name them; empty for none.
    pub services: Vec<String>,
    /// The tariff classes of the plans, such as calls abroad: those that `charging.toml` names in `[barring]` or for a bundle
    /// or bonus; empty for none. Without this, the account stays barred from the classes that it is.
    pub classes: Option<Vec<String>>,
    /// The reason.
    pub because: String,
}

impl Call for SetBarredServices {
    type Reply = PrepaidAccount;

    const NAME: &'static str = "account bar";

    fn perform(self, clerk: &Clerk<'_>) -> Result<PrepaidAccount, Refused> {
        let account = clerk.account(&self.account)?;
        let because = text("the reason", &self.because)?;
        let rules = clerk.system.rules();
        let classes = match self.classes {
            Some(classes) => classes,
            None => {
                let barred = |account: Option<&Account>| account.map(|account| account.barred);
                let barred = clerk.look(account, barred)?;
                barred.map(|set| rules.scope_names(set).classes).unwrap_or_default()
            }
        };
        let scopes = rules.set_of_names(&self.services, &classes)?;
        let names = match [&self.services[..], &classes[..]].concat() {
            names if names.is_empty() => "barred from nothing".to_owned(),
            names => format!("barred from {}", names.join(", ")),
        };
        let trail = clerk.trail(Self::NAME, format!("account {}: {names}", account.0), because);
        let outcome = clerk.operate_open(account, Action::Bar(scopes), trail)?;
        done(outcome.receipt, "")?;
        clerk.shown(account)
    }

    fn subject(&self) -> Option<String> {
        Some(format!("account {}", self.account))
    }
}
