//! Parses a formula into steps, by precedence: `or`, `and`, comparisons, `+ -`, `* /`, `-`, then names, numbers and calls.
//!
//! A mistake does not end it: what is missing is taken for any value, so that each mistake is reported once.

use std::sync::Arc;

use diagnostics::{Diagnostic, Source, Span, did_you_mean};

use super::lexer::{Item, Sign, Token, items};
use super::program::{Binary, DEPTH_MAX, Program, Step, Unary};
use super::written::Written;
use super::{Column, Part};

/// Octets of a formula, at most: a sum of hundreds of counters.
pub const OCTETS_MAX: usize = 16_384;

/// Levels of parentheses, calls and signs, at most.
pub const NESTING_MAX: usize = 32;

/// The last element of a list, at most.
pub const ELEMENT_MAX: u16 = u16::MAX;

/// What a part of a formula is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Number,
    Truth,
}

/// A part of the text. Its kind is not known if it has a mistake.
#[derive(Clone, Copy, Debug)]
struct Operand {
    kind: Option<Kind>,
    span: Span,
}

/// The binary operators, loosest first.
const LEVELS: [fn(&Token) -> Option<Binary>; 5] = [
    |token| is_word(token, "or").then_some(Binary::Or),
    |token| is_word(token, "and").then_some(Binary::And),
    |token| match token {
        Token::Sign(Sign::Greater) => Some(Binary::Greater),
        Token::Sign(Sign::GreaterOrEqual) => Some(Binary::GreaterOrEqual),
        Token::Sign(Sign::Less) => Some(Binary::Less),
        Token::Sign(Sign::LessOrEqual) => Some(Binary::LessOrEqual),
        Token::Sign(Sign::Equal) => Some(Binary::Equal),
        Token::Sign(Sign::NotEqual) => Some(Binary::NotEqual),
        _ => None,
    },
    |token| match token {
        Token::Sign(Sign::Plus) => Some(Binary::Add),
        Token::Sign(Sign::Minus) => Some(Binary::Subtract),
        _ => None,
    },
    |token| match token {
        Token::Sign(Sign::Times) => Some(Binary::Multiply),
        Token::Sign(Sign::Divide) => Some(Binary::Divide),
        _ => None,
    },
];

/// Functions of several values, which are applied to two at a time.
const OF_SEVERAL: [(&str, Binary); 2] = [("min", Binary::Least), ("max", Binary::Greatest)];

/// All functions.
const FUNCTIONS: [&str; 4] = ["sum", "min", "max", "abs"];

/// Parses a part of a text, whose value must be of a kind.
pub(super) fn parse(
    source: &Arc<Source>,
    place: Span,
    kind: Kind,
) -> Result<(Written, Program), Vec<Diagnostic>> {
    let range = place.start as usize..place.end as usize;
    let Some(text) = source.text.get(range.clone()) else {
        let message = "the formula is not within the text";
        return Err(vec![Diagnostic::error(source, Span::default(), message)]);
    };
    if text.len() > OCTETS_MAX {
        let message = format!("the formula has {} octets, and {OCTETS_MAX} at most", text.len());
        return Err(vec![Diagnostic::error(source, place, message)]);
    }
    let mut mistakes = Vec::new();
    let items = items(source, place, &mut mistakes);
    let mut parser = Parser {
        source,
        items,
        at: 0,
        depth: 0,
        is_stopped: false,
        steps: Vec::new(),
        columns: Vec::new(),
        mentions: Vec::new(),
        mistakes,
    };
    let whole = parser.up_to(&[]);
    parser.need(whole, kind, "a formula", "a condition");
    let (columns, mentions) = (parser.columns, parser.mentions);
    let (steps, mut mistakes) = (parser.steps, parser.mistakes);
    if mistakes.is_empty() {
        if let Some(program) = Program::new(steps) {
            let written = Written::new(text, range.start, columns, &mentions);
            return Ok((written, program));
        }
        let message = format!("more than {DEPTH_MAX} values wait for others");
        let hint = "put what is in parentheses first";
        mistakes.push(Diagnostic::error(source, place, message).hint(hint));
    }
    mistakes.sort_by_key(|mistake| mistake.span.start);
    Err(mistakes)
}

struct Parser<'p> {
    source: &'p Arc<Source>,
    /// The items; the last one is the end.
    items: Vec<Item>,
    at: usize,
    depth: usize,
    /// Whether it is nested too deep: then nothing behind is read, and nothing of it is a mistake.
    is_stopped: bool,
    steps: Vec<Step>,
    columns: Vec<Column>,
    mentions: Vec<(Span, usize)>,
    mistakes: Vec<Diagnostic>,
}

impl Parser<'_> {
    /// Parses all up to one of some signs, or to the end.
    fn up_to(&mut self, ends: &[Sign]) -> Operand {
        let mut operand = self.nested(|parser| parser.binary(0));
        loop {
            match self.token() {
                Token::End => return operand,
                Token::Sign(sign) if ends.contains(sign) => return operand,
                _ => {}
            }
            operand.kind = None;
            self.surplus();
        }
    }

    /// Reports what stands behind a whole expression, and reads on behind it. It consumes an item at least.
    fn surplus(&mut self) {
        let span = self.span();
        match self.token() {
            Token::Sign(Sign::Close) => self.wrong(span, "no parenthesis is open here", None),
            Token::Sign(Sign::Comma) => {
                self.wrong(span, "only min and max have several values", None);
            }
            Token::Sign(Sign::OpenBracket) => {
                self.wrong(span, "only a counter has elements", Some("write name[0]"));
            }
            Token::Sign(Sign::CloseBracket) => self.wrong(span, "no bracket is open here", None),
            // It is reported, and was probably meant as an operator.
            Token::Wrong => {}
            token if LEVELS.iter().any(|of| of(token).is_some()) => {}
            Token::Word(word) if is_operator(&word.to_lowercase()) => {
                let hint = format!("write {}", word.to_lowercase());
                self.wrong(span, "an operator has small letters", Some(&hint));
            }
            _ => {
                self.wrong(span, "an operator is missing before this", None);
                self.nested(|parser| parser.binary(0));
                return;
            }
        }
        self.at += 1;
        if begins_value(self.token()) {
            self.nested(|parser| parser.binary(0));
        }
    }

    fn binary(&mut self, level: usize) -> Operand {
        let Some(operator_of) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1);
        while let Some(operator) = operator_of(self.token()) {
            let sign = self.span();
            self.at += 1;
            let right = self.binary(level + 1);
            left = self.joined(operator, sign, left, right);
        }
        left
    }

    /// Applies an operator to what stands on its sides.
    fn joined(&mut self, operator: Binary, sign: Span, left: Operand, right: Operand) -> Operand {
        let source = self.source;
        let text = source.text.get(sign.start as usize..sign.end as usize).unwrap_or_default();
        let text = &format!("\"{text}\"");
        let (of, kind) = match operator {
            Binary::And | Binary::Or => (Kind::Truth, Kind::Truth),
            Binary::Add | Binary::Subtract | Binary::Multiply | Binary::Divide => {
                (Kind::Number, Kind::Number)
            }
            _ => (Kind::Number, Kind::Truth),
        };
        for side in [left, right] {
            self.need(side, of, text, text);
        }
        self.steps.push(Step::Binary(operator));
        Operand { kind: Some(kind), span: left.span.to(right.span) }
    }

    fn unary(&mut self) -> Operand {
        let start = self.span();
        if !self.take(Sign::Minus) {
            return self.primary();
        }
        let operand = self.nested(Self::unary);
        self.need(operand, Kind::Number, "\"-\"", "\"-\"");
        self.steps.push(Step::Unary(Unary::Negate));
        Operand { kind: Some(Kind::Number), span: start.to(operand.span) }
    }

    fn primary(&mut self) -> Operand {
        let span = self.span();
        match self.token().clone() {
            Token::Number(number) => {
                self.at += 1;
                self.steps.push(Step::Number(number));
                Operand { kind: Some(Kind::Number), span }
            }
            Token::Word(name) if self.is_behind(Sign::Open) => self.call(&name),
            token @ (Token::Word(_) | Token::Quoted(_)) if begins_value(&token) => {
                self.at += 1;
                let part = self.element();
                self.column(name_of(token), part, self.since(span))
            }
            Token::Sign(Sign::Open) => {
                self.at += 1;
                let within = self.up_to(&[Sign::Close]);
                self.close(span);
                Operand { kind: within.kind, span: self.since(span) }
            }
            Token::Wrong => {
                self.at += 1;
                Operand { kind: None, span }
            }
            _ => {
                self.wrong(span, "a value is missing here", None);
                Operand { kind: None, span }
            }
        }
    }

    /// Parses `[3]`, if it is there.
    fn element(&mut self) -> Part {
        let open = self.span();
        if !self.take(Sign::OpenBracket) {
            return Part::Whole;
        }
        let place = match self.token() {
            Token::Number(place) if place.fract() == 0.0 && *place <= f64::from(ELEMENT_MAX) => {
                Some(*place as u16)
            }
            _ => None,
        };
        match place {
            Some(_) => self.at += 1,
            None => {
                let message = format!("an element has a number from 0 to {ELEMENT_MAX}");
                self.wrong(self.span(), message, Some("write name[0]"));
                let rest = &self.items[self.at..];
                let is_close = |item: &Item| item.token == Token::Sign(Sign::CloseBracket);
                self.at += rest.iter().position(is_close).unwrap_or_default();
            }
        }
        if !self.take(Sign::CloseBracket) {
            self.wrong(open, "this bracket is not closed", None);
        }
        Part::Element(place.unwrap_or_default())
    }

    /// Parses a call, whose name is the next item.
    fn call(&mut self, name: &str) -> Operand {
        let (start, open) = (self.span(), self.items[self.at + 1].span);
        self.at += 2;
        if name == "sum" {
            return self.sum(start, open);
        }
        if !FUNCTIONS.contains(&name) {
            let hint = did_you_mean(name, FUNCTIONS)
                .unwrap_or_else(|| format!("there are {}", FUNCTIONS.join(", ")));
            self.wrong(start, format!("no function is called \"{name}\""), Some(&hint));
        }
        let quoted = format!("\"{name}\"");
        let several = OF_SEVERAL.iter().find(|(known, _)| *known == name);
        let mut count = 0;
        loop {
            let argument = self.up_to(&[Sign::Close, Sign::Comma]);
            self.need(argument, Kind::Number, &quoted, &quoted);
            count += 1;
            match several {
                Some((_, operator)) if count > 1 => self.steps.push(Step::Binary(*operator)),
                _ => {}
            }
            if !self.take(Sign::Comma) {
                break;
            }
        }
        self.close(open);
        if name == "abs" {
            self.steps.push(Step::Unary(Unary::Absolute));
            if count > 1 {
                self.wrong(self.since(start), "abs has one value", None);
            }
        }
        let is_known = FUNCTIONS.contains(&name);
        Operand { kind: is_known.then_some(Kind::Number), span: self.since(start) }
    }

    /// Parses the rest of `sum(name)`.
    fn sum(&mut self, start: Span, open: Span) -> Operand {
        let token = self.token().clone();
        let is_name = matches!(token, Token::Word(_) | Token::Quoted(_)) && begins_value(&token);
        if is_name && self.is_behind(Sign::Close) {
            self.at += 2;
            return self.column(name_of(token), Part::Sum, self.since(start));
        }
        let argument = self.span();
        let mistakes = self.mistakes.len();
        self.up_to(&[Sign::Close]);
        if self.mistakes.len() == mistakes {
            let message = "sum is of the elements of one counter";
            let hint = "write sum(a) + sum(b) for lists, a + b for values";
            self.wrong(self.since(argument), message, Some(hint));
        }
        self.close(open);
        Operand { kind: None, span: self.since(start) }
    }

    fn column(&mut self, counter: String, part: Part, span: Span) -> Operand {
        let column = Column { counter, part };
        let known = self.columns.iter().position(|known| *known == column);
        let place = known.unwrap_or(self.columns.len());
        if known.is_none() {
            self.columns.push(column);
        }
        self.mentions.push((span, place));
        self.steps.push(Step::Column(place));
        Operand { kind: Some(Kind::Number), span }
    }

    /// Reports a part that is not of the kind that its user needs. A number is needed by `number`, a condition by `truth`.
    fn need(&mut self, operand: Operand, kind: Kind, number: &str, truth: &str) {
        let (message, hint) = match (kind, operand.kind) {
            (Kind::Number, Some(Kind::Truth)) => (
                format!("this is a condition, and {number} needs a value"),
                "only and, or join conditions",
            ),
            (Kind::Truth, Some(Kind::Number)) => {
                (format!("this is a value, and {truth} needs a comparison"), "write … >= 50")
            }
            _ => return,
        };
        self.wrong(operand.span, message, Some(hint));
    }

    /// Parses one level deeper. Beyond [`NESTING_MAX`], it stops.
    fn nested(&mut self, parse: impl FnOnce(&mut Self) -> Operand) -> Operand {
        if self.depth == NESTING_MAX {
            let span = self.span();
            self.wrong(span, format!("this is nested deeper than {NESTING_MAX} levels"), None);
            self.is_stopped = true;
            self.at = self.items.len() - 1;
            return Operand { kind: None, span };
        }
        self.depth += 1;
        let operand = parse(self);
        self.depth -= 1;
        operand
    }

    fn close(&mut self, open: Span) {
        if !self.take(Sign::Close) {
            self.wrong(open, "this parenthesis is not closed", None);
        }
    }

    fn wrong(&mut self, span: Span, message: impl Into<String>, hint: Option<&str>) {
        if !self.is_stopped {
            let mistake = Diagnostic::error(self.source, span, message);
            self.mistakes.push(mistake.hint_maybe(hint.map(str::to_owned)));
        }
    }

    fn token(&self) -> &Token {
        &self.items[self.at].token
    }

    fn span(&self) -> Span {
        self.items[self.at].span
    }

    /// Returns the place from a start to the end of the item before.
    fn since(&self, start: Span) -> Span {
        start.to(self.items[self.at.saturating_sub(1)].span)
    }

    fn take(&mut self, sign: Sign) -> bool {
        let is_there = *self.token() == Token::Sign(sign);
        self.at += usize::from(is_there);
        is_there
    }

    /// Returns whether a sign stands behind the next item.
    fn is_behind(&self, sign: Sign) -> bool {
        self.items.get(self.at + 1).is_some_and(|item| item.token == Token::Sign(sign))
    }
}

fn is_word(token: &Token, word: &str) -> bool {
    matches!(token, Token::Word(found) if found == word)
}

fn is_operator(word: &str) -> bool {
    word == "and" || word == "or"
}

fn begins_value(token: &Token) -> bool {
    match token {
        Token::Word(word) => !is_operator(word),
        Token::Quoted(_) | Token::Number(_) => true,
        Token::Sign(sign) => matches!(sign, Sign::Open | Sign::Minus),
        Token::Wrong | Token::End => false,
    }
}

fn name_of(token: Token) -> String {
    match token {
        Token::Word(name) | Token::Quoted(name) => name,
        _ => String::new(),
    }
}
