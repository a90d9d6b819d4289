//! Who is told of alarms: channels, each with a thread of its own that tells it what becomes of them.
//!
//! ```text
//! crate::raise, clear, acknowledge ─▶ events in the journal ─▶ book: what a channel was not told ─▶ telling ─▶ Channel
//! ```
//!
//! How far a channel was told lies in the journal, so that it is told of each event once, whenever the gateway ends. Only
//! where nobody knows whether the other side has it, it is told again: of the same events, with the same numbers.

mod book;
mod settings;
mod telling;
mod unwritten;

use std::fmt;
use std::time::Duration;

use ::settings::Settings;
use diagnostics::Diagnostic;
use journal::Journal;
use serde::Serialize;

pub use self::settings::{Told, read};
use crate::{Registry, Severity};
pub use telling::{ALARMS, tell};
pub use unwritten::Unwritten;

/// What the log calls this: levels and filters of operators name it so.
const LOG: &str = "flow::notify";

/// Whose alarms are told.
#[derive(Clone, Copy, Debug)]
pub struct Source<'s> {
    /// What the service is called in what is told: a flow.
    pub name: &'s str,
    /// All kinds of its alarms.
    pub registry: Registry,
    /// What has its alarms.
    pub journal: &'s Journal,
}

/// A kind of channel: handed in, so that the engine knows no protocol.
pub trait ChannelKind: Sync {
    /// The key by which a table `[notify.*]` says that it is of this kind.
    fn key(&self) -> &'static str;

    /// The other keys that it may have.
    fn keys(&self) -> &'static [&'static str];

    /// The channel that a table describes; or its mistakes.
    fn channel(&self, settings: &Settings) -> Result<Box<dyn Channel>, Vec<Diagnostic>>;
}

/// Somebody who is told of alarms.
pub trait Channel: Send + Sync {
    /// Most events of a message.
    fn events_max(&self) -> usize;

    /// How long others are waited for when something has happened, so that they share a message.
    fn gather(&self) -> Duration {
        Duration::ZERO
    }

    /// Tells of events, in the order in which they happened; returns when the other side has them, with the addresses of
    /// those behind it who will never have them. An error says what is in the way, and no secret; all of them are told
    /// again then, to whom has them not.
    fn tell(&self, news: &[News]) -> Result<Vec<String>, NotTold>;
}

/// Why events have to be told again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotTold {
    /// Nobody has them, or could have them now: they are told until somebody has, however long that takes.
    Nobody(String),
    /// It is about these events, or about some of those who are told. Others do not wait for that for ever.
    Some {
        /// What is in the way.
        problem: String,
        /// Who will not have them when they are told no more: the same people in the same words each time.
        left: Vec<String>,
    },
}

impl From<String> for NotTold {
    fn from(problem: String) -> Self {
        NotTold::Nobody(problem)
    }
}

impl fmt::Display for NotTold {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (NotTold::Nobody(problem) | NotTold::Some { problem, .. }) = self;
        to.write_str(problem)
    }
}

/// What became of an alarm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct News {
    /// The same whenever it is told: who has it already may leave it out.
    pub id: String,
    /// The flow, by the name of its file.
    pub flow: String,
    /// `raised`, `changed`, `cleared`, `acknowledged` or `unacknowledged`.
    pub event: &'static str,
    /// When, `2026-11-21T14:05:00Z`.
    pub at: String,
    /// The number of the alarm; 0 where the journal does not have it, since it cannot be written.
    pub alarm: i64,
    /// What sort of thing is wrong.
    pub kind: String,
    /// What it is about.
    pub subject: String,
    /// How severe it is; `cleared` where it is over.
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
    /// What he had to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
}
