//! What a call would cost an account now, and how long it could last.

use charging::{Enquiry, Service};
use ledger::{Millis, Unit};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::accounts::AmountUnit;
use super::history::ChargedUsage;
use super::{Call, Clerk, number};
use crate::amount;
use crate::interrogation::RefusedLeg;
use crate::numbers::Number;
use crate::refused::Refused;
use crate::rules::Rules;

/// Says what a usage would cost a prepaid account now, and how much of the service the account pays for. Nothing is charged.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct EnquirePrice {
    /// A number of the subscriber, or `#` and the number of the account.
    pub account: String,
    /// The service, as the plan names it.
    pub service: String,
    /// The number that is called; empty without one.
    #[serde(default)]
    pub called: String,
    /// The network that the subscriber roams in; empty at home.
    #[serde(default)]
    pub partner: String,
    /// How much is used.
    pub quantity: u64,
    /// The unit of this: `seconds`, `octets` or `events`. By default, the one that the plan counts the service in.
    pub unit: Option<AmountUnit>,
}

/// What a usage would cost, and how much of the service an account pays for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PriceEnquiry {
    /// The account.
    pub account: u64,
    /// The currency.
    pub currency: String,
    /// What it would cost in money, with tax. Balances of its unit pay the rest.
    pub price: String,
    /// How it would be charged, with the steps to the price.
    pub charged: ChargedUsage,
    /// How much of the service the account pays for now.
    pub affordable: u64,
    /// The unit of this.
    pub affordable_unit: AmountUnit,
    /// Whether the service costs no money.
    pub free: bool,
    /// Why the account pays for nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<RefusedLeg>,
}

impl Call for EnquirePrice {
    type Reply = PriceEnquiry;

    const NAME: &'static str = "account price";

    fn perform(self, clerk: &Clerk<'_>) -> Result<PriceEnquiry, Refused> {
        let account = clerk.account(&self.account)?;
        let served = clerk.served(&self.account, account)?;
        let called = called(&self.called)?;
        let rules = clerk.system.rules();
        let at = clerk.system.now_ms();
        let unit = counted_unit(self.service.trim(), self.unit, (&rules, at))?;
        let used = amount::of_usage(self.quantity, unit)?;
        let service = Service {
            name: self.service.trim(),
            served: served.as_str().as_bytes(),
            other: called.as_ref().map_or(&[][..], |called| called.as_str().as_bytes()),
            partner: self.partner.trim(),
            start: at.div_euclid(1_000),
            ..Service::default()
        };
        let of = (service, used);
        let enquiry = clerk.look(account, |found| {
            let unknown = || Refused::NumberUnknown { number: self.account.clone() };
            let enquiry = rules.charging.enquire((account, found.ok_or_else(unknown)?), at, of);
            enquiry.map_err(|refusal| Refused::NoPrice { why: RefusedLeg::of(&refusal).text })
        })??;
        let Enquiry { charged, price, affordable, unit, is_free, refusal } = enquiry;
        Ok(PriceEnquiry {
            account: account.0,
            currency: rules.currency.code().to_owned(),
            price: amount::shown(price, Unit::Money, rules.currency),
            charged: ChargedUsage::of_price(&charged, price, &rules),
            affordable,
            affordable_unit: unit.into(),
            free: is_free,
            refused: refusal.as_ref().map(RefusedLeg::of),
        })
    }

    fn subject(&self) -> Option<String> {
        Some(format!("account {}", self.account))
    }
}

/// Returns the unit of a usage of a service: the given one, or the one that the plan counts it in.
///
/// # Errors
///
/// The plan counts the service in another unit, or in several and none is given.
pub(super) fn counted_unit(
    service: &str,
    given: Option<AmountUnit>,
    (rules, at): (&Rules, Millis),
) -> Result<AmountUnit, Refused> {
    let units = [rating::Unit::Seconds, rating::Unit::Octets, rating::Unit::Events];
    let plan = rules.charging.plans.at(at.div_euclid(1_000));
    let is_counted = |unit: &rating::Unit| {
        plan.is_some_and(|plan| plan.services_in(*unit).any(|name| name == service))
    };
    let counted: Vec<AmountUnit> = units.into_iter().filter(is_counted).map(Into::into).collect();
    match (given, &counted[..]) {
        // Money is refused as a usage.
        (Some(unit), []) | (Some(unit @ AmountUnit::Money), _) => Ok(unit),
        (Some(unit), _) if counted.contains(&unit) => Ok(unit),
        (None, [unit]) => Ok(*unit),
        (None, []) => Err(Refused::ServiceUnknown { service: service.to_owned() }),
        _ => {
            let words: Vec<&str> = counted.iter().map(|unit| unit.word()).collect();
            Err(Refused::UnitNeeded { service: service.to_owned(), units: words.join(" or ") })
        }
    }
}

/// Reads the number that is called. `None` if there is none.
pub(super) fn called(text: &str) -> Result<Option<Number>, Refused> {
    match text.trim() {
        "" => Ok(None),
        text => number(text).map(Some),
    }
}
