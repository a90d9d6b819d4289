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
#[allow(missing_docs)] // The messages say what the fields are.
pub enum Reason {
    /// The script reads a field that the record does not have. Ask `present(…)` first.
    #[error("is absent")]
    Absent,
    /// The script reads an alternative of a CHOICE, and the record has another one.
    #[error("is not the alternative that is there")]
    OtherAlternative,
    /// The script reads an element of a list that has fewer.
    #[error("there is no element {position}, the list has {count}")]
    NoElement { position: i64, count: usize },
    /// The script writes an element of a list that is not the next one.
    #[error("element {position} cannot be written, the list has {count}")]
    BeyondEnd { position: i64, count: usize },
    /// A number is beyond -2^63 .. 2^63-1.
    #[error("the result is beyond 64 bits")]
    Overflow,
    /// The script divides by zero.
    #[error("a division by zero")]
    DivisionByZero,
    #[error(transparent)]
    Value(#[from] ValueFault),
    /// The script converts text to a number, and the text is none.
    #[error("\"{text}\" is not a number")]
    NotANumber { text: String },
    /// A built-in function refuses an argument.
    #[error("{fault}", fault = .0)]
    Argument(String),
    /// The script writes characters that the type of the field does not allow.
    #[error("these are not characters of {name}", name = .0)]
    Alphabet(&'static str),
    /// A table of the script has no line with this key.
    #[error("table has no \"{key}\"")]
    NotFound { key: String },
    #[error(transparent)]
    NoTariff(#[from] rating::NoTariff),
    /// The script asks for the name of a number that has none in the module.
    #[error("{value} has no name")]
    NoName { value: i64 },
    /// The script loops for too long on one record.
    #[error(
        "more than {turns} turns of loops and calls, where {OCTETS_A_TURN} octets of a string count as one",
        turns = .0
    )]
    Budget(u64),
    /// A function calls itself too deeply.
    #[error("calls more than {calls} deep", calls = .0)]
    Depth(usize),
    /// The script makes more values of one record than fit into its memory.
    #[error("more memory than a record may take ({octets} octets)", octets = .0)]
    Memory(usize),
    /// The gateway stopped the script, because it ran for too long.
    #[error("was cancelled")]
    Cancelled,
    /// An `assert` of the script is not true for the record.
    #[error("is not so")]
    Assertion,
    /// The script rejects the record by `reject`, with this text.
    #[error("{text}", text = .0)]
    Rejected(String),
}

impl Reason {
    /// The code of [`Rejected`](Self::Rejected), where the script itself has the text.
    pub(crate) const REJECTED: &str = "script-rejected";

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
