//! Reverses entries: gives back what was charged wrongly, or takes what was refilled wrongly.

use accounts::AccountEntry;
use ledger::{
    ALLOWANCES_MAX, Account, AccountId, Action, BucketId, Entry, Key, MAIN_BUCKET, Reversal,
    SystemKind, Unit,
};
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
        if entry.system.kind == SystemKind::Orphan {
            return Err(not("it was not charged".to_owned()));
        }
        self.check_bundle(clerk, account, &entry)?;
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

impl ReverseEntry {
    /// Checks that the price of a bundle goes back only after what the bundle gave: a purchase is all or nothing.
    fn check_bundle(
        &self,
        clerk: &Clerk<'_>,
        account: AccountId,
        price: &Entry,
    ) -> Result<(), Refused> {
        let is_price = price.system.kind == SystemKind::Bundle && price.bucket == MAIN_BUCKET;
        if !is_price || price.amount > 0 {
            return Ok(());
        }
        let behind = price.number.saturating_add(ALLOWANCES_MAX as u64 + 1);
        let entries = clerk.system.back.entries(account, Some(behind), ALLOWANCES_MAX);
        let entries = entries.map_err(unusable)?;
        // What was given has the next numbers, and comes from the bundle too.
        let behind_price = entries.iter().rev().map(|found| &found.entry);
        let behind_price = behind_price.skip_while(|entry| entry.number <= price.number);
        let given =
            behind_price.take_while(|entry| entry.system == price.system && entry.amount > 0);
        let (numbers, buckets): (Vec<String>, Vec<BucketId>) =
            given.map(|entry| (entry.number.to_string(), entry.bucket)).unzip();
        let is_left = |account: &Account| {
            let of = |bucket: &BucketId| account.bucket(*bucket).is_some_and(|of| of.amount > 0);
            buckets.iter().any(of)
        };
        match clerk.look(account, |account| account.is_some_and(is_left))? {
            false => Ok(()),
            true => Err(Refused::EntryNotReversible {
                entry: self.entry,
                why: format!(
                    "the balances that were bought for it are there; reverse their entries first: {}",
                    numbers.join(", ")
                ),
            }),
        }
    }
}
