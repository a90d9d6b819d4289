//! Adjusts a balance: what a person corrects.

use ledger::{
    Action, BucketId, Cost, Credit, CreditTo, Debit, Key, Limit, NewBucket, Scopes, SystemAccount,
    SystemKind, Unit,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::accounts::AmountUnit;
use super::approvals::named;
use super::refill::Moved;
use super::{Call, Clerk, text};
use crate::amount;
use crate::interrogation::key_of;
use crate::refused::Refused;
use crate::remark::Remark;
use crate::rules::Rules;

/// Adjusts a balance of a prepaid account, or gives it a new one.
///
/// A positive amount is added, a negative one is taken. A new balance has a unit, services and an end: a bundle that was
/// sold.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct AdjustAccount {
    /// A number of the subscriber, or `#` and the number of the account.
    pub account: String,
    /// The amount: `12.50` or `-12.50` in the currency of the account, or a whole number of the unit.
    pub amount: String,
    /// The reason.
    pub because: String,
    /// The reference of the adjustment. One that comes again with its reference changes nothing.
    pub reference: String,
    /// The balance, by its number; 0 for the main balance.
    #[serde(default)]
    pub bucket: u32,
    /// Gives the amount as a new balance.
    pub new: Option<NewBalance>,
}

/// The terms of a new balance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewBalance {
    /// What it counts; money by default.
    #[serde(default)]
    pub unit: AmountUnit,
    /// The services that it pays for. Without services and classes, it pays for all.
    #[serde(default)]
    pub services: Vec<String>,
    /// The tariff classes that it pays for besides: those that `charging.toml` names.
    #[serde(default)]
    pub classes: Vec<String>,
    /// Balances with a smaller number are used first; the main balance is the last. 100 by default.
    pub priority: Option<u16>,
    /// Until when it may be used: `2026-12-31T23:59:59Z`. Without, for ever.
    pub until: Option<String>,
}

impl Call for AdjustAccount {
    type Reply = Moved;

    const NAME: &'static str = "account adjust";

    fn perform(self, clerk: &Clerk<'_>) -> Result<Moved, Refused> {
        let account = clerk.account(&self.account)?;
        let rules = clerk.system.rules();
        let because = text("the reason", &self.because)?;
        let reference = text("the reference", &self.reference)?;
        let unit = self.unit(clerk, account)?;
        let subject = format!(
            "account {}: {} {}",
            account.0,
            self.amount.trim(),
            AmountUnit::from(unit).word()
        );
        let (_, amount) = self.signed(unit, &rules)?;
        if unit == Unit::Money {
            clerk.check_approval(
                &Self { account: named(account), ..self.clone() },
                amount,
                (&subject, because),
            )?;
        }
        let remark = Remark {
            kind: "adjustment".to_owned(),
            who: clerk.who.to_owned(),
            because: because.to_owned(),
            reference: reference.to_owned(),
            ..Remark::default()
        };
        let octets = remark.octets();
        let action = self.action(&rules, unit, (reference, &octets))?;
        let trail = clerk.trail(Self::NAME, subject, because);
        clerk.moved(account, clerk.operate(account, action, trail)?, reference)
    }

    fn subject(&self) -> Option<String> {
        Some(format!("account {}", self.account))
    }
}

impl AdjustAccount {
    /// Returns what the balance counts.
    fn unit(&self, clerk: &Clerk<'_>, account: ledger::AccountId) -> Result<Unit, Refused> {
        if let Some(new) = &self.new {
            return Ok(new.unit.into());
        }
        let unknown = || Refused::BucketUnknown { bucket: self.bucket };
        clerk.look(account, |account| {
            let bucket = account.and_then(|account| account.bucket(BucketId(self.bucket)));
            bucket.map(|bucket| bucket.unit).ok_or_else(unknown)
        })?
    }

    /// Returns whether the amount is taken, and how much it is.
    fn signed(&self, unit: Unit, rules: &Rules) -> Result<(bool, i64), Refused> {
        let text = self.amount.trim();
        let taken = text.strip_prefix('-');
        let amount = amount::of_unit(taken.unwrap_or(text), unit, rules.currency)?;
        Ok((taken.is_some(), amount))
    }

    fn action<'o>(
        &self,
        rules: &Rules,
        unit: Unit,
        (reference, remark): (&str, &'o [u8]),
    ) -> Result<Action<'o>, Refused> {
        let key = Key(key_of(&["adjustment", reference]));
        let system = SystemAccount { kind: SystemKind::Adjustment, number: 0 };
        let bucket = BucketId(self.bucket);
        let (is_taken, amount) = self.signed(unit, rules)?;
        Ok(match (is_taken, &self.new) {
            (true, None) => {
                let cost = Cost { unit, amount };
                let scopes = Scopes::ALL;
                let (bucket, limit) = (Some(bucket), Limit::Available);
                Action::Debit(Debit { key, scopes, bucket, cost, limit, to: system, remark })
            }
            (true, Some(_)) => {
                let why = "a new balance begins with an amount above zero".to_owned();
                return Err(Refused::AmountInvalid { amount: self.amount.clone(), why });
            }
            (false, new) => {
                let to = match new {
                    Some(new) => CreditTo::New(new.bucket(rules)?),
                    None => CreditTo::Bucket(bucket),
                };
                Action::Credit(Credit { key, to, amount, from: system, days: 0, remark })
            }
        })
    }
}

impl NewBalance {
    fn bucket(&self, rules: &Rules) -> Result<NewBucket, Refused> {
        let scopes = match (&self.services[..], &self.classes[..]) {
            ([], []) => Scopes::ALL,
            (services, classes) => rules.set_of_names(services, classes)?,
        };
        let until = self.until.as_deref().map_or(Ok(i64::MAX), |text| {
            let invalid = |why: runtime::time::TimeError| Refused::TimeInvalid {
                text: text.to_owned(),
                why: why.to_string(),
            };
            runtime::time::moment(text).map_err(invalid)
        })?;
        let priority = self.priority.unwrap_or(100);
        Ok(NewBucket { unit: self.unit.into(), priority, scopes, from: i64::MIN, until })
    }
}
