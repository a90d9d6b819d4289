//! Accepts the brackets of Ericsson's AXE documents: `SEQUENCE ( name (0) IMPLICIT Type )` instead of
//! `SEQUENCE { name [0] IMPLICIT Type }`.

use std::sync::Arc;

use diagnostics::{Diagnostic, Source};

use super::lexer::{Item, Token};

const OPEN: Token = Token::Sign('(');
const CLOSE: Token = Token::Sign(')');

/// The meaning of an open round bracket.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    /// Components, with tags.
    Components,
    /// Names, with numbers in round brackets as in X.680.
    Names,
    /// As in X.680.
    Other,
}

/// Replaces round brackets with those of X.680. Warns once per text.
pub(super) fn normalise(
    source: &Arc<Source>,
    items: &mut [Item],
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut first = None;
    let mut within = Vec::new();
    let mut at = 0;
    while at < items.len() {
        match items[at].token {
            OPEN => {
                let opened = at.checked_sub(1).map_or(Within::Other, |at| list(source, items, at));
                if opened != Within::Other {
                    first.get_or_insert(items[at].span);
                    items[at].token = Token::Sign('{');
                }
                within.push(opened);
            }
            CLOSE => {
                let closed = within.pop().unwrap_or(Within::Other);
                if closed != Within::Other {
                    items[at].token = Token::Sign('}');
                }
            }
            Token::Lower if within.last() == Some(&Within::Components) && is_tagged(items, at) => {
                items[at + 1].token = Token::Sign('[');
                items[at + 3].token = Token::Sign(']');
                at += 3;
            }
            _ => {}
        }
        at += 1;
    }
    if let Some(span) = first {
        let message = "round brackets are read as the curly and square ones that X.680 has here";
        diagnostics.push(Diagnostic::warning(source, span, message));
    }
}

/// Returns what the round bracket after the word at `at` begins.
fn list(source: &Source, items: &[Item], at: usize) -> Within {
    let begins =
        matches!(items.get(at + 2).map(|item| item.token), Some(Token::Lower | Token::Ellipsis));
    let span = items[at].span;
    match &source.text[span.start as usize..span.end as usize] {
        "SEQUENCE" | "SET" | "CHOICE" if begins => Within::Components,
        "ENUMERATED" if begins => Within::Names,
        _ => Within::Other,
    }
}

/// Returns whether the name at `at` is that of a component with a tag in round brackets.
fn is_tagged(items: &[Item], at: usize) -> bool {
    let token = |at: usize| items.get(at).map(|item| item.token);
    matches!(token(at - 1), Some(Token::Sign('{' | ',')))
        && [token(at + 1), token(at + 2), token(at + 3)]
            == [Some(OPEN), Some(Token::Number), Some(CLOSE)]
}
