//! What is rated: a call, a session, a message; and why one has no tariff.

use std::fmt;

use crate::digits::Number;
use crate::time::Moment;

/// A call, a session or a message, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage<'u> {
    /// What was used: `telephony`, `sms`, by the names of the plan.
    pub service: Option<&'u str>,
    /// Whose usage it is.
    pub served: Option<Number<'u>>,
    /// Who else took part: the called, for who pays a call made.
    pub other: Option<Number<'u>>,
    /// The sort of subscriber, by the names of the plan; otherwise the plan knows it by the number.
    pub subscriber: Option<&'u str>,
    /// The network it roamed in, by the names of the plan; none at home.
    pub partner: Option<&'u str>,
    /// When it started.
    pub start: Moment,
    /// How long it lasted, in seconds.
    pub duration: Option<u64>,
    /// How many octets it carried.
    pub octets: Option<u64>,
    /// How many it stands for; none is one.
    pub events: Option<u64>,
}

impl Usage<'_> {
    /// A usage of which nothing is known but when it started.
    pub fn at(start: Moment) -> Self {
        Usage {
            service: None,
            served: None,
            other: None,
            subscriber: None,
            partner: None,
            start,
            duration: None,
            octets: None,
            events: None,
        }
    }
}

/// A step on the way from a usage to its price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// When it was.
    Time,
    /// What was used.
    Service,
    /// In whose network.
    RoamingPartner,
    /// From a number to a zone.
    NumberAnalysis,
    /// Which sort of subscriber.
    SubscriberType,
    /// From all that to the tariff class.
    ChargingAnalysis,
    /// Which day it was there.
    DayType,
    /// Which hours of the day.
    TimeBand,
    /// From class, time and band to prices.
    Price,
    /// How much was used.
    Quantity,
    /// What starting costs.
    SetUp,
    /// What each stretch costs.
    Interval,
    /// What was paid for already.
    Bundle,
    /// What is given off.
    Discount,
    /// The least and the most a usage costs.
    Limit,
    /// From the exact sum to an amount.
    Rounding,
    /// What the state takes.
    Tax,
}

impl Step {
    /// Its name, as suspense and explanations have it.
    pub fn name(self) -> &'static str {
        match self {
            Step::Time => "time",
            Step::Service => "service",
            Step::RoamingPartner => "roaming partner",
            Step::NumberAnalysis => "number analysis",
            Step::SubscriberType => "subscriber type",
            Step::ChargingAnalysis => "charging analysis",
            Step::DayType => "day type",
            Step::TimeBand => "time band",
            Step::Price => "price",
            Step::Quantity => "quantity",
            Step::SetUp => "set-up",
            Step::Interval => "interval",
            Step::Bundle => "bundle",
            Step::Discount => "discount",
            Step::Limit => "limit",
            Step::Rounding => "rounding",
            Step::Tax => "tax",
        }
    }
}

/// Why a usage has no price: the step that found nothing. The usage is to blame, or the plan lacks a line; trying
/// again with the same plan gives the same.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct NoTariff {
    /// The step that found nothing.
    pub step: Step,
    /// What it looked for.
    pub reason: Box<str>,
}

impl fmt::Display for NoTariff {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "no tariff: {}: {}", self.step.name(), self.reason)
    }
}

#[cold]
pub(crate) fn nothing(step: Step, reason: impl Into<String>) -> NoTariff {
    NoTariff { step, reason: reason.into().into() }
}

/// How much was used, of a number with a sign.
pub fn used(number: i64, what: &str) -> Result<u64, NoTariff> {
    let negative = |_| nothing(Step::Quantity, format!("the {what} is negative: {number}"));
    u64::try_from(number).map_err(negative)
}

/// A name of the plan, of the octets of a record; none if there are no octets.
pub fn name(octets: &[u8], step: Step) -> Result<Option<&str>, NoTariff> {
    let name = std::str::from_utf8(octets)
        .map_err(|_| nothing(step, format!("{} is no name", diagnostics::shown(octets))))?;
    Ok(Some(name).filter(|name| !name.is_empty()))
}

/// Who is told of each step. Nobody usually is, and then no step costs a word.
pub(crate) trait Watch {
    fn step(
        &mut self,
        step: Step,
        found: impl FnOnce() -> String,
        line: Option<(&'static str, u32)>,
    );

    /// As `step`, where the line has to be looked up too.
    fn step_in(&mut self, step: Step, file: &'static str, found: impl FnOnce() -> (String, u32));
}

impl Watch for () {
    #[inline]
    fn step_in(&mut self, _: Step, _: &'static str, _: impl FnOnce() -> (String, u32)) {}

    #[inline]
    fn step(&mut self, _: Step, _: impl FnOnce() -> String, _: Option<(&'static str, u32)>) {}
}

/// A step that was gone, and what it found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gone {
    /// The step.
    pub step: Step,
    /// What it found.
    pub found: String,
    /// The file of the plan and the line that says so.
    pub line: Option<(&'static str, u32)>,
}

impl Watch for Vec<Gone> {
    fn step_in(&mut self, step: Step, file: &'static str, found: impl FnOnce() -> (String, u32)) {
        let (found, line) = found();
        self.push(Gone { step, found, line: Some((file, line)) });
    }

    fn step(
        &mut self,
        step: Step,
        found: impl FnOnce() -> String,
        line: Option<(&'static str, u32)>,
    ) {
        self.push(Gone { step, found: found(), line });
    }
}
