//! Splits text into items, with comments: the formatter keeps them, the parser ignores them.

use std::sync::Arc;

use diagnostics::{Diagnostic, Source, Span};

/// The kind of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A name or a word of the language: letters, digits, `_`, and hyphens inside.
    Word,
    /// Decimal digits.
    Number,
    /// `"…"`.
    Text,
    /// `'…'H`.
    Hex,
    /// `'…'B`.
    Bits,
    /// One or two characters.
    Sign(Sign),
    /// `-- …` to the end of the line or the next `--` (X.680, 12.6.3).
    Comment,
    /// The end of the text.
    End,
}

/// Signs, with their text.
macro_rules! signs {
    ($($name:ident $text:literal),* $(,)?) => {
        /// A sign of the language.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Sign { $($name),* }

        impl Sign {
            /// All signs; a longer one comes before those it begins with.
            const ALL: &[(Sign, &str)] = &[$((Sign::$name, $text)),*];

            /// Returns its text.
            pub(crate) fn text(self) -> &'static str {
                match self { $(Sign::$name => $text),* }
            }
        }
    };
}

signs! {
    AssignLong "::=", Assign ":=", AddAssign "+=", SubtractAssign "-=", OrAssign "|=",
    Equal "==", NotEqual "!=", LessOrEqual "<=", GreaterOrEqual ">=", And "&&", Or "||",
    Increment "++", Range "..", SingleEqual "=", Less "<", Greater ">", Not "!", Plus "+",
    Minus "-", Times "*", Divide "/", Remainder "%", Open "(", Close ")", OpenBrace "{",
    CloseBrace "}", OpenBracket "[", CloseBracket "]", Comma ",", Semicolon ";", Colon ":", Dot ".",
}

/// A token and its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub(crate) token: Token,
    pub(crate) span: Span,
}

/// Returns the items of a text with comments, ended by [`Token::End`]. Characters that form no token are reported and
/// left out.
pub(crate) fn items(source: &Arc<Source>, diagnostics: &mut Vec<Diagnostic>) -> Vec<Item> {
    // Text from an editor or a browser may still have a byte order mark.
    let text = source.text.as_str();
    let mark = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
    items_within(source, Span::new(mark, text.len()), diagnostics)
}

/// Returns the items of a part of a text.
pub(crate) fn items_within(
    source: &Arc<Source>,
    part: Span,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Item> {
    let (start, end) = (part.start as usize, part.end as usize);
    let octets = &source.text.as_bytes()[..end];
    let mut lexer = Lexer { source, octets, at: start, diagnostics };
    let mut items = Vec::new();
    while let Some(item) = lexer.next() {
        items.push(item);
    }
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
    fn next(&mut self) -> Option<Item> {
        loop {
            self.skip(|octet| octet.is_ascii_whitespace());
            let start = self.at;
            let first = *self.octets.get(start)?;
            if let Some(token) = self.token(first) {
                return Some(Item { token, span: Span::new(start, self.at) });
            }
        }
    }

    fn rest(&self) -> &[u8] {
        &self.octets[self.at..]
    }

    fn skip(&mut self, wanted: impl Fn(u8) -> bool) {
        self.at += self.rest().iter().take_while(|octet| wanted(**octet)).count();
    }

    fn token(&mut self, first: u8) -> Option<Token> {
        if self.rest().starts_with(b"--") {
            self.comment();
            return Some(Token::Comment);
        }
        match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                self.word();
                Some(Token::Word)
            }
            b'0'..=b'9' => {
                self.skip(|octet| octet.is_ascii_digit());
                Some(Token::Number)
            }
            b'"' => self.text(),
            b'\'' => self.quoted(),
            _ => self.sign(),
        }
    }

    fn comment(&mut self) {
        let line = self.rest().iter().position(|octet| *octet == b'\n');
        let line = line.unwrap_or(self.rest().len());
        // A comment may begin with more than two hyphens: a ruler is one comment.
        let hyphens = self.rest().iter().take_while(|octet| **octet == b'-').count();
        let within = &self.rest()[hyphens.min(line)..line];
        let closed = within.windows(2).position(|pair| pair == b"--");
        self.at += match closed {
            Some(place) => hyphens + place + 2,
            None => line,
        };
    }

    /// Skips a word. A hyphen inside a word belongs to it, as in ASN.1.
    fn word(&mut self) {
        loop {
            self.skip(|octet| octet.is_ascii_alphanumeric() || octet == b'_');
            match self.rest() {
                [b'-', next, ..] if next.is_ascii_alphanumeric() => self.at += 1,
                _ => return,
            }
        }
    }

    fn text(&mut self) -> Option<Token> {
        let start = self.at;
        self.at += 1;
        while let Some(octet) = self.rest().first() {
            match octet {
                b'"' => {
                    self.at += 1;
                    return Some(Token::Text);
                }
                b'\n' => break,
                b'\\' if self.rest().len() > 1 => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.wrong(start, "this text has no closing \"");
        None
    }

    fn quoted(&mut self) -> Option<Token> {
        let start = self.at;
        self.at += 1;
        self.skip(|octet| octet != b'\'' && octet != b'\n');
        match self.rest() {
            [b'\'', b'H' | b'h', ..] => {
                self.at += 2;
                Some(Token::Hex)
            }
            [b'\'', b'B' | b'b', ..] => {
                self.at += 2;
                Some(Token::Bits)
            }
            _ => {
                self.at += usize::from(!self.rest().is_empty());
                self.wrong(start, "octets are written '0A1F'H or '0101'B, text \"…\"");
                None
            }
        }
    }

    fn sign(&mut self) -> Option<Token> {
        let found = Sign::ALL.iter().find(|(_, text)| self.rest().starts_with(text.as_bytes()));
        if let Some((sign, text)) = found {
            self.at += text.len();
            return Some(Token::Sign(*sign));
        }
        let start = self.at;
        let character = self.source.text.get(start..).and_then(|rest| rest.chars().next());
        self.at += character.map_or(1, char::len_utf8);
        self.wrong(start, "this character has no meaning here");
        None
    }

    #[cold]
    fn wrong(&mut self, start: usize, message: &str) {
        let span = Span::new(start, self.at);
        self.diagnostics.push(Diagnostic::error(self.source, span, message));
    }
}
