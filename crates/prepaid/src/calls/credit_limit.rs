//! Changes how far an account may be overdrawn.

use ledger::{Action, Unit};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::accounts::PrepaidAccount;
use super::{Call, Clerk, done, text};
use crate::amount;
use crate::refused::Refused;

/// Changes how far the main balance of a prepaid account may be overdrawn. A smaller limit takes nothing back: an account that
/// is overdrawn further can use nothing more until it is refilled.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct SetCreditLimit {
    /// A number of the subscriber, or `#` and the number of the account.
    pub account: String,
    /// The amount in the currency of the account; `0` for none.
    pub credit_limit: String,
    /// The reason.
    pub because: String,
}

impl Call for SetCreditLimit {
    type Reply = PrepaidAccount;

    const NAME: &'static str = "account limit";

    fn perform(self, clerk: &Clerk<'_>) -> Result<PrepaidAccount, Refused> {
        let account = clerk.account(&self.account)?;
        let because = text("the reason", &self.because)?;
        let currency = clerk.system.rules().currency;
        let limit = amount::money_or_zero(&self.credit_limit, currency)?;
        let shown = amount::shown(limit, Unit::Money, currency);
        let trail = clerk.trail(Self::NAME, format!("account {}: {shown}", account.0), because);
        let outcome = clerk.operate_open(account, Action::SetCreditLimit(limit), trail)?;
        done(outcome.receipt, "")?;
        clerk.shown(account)
    }

    fn subject(&self) -> Option<String> {
        Some(format!("account {}", self.account))
    }
}
