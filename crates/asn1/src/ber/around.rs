//! The path from damage up to the record. An error message names the component being decoded and the tag that was
//! expected there.

use std::fmt;

use reason::{Code, Coded, Description};

use super::decode::DecodeError;
use super::header::{Reason, TagText};
use crate::Plan;
use crate::plan::{Element, Node};

/// Maximum number of CHOICE alternatives listed with their tags; the message counts the rest.
const ALTERNATIVES_MAX: usize = 8;

/// The values that enclose damage, innermost first.
#[derive(Debug, Default)]
pub(super) struct Around {
    names: Vec<String>,
    innermost: Option<Element>,
}

impl Around {
    /// Adds the next enclosing value.
    pub(super) fn add(&mut self, name: String, element: &Element) {
        self.names.push(name);
        self.innermost.get_or_insert_with(|| element.clone());
    }

    /// Adds the component's path and the expected tag or type to a reason.
    pub(super) fn explained(&self, plan: &Plan, reason: Reason) -> Explanation {
        let Some(element) = &self.innermost else { return Explanation::of(reason) };
        let expected = expected(plan, element, reason);
        let path = match (self.names.as_slice(), reason) {
            // For the record itself, `expected` already names the type.
            ([_], Reason::UnexpectedTag(_)) => None,
            _ => Some(self.path()),
        };
        Explanation { path, reason, expected }
    }

    fn path(&self) -> String {
        let mut path = String::new();
        for name in self.names.iter().rev() {
            if !path.is_empty() && !name.starts_with('[') {
                path.push('.');
            }
            path.push_str(name);
        }
        path
    }
}

/// A decode error, with the component that was being decoded and what was expected there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("ber")]
#[error("{explanation} (at octet {offset} of the record)")]
pub struct ExplainedError {
    /// The octet of the record at which reading stopped.
    pub offset: usize,
    /// What was found there, and what was expected.
    #[coded]
    pub explanation: Explanation,
}

impl ExplainedError {
    /// Returns an error without further explanation.
    pub(super) fn of(DecodeError { offset, reason }: DecodeError) -> Self {
        ExplainedError { offset, explanation: Explanation::of(reason) }
    }
}

/// What was found in the octets of a component, and what was expected there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The names from the record to the component; `None` if they add nothing.
    pub path: Option<String>,
    /// What was found.
    pub reason: Reason,
    /// What was expected; `None` if the reason says it.
    pub expected: Option<Expected>,
}

/// What was expected of a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// An alternative of a CHOICE.
    Alternative {
        /// The CHOICE.
        ty: String,
        /// The tags of the first alternatives.
        tags: Vec<String>,
        /// The number of further alternatives.
        more: usize,
    },
    /// The tags of a type.
    Tags {
        /// The type.
        ty: String,
        /// Its tags, outermost first, with blanks between them.
        tags: String,
    },
    /// Elements within a value of this kind.
    Elements(&'static str),
    /// A value of this kind.
    Kind(&'static str),
}

impl Explanation {
    fn of(reason: Reason) -> Self {
        Explanation { path: None, reason, expected: None }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Explanation { path, reason, expected } = self;
        if let Some(path) = path {
            write!(out, "\"{path}\": ")?;
        }
        write!(out, "{reason}")?;
        match expected {
            Some(expected) => write!(out, "; {expected}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Explanation {}

impl Coded for Explanation {
    fn describe(&self, description: &mut Description) {
        let Explanation { path, reason, expected } = self;
        if let Some(path) = path {
            description.text("\"");
            description.value("component", path);
            description.text("\": ");
        }
        reason.describe(description);
        if let Some(expected) = expected {
            description.text("; ");
            description.value("expected", expected);
        }
    }

    fn codes() -> Vec<Code> {
        Vec::new()
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expected::Alternative { ty, tags, more } => {
                write!(out, "{ty} is one of {}", tags.join(", "))?;
                if *more > 0 { write!(out, " and {more} more") } else { Ok(()) }
            }
            Expected::Tags { ty, tags } => write!(out, "{ty} is {tags}"),
            Expected::Elements(kind) => write!(out, "it is {} {kind} and has them", article(kind)),
            Expected::Kind(kind) => write!(out, "it is {} {kind}", article(kind)),
        }
    }
}

fn expected(plan: &Plan, element: &Element, reason: Reason) -> Option<Expected> {
    let ty = plan.schema().shown(element.ty);
    let kind = plan.schema().kind(element.ty).word();
    Some(match (reason, plan.node(element.ty)) {
        (
            Reason::UnexpectedTag(_),
            Node::Choice(alternatives) | Node::ClosedChoice(alternatives),
        ) if element.keys.is_empty() => {
            let all = &alternatives.elements;
            let more = all.len().saturating_sub(ALTERNATIVES_MAX);
            let tags = all.iter().take(ALTERNATIVES_MAX).map(tags).collect();
            Expected::Alternative { ty, tags, more }
        }
        (Reason::UnexpectedTag(_), _) => Expected::Tags { ty, tags: tags(element) },
        (Reason::PrimitiveStructure, _) => Expected::Elements(kind),
        (Reason::ElementsWithin(_) | Reason::UnusedBits | Reason::UnusedCount, _) => {
            Expected::Kind(kind)
        }
        _ => return None,
    })
}

fn article(word: &str) -> &'static str {
    if word.starts_with(['A', 'E', 'I', 'O']) { "an" } else { "a" }
}

/// The tags of an element, outermost first; empty if it has no tag of its own.
pub(super) fn tags(element: &Element) -> String {
    let tags: Vec<String> = element.keys.iter().map(|key| TagText(*key).to_string()).collect();
    tags.join(" ")
}
