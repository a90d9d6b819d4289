//! Ends the renewal of a bundle.

use ledger::{Action, Refusal, SystemKind};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::accounts::PrepaidAccount;
use super::{Call, Clerk, done, text};
use crate::refused::Refused;

/// Ends the renewal of a bundle of a prepaid account: it is not bought again. What was bought stays until its time is over.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct CancelBundle {
    /// A number of the subscriber, or `#` and the number of the account.
    pub account: String,
    /// The name of the bundle.
    pub bundle: String,
    /// The reason.
    pub because: String,
}

impl Call for CancelBundle {
    type Reply = PrepaidAccount;

    const NAME: &'static str = "account cancel";

    fn perform(self, clerk: &Clerk<'_>) -> Result<PrepaidAccount, Refused> {
        let account = clerk.account(&self.account)?;
        let because = text("the reason", &self.because)?;
        let not = || Refused::NotSubscribed { bundle: self.bundle.clone() };
        let rules = clerk.system.rules();
        let name = self.bundle.trim();
        let of = rules.system_account(SystemKind::Bundle, name).ok_or_else(not)?;
        let trail = clerk.trail(Self::NAME, format!("account {}: {name}", account.0), because);
        match clerk.operate(account, Action::Unsubscribe(of), trail)?.receipt {
            receipt if receipt.refusal == Some(Refusal::SubscriptionUnknown) => Err(not()),
            receipt => done(receipt, "").and_then(|_| clerk.shown(account)),
        }
    }

    fn subject(&self) -> Option<String> {
        Some(format!("account {}", self.account))
    }
}
