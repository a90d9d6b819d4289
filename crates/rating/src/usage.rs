//! The usage that is rated: a call, a session, a message; and the steps of rating.

use crate::digits::Number;
use crate::no_tariff::{Cause, NoTariff};
use crate::time::Moment;

/// A call, a session or a message, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage<'u> {
    /// The service, by its name in the plan: `telephony`, `sms`.
    pub service: Option<&'u str>,
    /// The served number.
    pub served: Option<Number<'u>>,
    /// The other number: that of the called subscriber, if the caller pays.
    pub other: Option<Number<'u>>,
    /// The type of subscriber, by its name in the plan. Without it, the plan finds the type by the served number.
    pub subscriber: Option<&'u str>,
    /// The network the subscriber roamed in, by its name in the plan; `None` at home.
    pub partner: Option<&'u str>,
    /// When it started.
    pub start: Moment,
    /// How long it lasted, in seconds.
    pub duration: Option<u64>,
    /// How many octets it carried.
    pub octets: Option<u64>,
    /// The number of events it stands for; `None` means one.
    pub events: Option<u64>,
}

impl Usage<'_> {
    /// Creates a usage of which only the start is known.
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
    /// Whether the time is in the supported range.
    Time,
    /// The service.
    Service,
    /// The network the subscriber roamed in.
    RoamingPartner,
    /// The zone of a number.
    NumberAnalysis,
    /// The type of subscriber.
    SubscriberType,
    /// The tariff class.
    ChargingAnalysis,
    /// The type of day at the place.
    DayType,
    /// The time band.
    TimeBand,
    /// The prices of the class, at the time and in the band.
    Price,
    /// The quantity used.
    Quantity,
    /// The set-up fee.
    SetUp,
    /// The price of a run of intervals.
    Interval,
    /// The units that a bundle paid.
    Bundle,
    /// The discount.
    Discount,
    /// The minimum and the maximum price of a usage.
    Limit,
    /// The rounding of the exact sum to an amount.
    Rounding,
    /// The tax.
    Tax,
}

impl Step {
    /// Returns the name, as suspense and explanations show it.
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

/// Converts a signed quantity. Fails if it is negative.
pub fn used(number: i64, what: &str) -> Result<u64, NoTariff> {
    let negative =
        |_| NoTariff::new(Step::Quantity, Cause::Negative { what: what.to_owned(), number });
    u64::try_from(number).map_err(negative)
}

/// Reads a name of the plan from the octets of a record; `None` if there are no octets.
pub fn name(octets: &[u8], step: Step) -> Result<Option<&str>, NoTariff> {
    let name = std::str::from_utf8(octets)
        .map_err(|_| NoTariff::new(step, Cause::NotAName { text: diagnostics::shown(octets) }))?;
    Ok(Some(name).filter(|name| !name.is_empty()))
}

/// An observer of the steps. Without one (`()`), no text of a step is made.
pub(crate) trait Watch {
    fn step(
        &mut self,
        step: Step,
        found: impl FnOnce() -> String,
        line: Option<(&'static str, u32)>,
    );

    /// Like `step`, for a step whose line has to be looked up too.
    fn step_in(&mut self, step: Step, file: &'static str, found: impl FnOnce() -> (String, u32));
}

impl Watch for () {
    #[inline]
    fn step_in(&mut self, _: Step, _: &'static str, _: impl FnOnce() -> (String, u32)) {}

    #[inline]
    fn step(&mut self, _: Step, _: impl FnOnce() -> String, _: Option<(&'static str, u32)>) {}
}

/// A step that was done, and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gone {
    /// The step.
    pub step: Step,
    /// The result.
    pub found: String,
    /// The file and the line of the plan.
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
