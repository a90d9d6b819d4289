//! A usage as a person writes it down to hear what it costs: texts, with units and zones.

use std::fmt;

use crate::digits::Number;
use crate::plan::Unit;
use crate::read::quantity;
use crate::time::{Moment, seconds, seconds_between};
use crate::usage::Usage;
use crate::written::moment;

/// What somebody says of a usage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// By the names of the plan: telephony, sms, data.
    pub service: Option<String>,
    /// Whose usage it is.
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
    /// `60` (seconds), `3 min`.
    pub duration: Option<String>,
    /// `1000`, `250 MB`.
    pub octets: Option<String>,
    /// How many events it stands for.
    pub events: Option<u64>,
}

/// Something of that which cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedFault {
    /// What: `start`.
    pub name: &'static str,
    /// As it was said.
    pub text: String,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for AskedFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} \"{}\": {}", self.name, self.text, self.reason)
    }
}

impl std::error::Error for AskedFault {}

impl Asked {
    /// What a plan is asked for.
    pub fn usage(&self) -> Result<Usage<'_>, AskedFault> {
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

    /// The duration, however it was said.
    fn seconds(&self, start: Moment) -> Result<Option<u64>, AskedFault> {
        if let Some(text) = &self.end {
            let length = seconds_between(start, read("end", text)?);
            return length.map(Some).map_err(|reason| fault("end", text, reason));
        }
        // A number alone may be negative, and is told to be.
        if let Some(text) = &self.duration
            && let Ok(length) = text.parse()
        {
            return seconds(length).map(Some).map_err(|reason| fault("duration", text, reason));
        }
        amount("duration", self.duration.as_deref(), Unit::Seconds)
    }
}

fn read(name: &'static str, text: &str) -> Result<Moment, AskedFault> {
    moment(text).map_err(|reason| fault(name, text, reason))
}

fn amount(name: &'static str, text: Option<&str>, unit: Unit) -> Result<Option<u64>, AskedFault> {
    let Some(text) = text else { return Ok(None) };
    let none = || fault(name, text, format!("this is no number of {}", unit.name()));
    quantity(text, unit).map(Some).ok_or_else(none)
}

fn fault(name: &'static str, text: &str, reason: impl ToString) -> AskedFault {
    AskedFault { name, text: text.to_owned(), reason: reason.to_string() }
}
