//! Splits the text of a formula into items.

use std::sync::Arc;

use diagnostics::{Diagnostic, Source, Span};

/// The kind of an item.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A name or a word of the language.
    Word(String),
    /// A name in quotes, which is no word of the language.
    Quoted(String),
    /// A number, which is finite.
    Number(f64),
    /// One or two characters.
    Sign(Sign),
    /// What is none of these. It is reported, and stands for anything.
    Wrong,
    /// The end of the text.
    End,
}

/// A sign of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Plus,
    Minus,
    Times,
    Divide,
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    Comma,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
}

/// All signs; a longer one comes before those that it begins with.
const SIGNS: [(&str, Sign); 15] = [
    (">=", Sign::GreaterOrEqual),
    ("<=", Sign::LessOrEqual),
    ("==", Sign::Equal),
    ("!=", Sign::NotEqual),
    (">", Sign::Greater),
    ("<", Sign::Less),
    ("+", Sign::Plus),
    ("-", Sign::Minus),
    ("*", Sign::Times),
    ("/", Sign::Divide),
    ("(", Sign::Open),
    (")", Sign::Close),
    ("[", Sign::OpenBracket),
    ("]", Sign::CloseBracket),
    (",", Sign::Comma),
];

/// Signs of other languages, and what is written here.
const OTHER_SIGNS: [(&str, &str); 7] = [
    ("&&", "and"),
    ("||", "or"),
    ("<>", "!="),
    ("=<", "<="),
    ("=>", ">="),
    ("=", "=="),
    ("×", "*"),
];

/// An item and its place.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) token: Token,
    pub(super) span: Span,
}

/// Returns whether a name needs no quotes.
pub(super) fn is_plain_name(name: &str) -> bool {
    name.starts_with(begins_name) && name.chars().all(is_in_name) && name != "and" && name != "or"
}

fn begins_name(letter: char) -> bool {
    letter.is_alphabetic() || letter == '_'
}

fn is_in_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '.'
}

/// Returns the items of a part of a text, ended by [`Token::End`].
pub(super) fn items(source: &Arc<Source>, part: Span, mistakes: &mut Vec<Diagnostic>) -> Vec<Item> {
    let (start, end) = (part.start as usize, part.end as usize);
    let mut lexer = Lexer { source, text: &source.text[..end], at: start, mistakes };
    let mut items = Vec::new();
    while let Some(item) = lexer.next() {
        items.push(item);
    }
    items.push(Item { token: Token::End, span: Span::new(end, end) });
    items
}

struct Lexer<'l> {
    source: &'l Arc<Source>,
    text: &'l str,
    at: usize,
    mistakes: &'l mut Vec<Diagnostic>,
}

impl<'l> Lexer<'l> {
    fn next(&mut self) -> Option<Item> {
        self.take(char::is_whitespace);
        let start = self.at;
        let token = match self.rest().chars().next()? {
            letter if begins_name(letter) => Token::Word(self.take(is_in_name).to_owned()),
            digit if digit.is_ascii_digit() || digit == '.' => self.number(),
            '"' => self.quoted(),
            letter => self.sign(letter),
        };
        Some(Item { token, span: Span::new(start, self.at) })
    }

    fn rest(&self) -> &'l str {
        &self.text[self.at..]
    }

    fn take(&mut self, wanted: impl Fn(char) -> bool) -> &'l str {
        let rest = self.rest();
        let length = rest.find(|letter| !wanted(letter)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn number(&mut self) -> Token {
        let start = self.at;
        let digits = self.take(is_in_name);
        // The sign of an exponent.
        let rest = self.rest();
        let is_exponent = digits.ends_with(['e', 'E'])
            && digits.len() > 1
            && rest.starts_with(['+', '-'])
            && digits[..digits.len() - 1]
                .chars()
                .all(|digit| digit.is_ascii_digit() || digit == '.');
        if is_exponent {
            self.at += 1;
            self.take(|digit| digit.is_ascii_digit());
        }
        let text = &self.text[start..self.at];
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Token::Number(number),
            Ok(_) => self.wrong(start, format!("{text} is too large for a number"), None),
            Err(_) => {
                let hint = match digits.chars().any(char::is_alphabetic) {
                    true => "a name that begins with a digit stands in quotes: \"5QI1.Flows\"",
                    false => "write 1500, 0.25 or 1.5e3",
                };
                self.wrong(start, format!("\"{text}\" is no number"), Some(hint))
            }
        }
    }

    fn quoted(&mut self) -> Token {
        let start = self.at;
        self.at += 1;
        let mut name = String::new();
        loop {
            name.push_str(self.take(|letter| letter != '"'));
            if self.rest().is_empty() {
                return self.wrong(start, "this quote is not closed".to_owned(), None);
            }
            self.at += 1;
            if !self.rest().starts_with('"') {
                break;
            }
            name.push('"');
            self.at += 1;
        }
        match name.is_empty() {
            true => self.wrong(start, "a counter has a name".to_owned(), None),
            false => Token::Quoted(name),
        }
    }

    fn sign(&mut self, letter: char) -> Token {
        let (start, rest) = (self.at, self.rest());
        let other = OTHER_SIGNS.iter().find(|(text, _)| rest.starts_with(text));
        if let Some((text, here)) =
            other.filter(|(text, _)| *text != "=" || !rest.starts_with("=="))
        {
            self.at += text.len();
            let hint = format!("write {here}");
            return self.wrong(start, format!("no sign is written {text}"), Some(&hint));
        }
        if let Some((text, sign)) = SIGNS.iter().find(|(text, _)| rest.starts_with(text)) {
            self.at += text.len();
            return Token::Sign(*sign);
        }
        self.at += letter.len_utf8();
        let hint = "a name with other characters than letters, digits, _ and . stands in quotes";
        self.wrong(start, format!("\"{letter}\" is no sign of a formula"), Some(hint))
    }

    fn wrong(&mut self, start: usize, message: String, hint: Option<&str>) -> Token {
        let mistake = Diagnostic::error(self.source, Span::new(start, self.at), message);
        self.mistakes.push(mistake.hint_maybe(hint.map(str::to_owned)));
        Token::Wrong
    }
}
