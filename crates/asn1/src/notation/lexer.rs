//! Splits text into lexical items (X.680, clause 12).

use std::sync::Arc;

use diagnostics::{Diagnostic, Source, Span};

/// The kind of a lexical item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A name or word that begins with a capital letter.
    Upper,
    /// A name that begins with a small letter.
    Lower,
    /// `&name`.
    FieldName,
    /// Digits.
    Number,
    /// Digits with a fraction or exponent.
    Real,
    /// `"…"`.
    Text,
    /// `'…'B`.
    Bits,
    /// `'…'H`.
    Hex,
    /// `::=`.
    Assign,
    /// `...`.
    Ellipsis,
    /// `..`.
    Range,
    /// `[[`.
    OpenGroup,
    /// `]]`.
    CloseGroup,
    /// Any other single character.
    Sign(char),
    /// The end of the text.
    End,
}

/// A lexical item and its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub(crate) token: Token,
    pub(crate) span: Span,
}

/// Returns the items of a text. Characters that form no item are reported and left out.
pub(crate) fn items(source: &Arc<Source>, diagnostics: &mut Vec<Diagnostic>) -> Vec<Item> {
    let mut lexer = Lexer { source, octets: source.text.as_bytes(), at: 0, diagnostics };
    let mut items = Vec::new();
    while let Some(item) = lexer.next() {
        items.push(item);
    }
    let end = source.text.len();
    items.push(Item { token: Token::End, span: Span::new(end, end) });
    items
}

struct Lexer<'s> {
    source: &'s Arc<Source>,
    octets: &'s [u8],
    at: usize,
    diagnostics: &'s mut Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.octets.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn next(&mut self) -> Option<Item> {
        loop {
            self.skip_space();
            if self.at >= self.octets.len() {
                return None;
            }
            let start = self.at;
            if let Some(token) = self.token() {
                return Some(Item { token, span: Span::new(start, self.at) });
            }
        }
    }

    fn skip_space(&mut self) {
        loop {
            match (self.peek(0), self.peek(1)) {
                (b'-', b'-') => self.line_comment(),
                (b'/', b'*') => self.block_comment(),
                (b' ' | b'\t' | b'\r' | b'\n' | 0x0B | 0x0C, _) => self.at += 1,
                // No-break spaces and byte order marks come from word processors.
                (0xC2, 0xA0) => self.at += 2,
                (0xEF, 0xBB) if self.peek(2) == 0xBF => self.at += 3,
                (0, _) if self.at < self.octets.len() => self.at += 1,
                _ => return,
            }
        }
    }

    /// Skips a comment to the end of the line or the next pair of dashes (X.680, 12.6.3). More than three dashes are a
    /// drawn rule, which ends nothing.
    fn line_comment(&mut self) {
        let start = self.at;
        let mut has_rule = self.dashes() > 3;
        while self.at < self.octets.len() && self.peek(0) != b'\n' {
            match self.dashes() {
                0 => self.at += 1,
                1 => {}
                2 | 3 => break,
                _ => has_rule = true,
            }
        }
        if has_rule {
            self.hidden(start);
        }
    }

    /// Warns about ASN.1 that is commented out only because of a dashed rule before it.
    fn hidden(&mut self, start: usize) {
        let comment = &self.source.text[start..self.at];
        for (place, outside) in outside_of_comments(comment) {
            let text = outside.trim();
            let is_last = place + outside.len() == comment.len();
            if is_notation(text, is_last) {
                let at = start + place + (outside.len() - outside.trim_start().len());
                let message = "this is read as a comment; by X.680 the comment before it is over";
                let warning =
                    Diagnostic::warning(self.source, Span::new(at, at + text.len()), message);
                self.diagnostics.push(warning.hint("a comment begins with two dashes, not four"));
            }
        }
    }

    fn dashes(&mut self) -> usize {
        let start = self.at;
        while self.peek(0) == b'-' {
            self.at += 1;
        }
        self.at - start
    }

    fn block_comment(&mut self) {
        let start = self.at;
        let mut depth = 0_usize;
        while self.at < self.octets.len() {
            match (self.peek(0), self.peek(1)) {
                (b'/', b'*') => depth += 1,
                (b'*', b'/') => depth -= 1,
                _ => {
                    self.at += 1;
                    continue;
                }
            }
            self.at += 2;
            if depth == 0 {
                return;
            }
        }
        let span = Span::new(start, start + 2);
        let message = "this comment has no end";
        self.diagnostics
            .push(Diagnostic::error(self.source, span, message).hint("write */ where it ends"));
    }

    fn token(&mut self) -> Option<Token> {
        let first = self.peek(0);
        match first {
            b'A'..=b'Z' => Some(self.word(Token::Upper)),
            b'a'..=b'z' => Some(self.word(Token::Lower)),
            b'&' if self.peek(1).is_ascii_alphabetic() => {
                self.at += 1;
                Some(self.word(Token::FieldName))
            }
            b'0'..=b'9' => Some(self.number()),
            b'"' => self.text(),
            b'\'' => self.quoted(),
            b':' if self.octets[self.at..].starts_with(b"::=") => Some(self.take(3, Token::Assign)),
            b'.' if self.octets[self.at..].starts_with(b"...") => {
                Some(self.take(3, Token::Ellipsis))
            }
            b'.' if self.peek(1) == b'.' => Some(self.take(2, Token::Range)),
            b'[' if self.peek(1) == b'[' => Some(self.take(2, Token::OpenGroup)),
            b']' if self.peek(1) == b']' => Some(self.take(2, Token::CloseGroup)),
            b'{' | b'}' | b'(' | b')' | b'[' | b']' | b'<' | b'>' | b',' | b'.' | b';' | b':'
            | b'|' | b'^' | b'@' | b'!' | b'*' | b'-' | b'/' | b'=' | b'+' => {
                Some(self.take(1, Token::Sign(char::from(first))))
            }
            _ => {
                self.stray();
                None
            }
        }
    }

    fn take(&mut self, octets: usize, token: Token) -> Token {
        self.at += octets;
        token
    }

    /// Skips letters, digits and single hyphens; vendors also use the underscore.
    fn word(&mut self, token: Token) -> Token {
        loop {
            let next = self.peek(1);
            match self.peek(0) {
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' => self.at += 1,
                b'-' if next.is_ascii_alphanumeric() => self.at += 1,
                _ => return token,
            }
        }
    }

    fn number(&mut self) -> Token {
        self.digits();
        let mut token = Token::Number;
        if self.peek(0) == b'.' && self.peek(1).is_ascii_digit() {
            self.at += 1;
            self.digits();
            token = Token::Real;
        }
        let signed = usize::from(matches!(self.peek(1), b'-' | b'+'));
        if matches!(self.peek(0), b'e' | b'E') && self.peek(1 + signed).is_ascii_digit() {
            self.at += 1 + signed;
            self.digits();
            token = Token::Real;
        }
        token
    }

    fn digits(&mut self) {
        while self.peek(0).is_ascii_digit() {
            self.at += 1;
        }
    }

    fn text(&mut self) -> Option<Token> {
        let start = self.at;
        self.at += 1;
        while self.at < self.octets.len() {
            match (self.peek(0), self.peek(1)) {
                (b'"', b'"') => self.at += 2,
                (b'"', _) => return Some(self.take(1, Token::Text)),
                _ => self.at += 1,
            }
        }
        self.unclosed(start, "\"")
    }

    fn quoted(&mut self) -> Option<Token> {
        let start = self.at;
        self.at += 1;
        while self.at < self.octets.len() && self.peek(0) != b'\'' {
            self.at += 1;
        }
        match self.peek(1) {
            b'B' | b'b' => Some(self.take(2, Token::Bits)),
            b'H' | b'h' => Some(self.take(2, Token::Hex)),
            _ => self.unclosed(start, "'B or 'H"),
        }
    }

    #[cold]
    fn unclosed(&mut self, start: usize, end: &str) -> Option<Token> {
        self.at = start + 1;
        let span = Span::new(start, start + 1);
        let wrong = Diagnostic::error(self.source, span, "this string has no end");
        self.diagnostics.push(wrong.hint(format!("write {end} where it ends")));
        None
    }

    #[cold]
    fn stray(&mut self) {
        let character = self.source.text[self.at..].chars().next().unwrap_or('?');
        let span = Span::new(self.at, self.at + character.len_utf8());
        let shown = character.escape_debug();
        let message = format!("\"{shown}\" has no meaning in ASN.1; it is passed over");
        self.diagnostics.push(Diagnostic::warning(self.source, span, message));
        self.at += character.len_utf8();
    }
}

/// Returns the parts of a line that X.680, 12.6.3 treats as outside comments, with their offsets. Every pair of dashes
/// starts or ends a comment.
fn outside_of_comments(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    line.split("--").enumerate().filter_map(move |(pairs, stretch)| {
        let place = at;
        at += stretch.len() + 2;
        (pairs % 2 == 0 && !stretch.trim().is_empty()).then_some((place, stretch))
    })
}

/// Returns whether text looks like part of a definition rather than a heading between two rules.
fn is_notation(text: &str, is_last: bool) -> bool {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let is_typed = |word: &str| {
        matches!(
            word,
            "BOOLEAN"
                | "CHOICE"
                | "DEFAULT"
                | "ENUMERATED"
                | "INTEGER"
                | "NULL"
                | "OPTIONAL"
                | "REAL"
                | "SEQUENCE"
                | "SET"
                | "STRING"
        ) || word.ends_with("String")
    };
    let is_component = || {
        let mut words = text.split_whitespace();
        let capital = |word: &str| word.starts_with(|c: char| c.is_ascii_uppercase());
        let small = |word: &str| word.starts_with(|c: char| c.is_ascii_lowercase());
        matches!((words.next(), words.next(), words.next()), (Some(name), Some(ty), None) if small(name) && capital(ty))
    };
    text.contains("::=")
        || text.contains(['[', ']', '{', '}'])
        || text.ends_with(',')
        || is_last && (words.any(is_typed) || is_component())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let source = Source::new("test", text);
        let found: Vec<&str> = items(&source, &mut Vec::new())
            .iter()
            .filter(|item| item.token != Token::End)
            .map(|item| &text[item.span.start as usize..item.span.end as usize])
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn a_text_is_cut_into_items() {
        check("A-b ::= [0]", &["A-b", "::=", "[", "0", "]"]);
        check("a -- comment -- b -- rest\nc", &["a", "b", "c"]);
        check("a ------------\n----- x -----\nb", &["a", "b"]);
        check("a -- x ---- y\nb", &["a", "b"]);
        check("a /* x /* y */ z */ b", &["a", "b"]);
        check("1..2.5 -3e-4 ...", &["1", "..", "2.5", "-", "3e-4", "..."]);
        check("'0A'H \"say \"\"x\"\"\" &Type", &["'0A'H", "\"say \"\"x\"\"\"", "&Type"]);
        check("[[ a ]]", &["[[", "a", "]]"]);
    }
}
