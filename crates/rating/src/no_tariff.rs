//! Why a usage has no price.

use std::fmt;

use reason::{Code, Coded, Description};

use crate::digits::DigitsFault;
use crate::time::LengthFault;
use crate::usage::Step;
use crate::written::RecordTimeFault;

/// The reason why a usage has no price: the step that found nothing. The usage is wrong, or the plan lacks a line; a
/// retry with the same plan gives the same result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct NoTariff {
    /// The step that found nothing.
    pub step: Step,
    /// What it looked for. Boxed: a result with this error comes with each usage.
    pub cause: Box<Cause>,
}

impl NoTariff {
    /// Creates the error of a step.
    #[cold]
    pub fn new(step: Step, cause: Cause) -> Self {
        NoTariff { step, cause: Box::new(cause) }
    }
}

impl fmt::Display for NoTariff {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "no tariff: {}: {}", self.step.name(), self.cause)
    }
}

impl Coded for NoTariff {
    fn describe(&self, description: &mut Description) {
        description.text("no tariff: ");
        description.text(self.step.name());
        description.text(": ");
        self.cause.describe(description);
    }

    fn codes() -> Vec<Code> {
        Cause::codes()
    }
}

/// What a step looked for, and did not find.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("tariff")]
pub enum Cause {
    /// The usage has no start.
    #[error("the record has no start")]
    NoStart,
    /// The start or the end of the usage is no time.
    #[error("{what} {text}: {fault}")]
    NotATime {
        /// The start or the end.
        what: &'static str,
        /// What the record has.
        text: String,
        /// What is wrong with it.
        #[coded]
        fault: RecordTimeFault,
    },
    /// The usage starts more than a day from now, so its times are wrong.
    #[error("it was made in the future: it started at {start}, which is more than a day from now")]
    InFuture {
        /// When it started.
        start: String,
    },
    /// Its start and end make no duration.
    #[error("{0}")]
    Length(#[coded] LengthFault),
    /// The start is outside of the time that tariffs know.
    #[error("the start is before 1970 or after 2099")]
    StartOutside,
    /// The end is after the time that tariffs know.
    #[error("the end is after 2099")]
    EndOutside,
    /// A part of a session comes before the session.
    #[error("this part starts before its usage")]
    PartBeforeUsage,
    /// No version of the plan was valid yet.
    #[error("no version of the plan was valid when this started")]
    NoVersion,
    /// A quantity is text that is no number.
    #[error("{what} {text}: this is no whole number, or too large a one")]
    NotANumber {
        /// The quantity.
        what: String,
        /// What the record has.
        text: String,
    },
    /// A quantity is negative.
    #[error("the {what} is negative: {number}")]
    Negative {
        /// The quantity.
        what: String,
        /// The number.
        number: i64,
    },
    /// A quantity is too large for its unit.
    #[error("{total} {unit} are more than {limit}")]
    TooMuch {
        /// The quantity.
        total: u64,
        /// Its unit.
        unit: &'static str,
        /// The greatest quantity.
        limit: u64,
    },
    /// The price of a quantity is beyond the greatest amount.
    #[error("{total} {unit} cost more than can be counted")]
    CostsTooMuch {
        /// The quantity.
        total: u64,
        /// Its unit.
        unit: &'static str,
    },
    /// The usage lacks the quantity that its tariff class counts.
    #[error("class \"{class}\" counts {unit}, and the usage has none")]
    NothingUsed {
        /// The tariff class.
        class: String,
        /// The unit that it counts.
        unit: &'static str,
    },
    /// A name in the record is no text.
    #[error("{text} is no name")]
    NotAName {
        /// What the record has.
        text: String,
    },
    /// A table of the plan lacks a name that the record has.
    #[error("{table} does not know \"{name}\"{hint}")]
    UnknownName {
        /// The table.
        table: &'static str,
        /// The name.
        name: String,
        /// What may be meant, or what is known.
        hint: String,
    },
    /// A number cannot be analysed.
    #[error("{whose} number {number}: {fault}")]
    Number {
        /// Whose number it is: served or other.
        whose: String,
        /// The number as it is in the record.
        number: String,
        /// What is wrong with it.
        #[coded]
        fault: DigitsFault,
    },
    /// The served number, by which counters are found, cannot be analysed.
    #[error("the served number: {0}")]
    ServedNumber(#[coded] DigitsFault),
    /// No prefix of the plan matches a number.
    #[error("no prefix of the {whose} number \"{number}\" is in prefixes.csv")]
    NoPrefix {
        /// Whose number it is: served or other.
        whose: String,
        /// The number, with its country code.
        number: String,
    },
    /// No line of the charging analysis matches the usage.
    #[error("no line of analysis.csv is for {usage}")]
    NoClass {
        /// What the usage is, as far as the plan looks at it.
        usage: String,
    },
    /// A tariff class has no price yet at the start of the usage.
    #[error("class \"{class}\" has no price in prices.csv that is valid at {at}")]
    NoPrice {
        /// The tariff class.
        class: String,
        /// When the usage started.
        at: String,
    },
    /// The tax of a tariff class has no rate yet at the start of the usage.
    #[error("the tax of class \"{class}\" has no rate that early in taxes.csv")]
    NoTaxRate {
        /// The tariff class.
        class: String,
    },
    /// The record has no account and no served number, whose counters would count it.
    #[error("the record does not say whose counters count it")]
    NoSubscriber,
    /// The usage is older than the period that a bundle or a discount counts.
    #[error("the period of \"{name}\" is over")]
    PeriodOver {
        /// The bundle or the discount.
        name: String,
    },
}
