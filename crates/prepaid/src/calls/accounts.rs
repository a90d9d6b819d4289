//! An account as people see it.

use charging::SpentWithinLimit;
use ledger::{
    Account, AccountId, Bucket, LifeCycle, MAIN_BUCKET, Millis, Standing, Subscription, SystemKind,
    Unit,
};
use rating::Currency;
use runtime::time::shown;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::open_session::OpenSession;
use crate::amount;
use crate::rules::Rules;
use crate::scopes::ScopeNames;

/// A prepaid account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PrepaidAccount {
    /// Its number.
    pub account: u64,
    /// The numbers of the subscriber, or subscribers, that it pays for.
    pub numbers: Vec<String>,
    /// Who may use it.
    pub standing: AccountStanding,
    /// Until when it is active, if that ends; grace follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_until: Option<String>,
    /// The end of grace; the account is suspended then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grace_until: Option<String>,
    /// When it is closed if nothing is refilled; what is left expires then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspended_until: Option<String>,
    /// The currency of its money: `SEK`.
    pub currency: String,
    /// How far the main balance may be overdrawn; `0.00` for prepaid accounts.
    pub credit_limit: String,
    /// The services that it pays nothing for.
    pub barred: Vec<String>,
    /// The tariff classes that it pays nothing for.
    pub barred_classes: Vec<String>,
    /// The type of its subscriber, as the plans name it. None for that of the number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscriber_type: Option<String>,
    /// What it has, in the order of use.
    pub balances: Vec<Balance>,
    /// What it has spent this month on services with a limit.
    pub limits: Vec<AccountLimit>,
    /// What it pays in each period: bundles that renew, and fees.
    pub subscriptions: Vec<AccountSubscription>,
    /// Its calls and connections in progress.
    pub sessions: Vec<OpenSession>,
    /// The number of its last entry.
    pub entries: u64,
}

/// Who may use an account: the stages of its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AccountStanding {
    /// It was not used yet.
    PreActive,
    /// It is in use.
    Active,
    /// It was not refilled in time: it pays for no service, and what is free can be used.
    Grace,
    /// It is not in use, and may be refilled.
    Suspended,
    /// It is no longer there for the subscriber.
    Closed,
}

/// A part of what an account has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = AccountBalance)]
pub struct Balance {
    /// Its number within the account; 0 for the main balance.
    pub bucket: u32,
    /// The bundle or the bonus that it is from, as `charging.toml` names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offer: Option<String>,
    /// Whether it is from an earlier period of its bundle.
    pub rolled_over: bool,
    /// What it counts.
    pub unit: AmountUnit,
    /// The amount: money in the major unit of the currency, or a whole number of the unit.
    pub amount: String,
    /// What it was given in all. None for the main balance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given: Option<String>,
    /// How much of it is reserved for sessions.
    pub reserved: String,
    /// How much can be used.
    pub available: String,
    /// The services that it pays for. Without services and classes, it pays for all.
    pub services: Vec<String>,
    /// The tariff classes that it pays for besides, such as calls within the network.
    pub classes: Vec<String>,
    /// Balances with a smaller number are used first.
    pub priority: u16,
    /// From when on it may be used. Absent for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Until when it may be used. Absent for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

/// What an account has spent this month on services with a limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccountLimit {
    /// The limit, as `charging.toml` names it.
    pub limit: String,
    /// Its services.
    pub services: Vec<String>,
    /// Whether only what is used abroad counts.
    pub is_roaming: bool,
    /// The number that it is for, if each number of the account has the limit for itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    /// What was spent, without tax.
    pub spent: String,
    /// The most.
    pub most: String,
    /// Whether the subscriber agrees to spend more until the month ends.
    pub consent: bool,
}

/// What an account pays in each period.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccountSubscription {
    /// The bundle or the fee.
    pub offer: String,
    /// Whether it is a fee.
    pub is_fee: bool,
    /// The beginning of the period that is charged next.
    pub period_from: String,
    /// When it is charged, or tried again.
    pub due: String,
    /// Whether there was not enough money for it.
    pub unpaid: bool,
}

/// What an amount counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AmountUnit {
    /// Money.
    #[default]
    Money,
    /// Octets of data.
    Octets,
    /// Seconds of calls.
    Seconds,
    /// Events, such as messages.
    Events,
}

impl From<Standing> for AccountStanding {
    fn from(standing: Standing) -> Self {
        match standing {
            Standing::PreActive => AccountStanding::PreActive,
            Standing::Active => AccountStanding::Active,
            Standing::Grace => AccountStanding::Grace,
            Standing::Suspended => AccountStanding::Suspended,
            Standing::Closed => AccountStanding::Closed,
        }
    }
}

impl From<AccountStanding> for Standing {
    fn from(standing: AccountStanding) -> Self {
        match standing {
            AccountStanding::PreActive => Standing::PreActive,
            AccountStanding::Active => Standing::Active,
            AccountStanding::Grace => Standing::Grace,
            AccountStanding::Suspended => Standing::Suspended,
            AccountStanding::Closed => Standing::Closed,
        }
    }
}

impl AccountStanding {
    /// Returns the word for users.
    pub fn word(self) -> &'static str {
        match self {
            AccountStanding::PreActive => "pre-active",
            AccountStanding::Active => "active",
            AccountStanding::Grace => "grace",
            AccountStanding::Suspended => "suspended",
            AccountStanding::Closed => "closed",
        }
    }
}

impl From<Unit> for AmountUnit {
    fn from(unit: Unit) -> Self {
        match unit {
            Unit::Money => AmountUnit::Money,
            Unit::Octets => AmountUnit::Octets,
            Unit::Seconds => AmountUnit::Seconds,
            Unit::Events => AmountUnit::Events,
        }
    }
}

impl From<rating::Unit> for AmountUnit {
    fn from(unit: rating::Unit) -> Self {
        match unit {
            rating::Unit::Seconds => AmountUnit::Seconds,
            rating::Unit::Octets => AmountUnit::Octets,
            rating::Unit::Events => AmountUnit::Events,
        }
    }
}

impl From<AmountUnit> for Unit {
    fn from(unit: AmountUnit) -> Self {
        match unit {
            AmountUnit::Money => Unit::Money,
            AmountUnit::Octets => Unit::Octets,
            AmountUnit::Seconds => Unit::Seconds,
            AmountUnit::Events => Unit::Events,
        }
    }
}

impl AmountUnit {
    /// Returns the word for users.
    pub fn word(self) -> &'static str {
        match self {
            AmountUnit::Money => "money",
            AmountUnit::Octets => "octets",
            AmountUnit::Seconds => "seconds",
            AmountUnit::Events => "events",
        }
    }
}

impl PrepaidAccount {
    pub(crate) fn of(
        (id, account): (AccountId, &Account),
        numbers: Vec<String>,
        rules: &Rules,
        now: Millis,
    ) -> Self {
        let money = |nanos| amount::shown(nanos, Unit::Money, rules.currency);
        let LifeCycle { active_until, grace_until, suspended_until } = account.life_cycle;
        let barred = rules.scope_names(account.barred);
        PrepaidAccount {
            account: id.0,
            numbers,
            standing: account.standing.into(),
            active_until: time(active_until),
            grace_until: time(grace_until),
            suspended_until: time(suspended_until),
            currency: rules.currency.code().to_owned(),
            credit_limit: money(account.credit_limit),
            barred: barred.services,
            barred_classes: barred.classes,
            subscriber_type: account
                .subscriber_type
                .and_then(|place| rules.charging.subscriber_types.get(usize::from(place)))
                .cloned(),
            balances: account.buckets().iter().map(|of| Balance::of(of, account, rules)).collect(),
            limits: rules
                .charging
                .spent_within_limits(account, now)
                .into_iter()
                .map(|of| AccountLimit::of(of, rules.currency))
                .collect(),
            subscriptions: account
                .subscriptions()
                .iter()
                .filter_map(|of| AccountSubscription::of(of, rules))
                .collect(),
            sessions: account
                .sessions()
                .iter()
                .map(|of| OpenSession::of((id, account, of), rules, now))
                .collect(),
            entries: account.entries,
        }
    }
}

impl AccountSubscription {
    fn of(subscription: &Subscription, rules: &Rules) -> Option<Self> {
        let Subscription { of, period, due } = *subscription;
        Some(AccountSubscription {
            offer: rules.offer_of(of)?.to_owned(),
            is_fee: of.kind == SystemKind::Fee,
            period_from: shown(period.begin),
            due: shown(due),
            unpaid: subscription.is_unpaid(),
        })
    }
}

impl AccountLimit {
    fn of(
        SpentWithinLimit { limit, number, spent, has_consent }: SpentWithinLimit<'_>,
        currency: Currency,
    ) -> Self {
        let money = |nanos| amount::shown(nanos, Unit::Money, currency);
        AccountLimit {
            limit: limit.name.clone(),
            services: limit.services.clone(),
            is_roaming: limit.is_roaming,
            number: limit.is_each_number.then(|| String::from_utf8_lossy(&number).into_owned()),
            spent: money(spent),
            most: money(limit.amount),
            consent: has_consent,
        }
    }
}

impl Balance {
    fn of(bucket: &Bucket, account: &Account, rules: &Rules) -> Self {
        let shown_amount = |of| amount::shown(of, bucket.unit, rules.currency);
        let ScopeNames { services, classes } = rules.paid_by(bucket.scopes);
        Balance {
            bucket: bucket.id.0,
            offer: rules.source_name(bucket.source),
            rolled_over: bucket.rolled_over,
            unit: bucket.unit.into(),
            amount: shown_amount(bucket.amount),
            given: (bucket.id != MAIN_BUCKET).then(|| shown_amount(bucket.given)),
            reserved: shown_amount(bucket.reserved),
            available: shown_amount(account.available(bucket)),
            services,
            classes,
            priority: bucket.priority,
            from: time(bucket.from),
            until: time(bucket.until),
        }
    }
}

/// Returns a time as a text. `None` if it is none.
fn time(at: i64) -> Option<String> {
    (at != i64::MIN && at != i64::MAX).then(|| shown(at))
}
