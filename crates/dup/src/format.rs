//! `tollgate dup fmt`: unifies indentation and blanks. Line breaks and comments stay where they are.

use std::sync::Arc;

use diagnostics::{Diagnostic, Source};

use crate::lexer::{Item, Sign, Token, items};

/// The indentation of one level.
const INDENT: &str = "  ";

/// Returns the formatted script, or its lexical and syntactic mistakes.
pub fn format(source: &Arc<Source>) -> Result<String, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let items = items(source, &mut diagnostics);
    // A script with mistakes stays as it is: a forgotten brace would indent the whole text wrongly.
    let _ = crate::parser::parse(source, &mut diagnostics);
    if diagnostics::has_errors(&diagnostics) {
        return Err(diagnostics);
    }
    let mut formatter = Formatter { source, out: String::new(), open: Vec::new(), before: None };
    for item in &items {
        formatter.item(*item);
    }
    Ok(formatter.out)
}

struct Formatter<'f> {
    source: &'f Source,
    out: String,
    /// The open brackets.
    open: Vec<Sign>,
    before: Option<Item>,
}

impl Formatter<'_> {
    fn item(&mut self, item: Item) {
        let text = &self.source.text[item.span.start as usize..item.span.end as usize];
        if let Token::Sign(Sign::Close | Sign::CloseBrace | Sign::CloseBracket) = item.token {
            self.open.pop();
        }
        let lines = self.before.map_or(0, |before| {
            let between = &self.source.text[before.span.end as usize..item.span.start as usize];
            between.matches('\n').count()
        });
        if item.token == Token::End {
            if !self.out.is_empty() {
                self.out.push('\n');
            }
            return;
        }
        if lines > 0 {
            // Several empty lines become one.
            self.out.push_str(if lines > 1 { "\n\n" } else { "\n" });
            self.out.push_str(&INDENT.repeat(self.indentation(item)));
        } else if self.before.is_some_and(|before| self.is_apart(before, item)) {
            self.out.push(' ');
        }
        self.out.push_str(text.trim_end());
        if let Token::Sign(sign @ (Sign::Open | Sign::OpenBrace | Sign::OpenBracket)) = item.token {
            self.open.push(sign);
        }
        self.before = Some(item);
    }

    fn indentation(&self, item: Item) -> usize {
        let continues = self.before.is_some_and(|before| {
            !matches!(
                before.token,
                Token::Comment
                    | Token::Sign(
                        Sign::Semicolon
                            | Sign::OpenBrace
                            | Sign::CloseBrace
                            | Sign::Colon
                            | Sign::Open
                            | Sign::OpenBracket
                            | Sign::Comma
                    )
            ) && !matches!(
                item.token,
                Token::Comment
                    | Token::Sign(
                        Sign::OpenBrace | Sign::CloseBrace | Sign::Close | Sign::CloseBracket
                    )
            ) && (self.open.len() > 1 || self.open.last() == Some(&Sign::OpenBrace))
                && self.text(before) != "else"
        });
        self.open.len() + usize::from(continues)
    }

    fn text(&self, item: Item) -> &str {
        &self.source.text[item.span.start as usize..item.span.end as usize]
    }

    /// Returns whether a blank stands between two items of a line.
    fn is_apart(&self, before: Item, item: Item) -> bool {
        use Sign::*;
        let is_call =
            |name: &str| !matches!(name, "if" | "while" | "for" | "switch" | "return" | "IN");
        match (before.token, item.token) {
            (_, Token::Sign(Semicolon | Comma | Close | CloseBracket | Dot | Colon | Range)) => {
                false
            }
            (Token::Sign(Open | OpenBracket | Dot | Not | Range), _) => false,
            (Token::Word, Token::Sign(Open)) => !is_call(self.text(before)),
            (Token::Word | Token::Sign(Close | CloseBracket), Token::Sign(OpenBracket)) => {
                self.text(before) == "IN"
            }
            (Token::Sign(Minus), Token::Number) => !self.is_sign_of_number(before),
            _ => true,
        }
    }

    /// Returns whether a minus is the sign of the number after it: they are adjacent, and no value precedes the minus.
    fn is_sign_of_number(&self, minus: Item) -> bool {
        let text = &self.source.text;
        let follows = text.as_bytes().get(minus.span.end as usize).is_some_and(u8::is_ascii_digit);
        let ahead = text[..minus.span.start as usize].trim_end();
        let value_before =
            ahead.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ')' | ']' | '_'));
        follows && (!value_before || ahead.ends_with("return") || ahead.ends_with("case"))
    }
}
