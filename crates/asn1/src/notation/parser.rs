//! Parses items into syntax, with one function per production of X.680 to X.683. A mistake loses its assignment, not
//! the module.

use std::ops::Range;
use std::sync::Arc;

use diagnostics::{Diagnostic, Source, Span, did_you_mean};

use super::brackets;
use super::lexer::{Item, Token, items};
use super::syntax::{
    Argument, Assigned, Assignment, Body, ClassField, Import, Module, ObjectClass, Tagging, Text,
    TypeExpression,
};
use super::syntax::{Value, ValueKind};
use super::types::NEVER_TYPES;

/// Maximum nesting of types in the notation; real modules reach about ten.
const NESTING_MAX: usize = 100;

/// How far before an error to look for a comment.
const NEAR_OCTETS: usize = 1_000;

/// Maximum octets of a word shown in a message. Words are ASCII.
const WORD_OCTETS_MAX: usize = 100;

/// Maximum items of a module identifier between its name and DEFINITIONS.
const IDENTIFIER_ITEMS_MAX: usize = 100;

/// Keyword of the encoding control section (X.680, 54).
const ENCODING_CONTROL: &str = "ENCODING-CONTROL";

/// Words that are often mistyped where something else is expected.
const KEYWORDS: [&str; 8] =
    ["AUTOMATIC", "BEGIN", "DEFAULT", "DEFINITIONS", "EXPLICIT", "IMPLICIT", "OPTIONAL", "TAGS"];

/// Returns the modules of a text. Parts that could be parsed are returned even if others could not.
pub(crate) fn parse(source: &Arc<Source>, diagnostics: &mut Vec<Diagnostic>) -> Vec<Module> {
    let mut items = items(source, diagnostics);
    brackets::normalise(source, &mut items, diagnostics);
    let text = Arc::new(Text { source: Arc::clone(source), items });
    let mut parser = Parser::within(&text, 0, diagnostics);
    let mut modules = Vec::new();
    while parser.token() != Token::End {
        modules.push(parser.module());
    }
    modules
}

/// The name of an object's class, and the range of its items.
type ObjectItems = (String, Range<usize>);

/// The error for a mistake that was reported.
pub(super) struct Reported;
pub(super) type Parsed<T> = Result<T, Reported>;

pub(super) struct Parser<'d> {
    pub(super) text: Arc<Text>,
    pub(super) at: usize,
    nesting: usize,
    /// Whether square brackets contain an encoding instruction by default, not a tag.
    pub(super) instructions_are_default: bool,
    diagnostics: &'d mut Vec<Diagnostic>,
}

#[derive(Default)]
struct ModuleOptions {
    tagging: Option<Tagging>,
    extensibility_implied: bool,
}

impl<'d> Parser<'d> {
    /// Creates a parser for a text from an item on.
    pub(super) fn within(
        text: &Arc<Text>,
        at: usize,
        diagnostics: &'d mut Vec<Diagnostic>,
    ) -> Self {
        let instructions_are_default = false;
        Parser { text: Arc::clone(text), at, nesting: 0, instructions_are_default, diagnostics }
    }
}

impl Parser<'_> {
    pub(super) fn item(&self) -> Item {
        self.ahead(0)
    }

    pub(super) fn ahead(&self, count: usize) -> Item {
        let last = self.text.items.len() - 1;
        self.text.items[(self.at + count).min(last)]
    }

    pub(super) fn token(&self) -> Token {
        self.item().token
    }

    pub(super) fn word(&self) -> &str {
        self.text.at(self.item().span)
    }

    pub(super) fn word_ahead(&self, count: usize) -> &str {
        self.text.at(self.ahead(count).span)
    }

    pub(super) fn is(&self, sign: char) -> bool {
        self.token() == Token::Sign(sign)
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        self.token() == Token::Upper && self.word() == word
    }

    pub(super) fn step(&mut self) -> Span {
        let span = self.item().span;
        if self.token() != Token::End {
            self.at += 1;
        }
        span
    }

    /// Returns the span from `start` to the end of the previous item.
    pub(super) fn since(&self, start: Span) -> Span {
        start.to(self.text.items[self.at.saturating_sub(1)].span)
    }

    pub(super) fn take(&mut self, sign: char) -> bool {
        let found = self.is(sign);
        if found {
            self.step();
        }
        found
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.step();
        }
        found
    }

    pub(super) fn expect(&mut self, sign: char) -> Parsed<Span> {
        if self.is(sign) { Ok(self.step()) } else { self.wrong(&format!("\"{sign}\"")) }
    }

    /// Reports that something else was expected here.
    pub(super) fn wrong<T>(&mut self, expected: &str) -> Parsed<T> {
        let found = match self.token() {
            Token::End => "the end of the text".to_owned(),
            Token::Text | Token::Bits | Token::Hex => "a string".to_owned(),
            _ if self.word().len() > WORD_OCTETS_MAX => {
                format!("\"{}…\"", &self.word()[..WORD_OCTETS_MAX])
            }
            _ => format!("\"{}\"", self.word()),
        };
        let message = format!("expected {expected}, found {found}");
        let hint = match self.token() {
            _ if self.is_behind_comment() => {
                Some("the comment before this ends at its second --".to_owned())
            }
            Token::Upper => did_you_mean(self.word(), KEYWORDS),
            Token::Sign(':') => Some("a definition is written ::=".to_owned()),
            _ => None,
        };
        let wrong = Diagnostic::error(&self.text.source, self.item().span, message);
        self.diagnostics.push(wrong.hint_maybe(hint));
        Err(Reported)
    }

    /// Returns whether a comment that ends with dashes precedes this item on its line. Authors often expect such a
    /// comment to reach the end of the line.
    fn is_behind_comment(&self) -> bool {
        let end = self.item().span.start as usize;
        let near = &self.text.source.text.as_bytes()[end.saturating_sub(NEAR_OCTETS)..end];
        let line = near.rsplit(|octet| *octet == b'\n').next().unwrap_or_default();
        let dashes = || line.windows(2).filter(|pair| pair == b"--").count();
        line.trim_ascii_start().starts_with(b"--") && dashes() > 1
    }

    pub(super) fn mistake(&mut self, span: Span, message: &str) {
        self.diagnostics.push(Diagnostic::error(&self.text.source, span, message));
    }

    pub(super) fn forgive(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::warning(&self.text.source, span, message));
    }

    pub(super) fn name(&mut self) -> Parsed<String> {
        match self.token() {
            Token::Lower => {
                let name = self.word().to_owned();
                self.step();
                Ok(name)
            }
            Token::Upper if self.ahead(1).token != Token::Assign => {
                let (name, span) = (self.word().to_owned(), self.step());
                self.forgive(span, format!("\"{name}\" should begin with a small letter"));
                Ok(name)
            }
            _ => self.wrong("a name"),
        }
    }

    pub(super) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting == NESTING_MAX {
            return self.wrong(&format!("no more than {NESTING_MAX} types within each other"));
        }
        self.nesting += 1;
        let parsed = parse(self);
        self.nesting -= 1;
        parsed
    }

    /// Skips a bracketed part. Returns whether it was empty.
    pub(super) fn skip_brackets(&mut self) -> Parsed<bool> {
        let open = self.item().span;
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            match self.token() {
                Token::Sign('(' | '{' | '[') => depth += 1,
                Token::OpenGroup => depth += 2,
                Token::Sign(')' | '}' | ']') => depth = depth.saturating_sub(1),
                Token::CloseGroup => depth = depth.saturating_sub(2),
                Token::End => {
                    let wrong =
                        Diagnostic::error(&self.text.source, open, "this bracket is never closed");
                    self.diagnostics.push(wrong);
                    return Err(Reported);
                }
                _ => {}
            }
            self.step();
            if depth == 0 {
                return Ok(self.at == start + 2);
            }
        }
    }

    // ModuleDefinition (X.680, 13.1).
    fn module(&mut self) -> Module {
        self.instructions_are_default = false;
        let (name, options) = self.module_header();
        let start = self.at;
        let begun = self.at > 0 && self.text.at(self.text.items[self.at - 1].span) == "BEGIN";
        let mut module = Module {
            name,
            text: Arc::clone(&self.text),
            tagging: options.tagging,
            extensibility_implied: options.extensibility_implied,
            imports: Vec::new(),
            assignments: Vec::new(),
        };
        loop {
            match self.token() {
                _ if self.token() == Token::End
                    || self.at > start && self.begins_module(self.at) =>
                {
                    if begun {
                        let span = self.item().span;
                        self.forgive(span, format!("module \"{}\" has no END", module.name));
                    }
                    break;
                }
                _ if self.take_word("END") => break,
                Token::Sign(';') => {
                    self.step();
                }
                _ if self.is_word("EXPORTS") => self.skip_to_semicolon(),
                _ if self.is_word("IMPORTS") => module.imports.extend(self.imports()),
                _ if self.is_word(ENCODING_CONTROL) => self.encoding_control(),
                _ => match self.assignment() {
                    Ok(assignment) => module.assignments.push(assignment),
                    Err(Reported) => self.recover(),
                },
            }
        }
        module
    }

    fn module_header(&mut self) -> (String, ModuleOptions) {
        self.skip_to_module();
        let start = self.at;
        if matches!(self.token(), Token::Upper | Token::Lower) && !self.is_word("IMPORTS") {
            let name = self.word().to_owned();
            self.step();
            if self.is('{') {
                let _ = self.skip_brackets();
            }
            if self.take_word("DEFINITIONS") {
                return (name, self.module_options());
            }
        }
        self.at = start;
        let path = std::path::Path::new(&self.text.source.name);
        let stem = path.file_stem().map_or("Module".into(), |stem| stem.to_string_lossy());
        let (name, span) = (stem.into_owned(), self.item().span);
        let message = format!("no module header here; it is read as module \"{name}\"");
        self.forgive(Span { start: span.start, end: span.start + 1 }, message);
        (name, ModuleOptions::default())
    }

    /// Skips text before a module header. Files without a header start with an assignment, EXPORTS or IMPORTS.
    fn skip_to_module(&mut self) {
        let is_body = ["EXPORTS", "IMPORTS"].iter().any(|word| self.is_word(word));
        if is_body || self.begins_module(self.at) || self.begins_assignment() {
            return;
        }
        if let Some(header) = (self.at..self.text.items.len()).find(|at| self.begins_module(*at)) {
            let _ = self.wrong::<()>("a module, Name DEFINITIONS ::= BEGIN");
            self.at = header;
        }
    }

    /// Returns whether a module header starts at an item: a name, an optional identifier, and DEFINITIONS.
    fn begins_module(&self, at: usize) -> bool {
        let Some(name) = self.text.items.get(at) else { return false };
        let is_name = matches!(name.token, Token::Upper | Token::Lower);
        if !is_name || NEVER_TYPES.contains(&self.text.at(name.span)) {
            return false;
        }
        let mut behind = self.text.items[at + 1..].iter();
        let mut next = behind.next();
        if next.is_some_and(|item| item.token == Token::Sign('{')) {
            let close = |item: &Item| item.token == Token::Sign('}');
            next = behind.by_ref().take(IDENTIFIER_ITEMS_MAX).find(|item| close(item));
            next = next.and_then(|_| behind.next());
        }
        next.is_some_and(|item| self.text.at(item.span) == "DEFINITIONS")
    }

    // EncodingReferenceDefault, TagDefault, ExtensionDefault (X.680, 13.1).
    fn module_options(&mut self) -> ModuleOptions {
        let mut options = ModuleOptions::default();
        let mut is_assigned = false;
        loop {
            match self.word() {
                "EXPLICIT" => options.tagging = Some(Tagging::Explicit),
                "IMPLICIT" => options.tagging = Some(Tagging::Implicit),
                "AUTOMATIC" => options.tagging = Some(Tagging::Automatic),
                "IMPLIED" => options.extensibility_implied = true,
                "BEGIN" => {
                    self.step();
                    return options;
                }
                "::=" => is_assigned = true,
                "TAGS" | "EXTENSIBILITY" => {}
                _ if self.word_ahead(1) == "INSTRUCTIONS" => {
                    self.encoding_reference();
                    self.step();
                }
                // BEGIN is missing: the module body starts here.
                _ if is_assigned => return options,
                _ => {
                    let _ = self.wrong::<()>("how the module tags, or \"::=\" and \"BEGIN\"");
                    while !self.ends_header() {
                        self.step();
                    }
                    match self.token() == Token::Assign || self.is_word("BEGIN") {
                        true => continue,
                        false => return options,
                    }
                }
            }
            self.step();
        }
    }

    /// Returns whether to stop parsing a malformed header.
    fn ends_header(&self) -> bool {
        matches!(self.token(), Token::Assign | Token::End)
            || ["BEGIN", "EXPORTS", "IMPORTS", "END"].iter().any(|word| self.is_word(word))
    }

    /// Parses the default encoding reference of a module's instructions.
    fn encoding_reference(&mut self) {
        self.instructions_are_default = self.word() != "TAG";
        if self.instructions_are_default {
            let message = format!(
                "the encoding instructions of \"{}\" are passed over; BER and JER have none",
                self.word()
            );
            self.forgive(self.item().span, message);
        }
    }

    // EncodingControlSection (X.680, 54): only END may follow it.
    fn encoding_control(&mut self) {
        let span = self.step();
        let message = format!(
            "the ENCODING-CONTROL section of \"{}\" is passed over; BER and JER have none",
            self.word()
        );
        self.forgive(span, message);
        while self.token() != Token::End && !self.is_word("END") && !self.is_word(ENCODING_CONTROL)
        {
            self.step();
        }
    }

    fn skip_to_semicolon(&mut self) {
        while !matches!(self.token(), Token::Sign(';') | Token::End | Token::Assign) {
            self.step();
        }
        self.take(';');
    }

    // Imports (X.680, 13.1).
    fn imports(&mut self) -> Vec<Import> {
        self.step();
        let mut imports = Vec::new();
        let mut symbols = Vec::new();
        loop {
            if self.take_word("FROM") {
                let from = self.word().to_owned();
                let span = self.step();
                // The identifier of the module may be a value that is defined elsewhere.
                if self.is('{') {
                    let _ = self.skip_brackets();
                } else if self.token() == Token::Lower
                    && !matches!(self.ahead(1).token, Token::Sign(','))
                    && self.word_ahead(1) != "FROM"
                {
                    self.step();
                }
                if self.is_word("WITH") {
                    self.step();
                    self.step();
                }
                imports.push(Import { symbols: std::mem::take(&mut symbols), from, span });
                continue;
            }
            match self.token() {
                Token::Upper | Token::Lower if self.ahead(1).token != Token::Assign => {
                    symbols.push(self.word().to_owned());
                    self.step();
                }
                Token::Sign(',') | Token::Sign('{') | Token::Sign('}') => {
                    self.step();
                }
                Token::Sign(';') => {
                    self.step();
                    return imports;
                }
                _ => return imports,
            }
        }
    }

    /// Skips to what looks like the next assignment.
    fn recover(&mut self) {
        self.nesting = 0;
        while self.token() != Token::End
            && !self.is_word("END")
            && !self.is_word(ENCODING_CONTROL)
            && !self.begins_module(self.at)
            && !self.begins_assignment()
        {
            self.step();
        }
    }

    /// Returns whether an assignment seems to begin here.
    fn begins_assignment(&self) -> bool {
        let named = matches!(self.token(), Token::Upper | Token::Lower);
        let octets = self.text.source.text.as_bytes();
        let before = (self.item().span.start as usize).checked_sub(1);
        let line_start = || before.is_none_or(|before| octets[before] == b'\n');
        let assigned = || (2..4).any(|ahead| self.ahead(ahead).token == Token::Assign);
        named && (self.ahead(1).token == Token::Assign || (assigned() && line_start()))
    }

    /// Skips to the end of the component that begins at `start` and has a mistake.
    pub(super) fn skip_component(&mut self, start: usize) -> Parsed<()> {
        let wrong = std::mem::replace(&mut self.at, start);
        let mut depth = 0_usize;
        while self.token() != Token::End && !self.begins_assignment() {
            match self.token() {
                Token::Sign('(' | '{' | '[') | Token::OpenGroup => depth += 1,
                Token::Sign(',' | '}') | Token::CloseGroup if depth == 0 && self.at >= wrong => {
                    return Ok(());
                }
                Token::Sign(')' | '}' | ']') | Token::CloseGroup => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.step();
        }
        Err(Reported)
    }

    // Assignment (X.680, 16; X.681, 9, 11, 12; X.683, 8).
    fn assignment(&mut self) -> Parsed<Assignment> {
        let is_type = match self.token() {
            Token::Upper if !NEVER_TYPES.contains(&self.word()) => true,
            Token::Lower => false,
            _ => {
                let wrong = self.wrong("an assignment, Name ::= …");
                self.step();
                return wrong;
            }
        };
        let name = self.word().to_owned();
        let span = self.step();
        let parameters = if self.is('{') { self.parameters()? } else { Vec::new() };
        let (what, object) = match self.assigned(is_type) {
            Ok(assigned) => assigned,
            // The mistake was reported. References to this name must not cause further messages.
            Err(Reported) => {
                self.recover();
                (self.anything(is_type, span), None)
            }
        };
        Ok(Assignment { name, span, whole: self.since(span), parameters, what, object })
    }

    /// Returns a placeholder for an assignment that could not be parsed.
    fn anything(&self, is_type: bool, span: Span) -> Assigned {
        match is_type {
            true => Assigned::Type(TypeExpression {
                tags: Vec::new(),
                body: Body::Any,
                span,
                table: None,
            }),
            false => {
                let what = ValueKind::Number(0);
                Assigned::Value(Value { what, span, arguments: Vec::new() })
            }
        }
    }

    /// Parses the part of an assignment after its name. Also returns the items of its objects.
    fn assigned(&mut self, is_type: bool) -> Parsed<(Assigned, Option<ObjectItems>)> {
        let mut object = None;
        let what = if self.token() == Token::Assign {
            self.step();
            if is_type && self.is_word("CLASS") {
                Assigned::Class(self.class()?)
            } else if is_type {
                Assigned::Type(self.ty()?)
            } else {
                return self.wrong("a type between the name and \"::=\"");
            }
        } else {
            let governor = self.ty()?;
            if self.token() != Token::Assign {
                return self.wrong("\"::=\"");
            }
            self.step();
            let open = self.is('{').then_some(self.at + 1);
            let what = match is_type {
                true if self.is('{') => {
                    self.skip_brackets()?;
                    Assigned::Set
                }
                true => return self.wrong("\"{\""),
                false => Assigned::Value(self.value()?),
            };
            // Only a class has objects. Whether this is one is known after all modules were read.
            if let (Body::Reference { name, .. }, Some(open)) = (&governor.body, open) {
                object = Some((name.clone(), open..self.at - 1));
            }
            what
        };
        Ok((what, object))
    }

    // ParameterList (X.683, 8.3): `Governor : name` or `name`.
    fn parameters(&mut self) -> Parsed<Vec<String>> {
        self.expect('{')?;
        let mut parameters = Vec::new();
        loop {
            let mut name = String::new();
            while !matches!(self.token(), Token::Sign(',' | '}') | Token::End) {
                name = self.word().to_owned();
                self.step();
            }
            parameters.push(name);
            if !self.take(',') {
                self.expect('}')?;
                return Ok(parameters);
            }
        }
    }

    // ObjectClassDefn (X.681, 9.3).
    fn class(&mut self) -> Parsed<ObjectClass> {
        self.step();
        self.expect('{')?;
        let mut fields = Vec::new();
        while self.token() == Token::FieldName {
            let name = self.word().trim_start_matches('&').to_owned();
            self.step();
            let fixed = name.starts_with(|first: char| first.is_ascii_lowercase())
                && !matches!(self.token(), Token::Sign(',' | '}') | Token::FieldName);
            let ty = if fixed { Some(self.ty()?) } else { None };
            while !matches!(self.token(), Token::Sign(',' | '}') | Token::End) {
                match self.token() {
                    Token::Sign('{' | '(') => {
                        self.skip_brackets()?;
                    }
                    _ => {
                        self.step();
                    }
                }
            }
            fields.push(ClassField { name, ty });
            self.take(',');
        }
        self.expect('}')?;
        let mut syntax = None;
        if self.take_word("WITH") {
            self.take_word("SYNTAX");
            let open = self.at + 1;
            self.skip_brackets()?;
            syntax = Some(open..self.at - 1);
        }
        Ok(ObjectClass { fields, syntax, text: Arc::clone(&self.text) })
    }

    /// Parses an actual parameter: a type, or anything else.
    pub(super) fn argument(&mut self) -> Parsed<Argument> {
        let start = self.item().span;
        match self.token() {
            Token::Sign('{') => {
                let named =
                    self.ahead(1).token == Token::Upper && self.ahead(2).token == Token::Sign('}');
                let name = self.word_ahead(1).to_owned();
                self.skip_brackets()?;
                Ok(if named { Argument::Set(name) } else { Argument::Other(self.since(start)) })
            }
            Token::Upper if self.is_value() => self.value().map(Argument::Value),
            Token::Upper | Token::Sign('[') => self.nested(Self::ty).map(Argument::Type),
            Token::Lower if self.ahead(1).token == Token::Sign('<') => {
                self.nested(Self::ty).map(Argument::Type)
            }
            _ => {
                let value = self.value()?;
                if !self.is('.') {
                    return Ok(Argument::Value(value));
                }
                while self.take('.') {
                    self.step();
                }
                Ok(Argument::Other(self.since(start)))
            }
        }
    }

    /// Returns whether the capitalised word here starts a value. NULL is read as the type.
    fn is_value(&self) -> bool {
        let of_module =
            self.ahead(1).token == Token::Sign('.') && self.ahead(2).token == Token::Lower;
        of_module || matches!(self.word(), "TRUE" | "FALSE" | "PLUS-INFINITY" | "MINUS-INFINITY")
    }

    pub(super) fn ty(&mut self) -> Parsed<TypeExpression> {
        self.nested(Self::type_expression)
    }

    // Value (X.680, 17.1), as far as numbers, defaults and tags need it.
    pub(super) fn value(&mut self) -> Parsed<Value> {
        self.nested(Self::value_inside)
    }

    fn value_inside(&mut self) -> Parsed<Value> {
        let start = self.item().span;
        let mut arguments = Vec::new();
        let what = match self.token() {
            Token::Sign('-') => {
                self.step();
                match self.value()?.what {
                    ValueKind::Number(number) => ValueKind::Number(-number),
                    _ => ValueKind::Other,
                }
            }
            Token::Number => match self.word().parse() {
                Ok(number) => self.valued(ValueKind::Number(number)),
                Err(_) => return self.wrong("a number of at most 38 digits"),
            },
            Token::Real => self.valued(ValueKind::Other),
            Token::Text => {
                let quoted = self.word();
                let text = quoted[1..quoted.len() - 1].replace("\"\"", "\"");
                self.valued(ValueKind::Text(text))
            }
            Token::Bits => self.valued(ValueKind::Bits(bits(self.word()))),
            Token::Hex => self.valued(ValueKind::Octets(hex(self.word()))),
            Token::Sign('{') => ValueKind::Braced { empty: self.skip_brackets()? },
            Token::Upper => match self.word() {
                "TRUE" => self.valued(ValueKind::Boolean(true)),
                "FALSE" => self.valued(ValueKind::Boolean(false)),
                "NULL" | "PLUS-INFINITY" | "MINUS-INFINITY" | "NOT-A-NUMBER" => {
                    self.valued(ValueKind::Other)
                }
                _ => self.qualified_value()?,
            },
            Token::Lower => {
                let name = self.word().to_owned();
                self.step();
                if self.take(':') {
                    self.value()?;
                    ValueKind::Other
                } else {
                    if self.is('{') {
                        arguments = self.arguments()?;
                    }
                    ValueKind::Name(name)
                }
            }
            _ => return self.wrong("a value"),
        };
        Ok(Value { what, span: start, arguments })
    }

    fn valued(&mut self, what: ValueKind) -> ValueKind {
        self.step();
        what
    }

    /// Parses `Module.value`, or a value of an open type `Type : value`.
    fn qualified_value(&mut self) -> Parsed<ValueKind> {
        if self.ahead(1).token == Token::Sign('.') {
            self.step();
            self.step();
            return Ok(ValueKind::Name(self.name()?));
        }
        self.ty()?;
        self.expect(':')?;
        self.value()?;
        Ok(ValueKind::Other)
    }
}

fn hex(quoted: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        quoted.chars().filter_map(|c| c.to_digit(16)).map(|digit| digit as u8).collect();
    // The H after the quote is no hexadecimal digit, so it was filtered out already.
    digits.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or(0)).collect()
}

fn bits(quoted: &str) -> Vec<u8> {
    let digits: Vec<u8> = quoted.bytes().filter(|c| matches!(c, b'0' | b'1')).collect();
    let octets = digits.chunks(8).map(|octet| {
        octet.iter().enumerate().fold(0, |sum, (place, bit)| sum | (bit - b'0') << (7 - place))
    });
    std::iter::once((8 - digits.len() % 8) as u8 % 8).chain(octets).collect()
}
