//! Parses expressions, by precedence: `||`, `&&`, comparisons and `IN`, `+ -`, `* / %`, `! -`, then `.`, `[ ]` and
//! calls.

use diagnostics::Span;

use super::{Parsed, Parser};
use crate::lexer::{Sign, Token};
use crate::syntax::{
    Arithmetic, Binary, Comparison, Constant, Unary, WrittenExpression,
    WrittenExpressionWhat as What,
};

/// The binary operators, loosest first.
const LEVELS: &[&[(Sign, Binary)]] = &[
    &[(Sign::Or, Binary::Or)],
    &[(Sign::And, Binary::And)],
    &[
        (Sign::Equal, Binary::Compare(Comparison::Equal)),
        (Sign::NotEqual, Binary::Compare(Comparison::NotEqual)),
        (Sign::LessOrEqual, Binary::Compare(Comparison::LessOrEqual)),
        (Sign::GreaterOrEqual, Binary::Compare(Comparison::GreaterOrEqual)),
        (Sign::Less, Binary::Compare(Comparison::Less)),
        (Sign::Greater, Binary::Compare(Comparison::Greater)),
    ],
    &[
        (Sign::Plus, Binary::Arithmetic(Arithmetic::Add)),
        (Sign::Minus, Binary::Arithmetic(Arithmetic::Subtract)),
    ],
    &[
        (Sign::Times, Binary::Arithmetic(Arithmetic::Multiply)),
        (Sign::Divide, Binary::Arithmetic(Arithmetic::Divide)),
        (Sign::Remainder, Binary::Arithmetic(Arithmetic::Remainder)),
    ],
];

/// The level of comparisons, which has `IN` too.
const COMPARISONS: usize = 2;

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<WrittenExpression> {
        self.nested(|parser| parser.binary(0))
    }

    fn binary(&mut self, level: usize) -> Parsed<WrittenExpression> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        // A long chain is a deep tree, which all later passes walk by recursion.
        let mut chained = 0;
        loop {
            if level == COMPARISONS && self.is_word("IN") {
                left = self.membership(left)?;
                continue;
            }
            let found = operators.iter().find(|(sign, _)| self.is_sign(*sign));
            let Some((_, operator)) = found else { break };
            let operator_span = self.span();
            self.at += 1;
            chained += 1;
            if chained + self.depth > super::NESTING_MAX {
                let message = format!("a chain of more than {} operators", super::NESTING_MAX);
                return Err(self.error(operator_span, message, Some("split it with variables")));
            }
            let right = self.binary(level + 1)?;
            let span = left.span.to(right.span);
            let (left_box, right) = (Box::new(left), Box::new(right));
            left = WrittenExpression {
                what: What::Binary { operator: *operator, left: left_box, right },
                span,
            };
        }
        Ok(left)
    }

    fn membership(&mut self, value: WrittenExpression) -> Parsed<WrittenExpression> {
        self.at += 1;
        self.expect(Sign::OpenBracket)?;
        let constants = self.list(Sign::CloseBracket, Self::constant)?;
        let span = self.since(value.span);
        Ok(WrittenExpression { what: What::In { value: Box::new(value), constants }, span })
    }

    fn constant(&mut self) -> Parsed<Constant> {
        let first = self.binary(COMPARISONS + 1)?;
        let last = match self.take(Sign::Range) {
            true => Some(self.binary(COMPARISONS + 1)?),
            false => None,
        };
        Ok(Constant { first, last })
    }

    fn unary(&mut self) -> Parsed<WrittenExpression> {
        let start = self.span();
        let operator = match self.peek() {
            Token::Sign(Sign::Not) => Unary::Not,
            Token::Sign(Sign::Minus) if self.items[self.at + 1].token == Token::Number => {
                self.at += 1;
                let value = self.number(true)?;
                return Ok(WrittenExpression {
                    what: What::Number(value),
                    span: self.since(start),
                });
            }
            Token::Sign(Sign::Minus) => Unary::Negate,
            _ => return self.postfix(),
        };
        self.at += 1;
        let operand = Box::new(self.nested(Self::unary)?);
        Ok(WrittenExpression { what: What::Unary { operator, operand }, span: self.since(start) })
    }

    fn postfix(&mut self) -> Parsed<WrittenExpression> {
        let start = self.span();
        let mut expression = self.primary()?;
        let mut steps = 0;
        loop {
            let of = Box::new(expression);
            let what = if self.take(Sign::Dot) {
                What::Field { of, field: self.field_name()? }
            } else if self.take(Sign::OpenBracket) {
                let index = Box::new(self.expression()?);
                self.expect(Sign::CloseBracket)?;
                What::Element { of, index }
            } else {
                return Ok(*of);
            };
            expression = WrittenExpression { what, span: self.since(start) };
            steps += 1;
            if steps > super::NESTING_MAX {
                let message = format!("a path of more than {} steps", super::NESTING_MAX);
                return Err(self.error(start, message, None));
            }
        }
    }

    fn primary(&mut self) -> Parsed<WrittenExpression> {
        let start = self.span();
        let what = match self.peek() {
            Token::Number => What::Number(self.number(false)?),
            Token::Text => {
                self.at += 1;
                What::Text(self.unescaped(start))
            }
            Token::Hex => {
                self.at += 1;
                What::Octets(self.digits(start, 4)?)
            }
            Token::Bits => {
                self.at += 1;
                What::Octets(self.digits(start, 1)?)
            }
            Token::Sign(Sign::Open) => {
                self.at += 1;
                let inner = self.expression()?;
                self.expect(Sign::Close)?;
                return Ok(WrittenExpression { span: self.since(start), ..inner });
            }
            Token::Word => return self.word_expression(),
            _ => return Err(self.unexpected("a value")),
        };
        Ok(WrittenExpression { what, span: start })
    }

    fn word_expression(&mut self) -> Parsed<WrittenExpression> {
        let start = self.span();
        let what = match self.word().unwrap_or_default() {
            "TRUE" => What::Boolean(true),
            "FALSE" => What::Boolean(false),
            "NULL" => What::Null,
            word @ ("true" | "false") => {
                let hint = format!("write {}", word.to_uppercase());
                self.error(start, format!("\"{word}\" is not a value"), Some(&hint));
                self.at += 1;
                return Ok(WrittenExpression { what: What::Wrong, span: start });
            }
            _ => {
                let name = self.name("a value")?;
                if self.take(Sign::Open) {
                    let arguments = self.list(Sign::Close, Self::expression)?;
                    let what = What::Call { function: name, arguments };
                    return Ok(WrittenExpression { what, span: self.since(start) });
                }
                return Ok(WrittenExpression { what: What::Name(name.text), span: start });
            }
        };
        self.at += 1;
        Ok(WrittenExpression { what, span: start })
    }

    /// Returns the characters of `"…"`.
    pub(super) fn unescaped(&mut self, span: Span) -> Vec<u8> {
        let text = self.slice(span);
        let mut octets = Vec::with_capacity(text.len());
        let mut rest = text.as_bytes()[1..text.len() - 1].iter();
        while let Some(octet) = rest.next() {
            if *octet != b'\\' {
                octets.push(*octet);
                continue;
            }
            match rest.next() {
                Some(b'n') => octets.push(b'\n'),
                Some(b't') => octets.push(b'\t'),
                Some(b'r') => octets.push(b'\r'),
                Some(other @ (b'"' | b'\\')) => octets.push(*other),
                _ => {
                    let hint = Some("known are \\n \\r \\t \\\" \\\\");
                    self.error(span, "an escape that has no meaning", hint);
                }
            }
        }
        octets
    }

    /// Returns the octets of `'…'H` (4 bits per digit) or `'…'B` (1 bit).
    fn digits(&mut self, span: Span, bits: u32) -> Parsed<Vec<u8>> {
        let text = self.slice(span);
        let digits: String =
            text[1..text.len() - 2].chars().filter(|c| !c.is_whitespace()).collect();
        let values: Option<Vec<u32>> = digits.chars().map(|c| c.to_digit(1 << bits)).collect();
        let each = (8 / bits) as usize;
        match values {
            Some(values) if values.len() % each == 0 => {
                let octet = |digits: &[u32]| {
                    digits.iter().fold(0, |octet, digit| octet << bits | *digit) as u8
                };
                Ok(values.chunks(each).map(octet).collect())
            }
            Some(_) => {
                let hint = format!("{each} digits make an octet");
                Err(self.error(span, "half an octet is left over", Some(&hint)))
            }
            None => Err(self.error(span, "something else than digits stands here", None)),
        }
    }
}
