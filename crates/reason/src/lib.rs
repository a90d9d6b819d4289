//! Why something is refused: a code that stays, the template of a text for people, and the values in it.
//!
//! An error type gets codes by `#[derive(Coded)]`, beside thiserror's `Error`: the template is the text of
//! `#[error("…")]`, and its values are the fields in it. So the text that a user reads and the template by which refusals
//! are grouped cannot differ.
//!
//! ```
//! use reason::{Coded, Reason};
//!
//! /// Why a number has no tariff.
//! #[derive(Debug, thiserror::Error, Coded)]
//! #[code("number")]
//! enum NumberError {
//!     /// No prefix of the plan matches the number.
//!     #[error("no prefix of {number} has a tariff")]
//!     NoPrefix { number: String },
//! }
//!
//! let reason = Reason::of(&NumberError::NoPrefix { number: "33509978926".into() });
//! assert_eq!(reason.to_string(), "no prefix of 33509978926 has a tariff");
//! assert_eq!(reason.code(), "number-no-prefix");
//! assert_eq!(reason.template(), "no prefix of {number} has a tariff");
//! assert_eq!(reason.parameters().collect::<Vec<_>>(), [("number", "33509978926")]);
//! ```
#![forbid(unsafe_code)]

mod bounded;
mod template;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

pub use bounded::VALUE_OCTETS_MAX;
pub use reason_derive::Coded;
use serde::{Deserialize, Serialize};

use template::Piece;

/// Why something is refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Reason {
    code: Cow<'static, str>,
    /// The text, with the names of values in braces. Braces of the text itself are doubled.
    template: String,
    /// The values, in the order of the template.
    values: Vec<String>,
}

impl Reason {
    /// Returns the reason that an error is.
    pub fn of(error: &(impl Coded + ?Sized)) -> Self {
        let mut description = Description::default();
        error.describe(&mut description);
        description.reason
    }

    /// Returns a reason from a text without values. It has no code: it comes from a version that wrote none.
    pub fn uncoded(text: &str) -> Self {
        let mut description = Description::default();
        description.text(text);
        description.reason
    }

    /// Returns a reason that was stored, as its code, its template and its values.
    pub fn stored(code: String, template: String, values: Vec<String>) -> Self {
        Reason { code: Cow::Owned(code), template, values }
    }

    /// Changes each value, such as to hide secrets.
    #[must_use]
    pub fn with_values(mut self, change: impl Fn(&str) -> String) -> Self {
        for value in &mut self.values {
            *value = change(value);
        }
        self
    }

    /// Returns the code: words with hyphens, such as `number-no-prefix`. It stays when the text is improved. Empty if the
    /// reason comes from a version that wrote no codes.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// Returns the text, with the names of values in braces, such as `no prefix of {number}`.
    pub fn template(&self) -> &str {
        &self.template
    }

    /// Returns the values, in the order of the template.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// Returns the names and the values of the parameters, in the order of the template.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, &str)> {
        names(&self.template).zip(self.values.iter().map(String::as_str))
    }

    /// Returns about how many octets of memory it takes.
    pub fn octets(&self) -> usize {
        let values = self.values.iter().map(|value| size_of::<String>() + value.len());
        self.template.len() + values.sum::<usize>()
    }
}

/// The text for people.
impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&filled(&self.template, |place| self.values.get(place).map(String::as_str)))
    }
}

impl std::error::Error for Reason {}

/// A reason within another error: its code is that of the whole.
impl Coded for Reason {
    fn describe(&self, description: &mut Description) {
        if !self.code.is_empty() {
            description.reason.code = self.code.clone();
        }
        let mut values = self.values.iter();
        for piece in template::pieces(&self.template) {
            match piece {
                Piece::Text(text) => description.text(text),
                Piece::Value(name) => {
                    description.value(name, values.next().map_or("", String::as_str));
                }
            }
        }
    }

    fn codes() -> Vec<Code> {
        Vec::new()
    }
}

/// Returns the text of a template. A value that is not given stays as its name in braces.
pub fn filled<'v>(template: &str, mut value: impl FnMut(usize) -> Option<&'v str>) -> String {
    let (mut text, mut place) = (String::new(), 0);
    for piece in template::pieces(template) {
        match piece {
            Piece::Text(piece) => text.push_str(piece),
            Piece::Value(name) => {
                match value(place) {
                    Some(value) => text.push_str(value),
                    None => text.extend(["{", name, "}"]),
                }
                place += 1;
            }
        }
    }
    text
}

/// Returns the names of the values in a template.
pub fn names(template: &str) -> impl Iterator<Item = &str> {
    template::pieces(template).filter_map(|piece| match piece {
        Piece::Text(_) => None,
        Piece::Value(name) => Some(name),
    })
}

/// An error with codes. `#[derive(Coded)]` implements it.
pub trait Coded: std::error::Error {
    /// Describes the error, in the words of its `Display`.
    fn describe(&self, description: &mut Description);

    /// Returns the codes that errors of the type itself have; errors within them have their own.
    fn codes() -> Vec<Code>
    where
        Self: Sized;
}

impl<E: Coded> Coded for Box<E> {
    fn describe(&self, description: &mut Description) {
        (**self).describe(description);
    }

    fn codes() -> Vec<Code> {
        E::codes()
    }
}

impl<E: Coded> Coded for Arc<E> {
    fn describe(&self, description: &mut Description) {
        (**self).describe(description);
    }

    fn codes() -> Vec<Code> {
        E::codes()
    }
}

/// An error that is a code and a text without values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixed(pub &'static str, pub &'static str);

impl fmt::Display for Fixed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.1)
    }
}

impl std::error::Error for Fixed {}

impl Coded for Fixed {
    fn describe(&self, description: &mut Description) {
        description.code(self.0);
        description.text(self.1);
    }

    fn codes() -> Vec<Code> {
        Vec::new()
    }
}

/// A code, for the index of all codes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Code {
    /// The code.
    pub code: &'static str,
    /// The text, with the names of values in braces.
    pub template: String,
    /// What the code means, from the documentation of the error.
    pub meaning: &'static str,
}

/// Collects what an error says of itself.
#[derive(Debug, Default)]
pub struct Description {
    reason: Reason,
}

impl Description {
    /// Notes a code. The code of an error within replaces that of the error around it: it is the cause.
    pub fn code(&mut self, code: &'static str) {
        self.reason.code = Cow::Borrowed(code);
    }

    /// Adds text that is the same for all errors of the code.
    pub fn text(&mut self, text: &str) {
        template::escape(text, &mut self.reason.template);
    }

    /// Returns the reason that was described.
    pub fn into_reason(self) -> Reason {
        self.reason
    }

    /// Returns the template of what was described.
    pub fn into_template(self) -> String {
        self.reason.template
    }

    /// Adds a value; a longer one than [`VALUE_OCTETS_MAX`] is cut. A name that the template has already gets a number: `{value}`, `{value2}`.
    pub fn value(&mut self, name: &str, value: impl fmt::Display) {
        let template = &mut self.reason.template;
        let is_taken = |wanted: &str| names(template).any(|name| name == wanted);
        let name = match is_taken(name) {
            false => Cow::Borrowed(name),
            true => (2..)
                .map(|number| Cow::Owned(format!("{name}{number}")))
                .find(|name| !is_taken(name))
                .expect("one of all numbers is free"),
        };
        template.push('{');
        template.push_str(&name);
        template.push('}');
        self.reason.values.push(bounded::shown(value));
    }
}
