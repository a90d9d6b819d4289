//! A definition in short: what it has, before it is used.

use charging::SpendLimit;
use ledger::{Measure, Unit};
use serde::Serialize;

use super::{Definition, Fee, Terms, ThresholdRule};
use crate::amount;

/// What a definition has. Amounts are in the currency, unless they have a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// The names of the plans.
    pub plans: Vec<String>,
    /// The currency of all accounts.
    pub currency: &'static str,
    /// The names of the bundles.
    pub bundles: Vec<String>,
    /// The fees.
    pub fees: Vec<FeeSummary>,
    /// The names of the bonuses.
    pub bonuses: Vec<String>,
    /// The limits, also the one that data abroad has by itself.
    pub limits: Vec<LimitSummary>,
    /// The thresholds.
    pub thresholds: Vec<ThresholdSummary>,
    /// What the sender of a transfer pays, if it costs something.
    pub transfer_fee: Option<String>,
    /// What an account may send on a day.
    pub transfers_per_day: Option<String>,
    /// The node of Diameter, if there is one.
    pub diameter: Option<DiameterSummary>,
}

/// A node of Diameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DiameterSummary {
    /// Its name.
    pub host: String,
    /// Where it listens for TCP.
    pub listen: Vec<String>,
    /// Where it listens for TLS.
    pub tls: Vec<String>,
    /// Where it listens for SCTP.
    pub sctp: Vec<String>,
    /// The names of the peers that may connect; none if all of this machine may.
    pub peers: Vec<String>,
}

/// A fee.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FeeSummary {
    /// Its name.
    pub fee: String,
    /// What it costs in each period.
    pub amount: String,
}

/// A limit of what is spent in a month.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LimitSummary {
    /// Its name.
    pub limit: String,
    /// Its services.
    pub services: Vec<String>,
    /// The most, without tax.
    pub amount: String,
    /// Whether only what is used abroad counts.
    pub only_abroad: bool,
    /// Whether each number of an account has it for itself.
    pub each_number: bool,
}

/// A threshold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ThresholdSummary {
    /// Its name.
    pub threshold: String,
    /// The level with its unit: `20.00 SEK`, or `20 % of the octets`.
    pub below: String,
}

impl Definition {
    /// Returns the definition in short.
    pub fn summary(&self) -> Summary {
        let Terms { charging, bundles, fees, bonuses, thresholds, transfers, .. } = &self.terms;
        let money = |nanos| amount::shown(nanos, Unit::Money, self.terms.currency);
        let fee = |Fee { name, amount, .. }: &Fee| FeeSummary {
            fee: name.clone(),
            amount: money(*amount),
        };
        let limit = |of: &SpendLimit| LimitSummary {
            limit: of.name.clone(),
            services: of.services.clone(),
            amount: money(of.amount),
            only_abroad: of.is_roaming,
            each_number: of.is_each_number,
        };
        Summary {
            plans: charging.plans.all().map(|plan| plan.name().to_owned()).collect(),
            currency: self.terms.currency.code(),
            bundles: bundles.iter().map(|of| of.name.clone()).collect(),
            fees: fees.iter().map(fee).collect(),
            bonuses: bonuses.iter().map(|of| of.name.clone()).collect(),
            limits: charging.policy.spend_limits.iter().map(limit).collect(),
            thresholds: thresholds.iter().map(|of| self.threshold_summary(of)).collect(),
            transfer_fee: (transfers.fee > 0).then(|| money(transfers.fee)),
            transfers_per_day: transfers.per_day.map(money),
            diameter: self.diameter.as_ref().map(|node| DiameterSummary {
                host: node.host.clone(),
                listen: node.listen.iter().map(ToString::to_string).collect(),
                tls: node.tls.iter().flat_map(|tls| &tls.listen).map(ToString::to_string).collect(),
                sctp: node.sctp.iter().flatten().map(ToString::to_string).collect(),
                peers: self.terms.credit_control.peers.iter().map(|of| of.host.clone()).collect(),
            }),
        }
    }

    fn threshold_summary(
        &self,
        ThresholdRule { name, threshold }: &ThresholdRule,
    ) -> ThresholdSummary {
        let currency = self.terms.currency;
        let unit = match threshold.unit {
            Unit::Money => currency.code(),
            Unit::Octets => "octets",
            Unit::Seconds => "seconds",
            Unit::Events => "events",
        };
        let below = match threshold.measure {
            Measure::Percent => format!("{} % of the {unit}", threshold.level),
            Measure::Amount => {
                format!("{} {unit}", amount::shown(threshold.level, threshold.unit, currency))
            }
        };
        ThresholdSummary { threshold: name.clone(), below }
    }
}
