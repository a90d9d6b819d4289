//! Shows the counters of a subscriber.

use flow::flow_journal::JournalError;
use people::Role;
use rating::{CounterOf, NoCounters, ShownCounter, SubscriberCounters, Unit};
use serde::{Deserialize, Serialize};
use state::StoredValue;
use utoipa::ToSchema;

use crate::context::Context;
use crate::operation::Operation;
use crate::privacy::SubscriberDataError;
use crate::refusals;

/// Lists the counters of a subscriber in the rating nodes.
///
/// The list is empty for a subscriber for whom nothing was counted. It needs the role that sees
/// subscriber data.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ShowCounters {
    /// The subscriber: the served number in international form, digits only, or the value of the
    /// node's `account`.
    pub account: String,
    /// Only counters of this node.
    pub node: Option<String>,
}

/// The counters of a subscriber.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CountersOf)]
pub struct ShownCounters {
    /// The counters; empty if nothing was counted for the subscriber.
    pub counters: Vec<SubscriberCounter>,
}

/// The counter of a bundle or discount for one period.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SubscriberCounter {
    /// The rating node.
    pub node: String,
    /// What is counted.
    pub of: CounterKind,
    /// The name of the bundle or discount in the plan.
    pub name: String,
    /// The period: `once`, a day or a month.
    pub period: String,
    /// For a bundle, the units used; for a discount, the amount spent in the plan's currency. It is
    /// a text, because a JSON number could lose digits.
    pub used: String,
    /// The unit of `used`.
    pub unit: CounterUnit,
    /// The file whose record was counted last. Absent if the journal has forgotten the file.
    pub changed_by: Option<String>,
}

/// What a counter is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CounterKind {
    /// The units that a bundle paid.
    Bundle,
    /// The amount that counts for a discount.
    Discount,
}

impl CounterKind {
    /// Returns the word for users.
    pub fn word(self) -> &'static str {
        match self {
            CounterKind::Bundle => "bundle",
            CounterKind::Discount => "discount",
        }
    }
}

/// The unit of a counter: that of the bundle, or `spent` for an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CounterUnit {
    /// Seconds of usages.
    Seconds,
    /// Octets of usages.
    Octets,
    /// Usages, or the events that they stand for.
    Events,
    /// An amount in the plan's currency.
    Spent,
}

impl CounterUnit {
    /// Returns the word for users.
    pub fn word(self) -> &'static str {
        match self {
            CounterUnit::Seconds => Unit::Seconds.name(),
            CounterUnit::Octets => Unit::Octets.name(),
            CounterUnit::Events => Unit::Events.name(),
            CounterUnit::Spent => "spent",
        }
    }
}

/// Returns what a counter is of, and its unit.
fn kind_and_unit(of: CounterOf) -> (CounterKind, CounterUnit) {
    match of {
        CounterOf::Bundle(Unit::Seconds) => (CounterKind::Bundle, CounterUnit::Seconds),
        CounterOf::Bundle(Unit::Octets) => (CounterKind::Bundle, CounterUnit::Octets),
        CounterOf::Bundle(Unit::Events) => (CounterKind::Bundle, CounterUnit::Events),
        CounterOf::Discount => (CounterKind::Discount, CounterUnit::Spent),
    }
}

refusals! {
    /// Why counters are not shown.
    pub enum ShowCountersError {
        /// The journal's counters cannot be read.
        Unreadable {
            /// The node.
            node: String,
            /// Why.
            reason: NoCounters,
        } => Internal "counters-unreadable" "cannot read the counters of \"{node}\": {reason}",
        /// The journal fails.
        Journal(JournalError) => [],
        /// The role does not see subscriber data, or the view cannot be recorded.
        SubscriberData(SubscriberDataError) => [Forbidden, NotReady],
    }
}

impl Operation for ShowCounters {
    type Response = ShownCounters;
    type Error = ShowCountersError;

    const NAME: &'static str = "tariff counters";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<ShownCounters, ShowCountersError> {
        let ShowCounters { account, node } = self;
        let access = context.subscriber_access();
        access.allow("a search by account")?;
        let mut stored = context.read(|db| state::stored_values(db, &account))?;
        stored.retain(|of| node.as_ref().is_none_or(|node| *node == of.node));
        context.record_view(&access, Self::NAME, &format!("account {account}"))?;
        let of_nodes = stored.into_iter().map(counters).collect::<Result<Vec<_>, _>>()?;
        Ok(ShownCounters { counters: of_nodes.concat() })
    }
}

/// Returns the counters in a value of a node.
fn counters(
    StoredValue { node, octets, file }: StoredValue,
) -> Result<Vec<SubscriberCounter>, ShowCountersError> {
    let counters = match SubscriberCounters::read(&octets) {
        Ok(counters) => counters,
        Err(reason) => return Err(ShowCountersError::Unreadable { node, reason }),
    };
    let counter = |ShownCounter { of, name, period, used }| {
        let (of, unit) = kind_and_unit(of);
        let (node, changed_by) = (node.clone(), file.clone());
        SubscriberCounter { node, of, name, period, used, unit, changed_by }
    };
    Ok(counters.all().map(counter).collect())
}
