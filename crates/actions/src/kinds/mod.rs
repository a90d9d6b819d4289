//! The kinds of actions: each is a file, and a line in [`KINDS`].

mod command;
mod line;
mod list;
mod record;
mod webhook;

use std::sync::Arc;
use std::time::Duration;

use diagnostics::Diagnostic;
use runtime::shutdown::Shutdown;
use settings::Settings;

use crate::message::Message;
use crate::settings::Approval;

/// What a table makes, or its mistakes.
pub(crate) type Made = Result<Arc<dyn Carrier>, Vec<Diagnostic>>;

/// A kind of action.
pub(crate) struct Kind {
    /// The key that a table has if its action is of this kind.
    pub(crate) key: &'static str,
    /// The other keys that such a table may have.
    pub(crate) keys: &'static [&'static str],
    /// Who approves it, by default.
    pub(crate) approval: Approval,
    /// How long it is not sent again for the same key, if that is not the default.
    pub(crate) again: Option<Duration>,
    /// How old an alert may be for which it is sent without a person, by default: forever if it only informs people.
    pub(crate) max_age: Option<Duration>,
    /// Makes what carries it out.
    pub(crate) carrier: fn(&Settings, Duration) -> Made,
}

/// A gateway that is behind, or that is given files of before, acts on nothing that is long over.
const MAX_AGE: Duration = Duration::from_secs(24 * 3_600);

pub(crate) const KINDS: [Kind; 5] =
    [command::KIND, webhook::KIND, list::KIND, line::KIND, record::KIND];

/// What carries out an action.
pub(crate) trait Carrier: Send + Sync {
    /// Carries it out, or undoes it, and returns when the other side has it. The same message may come again.
    fn carry_out(&self, message: &Message, stop: &Shutdown) -> Result<(), CarryError>;

    /// Returns whether it can be undone.
    fn can_be_undone(&self) -> bool {
        true
    }
}

/// Why an action was not carried out. It is tried again.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct CarryError(pub(crate) String);

impl From<String> for CarryError {
    fn from(text: String) -> Self {
        CarryError(text)
    }
}
