//! The figures of a charging system.

use std::collections::BTreeMap;

use ledger::{Currency, SystemKind, Unit};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::accounts::AmountUnit;
use super::buy::BundleOnSale;
use super::history::system_word;
use super::traffic::ChargingTraffic;
use super::{Call, Clerk, unusable};
use crate::peer_alarms::PeerAlarm;
use crate::refused::Refused;
use crate::scopes::ScopeNames;
use crate::system::System;

/// Shows the charging system: how many accounts and sessions there are, and the account of every amount.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct ShowCharging {}

/// The figures of a charging system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ChargingFigures {
    /// Accounts.
    pub accounts: u64,
    /// Numbers of subscribers.
    pub numbers: u64,
    /// Sessions in progress.
    pub open_sessions: u64,
    /// The money that is reserved for them.
    pub reserved: String,
    /// Batches of changes that the tables of accounts and entries do not have yet.
    pub unfolded_batches: u64,
    /// What networks asked, if the system answers any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traffic: Option<ChargingTraffic>,
    /// The currency.
    pub currency: String,
    /// The services of the plans.
    pub services: Vec<String>,
    /// The tariff classes that balances can be for, and accounts be barred from: those that `charging.toml` names.
    pub classes: Vec<String>,
    /// The types of subscribers of the plans.
    pub subscriber_types: Vec<String>,
    /// The bundles that subscribers can buy.
    pub bundles: Vec<BundleOnSale>,
    /// What subscribers have, and where it came from and went, by unit. The sum of each unit is zero.
    pub balances: Vec<SystemBalance>,
    /// Whether the sum of each unit is zero.
    pub balanced: bool,
    /// The notices that wait to be sent, if they are sent to another program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notices: Option<NoticesWaiting>,
    /// The alarms about peers of Diameter that are raised.
    pub peer_alarms: Vec<PeerAlarm>,
    /// Why the definition as it is now is not in use, such as its mistakes. Its last version is in use then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unused: Option<String>,
}

/// Notices that wait to be sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NoticesWaiting {
    /// How many.
    pub waiting: u64,
    /// Why this process does not send them at the moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failing: Option<String>,
}

/// The sum of all subscribers, or what the operator has in one of its accounts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SystemBalance {
    /// `subscribers`, `revenue`, `refill`, `adjustment`, `transfer`, `expired`, `bonus`, `fee` or `bundle`.
    pub of: String,
    /// What it counts.
    pub unit: AmountUnit,
    /// The amount. What came in by refills is negative: the operator owes it.
    pub amount: String,
}

impl Call for ShowCharging {
    type Reply = ChargingFigures;

    const NAME: &'static str = "charging show";

    fn perform(self, clerk: &Clerk<'_>) -> Result<ChargingFigures, Refused> {
        let system = clerk.system;
        let (rules, now) = (system.rules(), system.now_ms());
        let figures = system.back.figures().map_err(unusable)?;
        let currency = Currency(rules.currency.number());
        let mut sums = BTreeMap::<(Unit, String), i128>::new();
        let mut balanced = true;
        for ((of, unit), totalled) in system.back.totalled().map_err(unusable)? {
            // Both are of one moment for each shard; the balances below are of a later one.
            balanced &= totalled.buckets + totalled.systems == 0;
            if of == currency {
                *sums.entry((unit, "subscribers".to_owned())).or_default() += totalled.buckets;
            }
        }
        for ((of, unit, account), sum) in system.back.system_balances().map_err(unusable)? {
            // Nothing is moved by what is not charged.
            if of == currency && account.kind != SystemKind::Orphan {
                *sums.entry((unit, system_word(account.kind).to_owned())).or_default() += sum;
            }
        }
        let money = |nanos| rating::Money { nanos, currency: rules.currency }.amount().to_string();
        let balance = |((unit, of), sum): ((Unit, String), i128)| SystemBalance {
            of,
            unit: unit.into(),
            amount: match unit {
                Unit::Money => money(sum),
                _ => sum.to_string(),
            },
        };
        let scopes = ScopeNames::of(rules.charging.scopes.iter());
        Ok(ChargingFigures {
            accounts: figures.accounts as u64,
            numbers: system.back.number_count().map_err(unusable)?,
            open_sessions: figures.open_sessions as u64,
            reserved: money(figures.reserved),
            // The last batch stays, though it is folded.
            unfolded_batches: figures.batches.saturating_sub(1) as u64,
            traffic: ChargingTraffic::of(system).map_err(unusable)?,
            currency: rules.currency.code().to_owned(),
            services: scopes.services,
            classes: scopes.classes,
            subscriber_types: rules.subscriber_types(),
            bundles: rules.bundles.iter().map(|of| BundleOnSale::of(of, &rules, now)).collect(),
            balances: sums.into_iter().map(balance).collect(),
            balanced,
            notices: rules.notices.webhook.as_ref().map(|_| notices_waiting(system)).transpose()?,
            peer_alarms: system.peer_alarms.raised(),
            unused: system.unused(),
        })
    }

    fn subject(&self) -> Option<String> {
        None
    }
}

fn notices_waiting(system: &System) -> Result<NoticesWaiting, Refused> {
    let sent = system.back.sent_notices().map_err(unusable)?;
    let waiting = system.back.count_notices(sent).map_err(unusable)?;
    Ok(NoticesWaiting { waiting, failing: system.notices_failing() })
}
