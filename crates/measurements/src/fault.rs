//! The reasons why octets are not a row of measurements.

use diagnostics::visible;
use reason::Coded;

use crate::markup::DEPTH_MAX;

/// Maximum octets of a text from a file that a message shows.
const SHOWN_OCTETS_MAX: usize = 60;

/// The reason why octets are not a row of measurements.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("measurements")]
pub enum Fault {
    /// The root element is not known.
    #[error(
        "a file of measurements has the root element measCollecFile, measDataFile, mdc or OMeS, this one has \"{name}\"", name = .0
    )]
    Root(String),
    /// An encoding that is not read.
    #[error("files of measurements are read in UTF-8 and other encodings that have the octets of ASCII, not this one: {encoding}", encoding = .0)]
    Encoding(String),
    /// Text in a place of elements.
    #[error("text stands where elements are expected")]
    Text,
    /// A tag without its end, or with an unclosed quote.
    #[error("a tag does not end before the next \"<\"")]
    TagCutOff,
    /// Elements nested too deeply.
    #[error("elements lie more than {DEPTH_MAX} deep within each other")]
    TooDeep,
    /// An element that is longer than the maximum, or has no end.
    #[error("\"{name}\" is too long, or does not end", name = .0)]
    TooLong(String),
    /// The file ends within an element.
    #[error("the file ends before \"{name}\" does: it may be cut off", name = .0)]
    CutOff(String),
    /// An element that has no end before one begins that cannot be within it.
    #[error("\"{name}\" does not end before the next \"{next}\"")]
    NotClosed {
        /// Its name.
        name: String,
        /// The name of the next element.
        next: String,
    },
    /// An end tag without its start tag.
    #[error("\"{name}\" ends, and did not begin", name = .0)]
    NotOpen(String),
    /// An end tag with another name than its start tag.
    #[error("\"{name}\" ends where \"{open}\" is open")]
    Crossed {
        /// The name in the end tag.
        name: String,
        /// The name of the open element.
        open: String,
    },
    /// An element outside the one that it belongs to.
    #[error("\"{name}\" stands outside \"{around}\"")]
    Misplaced {
        /// Its name.
        name: String,
        /// The element that it belongs to.
        around: &'static str,
    },
    /// Measurements without an element for the network element that they are of.
    #[error(
        "\"{section}\" does not name the network element that its measurements are of: it has no \"{entity}\""
    )]
    NoEntity {
        /// The element that the measurements are in.
        section: &'static str,
        /// The element that is missing.
        entity: &'static str,
    },
    /// A row without its measured object.
    #[error("the measured object is missing: there is no \"{name}\"", name = .0)]
    NoObject(&'static str),
    /// A time in another form.
    #[error("\"{name}\" is no time: \"{text}\"")]
    Time {
        /// The element or attribute.
        name: &'static str,
        /// Its text.
        text: String,
    },
    /// A length of time in another form.
    #[error("\"{name}\" is no length of time in whole seconds: \"{text}\"")]
    Seconds {
        /// The element or attribute.
        name: &'static str,
        /// Its text.
        text: String,
    },
    /// A number of a counter that is none.
    #[error("the number of a counter is \"{text}\", expected 1 to 4294967295", text = .0)]
    NoNumber(String),
    /// Two counters with one number.
    #[error("two counters of an info have the number {number}", number = .0)]
    NumberTwice(u32),
    /// More counters than the maximum.
    #[error("an info has more than {maximum} counters", maximum = .0)]
    TooManyNames(usize),
    /// A result for a counter that the info does not have.
    #[error("a result is of the counter {number}, and the info has no counter with this number", number = .0)]
    NoCounter(u32),
    /// Two results of one counter.
    #[error("the counter {number} has two results", number = .0)]
    ResultTwice(u32),
    /// Results without numbers that are not as many as the counters.
    #[error("there are {results} results for {counters} counters")]
    Count {
        /// The number of results.
        results: usize,
        /// The number of counters.
        counters: usize,
    },
    /// Results with numbers beside some without: which counters these are of is not known.
    #[error("results with the number of their counter stand beside results without one")]
    Mixed,
    /// Elements within a result.
    #[error("an element stands within the result of a counter")]
    WithinResult,
    /// Elements, or comments, within a list of names.
    #[error("an element or a comment stands within the names of counters")]
    WithinNames,
    /// An element that is there several times, with different texts.
    #[error("\"{name}\" is there several times, with different texts", name = .0)]
    Contradiction(&'static str),
    /// A flag that is neither true nor false.
    #[error("\"{name}\" is true or false, not \"{text}\"")]
    Flag {
        /// The element.
        name: &'static str,
        /// Its text.
        text: String,
    },
}

/// Returns a text of a file for messages.
pub(crate) fn shown(octets: &[u8]) -> String {
    let is_cut = octets.len() > SHOWN_OCTETS_MAX;
    let text = String::from_utf8_lossy(&octets[..octets.len().min(SHOWN_OCTETS_MAX)]);
    let text = visible(&text).into_owned();
    if is_cut { text + "…" } else { text }
}
