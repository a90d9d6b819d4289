//! Calls that wait for a second person.

use ledger::Millis;

/// A call that waits. A number is given once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredRequest {
    pub(crate) number: i64,
    pub(crate) at: Millis,
    /// Who asked for it.
    pub(crate) who: String,
    /// The words of its command.
    pub(crate) call: String,
    pub(crate) subject: String,
    pub(crate) because: String,
    /// The call as JSON.
    pub(crate) request: String,
}
