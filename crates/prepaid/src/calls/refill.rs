//! Refills an account: an amount that the subscriber has paid.

use ledger::{
    AccountId, Action, Credit, CreditTo, Key, MAIN_BUCKET, Outcome, SystemAccount, SystemKind,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::accounts::AmountUnit;
use super::{Call, Clerk, done, text, unusable};
use crate::amount;
use crate::interrogation::key_of;
use crate::refused::Refused;
use crate::remark::Remark;

/// Refills a prepaid account.
///
/// The reference is that of the payment. A refill of an account that comes again with its reference changes nothing, and has
/// the same response. References of a network client are its own; people share theirs.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RefillAccount {
    /// A number of the subscriber, or `#` and the number of the account.
    pub account: String,
    /// The amount in the currency of the account: `100.00`.
    pub amount: String,
    /// The reference of the payment.
    pub reference: String,
    /// The remark for the statement.
    #[serde(default)]
    pub because: String,
}

/// An amount that was moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Moved {
    /// The account.
    pub account: u64,
    /// The number of the entry.
    pub entry: u64,
    /// The balance that it changed; 0 for the main balance.
    pub bucket: u32,
    /// What that balance counts.
    pub unit: AmountUnit,
    /// That balance after it.
    pub balance: String,
    /// The currency of money.
    pub currency: String,
    /// Whether the same operation came before: nothing was changed now.
    pub repeated: bool,
}

impl Call for RefillAccount {
    type Reply = Moved;

    const NAME: &'static str = "account refill";

    fn perform(self, clerk: &Clerk<'_>) -> Result<Moved, Refused> {
        let account = clerk.account(&self.account)?;
        let rules = clerk.system.rules();
        let amount = amount::money(&self.amount, rules.currency)?;
        let reference = text("the reference", &self.reference)?;
        let remark = Remark {
            kind: "refill".to_owned(),
            who: clerk.who.to_owned(),
            because: self.because.trim().chars().take(crate::remark::TEXT_MAX).collect(),
            reference: reference.to_owned(),
            ..Remark::default()
        };
        let octets = remark.octets();
        let action = Action::Credit(Credit {
            key: Key(key_of(&["refill", clerk.reference_owner(), reference])),
            to: CreditTo::Bucket(MAIN_BUCKET),
            amount,
            from: SystemAccount { kind: SystemKind::Refill, number: 0 },
            days: rules.life.map_or(0, |life| life.active_days),
            remark: &octets,
        });
        let subject = format!("account {}: {}", account.0, self.amount.trim());
        let trail = clerk.trail(Self::NAME, subject, reference);
        clerk.moved(account, clerk.operate(account, action, trail)?, reference)
    }

    fn subject(&self) -> Option<String> {
        Some(format!("account {}", self.account))
    }
}

impl Clerk<'_> {
    /// Returns what became of an operation that moves an amount.
    pub(super) fn moved(
        &self,
        account: AccountId,
        outcome: Outcome,
        reference: &str,
    ) -> Result<Moved, Refused> {
        let receipt = done(outcome.receipt, reference)?;
        let currency = self.system.rules().currency;
        let before = receipt.entry.checked_add(1);
        let made = self.system.accounts.entries(account, before, 1).map_err(unusable)?;
        let made = made.first().map(|made| made.entry);
        let entry = made.ok_or_else(|| Refused::Unusable { why: "it has no entry".to_owned() })?;
        Ok(Moved {
            account: account.0,
            entry: entry.number,
            bucket: entry.bucket.0,
            unit: entry.unit.into(),
            balance: amount::shown(entry.balance, entry.unit, currency),
            currency: currency.code().to_owned(),
            repeated: outcome.is_repeated,
        })
    }
}
