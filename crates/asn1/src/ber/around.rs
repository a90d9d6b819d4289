//! What lies around damage, from the value in which it is found up to the record: whoever is told that octets are no
//! record wants to know which component was read there, and what it should have begun with.

use super::header::{Reason, TagText};
use crate::Plan;
use crate::plan::{Element, Node};

/// Alternatives of a CHOICE whose tags are told; of more, how many there are.
const ALTERNATIVES_MAX: usize = 8;

/// The values around damage, the innermost first.
#[derive(Debug, Default)]
pub(super) struct Around {
    names: Vec<String>,
    innermost: Option<Element>,
}

impl Around {
    /// Adds the value that lies around those before it.
    pub(super) fn add(&mut self, name: String, element: &Element) {
        self.names.push(name);
        self.innermost.get_or_insert_with(|| element.clone());
    }

    /// A reason with what it is about.
    pub(super) fn explained(&self, plan: &Plan, reason: Reason) -> String {
        let Some(element) = &self.innermost else { return reason.to_string() };
        let expected = self.expected(plan, element, reason);
        match (self.names.as_slice(), reason) {
            // The type of the record is named by what is expected.
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

    /// What should be there, behind a mark that sets it apart; nothing where the reason says it.
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

/// The tags of a value, outermost first; nothing of one that has none of its own.
pub(super) fn tags(element: &Element) -> String {
    let tags: Vec<String> = element.keys.iter().map(|key| TagText(*key).to_string()).collect();
    tags.join(" ")
}
