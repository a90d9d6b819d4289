//! Refills an account: an amount that the subscriber has paid.

use ledger::{
    ALLOWANCES_MAX, AccountId, Action, BONUSES_MAX, Credit, CreditTo, Entry, Key, MAIN_BUCKET,
    Outcome, Refill, SystemAccount, SystemKind,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::accounts::AmountUnit;
use super::approvals::named;
use super::{Call, Clerk, done, text, unusable};
use crate::amount;
use crate::bonuses::Bonuses;
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
    /// What a refill got as a bonus.
    pub bonuses: Vec<GivenBonus>,
    /// Whether the same operation came before: nothing was changed now.
    pub repeated: bool,
}

/// What an account got as a bonus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GivenBonus {
    /// The bonus of `charging.toml`.
    pub bonus: String,
    /// What it counts.
    pub unit: AmountUnit,
    /// The amount.
    pub amount: String,
    /// The balance that it made.
    pub bucket: u32,
}

impl Call for RefillAccount {
    type Reply = Moved;

    const NAME: &'static str = "account refill";

    fn perform(self, clerk: &Clerk<'_>) -> Result<Moved, Refused> {
        let account = clerk.account(&self.account)?;
        let rules = clerk.system.rules();
        let amount = amount::money(&self.amount, rules.currency)?;
        let reference = text("the reference", &self.reference)?;
        let subject = format!("account {}: {}", account.0, self.amount.trim());
        clerk.check_approval(
            &Self { account: named(account), ..self.clone() },
            amount,
            (&subject, &self.asked_because(reference)),
        )?;
        let remark = Remark {
            kind: "refill".to_owned(),
            who: clerk.who.to_owned(),
            because: self.because.trim().chars().take(crate::remark::TEXT_MAX).collect(),
            reference: reference.to_owned(),
            ..Remark::default()
        };
        let octets = remark.octets();
        let bonuses = Bonuses::at(&rules, clerk.system.now_ms());
        let credit = Credit {
            key: Key(key_of(&["refill", clerk.reference_owner(), reference])),
            to: CreditTo::Bucket(MAIN_BUCKET),
            amount,
            from: SystemAccount { kind: SystemKind::Refill, number: 0 },
            days: rules.life.map_or(0, |life| life.active_days),
            remark: &octets,
        };
        let action = Action::Refill(Refill { credit, bonuses: &bonuses.list() });
        let trail = clerk.trail(Self::NAME, subject, reference);
        clerk.moved(account, clerk.operate(account, action, trail)?, reference)
    }

    fn subject(&self) -> Option<String> {
        Some(format!("account {}", self.account))
    }
}

impl RefillAccount {
    /// Returns what a second person is shown: the reason, if there is one, and the reference.
    fn asked_because(&self, reference: &str) -> String {
        match self.because.trim() {
            "" => reference.to_owned(),
            because => format!("{because} ({reference})"),
        }
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
        let (bonuses, entry) = self.bonuses(account, receipt.entry)?;
        let entry = entry.ok_or_else(|| Refused::Unusable { why: "it has no entry".to_owned() })?;
        Ok(Moved {
            account: account.0,
            entry: entry.number,
            bucket: entry.bucket.0,
            unit: entry.unit.into(),
            balance: amount::shown(entry.balance, entry.unit, currency),
            currency: currency.code().to_owned(),
            bonuses,
            repeated: outcome.is_repeated,
        })
    }

    /// Returns the bonuses of an operation by its last entry, and the entry before them.
    pub(super) fn bonuses(
        &self,
        account: AccountId,
        last: u64,
    ) -> Result<(Vec<GivenBonus>, Option<Entry>), Refused> {
        let (before, rules) = (last.checked_add(1), self.system.rules());
        let made = self.system.back.entries(account, before, ENTRIES_MAX).map_err(unusable)?;
        let mut made = made.into_iter().map(|made| made.entry).peekable();
        // The reversal of a bonus is no bonus.
        let is_bonus = |of: &Entry| of.system.kind == SystemKind::Bonus && of.reverses.is_none();
        let mut bonuses = Vec::new();
        while let Some(Entry { unit, bucket, amount, system, .. }) = made.next_if(is_bonus) {
            bonuses.push(GivenBonus {
                bonus: rules.offer_of(system).unwrap_or_default().to_owned(),
                unit: unit.into(),
                amount: amount::shown(amount, unit, rules.currency),
                bucket: bucket.0,
            });
        }
        bonuses.reverse();
        Ok((bonuses, made.next()))
    }
}

/// The most entries of a refill: its own, and those of its bonuses.
const ENTRIES_MAX: usize = 1 + BONUSES_MAX * ALLOWANCES_MAX;
