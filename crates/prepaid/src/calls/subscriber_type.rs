//! Changes the type of an account's subscriber.

use ledger::Action;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::accounts::PrepaidAccount;
use super::{Call, Clerk, done, text};
use crate::refused::Refused;

/// Changes the type of subscriber by which the calls of a prepaid account are priced. Calls in progress keep their prices.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct SetSubscriberType {
    /// A number of the subscriber, or `#` and the number of the account.
    pub account: String,
    /// The type, as the plans name it; empty for that of the number.
    pub subscriber_type: String,
    /// The reason.
    pub because: String,
}

impl Call for SetSubscriberType {
    type Reply = PrepaidAccount;

    const NAME: &'static str = "account type";

    fn perform(self, clerk: &Clerk<'_>) -> Result<PrepaidAccount, Refused> {
        let account = clerk.account(&self.account)?;
        let because = text("the reason", &self.because)?;
        let kind = clerk.system.rules().subscriber_type(&self.subscriber_type)?;
        let name = match &self.subscriber_type[..] {
            "" => "the type of the number",
            name => name,
        };
        let trail = clerk.trail(Self::NAME, format!("account {}: {name}", account.0), because);
        let outcome = clerk.operate_open(account, Action::SetSubscriberType(kind), trail)?;
        done(outcome.receipt, "")?;
        clerk.shown(account)
    }

    fn subject(&self) -> Option<String> {
        Some(format!("account {}", self.account))
    }
}
