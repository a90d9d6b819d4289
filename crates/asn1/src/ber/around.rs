//! The path from damage up to the record. An error message needs it to name the component being
//! decoded and the tag that was expected there.

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
    pub(super) fn explained(&self, plan: &Plan, reason: Reason) -> String {
        let Some(element) = &self.innermost else { return reason.to_string() };
        let expected = self.expected(plan, element, reason);
        match (self.names.as_slice(), reason) {
            // For the record itself, `expected` already names the type.
            ([_], Reason::UnexpectedTag(_)) => format!("{reason}{expected}"),
            _ => format!("\"{}\": {reason}{expected}", self.path()),
        }
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

    /// What was expected, with a leading semicolon; empty if the reason already says it.
    fn expected(&self, plan: &Plan, element: &Element, reason: Reason) -> String {
        let ty = plan.schema().shown(element.ty);
        let kind = plan.schema().kind(element.ty).word();
        match (reason, plan.node(element.ty)) {
            (
                Reason::UnexpectedTag(_),
                Node::Choice(alternatives) | Node::ClosedChoice(alternatives),
            ) if element.keys.is_empty() => {
                let all = &alternatives.elements;
                let known: Vec<String> = all.iter().take(ALTERNATIVES_MAX).map(tags).collect();
                let more = match all.len().saturating_sub(ALTERNATIVES_MAX) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                format!("; {ty} is one of {}{more}", known.join(", "))
            }
            (Reason::UnexpectedTag(_), _) => format!("; {ty} is {}", tags(element)),
            (Reason::PrimitiveStructure, _) => {
                format!("; it is {} {kind} and has them", article(kind))
            }
            (Reason::ElementsWithin(_) | Reason::UnusedBits | Reason::UnusedCount, _) => {
                format!("; it is {} {kind}", article(kind))
            }
            _ => String::new(),
        }
    }
}

fn article(word: &str) -> &'static str {
    if word.starts_with(['A', 'E', 'I', 'O']) { "an" } else { "a" }
}

/// The tags of an element, outermost first; empty if it has no tag of its own.
pub(super) fn tags(element: &Element) -> String {
    let tags: Vec<String> = element.keys.iter().map(|key| TagText(*key).to_string()).collect();
    tags.join(" ")
}
