//! Reverses entries: gives back what was charged wrongly, or takes what was refilled wrongly.

use accounts::AccountEntry;
use ledger::{Action, Key, Reversal, Unit};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::approvals::named;
use super::refill::Moved;
use super::{Call, Clerk, text, unusable};
use crate::amount;
use crate::interrogation::key_of;
use crate::refused::Refused;
use crate::remark::Remark;

/// Reverses an entry of a prepaid account: the amount goes back to where it came from. An entry is reversed once.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct ReverseEntry {
    /// A number of the subscriber, or `#` and the number of the account.
    pub account: String,
    /// The number of the entry.
    pub entry: u64,
    /// The reason.
    pub because: String,
}

impl Call for ReverseEntry {
    type Reply = Moved;

    const NAME: &'static str = "account reverse";

    fn perform(self, clerk: &Clerk<'_>) -> Result<Moved, Refused> {
        let account = clerk.account(&self.account)?;
        let because = text("the reason", &self.because)?;
        let before = self.entry.checked_add(1);
        let found = clerk.system.back.entries(account, before, 1).map_err(unusable)?;
        let found = found.into_iter().find(|found| found.entry.number == self.entry);
        let not = |why: String| Refused::EntryNotReversible { entry: self.entry, why };
        let AccountEntry { at: made, entry, .. } =
            found.ok_or_else(|| not("there is no such entry".to_owned()))?;
        let subject = format!("account {}: entry {}", account.0, self.entry);
        if entry.unit == Unit::Money {
            let currency = clerk.system.rules().currency;
            let amount = amount::shown(entry.amount, Unit::Money, currency);
            let subject = format!("{subject} of {amount}");
            clerk.check_approval(
                &Self { account: named(account), ..self.clone() },
                entry.amount,
                (&subject, because),
            )?;
        }
        let remark = Remark {
            kind: "reversal".to_owned(),
            who: clerk.who.to_owned(),
            because: because.to_owned(),
            reverses: Some(self.entry),
            ..Remark::default()
        };
        let octets = remark.octets();
        let key = Key(key_of(&["reversal", &account.0.to_string(), &self.entry.to_string()]));
        let reversal = Reversal { key, entry, made, remark: &octets };
        let trail = clerk.trail(Self::NAME, subject, because);
        let outcome = clerk.operate(account, Action::Reverse(reversal), trail)?;
        match outcome.receipt.refusal {
            Some(refusal) => Err(not(refusal.to_string())),
            None => clerk.moved(account, outcome, ""),
        }
    }

    fn subject(&self) -> Option<String> {
        Some(format!("account {}", self.account))
    }
}
