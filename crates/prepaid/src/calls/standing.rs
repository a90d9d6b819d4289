//! Changes who may use an account.

use ledger::Action;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::accounts::{AccountStanding, PrepaidAccount};
use super::{Call, Clerk, done, text};
use crate::refused::Refused;

/// Changes who may use a prepaid account: `suspended` blocks it, `active` lets it be used again.
///
/// `closed` is for ever: its sessions and bundles end, and what is left in its balances expires. A debt stays. Its numbers can
/// be given to other accounts when their quarantine is over.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct SetStanding {
    /// A number of the subscriber, or `#` and the number of the account.
    pub account: String,
    /// Who may use it from now on.
    pub standing: AccountStanding,
    /// The reason.
    pub because: String,
}

impl Call for SetStanding {
    type Reply = PrepaidAccount;

    const NAME: &'static str = "account standing";

    fn perform(self, clerk: &Clerk<'_>) -> Result<PrepaidAccount, Refused> {
        let account = clerk.account(&self.account)?;
        let because = text("the reason", &self.because)?;
        let action = Action::SetStanding(self.standing.into());
        let subject = format!("account {}: {}", account.0, self.standing.word());
        let trail = clerk.trail(Self::NAME, subject, because);
        done(clerk.operate_open(account, action, trail)?.receipt, "")?;
        clerk.shown(account)
    }

    fn subject(&self) -> Option<String> {
        Some(format!("account {}", self.account))
    }
}
