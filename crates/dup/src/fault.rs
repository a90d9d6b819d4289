//! The errors of scripts on a record.

use crate::machine::OCTETS_A_TURN;
use diagnostics::Span;
use reason::Coded;
use record::ValueFault;

use crate::class::Alphabet;

/// An error on a record: the reason, and its place in the script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The reason.
    pub reason: Reason,
    /// The text that was being executed.
    pub span: Span,
}

/// The reason of a fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("script")]
#[allow(missing_docs)] // The messages say it.
pub enum Reason {
    #[error("is absent")]
    Absent,
    #[error("is not the alternative that is there")]
    OtherAlternative,
    #[error("there is no element {position}, the list has {count}")]
    NoElement { position: i64, count: usize },
    #[error("element {position} cannot be written, the list has {count}")]
    BeyondEnd { position: i64, count: usize },
    #[error("the result is beyond 64 bits")]
    Overflow,
    #[error("a division by zero")]
    DivisionByZero,
    #[error(transparent)]
    Value(#[from] ValueFault),
    #[error("\"{text}\" is not a number")]
    NotANumber { text: String },
    #[error("{0}")]
    Argument(String),
    #[error("these are not characters of {name}", name = .0)]
    Alphabet(&'static str),
    #[error("table has no \"{key}\"")]
    NotFound { key: String },
    #[error(transparent)]
    NoTariff(#[from] rating::NoTariff),
    #[error("{value} has no name")]
    NoName { value: i64 },
    #[error(
        "more than {0} turns of loops and calls, where {OCTETS_A_TURN} octets of a string count as one"
    )]
    Budget(u64),
    #[error("calls more than {0} deep")]
    Depth(usize),
    #[error("more memory than a record may take ({0} octets)")]
    Memory(usize),
    #[error("was cancelled")]
    Cancelled,
    #[error("is not so")]
    Assertion,
    #[error("{0}")]
    Rejected(String),
}

impl Reason {
    /// Creates the reason for a text with characters that its type does not allow.
    pub(crate) fn alphabet(alphabet: Alphabet) -> Self {
        Reason::Alphabet(alphabet.name())
    }

    /// Returns whether the message is about the text at the fault's place, and so follows it.
    pub(crate) fn is_about_text(&self) -> bool {
        match self {
            Reason::Absent | Reason::OtherAlternative | Reason::Assertion => true,
            Reason::Value(fault) => *fault != ValueFault::TooDeep,
            _ => false,
        }
    }

    /// Creates the reason for a wrong argument of a built-in function.
    #[cold]
    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Reason::Argument(message.into())
    }
}

/// Returns octets of a record as text for messages, without control characters for the terminal.
#[cold]
pub(crate) fn shown(octets: &[u8]) -> String {
    diagnostics::visible(&String::from_utf8_lossy(octets)).into_owned()
}
