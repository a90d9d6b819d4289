//! Where in which text, what is wrong, what was meant; one way to show it.
//!
//! Every text a person writes for Tollgate (flow file, ASN.1 module, DUP script, tariff) is a [`Source`];
//! every complaint about one is a [`Diagnostic`] that knows its place to the byte.
//!
//! ```
//! use diagnostics::{Diagnostic, Source, Span};
//!
//! let source = Source::new("flow.toml", "[filter.x]\nfrom = \"isRoming.true\"\n");
//! let wrong = Diagnostic::error(&source, Span::new(19, 27), "no node named \"isRoming\"")
//!     .hint("did you mean \"isRoaming\"?");
//! assert_eq!(wrong.to_string(), concat!(
//!     "flow.toml:2:9: no node named \"isRoming\"\n",
//!     "    2 | from = \"isRoming.true\"\n",
//!     "      |         ^^^^^^^^ did you mean \"isRoaming\"?",
//! ));
//! ```
#![forbid(unsafe_code)]

mod causes;
mod closest;
pub mod encoding;
mod octets;
pub mod plain;
mod source;
mod visible;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

pub use causes::with_causes;
pub use closest::{closest, did_you_mean};
pub use encoding::Encoding;
pub use octets::{hexadecimal, shown};
pub use source::{Place, Source, Span};
pub use visible::{is_hidden, visible, visible_lines};

/// Whether work can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing is processed until this is mended.
    Error,
    /// Something was forgiven or is probably not meant.
    Warning,
}

/// What is wrong, where, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Whether work can go on.
    pub severity: Severity,
    /// What is wrong, in the user's words.
    pub message: String,
    /// The text it is in.
    pub source: Arc<Source>,
    /// Where in the text.
    pub span: Span,
    /// What was meant, or what to do.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// Something that must be mended.
    pub fn error(source: &Arc<Source>, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, source, span, message.into())
    }

    /// Something that was forgiven.
    pub fn warning(source: &Arc<Source>, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, source, span, message.into())
    }

    fn new(severity: Severity, source: &Arc<Source>, span: Span, message: String) -> Self {
        Diagnostic { severity, message: cut(message), source: Arc::clone(source), span, hint: None }
    }

    /// Adds what was meant, or what to do.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(cut(hint.into()));
        self
    }

    /// Adds a hint if there is one.
    pub fn hint_maybe(mut self, hint: Option<String>) -> Self {
        self.hint = hint.map(cut).or(self.hint);
        self
    }

    /// Whether work cannot go on.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Where it is and what it is, on one line: for those who have no room for the text around it.
    pub fn line(&self) -> String {
        let Place { line, column } = self.place();
        format!("{}:{line}:{column}: {}", visible(&self.source.name), visible_lines(&self.message))
    }

    /// Line and column, both from 1; the column counts characters.
    pub fn place(&self) -> Place {
        self.source.place(self.span.start)
    }
}

/// Maximum bytes of a message or hint. A message may quote a word of the source, which may be any
/// length.
const MESSAGE_OCTETS_MAX: usize = 4_000;

fn cut(mut message: String) -> String {
    if message.len() > MESSAGE_OCTETS_MAX {
        message.truncate(message.floor_char_boundary(MESSAGE_OCTETS_MAX));
        message.push('…');
        message.shrink_to_fit();
    }
    message
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { line, column } = self.place();
        let word = if self.is_error() { "" } else { "warning: " };
        let (name, message) = (visible(&self.source.name), visible_lines(&self.message));
        writeln!(out, "{name}:{line}:{column}: {word}{message}")?;
        let (text, before, marked) = self.source.excerpt(self.span);
        writeln!(out, "{line:>5} | {text}")?;
        write!(out, "      | {before}{}", "^".repeat(marked))?;
        match &self.hint {
            Some(hint) => write!(out, " {}", visible_lines(hint)),
            None => Ok(()),
        }
    }
}

/// Whether any of these must be mended before work goes on.
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}

/// The first of them, errors before warnings, and how many are left out.
pub fn first(diagnostics: &[Diagnostic], count_max: usize) -> (Vec<&Diagnostic>, usize) {
    let mut first: Vec<&Diagnostic> = diagnostics.iter().collect();
    first.sort_by_key(|diagnostic| diagnostic.severity);
    first.truncate(count_max);
    let left_out = diagnostics.len() - first.len();
    (first, left_out)
}

/// Puts diagnostics into a list, each once. A diagnostic is compared with those of the same span only, since a text may
/// have tens of thousands. The list may only grow meanwhile.
#[derive(Debug)]
pub struct Once {
    /// The positions in the list, by span.
    places: HashMap<Span, Vec<usize>>,
}

impl Once {
    /// For a list that has these.
    pub fn after(known: &[Diagnostic]) -> Self {
        let mut places: HashMap<Span, Vec<usize>> = HashMap::new();
        for (place, diagnostic) in known.iter().enumerate() {
            places.entry(diagnostic.span).or_default().push(place);
        }
        Once { places }
    }

    /// Puts one into the list if it is not there.
    pub fn put(&mut self, diagnostic: Diagnostic, list: &mut Vec<Diagnostic>) {
        let places = self.places.entry(diagnostic.span).or_default();
        if !places.iter().any(|place| list[*place] == diagnostic) {
            places.push(list.len());
            list.push(diagnostic);
        }
    }
}

/// So many octets, as people say it: `12.5 MB`, `17 octets`.
pub fn octets(octets: u64) -> String {
    const UNITS: [(u64, &str); 4] =
        [(1_000_000_000_000, "TB"), (1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    match UNITS.iter().find(|(unit, _)| octets >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", octets as f64 / *unit as f64),
        None => format!("{octets} octets"),
    }
}

/// A number of things: `1 mistake`, `2 mistakes`.
pub fn counted(count: usize, thing: &str) -> String {
    match count {
        1 => format!("1 {thing}"),
        count => format!("{count} {thing}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_come_first_and_what_is_left_out_is_counted() {
        let source = Source::new("a", "");
        let warning = Diagnostic::warning(&source, Span::default(), "forgiven");
        let error = |message| Diagnostic::error(&source, Span::default(), message);
        let all = [warning.clone(), error("one"), error("two"), warning];
        let (first, left_out) = first(&all, 3);
        let messages: Vec<&str> = first.iter().map(|found| found.message.as_str()).collect();
        assert_eq!((messages, left_out), (vec!["one", "two", "forgiven"], 1));
    }

    #[test]
    fn a_message_has_an_end_whatever_it_repeats() {
        let source = Source::new("a", "");
        let long = "å".repeat(1 << 20);
        let wrong = Diagnostic::error(&source, Span::default(), long.as_str()).hint(long);
        assert!(wrong.to_string().len() < 3 * MESSAGE_OCTETS_MAX);
        assert!(wrong.message.ends_with("å…"));
    }

    #[test]
    fn nothing_of_a_message_is_obeyed_by_a_terminal() {
        let source = Source::new("\u{1b}[2Jflow\n.toml", "from = \"\u{202e}x\"");
        let wrong = Diagnostic::error(&source, Span::new(8, 12), "no node named \"\u{202e}x\"");
        for shown in [wrong.to_string(), wrong.line()] {
            assert!(!shown.chars().any(|c| is_hidden(c) && c != '\n'), "{shown:?}");
            assert!(shown.contains("\\u001b[2Jflow\\n.toml:1:9: "), "{shown}");
            assert!(shown.contains("no node named \"\\u202ex\""), "{shown}");
        }
    }

    #[test]
    fn a_diagnostic_is_put_once_and_another_at_its_place_too() {
        let source = Source::new("a", "");
        let error = |message, end| Diagnostic::error(&source, Span::new(0, end), message);
        let mut list = vec![error("known", 1)];
        let mut once = Once::after(&list);
        for (message, end) in [("known", 1), ("other", 1), ("known", 2), ("other", 1)] {
            once.put(error(message, end), &mut list);
        }
        assert_eq!(list, [error("known", 1), error("other", 1), error("known", 2)]);
    }
}
