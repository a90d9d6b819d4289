//! Tariffs: from a usage and a time to a tariff class and a price.
//!
//! A [`Plan`] is read from a folder, whole or not at all, and never changes. It prices a [`Usage`]. What was rated
//! before, of the same usage and the same subscriber, is in a [`State`] that the caller keeps. This crate knows no
//! records, flows or accounts. It rounds only where the plan says so, and uses no floating-point numbers.
//!
//! ```
//! use rating::{Number, Plan, State, Usage, moment};
//! # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/tariff");
//! let plan = Plan::read(folder.as_ref()).plan.expect("the example has no mistakes");
//! let start = moment("2026-06-01 18:59:30 Europe/Stockholm").unwrap();
//! let call = Usage {
//!     service: Some("telephony"),
//!     served: Some(Number::unknown(b"0701234567")),
//!     other: Some(Number::unknown(b"0721234567")),
//!     duration: Some(60),
//!     ..Usage::at(start)
//! };
//! let priced = plan.rate(&call, &mut State::default()).unwrap();
//! assert_eq!((priced.class, priced.total.to_string().as_str()), ("mobile", "0.94 SEK"));
//! ```
//!
//! Callers that store the counters of many subscribers use [`SubscriberCounters`].
//!
//! [Charging analysis](analysis) looks up one table after the other until the tariff class is known; [price
//! setting](price) buys intervals. [`Plan::explain`] returns what each step found.
#![forbid(unsafe_code)]

mod affordable;
mod analysis;
mod calendar;
mod counters;
mod digits;
mod length;
mod meter;
mod money;
mod no_tariff;
mod plan;
mod plans;
mod price;
mod progress;
mod read;
mod state;
mod time;
mod usage;
mod usage_texts;
mod written;

pub use affordable::Affordable;
pub use counters::{NoCounters, Of as CounterOf, ShownCounter, SubscriberCounters};
pub use digits::{
    DIGITS_MAX, Digits, DigitsFault, DigitsRoom, E164_DIGITS_MAX, E164_DIGITS_MIN, Number,
    TypeOfNumber, tbcd,
};
pub use length::Length;
pub use money::{Amount, AmountRoom, Currency, DecimalFault, Money, NANOS, decimal};
pub use no_tariff::{Cause, NoTariff};
pub use plan::{BUNDLES_MAX, DISCOUNTS_MAX, Plan, Unit};
pub use plans::Plans;
pub use price::{DURATION_SECONDS_MAX, Explanation, Priced, QUANTITY_MAX};
pub use progress::{NoProgress, Progress};
pub use read::{Read, quantity};
pub use state::State;
pub use time::{LengthFault, Moment, MomentFault, in_utc, seconds, seconds_between};
pub use usage::{Gone, Step, Usage, name, used};
pub use usage_texts::{UsageTextFault, UsageTexts};
pub use written::{OFFSET_SECONDS_MAX, RecordTimeFault, Zone, moment, record_moment, time_stamp};

/// Returns the codes of the errors of this crate, for the index of all codes.
pub fn codes() -> Vec<reason::Code> {
    use reason::Coded as _;

    [Cause::codes(), DigitsFault::codes(), MomentFault::codes(), LengthFault::codes()].concat()
}
