//! Parses items into a syntax tree. After a mistake it continues at the next `;`, `}` or function, so that one run
//! shows all of them.

mod expressions;
mod statements;
mod types;

use std::sync::Arc;

use diagnostics::{Diagnostic, Once, Source, Span};

pub(crate) use types::type_words;

use crate::lexer::{Item, Sign, Token, items, items_within};
use crate::syntax::{
    Name, Script, WrittenExpression, WrittenFunction, WrittenParameter, WrittenTable,
    WrittenTariff, WrittenTest,
};

/// Maximum nesting of blocks and expressions, which bounds the parser's stack.
pub(crate) const NESTING_MAX: usize = 100;

/// The words that cannot be names.
pub(crate) const RESERVED: &[&str] = &[
    "declare",
    "if",
    "else",
    "switch",
    "case",
    "default",
    "for",
    "while",
    "return",
    "break",
    "continue",
    "delete",
    "assert",
    "test",
    "CONST",
    "IN",
    "TRUE",
    "FALSE",
    "NULL",
    "TABLE",
    "TARIFF",
    "BOOLEAN",
    "INTEGER",
    "OCTET",
    "TBCD",
    "BIT",
    "ENUMERATED",
    "SEQUENCE",
    "SET",
    "CHOICE",
    "REAL",
    "OPTIONAL",
];

/// The error for a mistake that was reported.
pub(crate) struct SyntaxError;

pub(crate) type Parsed<T> = Result<T, SyntaxError>;

/// Parses a script. Returns what could be parsed even if it has mistakes.
pub(crate) fn parse(source: &Arc<Source>, diagnostics: &mut Vec<Diagnostic>) -> Script {
    if source.text.len() > SCRIPT_OCTETS_MAX {
        let message = format!(
            "the script has {} octets, at most {SCRIPT_OCTETS_MAX} are allowed",
            source.text.len()
        );
        let hint = "put what is data into a TABLE";
        diagnostics.push(Diagnostic::error(source, Span::default(), message).hint(hint));
        return Script::default();
    }
    let mut items = items(source, diagnostics);
    items.retain(|item| item.token != Token::Comment);
    let once = Once::after(diagnostics);
    Parser { source, items, at: 0, depth: 0, diagnostics, once }.script()
}

/// Maximum octets of a script; bounds the cost of checking and compiling it.
pub(crate) const SCRIPT_OCTETS_MAX: usize = 1 << 20;

/// Parses a standalone expression in a part of a text.
pub(crate) fn parse_expression(
    source: &Arc<Source>,
    part: Span,
    diagnostics: &mut Vec<Diagnostic>,
) -> Parsed<WrittenExpression> {
    let mut items = items_within(source, part, diagnostics);
    items.retain(|item| item.token != Token::Comment);
    let once = Once::after(diagnostics);
    let mut parser = Parser { source, items, at: 0, depth: 0, diagnostics, once };
    let expression = parser.expression()?;
    match parser.peek() {
        Token::End => Ok(expression),
        _ => Err(parser.unexpected("the end of the expression")),
    }
}

pub(crate) struct Parser<'s> {
    source: &'s Arc<Source>,
    items: Vec<Item>,
    at: usize,
    depth: usize,
    diagnostics: &'s mut Vec<Diagnostic>,
    once: Once,
}

impl<'s> Parser<'s> {
    fn script(mut self) -> Script {
        let mut script = Script::default();
        while self.peek() != Token::End {
            let start = self.at;
            if self.declaration(&mut script).is_err() {
                self.skip_declaration(start);
            }
        }
        script
    }

    fn declaration(&mut self, script: &mut Script) -> Parsed<()> {
        if self.is_word("test") {
            script.tests.push(self.test()?);
        } else if self.is_word("declare") {
            self.declared(script)?;
        } else {
            script.functions.push(self.function()?);
        }
        Ok(())
    }

    /// Returns whether a function or test seems to begin here: a word in the first column, which is unusual within a
    /// function. If it is within one, a closing brace is missing before it.
    fn starts_declaration(&self) -> bool {
        let start = self.span().start as usize;
        let first_column = start == 0 || self.source.text.as_bytes()[start - 1] == b'\n';
        let then = |ahead: usize| self.items.get(self.at + ahead).map(|item| item.token);
        first_column
            && self.peek() == Token::Word
            && (matches!(then(1), Some(Token::Word)) || self.is_word("test"))
            && !self.is_word("declare")
            && !self.is_word("return")
            && !self.is_word("delete")
            && !self.is_word("assert")
    }

    /// Skips the braces of a declaration with a mistake.
    fn skip_declaration(&mut self, start: usize) {
        let mut open = 0_usize;
        for item in &self.items[start..self.at] {
            match item.token {
                Token::Sign(Sign::OpenBrace) => open += 1,
                Token::Sign(Sign::CloseBrace) => open = open.saturating_sub(1),
                _ => {}
            }
        }
        loop {
            match self.peek() {
                Token::End => return,
                _ if self.at > start && self.starts_declaration() => return,
                Token::Sign(Sign::OpenBrace) => open += 1,
                Token::Sign(Sign::CloseBrace) if open <= 1 => {
                    self.at += 1;
                    return;
                }
                Token::Sign(Sign::CloseBrace) => open -= 1,
                Token::Sign(Sign::Semicolon) if open == 0 => {
                    self.at += 1;
                    return;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    fn test(&mut self) -> Parsed<WrittenTest> {
        self.at += 1;
        let name = self.text("the name of the test, \"…\"")?;
        Ok(WrittenTest { name, body: self.block()? })
    }

    /// Parses a table or a tariff.
    fn declared(&mut self, script: &mut Script) -> Parsed<()> {
        self.at += 1;
        let name = self.name("the name of a table or a tariff")?;
        if self.takes_word("TABLE") {
            let file = self.text("the table's file, \"…\"")?;
            self.expect(Sign::Semicolon)?;
            script.tables.push(WrittenTable { name, file });
            return Ok(());
        }
        if !self.takes_word("TARIFF") {
            let hint = "outside of functions only tables and tariffs are declared: \
                        declare zones TABLE \"zones.csv\"; declare fjord TARIFF \"tariff\";";
            return Err(self.unexpected_hint("TABLE", Some(hint)));
        }
        let place = self.text("the folder of the plan, or a database of versions, \"…\"")?;
        let without_counters = self.takes_word("WITHOUT");
        if without_counters && !self.takes_word("COUNTERS") {
            return Err(self.unexpected_hint("COUNTERS", None));
        }
        self.expect(Sign::Semicolon)?;
        script.tariffs.push(WrittenTariff { name, place, without_counters });
        Ok(())
    }

    /// Consumes a word if it is next. Returns whether it was.
    fn takes_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    fn function(&mut self) -> Parsed<WrittenFunction> {
        // CONST on a result has no effect, since a result can only be read. It is accepted because the papers write it.
        if self.is_word("CONST") {
            self.at += 1;
        }
        let result = self.ty()?;
        let name = self.name("the name of the function")?;
        self.expect(Sign::Open)?;
        let parameters = self.list(Sign::Close, Self::parameter)?;
        Ok(WrittenFunction { name, parameters, result, body: self.block()? })
    }

    fn parameter(&mut self) -> Parsed<WrittenParameter> {
        let name = self.name("the name of a parameter")?;
        let constant = self.is_word("CONST");
        self.at += usize::from(constant);
        Ok(WrittenParameter { name, constant, ty: self.ty()? })
    }

    /// Parses items with commas between them, through the closing sign.
    fn list<T>(
        &mut self,
        close: Sign,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut list = Vec::new();
        if self.take(close) {
            return Ok(list);
        }
        loop {
            list.push(item(self)?);
            if self.take(close) {
                return Ok(list);
            }
            if !self.take(Sign::Comma) {
                return Err(self.unexpected(&format!("\",\" or \"{}\"", close.text())));
            }
        }
    }

    fn peek(&self) -> Token {
        self.items[self.at].token
    }

    fn span(&self) -> Span {
        self.items[self.at].span
    }

    /// Returns the span from `start` to the end of the previous item.
    fn since(&self, start: Span) -> Span {
        start.to(self.items[self.at.saturating_sub(1)].span)
    }

    fn slice(&self, span: Span) -> &'s str {
        &self.source.text[span.start as usize..span.end as usize]
    }

    fn word(&self) -> Option<&'s str> {
        (self.peek() == Token::Word).then(|| self.slice(self.span()))
    }

    fn is_word(&self, word: &str) -> bool {
        self.word() == Some(word)
    }

    fn is_sign(&self, sign: Sign) -> bool {
        self.peek() == Token::Sign(sign)
    }

    fn take(&mut self, sign: Sign) -> bool {
        let there = self.is_sign(sign);
        self.at += usize::from(there);
        there
    }

    fn expect(&mut self, sign: Sign) -> Parsed<()> {
        match self.take(sign) {
            true => Ok(()),
            false if sign == Sign::Semicolon => {
                // Point to the text before the missing sign.
                let end = self.items[self.at.saturating_sub(1)].span.end as usize;
                let span = Span::new(end.saturating_sub(1), end);
                let hint =
                    self.other_declaration().or_else(|| self.other_comment().map(str::to_owned));
                Err(self.error(span, "a \";\" is missing after this", hint.as_deref()))
            }
            false => Err(self.unexpected(&format!("\"{}\"", sign.text()))),
        }
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        match self.word() {
            Some(word) if RESERVED.contains(&word) => {
                let hint = format!("\"{word}\" is a word of the language");
                Err(self.unexpected_hint(what, Some(&hint)))
            }
            Some(word) => {
                let name = Name { text: word.to_owned(), span: self.span() };
                self.at += 1;
                Ok(name)
            }
            None => Err(self.unexpected(what)),
        }
    }

    /// Parses the name of a field. Reserved words are allowed, because modules choose these names.
    fn field_name(&mut self) -> Parsed<Name> {
        let Some(word) = self.word() else { return Err(self.unexpected("the name of a field")) };
        let name = Name { text: word.to_owned(), span: self.span() };
        self.at += 1;
        Ok(name)
    }

    fn text(&mut self, what: &str) -> Parsed<Name> {
        if self.peek() != Token::Text {
            return Err(self.unexpected(what));
        }
        let span = self.span();
        let text = String::from_utf8_lossy(&self.unescaped(span)).into_owned();
        self.at += 1;
        Ok(Name { text, span })
    }

    #[cold]
    fn unexpected(&mut self, expected: &str) -> SyntaxError {
        let before = self.items[self.at.saturating_sub(1)].span.start;
        let line = self.source.line(self.source.place(before).line);
        let hint = match line.matches("--").count() > 1 {
            true => Some("a second \"--\" on a line ends the comment"),
            false => self.other_comment(),
        };
        self.unexpected_hint(expected, hint)
    }

    /// Returns a hint for a declaration in the style of other languages, as `int name`.
    fn other_declaration(&self) -> Option<String> {
        let before = self.at.checked_sub(1).map(|at| self.slice(self.items[at].span))?;
        let ty = match before {
            "int" | "long" | "INTEGER" => "INTEGER",
            "bool" | "boolean" | "BOOLEAN" => "BOOLEAN",
            "char" | "string" | "String" | "UTF8String" => "UTF8String",
            _ => return None,
        };
        Some(format!("a variable is declared so: declare {} {ty};", self.word()?))
    }

    /// Returns a hint for a comment in the style of other languages.
    fn other_comment(&self) -> Option<&'static str> {
        let here = &self.source.text[self.span().start as usize..];
        let is_one = ["//", "/*", "#"].iter().any(|begin| here.starts_with(begin));
        is_one.then_some("a comment begins with \"--\"")
    }

    #[cold]
    fn unexpected_hint(&mut self, expected: &str, hint: Option<&str>) -> SyntaxError {
        let span = self.span();
        let found = match self.peek() {
            Token::End => "the end of the script".to_owned(),
            _ => {
                let shown: String = self.slice(span).chars().take(40).collect();
                format!("\"{}\"", shown.trim_matches('"'))
            }
        };
        self.error(span, format!("expected {expected}, found {found}"), hint)
    }

    #[cold]
    fn error(&mut self, span: Span, message: impl Into<String>, hint: Option<&str>) -> SyntaxError {
        let diagnostic = Diagnostic::error(self.source, span, message);
        let diagnostic = diagnostic.hint_maybe(hint.map(str::to_owned));
        self.once.put(diagnostic, self.diagnostics);
        SyntaxError
    }

    /// Parses one level deeper. Fails beyond [`NESTING_MAX`].
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == NESTING_MAX {
            let message = format!("nested deeper than {NESTING_MAX} levels");
            return Err(self.error(self.span(), message, None));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }
}
