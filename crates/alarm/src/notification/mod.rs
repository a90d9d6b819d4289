//! Notification: events of alarms are sent over channels, each with a thread of its own.
//!
//! ```text
//! raise, clear, acknowledge ─▶ events in the journal ─▶ cursor: what a channel was not sent ─▶ sender ─▶ Channel
//! ```
//!
//! The events are an outbox: they are written in the transaction that they are about, and each channel has a cursor in the
//! journal. So an event is sent once, however often the service is stopped and started. Only if it is unknown whether the
//! other side has a message, that message is sent again: the same events, with the same identifiers.

mod cursor;
mod direct;
mod sender;
mod settings;

use std::time::Duration;

use ::settings::Settings;
use diagnostics::Diagnostic;
use journal::Journal;
use serde::Serialize;

pub(crate) use self::cursor::shift_times;
pub use self::settings::{ChannelSettings, read};
use crate::{Registry, Severity};
pub use direct::DirectSender;
pub use sender::{ALARMS, run};

/// The name of this part in the log. Operators use it in levels and filters.
const LOG: &str = "flow::notify";

/// Whose alarms are sent.
#[derive(Clone, Copy, Debug)]
pub struct Source<'s> {
    /// The name of the service in events.
    pub service: &'s str,
    /// All kinds of its alarms.
    pub registry: Registry,
    /// The journal that has its alarms.
    pub journal: &'s Journal,
}

/// A kind of channel, such as mail. Kinds are handed in: nothing here knows a protocol.
pub trait ChannelKind: Sync {
    /// Returns the key that a table has if its channel is of this kind.
    fn key(&self) -> &'static str;

    /// Returns the other keys that such a table may have.
    fn keys(&self) -> &'static [&'static str];

    /// Makes the channel that a table describes, or returns all mistakes in it.
    fn channel(&self, settings: &Settings) -> Result<Box<dyn Channel>, Vec<Diagnostic>>;
}

/// A person or program that is sent events.
pub trait Channel: Send + Sync {
    /// Returns the most events of a message.
    fn events_max(&self) -> usize;

    /// Returns how long to wait after an event for others, so that they share a message.
    fn gather(&self) -> Duration {
        Duration::ZERO
    }

    /// Sends events, in the order in which they happened, and returns when the other side has them. Returns the addresses of
    /// recipients that the other side refuses for good.
    ///
    /// After an error, the same events are sent again. The channel may leave out recipients that have them. An error must not
    /// contain secrets.
    fn send(&self, events: &[Event]) -> Result<Vec<String>, SendError>;
}

/// Why events have to be sent again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// No recipient has the events, or could have any now. They are sent until one does, however long that takes.
    #[error("{0}")]
    Unreachable(String),
    /// The problem is with these events, or with some of the recipients. Later events do not wait for it for ever.
    #[error("{problem}")]
    Partly {
        /// The problem.
        problem: String,
        /// The recipients that do not have the events, in the same words each time.
        left: Vec<String>,
    },
}

impl From<String> for SendError {
    fn from(problem: String) -> Self {
        SendError::Unreachable(problem)
    }
}

/// An event of an alarm, as it is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Event {
    /// The same each time that the event is sent, so that a recipient can drop what it has.
    pub id: String,
    /// The service. A gateway is named as its flow file; recipients know this field by that name.
    #[serde(rename = "flow")]
    pub service: String,
    /// `raised`, `changed`, `cleared`, `acknowledged` or `unacknowledged`.
    pub event: &'static str,
    /// When it happened, `2026-11-21T14:05:00Z`.
    pub at: String,
    /// The number of the alarm; 0 if the journal does not have it, since it cannot be written.
    pub alarm: i64,
    /// What sort of thing is wrong.
    pub kind: String,
    /// What it is about.
    pub subject: String,
    /// How severe it is; `cleared` if it is over.
    pub severity: Severity,
    /// How severe it is or was.
    pub raised_severity: Severity,
    /// What sort of event it is (X.733, X.736).
    pub event_type: &'static str,
    /// Why there is one.
    pub probable_cause: &'static str,
    /// What is wrong, in words.
    pub text: String,
    /// Who acknowledged it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub who: Option<String>,
    /// The remark of the person who acknowledged it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
}
