//! Finds what is being written at a place, from the items before it only: while a user types, the rest of the statement
//! is missing.

use diagnostics::Span;
use record::TypeId;

use super::Analysis;
use crate::lexer::{Item, Sign, Token};
use crate::parser::NESTING_MAX;

/// What can stand at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    /// Unpredictable: a new name, the inside of a text or comment.
    Nothing,
    /// A declaration, outside of functions.
    Declaration,
    /// The beginning of a statement.
    Statement,
    /// A value, perhaps of a known type.
    Value(Option<TypeId>),
    /// A field of a structure.
    Field(TypeId),
    /// A label of a `switch` over this type.
    Label(TypeId),
    /// A type, perhaps of a named module.
    Type(Option<String>),
    /// The type of a parameter, or CONST before it.
    ParameterType,
}

/// The items before a place.
struct Before<'a> {
    analysis: &'a Analysis,
    items: Vec<Item>,
    /// The open brackets, outermost first.
    open: Vec<usize>,
    offset: u32,
}

impl Analysis {
    /// Returns what is being written at an octet, and the span from the beginning of the word to the octet.
    pub(super) fn wanted(&self, offset: u32) -> (Expected, Span) {
        let at = self.items.iter().find(|item| item.span.start < offset && offset <= item.span.end);
        let start = match at {
            Some(item) if item.token == Token::Word => item.span.start,
            _ => offset,
        };
        let within = at.is_some_and(|item| match item.token {
            Token::Comment | Token::Number => true,
            Token::Text | Token::Hex | Token::Bits => offset < item.span.end,
            _ => false,
        });
        let wanted = match within {
            true => Expected::Nothing,
            false => Before::new(self, start).wanted(),
        };
        (wanted, Span { start, end: offset })
    }
}

impl<'a> Before<'a> {
    fn new(analysis: &'a Analysis, offset: u32) -> Self {
        let items = analysis.items.iter().filter(|item| {
            item.span.end <= offset && !matches!(item.token, Token::Comment | Token::End)
        });
        let mut before =
            Before { analysis, items: items.copied().collect(), open: Vec::new(), offset };
        for place in 0..before.items.len() {
            match before.items[place].token {
                // A word in the first column means that a closing brace is missing before it.
                Token::Word if before.is_first_column(place) => before.open.clear(),
                Token::Sign(Sign::Open | Sign::OpenBrace | Sign::OpenBracket) => {
                    before.open.push(place);
                }
                Token::Sign(Sign::Close | Sign::CloseBrace | Sign::CloseBracket) => {
                    before.open.pop();
                }
                _ => {}
            }
        }
        before
    }

    fn is_first_column(&self, place: usize) -> bool {
        let start = self.items[place].span.start as usize;
        start == 0 || self.analysis.source.text.as_bytes()[start - 1] == b'\n'
    }

    fn sign(&self, place: usize) -> Option<Sign> {
        match self.items.get(place)?.token {
            Token::Sign(sign) => Some(sign),
            _ => None,
        }
    }

    fn word(&self, place: usize) -> Option<&'a str> {
        let item = self.items.get(place).filter(|item| item.token == Token::Word)?;
        Some(self.analysis.slice(item.span))
    }

    /// Returns the word before a place.
    fn word_before(&self, place: usize) -> Option<&'a str> {
        self.word(place.checked_sub(1)?)
    }

    fn wanted(&self) -> Expected {
        let count = self.items.len();
        let Some(last) = count.checked_sub(1) else { return Expected::Declaration };
        if self.sign(last) == Some(Sign::Dot) {
            return self.behind_dot(last);
        }
        if let Some(declaring) = self.declaring(last) {
            return declaring;
        }
        match self.word(last) {
            Some("OF" | "CONST") => return Expected::Type(None),
            Some("case") => return self.subject().map_or(Expected::Value(None), Expected::Label),
            _ => {}
        }
        match self.open.last() {
            None => self.outside(last),
            Some(open) if self.sign(*open) == Some(Sign::OpenBrace) => {
                match self.word_before(*open) {
                    Some("ENUMERATED") => Expected::Nothing,
                    Some("SEQUENCE" | "SET" | "CHOICE") => self.type_behind_name(last),
                    _ if self.begins_statement(last) => Expected::Statement,
                    _ => Expected::Value(self.expected(last)),
                }
            }
            Some(open) if self.open.len() == 1 && self.sign(*open) == Some(Sign::Open) => {
                match self.type_behind_name(last) {
                    Expected::Type(None) => Expected::ParameterType,
                    other => other,
                }
            }
            Some(_) => Expected::Value(self.expected(last)),
        }
    }

    /// Handles the place behind the dot of a path, or of a module's name.
    fn behind_dot(&self, dot: usize) -> Expected {
        if let Some(ty) = self.path(dot, NESTING_MAX) {
            return Expected::Field(ty);
        }
        let module = self.word_before(dot).map(|word| format!("{word}."));
        let is_known = |module: &String| {
            self.analysis.type_names.iter().any(|name| name.starts_with(module.as_str()))
        };
        match module.filter(is_known) {
            Some(module) => Expected::Type(Some(module)),
            None => Expected::Nothing,
        }
    }

    /// Handles the inside of `declare a, b …`.
    fn declaring(&self, last: usize) -> Option<Expected> {
        if self.word(last) == Some("declare") {
            return Some(Expected::Nothing);
        }
        let is_comma = self.sign(last) == Some(Sign::Comma);
        let mut name = if is_comma { last.checked_sub(1)? } else { last };
        self.word(name)?;
        while name >= 2 && self.sign(name - 1) == Some(Sign::Comma) && self.word(name - 2).is_some()
        {
            name -= 2;
        }
        match self.word_before(name) {
            Some("declare") if is_comma => Some(Expected::Nothing),
            Some("declare") => Some(Expected::Type(None)),
            _ => None,
        }
    }

    /// Handles the place outside of all brackets.
    fn outside(&self, last: usize) -> Expected {
        match self.sign(last) {
            Some(Sign::CloseBrace | Sign::Semicolon) => Expected::Declaration,
            _ => Expected::Nothing,
        }
    }

    /// Handles lists where types follow names.
    fn type_behind_name(&self, last: usize) -> Expected {
        let is_name = self.word(last).is_some()
            && last.checked_sub(1).is_some_and(|before| {
                matches!(self.sign(before), Some(Sign::Open | Sign::OpenBrace | Sign::Comma))
            });
        if is_name { Expected::Type(None) } else { Expected::Nothing }
    }

    fn begins_statement(&self, last: usize) -> bool {
        match self.sign(last) {
            Some(Sign::Semicolon | Sign::OpenBrace | Sign::CloseBrace | Sign::Colon) => true,
            Some(Sign::Close) => self
                .opening(last)
                .is_some_and(|open| matches!(self.word_before(open), Some("if" | "while" | "for"))),
            _ => self.word(last) == Some("else"),
        }
    }

    /// Returns the expected type of a value after an item.
    fn expected(&self, last: usize) -> Option<TypeId> {
        if self.word(last) == Some("return") {
            let function = self.analysis.function_at(self.offset)?;
            return self.analysis.notes.results.get(function).copied();
        }
        match self.sign(last)? {
            Sign::Equal | Sign::NotEqual | Sign::Assign | Sign::AssignLong => {
                self.path(last, NESTING_MAX)
            }
            Sign::OpenBracket | Sign::Open | Sign::Comma => {
                let open = *self.open.last()?;
                match (self.sign(open)?, self.word_before(open)?) {
                    (Sign::OpenBracket, "IN") => self.path(open - 1, NESTING_MAX),
                    (Sign::Open, function) => self.parameter(function, open),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Returns the type of a call's parameter after the last comma.
    fn parameter(&self, function: &str, open: usize) -> Option<TypeId> {
        let functions = &self.analysis.script.functions;
        let function = functions.iter().find(|known| known.name.text == function)?;
        let mut depth = 0_usize;
        let mut place = 0;
        for item in &self.items[open + 1..] {
            match item.token {
                Token::Sign(Sign::Open | Sign::OpenBracket) => depth += 1,
                Token::Sign(Sign::Close | Sign::CloseBracket) => depth = depth.saturating_sub(1),
                Token::Sign(Sign::Comma) if depth == 0 => place += 1,
                _ => {}
            }
        }
        let start = function.parameters.get(place)?.name.span.start;
        let mut variables = self.analysis.notes.variables.iter();
        variables.find(|variable| variable.visible.start == start).map(|variable| variable.ty)
    }

    /// Returns the type of the innermost `switch`'s subject.
    fn subject(&self) -> Option<TypeId> {
        let brace = *self.open.last()?;
        let close = brace.checked_sub(1)?;
        let open = self.opening(close)?;
        match self.word_before(open) {
            Some("switch") => self.path(close, NESTING_MAX),
            _ => None,
        }
    }

    /// Returns the type of the path that ends before an item. It may have at most `steps` steps.
    fn path(&self, end: usize, steps: usize) -> Option<TypeId> {
        let steps = steps.checked_sub(1)?;
        let last = end.checked_sub(1)?;
        let analysis = self.analysis;
        if let Some(name) = self.word(last) {
            let dot = last.checked_sub(1).filter(|dot| self.sign(*dot) == Some(Sign::Dot));
            return match dot {
                Some(dot) => {
                    let kind = analysis.schema.kind(self.path(dot, steps)?);
                    Some(kind.fields()[kind.field(name)?].ty)
                }
                None => analysis.visible(name, self.offset).map(|variable| variable.ty),
            };
        }
        let open = self.opening(last)?;
        match self.sign(last)? {
            Sign::CloseBracket => analysis.schema.kind(self.path(open, steps)?).element(),
            _ => {
                let name = self.word_before(open)?;
                if name == "rate" {
                    return analysis.schema.find(crate::tariff::PRICE);
                }
                let functions = &analysis.script.functions;
                let place = functions.iter().position(|known| known.name.text == name)?;
                analysis.notes.results.get(place).copied()
            }
        }
    }

    /// Returns the opening bracket of a closing one.
    fn opening(&self, close: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for place in (0..=close).rev() {
            match self.sign(place) {
                Some(Sign::Close | Sign::CloseBracket) => depth += 1,
                Some(Sign::Open | Sign::OpenBracket) => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(place);
                    }
                }
                Some(Sign::Semicolon | Sign::OpenBrace | Sign::CloseBrace) => return None,
                _ if depth == 0 => return None,
                _ => {}
            }
        }
        None
    }
}
