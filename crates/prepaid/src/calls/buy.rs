//! Sells bundles.

use ledger::{Action, Key, MAIN_BUCKET, Period, Purchase, SystemKind, Unit};
use runtime::time::shown;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::accounts::AmountUnit;
use super::{Call, Clerk, done, text};
use crate::amount;
use crate::definition::{Bundle, Contents};
use crate::interrogation::key_of;
use crate::refused::Refused;
use crate::remark::{Remark, TEXT_MAX};
use crate::rules::Rules;
use crate::scopes::ScopeNames;

/// Sells a bundle of `charging.toml` to a prepaid account.
///
/// The price is taken from the main balance, and the account gets what the bundle consists of: both, or neither. If the
/// bundle renews, it is bought again when its time is over. A purchase that comes again with its reference changes nothing, and has the same response.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct BuyBundle {
    /// A number of the subscriber, or `#` and the number of the account.
    pub account: String,
    /// The name of the bundle.
    pub bundle: String,
    /// The reference of the order.
    pub reference: String,
    /// The remark for the statement.
    #[serde(default)]
    pub because: String,
}

/// A bundle that was sold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BoughtBundle {
    /// The account.
    pub account: u64,
    /// The bundle.
    pub bundle: String,
    /// The number of the last entry of the purchase.
    pub entry: u64,
    /// The main balance as it is now.
    pub balance: String,
    /// The currency of the account.
    pub currency: String,
    /// Whether the same purchase came before: nothing was changed now.
    pub repeated: bool,
}

/// A bundle that can be bought.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BundleOnSale {
    /// Its name.
    pub bundle: String,
    /// What it costs, in the currency of the plan.
    pub price: String,
    /// What it consists of.
    pub gives: Vec<GivenAmount>,
    /// Whether it is bought again when its time is over.
    pub renews: bool,
    /// Whether what is left then can be used in the next period.
    pub rolls_over: bool,
    /// The services that it pays for. Without services and classes, it pays for all.
    pub services: Vec<String>,
    /// The tariff classes that it pays for besides, such as calls within the network.
    pub classes: Vec<String>,
    /// Until when it may be used if it is bought now. Absent for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

/// An amount that an account gets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GivenAmount {
    /// What it counts.
    pub unit: AmountUnit,
    /// The amount: money in the major unit of the currency, or a whole number of the unit.
    pub amount: String,
}

impl Call for BuyBundle {
    type Reply = BoughtBundle;

    const NAME: &'static str = "account buy";

    fn perform(self, clerk: &Clerk<'_>) -> Result<BoughtBundle, Refused> {
        let account = clerk.account(&self.account)?;
        let rules = clerk.system.rules();
        let reference = text("the reference", &self.reference)?;
        let unknown = || Refused::BundleUnknown { bundle: self.bundle.clone() };
        let bundle = rules.bundle(self.bundle.trim()).ok_or_else(unknown)?;
        let of = rules.system_account(SystemKind::Bundle, &bundle.name).ok_or_else(unknown)?;
        let remark = Remark {
            kind: "purchase".to_owned(),
            who: clerk.who.to_owned(),
            because: self.because.trim().chars().take(TEXT_MAX).collect(),
            reference: reference.to_owned(),
            ..Remark::default()
        };
        let octets = remark.octets();
        let now = clerk.system.now_ms();
        let until = rules.end_of(&bundle.contents, now);
        let allowances = rules.allowances(&bundle.contents, (now, until));
        let next = Period { anchor: now, count: 1, begin: until };
        let action = Action::Buy(Purchase {
            key: Key(key_of(&["purchase", reference])),
            price: bundle.price,
            allowances: &allowances,
            of,
            renews: bundle.recurrence.map(|_| next),
            remark: &octets,
        });
        let price = amount::shown(bundle.price, Unit::Money, rules.currency);
        let subject = format!("account {}: {} for {price}", account.0, bundle.name);
        let trail = clerk.trail(Self::NAME, subject, reference);
        let outcome = clerk.operate(account, action, trail)?;
        let receipt = done(outcome.receipt, reference)?;
        let balance = clerk.look(account, |account| {
            account.and_then(|account| account.bucket(MAIN_BUCKET)).map_or(0, |main| main.amount)
        })?;
        Ok(BoughtBundle {
            account: account.0,
            bundle: bundle.name.clone(),
            entry: receipt.entry,
            balance: amount::shown(balance, Unit::Money, rules.currency),
            currency: rules.currency.code().to_owned(),
            repeated: outcome.is_repeated,
        })
    }

    fn subject(&self) -> Option<String> {
        Some(format!("account {}", self.account))
    }
}

impl BundleOnSale {
    /// Returns a bundle as it is sold at a time.
    pub(super) fn of(bundle: &Bundle, rules: &Rules, now: i64) -> Self {
        let Bundle { name, price, contents, recurrence, rolls_over } = bundle;
        let Contents { amounts, scopes, valid, .. } = contents;
        let ScopeNames { services, classes } = ScopeNames::of(scopes.iter());
        let given = |(unit, amount): &(Unit, i64)| GivenAmount {
            unit: (*unit).into(),
            amount: amount::shown(*amount, *unit, rules.currency),
        };
        BundleOnSale {
            bundle: name.clone(),
            price: amount::shown(*price, Unit::Money, rules.currency),
            gives: amounts.iter().map(given).collect(),
            renews: recurrence.is_some(),
            rolls_over: *rolls_over,
            services,
            classes,
            until: valid.is_some().then(|| shown(rules.end_of(contents, now))),
        }
    }
}
