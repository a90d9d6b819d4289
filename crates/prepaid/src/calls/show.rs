//! Shows an account.

use ledger::AccountId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::accounts::PrepaidAccount;
use super::{Call, Clerk, unusable};
use crate::refused::Refused;

/// Shows a prepaid account: its balances, what is reserved, and its sessions.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ShowAccount {
    /// A number of the subscriber, or `#` and the number of the account.
    pub account: String,
}

impl Call for ShowAccount {
    type Reply = PrepaidAccount;

    const NAME: &'static str = "account show";

    fn perform(self, clerk: &Clerk<'_>) -> Result<PrepaidAccount, Refused> {
        clerk.shown(clerk.account(&self.account)?)
    }

    fn subject(&self) -> Option<String> {
        Some(format!("account {}", self.account))
    }
}

impl Clerk<'_> {
    /// Returns an account that is there.
    pub(super) fn shown(&self, id: AccountId) -> Result<PrepaidAccount, Refused> {
        let numbers = self.system.back.numbers_of(id).map_err(unusable)?;
        let rules = self.system.rules();
        self.look(id, |account| {
            let unknown = || Refused::NumberUnknown { number: format!("#{}", id.0) };
            let account = account.ok_or_else(unknown)?;
            Ok(PrepaidAccount::of((id, account), numbers, &rules, self.system.now_ms()))
        })?
    }
}
