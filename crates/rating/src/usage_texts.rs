//! A usage as a person writes it to learn its price: texts, with units and zones.

use std::fmt;

use crate::digits::Number;
use crate::plan::Unit;
use crate::read::quantity;
use crate::time::{Moment, seconds, seconds_between};
use crate::usage::Usage;
use crate::written::moment;

/// A usage as a person describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsageTexts {
    /// The service, by its name in the plan: telephony, sms, data.
    pub service: Option<String>,
    /// The served number.
    pub from: Option<String>,
    /// The other number.
    pub to: Option<String>,
    /// The sort of subscriber.
    pub subscriber: Option<String>,
    /// The network that the subscriber roamed in.
    pub partner: Option<String>,
    /// When it started, with a zone.
    pub start: String,
    /// When it ended, in place of a duration.
    pub end: Option<String>,
    /// The duration: `60` (seconds), `3 min`.
    pub duration: Option<String>,
    /// The volume: `1000`, `250 MB`.
    pub octets: Option<String>,
    /// The number of events.
    pub events: Option<u64>,
}

/// A value that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageTextFault {
    /// The name of the value: `start`.
    pub name: &'static str,
    /// The value as written.
    pub text: String,
    /// The reason.
    pub reason: String,
}

impl fmt::Display for UsageTextFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} \"{}\": {}", self.name, self.text, self.reason)
    }
}

impl std::error::Error for UsageTextFault {}

impl UsageTexts {
    /// Converts the texts into a usage.
    pub fn usage(&self) -> Result<Usage<'_>, UsageTextFault> {
        let start = read("start", &self.start)?;
        Ok(Usage {
            service: self.service.as_deref(),
            served: self.from.as_ref().map(|digits| Number::unknown(digits.as_bytes())),
            other: self.to.as_ref().map(|digits| Number::unknown(digits.as_bytes())),
            subscriber: self.subscriber.as_deref(),
            partner: self.partner.as_deref(),
            duration: self.seconds(start)?,
            octets: amount("octets", self.octets.as_deref(), Unit::Octets)?,
            events: self.events,
            ..Usage::at(start)
        })
    }

    /// Returns the duration, from the end or from the duration itself.
    fn seconds(&self, start: Moment) -> Result<Option<u64>, UsageTextFault> {
        if let Some(text) = &self.end {
            let length = seconds_between(start, read("end", text)?);
            return length.map(Some).map_err(|reason| fault("end", text, reason));
        }
        // A plain number may be negative, and then the error says so.
        if let Some(text) = &self.duration
            && let Ok(length) = text.parse()
        {
            return seconds(length).map(Some).map_err(|reason| fault("duration", text, reason));
        }
        amount("duration", self.duration.as_deref(), Unit::Seconds)
    }
}

fn read(name: &'static str, text: &str) -> Result<Moment, UsageTextFault> {
    moment(text).map_err(|reason| fault(name, text, reason))
}

fn amount(
    name: &'static str,
    text: Option<&str>,
    unit: Unit,
) -> Result<Option<u64>, UsageTextFault> {
    let Some(text) = text else { return Ok(None) };
    let none = || fault(name, text, format!("this is no number of {}", unit.name()));
    quantity(text, unit).map(Some).ok_or_else(none)
}

fn fault(name: &'static str, text: &str, reason: impl ToString) -> UsageTextFault {
    UsageTextFault { name, text: text.to_owned(), reason: reason.to_string() }
}
