//! Parses blocks, declarations and statements.

use super::{Parsed, Parser, SyntaxError};
use crate::lexer::{Sign, Token};
use crate::syntax::{
    Assignment, Block, Declaration, StatementWhat as What, WrittenCase, WrittenExpression,
    WrittenExpressionWhat::Wrong, WrittenStatement,
};

impl Parser<'_> {
    pub(super) fn block(&mut self) -> Parsed<Block> {
        self.expect(Sign::OpenBrace)?;
        self.nested(Self::block_rest)
    }

    fn block_rest(&mut self) -> Parsed<Block> {
        let mut declarations = Vec::new();
        let mut statements = Vec::new();
        loop {
            let start = self.at;
            let end = self.span();
            if self.take(Sign::CloseBrace) {
                return Ok(Block { declarations, statements, end });
            }
            if self.is_cut_off() {
                // The text may be incomplete because a user is typing, so the statements so far are returned.
                self.unexpected("\"}\"");
                return Ok(Block { declarations, statements, end });
            }
            let read = match self.is_word("declare") {
                true => {
                    if !statements.is_empty() {
                        let hint = Some("declare stands before the first statement of a scope");
                        self.error(end, "a declaration between statements", hint);
                    }
                    self.declare(&mut declarations)
                }
                false => self.statement().map(|statement| statements.push(statement)),
            };
            if read.is_err() && self.skip_statement(start).is_err() {
                return Ok(Block { declarations, statements, end: self.span() });
            }
        }
    }

    /// Returns whether the closing braces of all open blocks are missing.
    fn is_cut_off(&self) -> bool {
        self.peek() == Token::End || self.starts_declaration()
    }

    /// Skips to behind the next `;`, to before the next `}`, or to behind a block in between.
    fn skip_statement(&mut self, start: usize) -> Parsed<()> {
        if self.peek() == Token::End {
            return Err(SyntaxError);
        }
        if self.at == start {
            self.at += 1;
        }
        if self.items[self.at - 1].token == Token::Sign(Sign::CloseBrace) {
            return Ok(());
        }
        let mut open = 0;
        loop {
            match self.peek() {
                Token::End => return Err(SyntaxError),
                _ if self.starts_declaration() => return Err(SyntaxError),
                Token::Sign(Sign::CloseBrace) if open == 0 => return Ok(()),
                Token::Sign(Sign::OpenBrace) => open += 1,
                Token::Sign(Sign::CloseBrace) => {
                    open -= 1;
                    if open == 0 {
                        self.at += 1;
                        return Ok(());
                    }
                }
                Token::Sign(Sign::Semicolon) if open == 0 => {
                    self.at += 1;
                    return Ok(());
                }
                Token::Word if open == 0 && self.starts_line() && self.begins_statement() => {
                    return Ok(());
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Returns whether this item begins a line: there the parser recovers from a missing `;`.
    fn starts_line(&self) -> bool {
        let before = self.items[self.at - 1].span.end as usize;
        self.source.text[before..self.span().start as usize].contains('\n')
    }

    fn begins_statement(&self) -> bool {
        matches!(
            self.items[self.at + 1].token,
            Token::Word
                | Token::Sign(
                    Sign::Assign | Sign::AssignLong | Sign::Open | Sign::Dot | Sign::Semicolon
                )
        )
    }

    fn declare(&mut self, declarations: &mut Vec<Declaration>) -> Parsed<()> {
        self.at += 1;
        let mut names = vec![self.name("the name of a variable")?];
        while self.take(Sign::Comma) {
            names.push(self.name("the name of a variable")?);
        }
        let ty = self.ty()?;
        let fixture = match self.peek() {
            Token::Text => Some(self.text("a file")?),
            _ => None,
        };
        let initial = match self.take(Sign::Assign) || self.take(Sign::AssignLong) {
            true => Some(self.expression()?),
            false => None,
        };
        self.expect(Sign::Semicolon)?;
        for name in names {
            let (ty, initial, fixture) = (ty.clone(), initial.clone(), fixture.clone());
            declarations.push(Declaration { name, ty, initial, fixture });
        }
        Ok(())
    }

    fn statement(&mut self) -> Parsed<WrittenStatement> {
        let start = self.span();
        let what = self.nested(Self::statement_what)?;
        Ok(WrittenStatement { what, span: self.since(start) })
    }

    fn statement_what(&mut self) -> Parsed<What> {
        if self.is_sign(Sign::OpenBrace) {
            return Ok(What::Block(self.block()?));
        }
        match self.word().unwrap_or_default() {
            "if" => self.if_statement(),
            "while" => self.while_statement(),
            "for" => self.for_statement(),
            "switch" => self.switch_statement(),
            "return" => {
                self.at += 1;
                let value = match self.is_sign(Sign::Semicolon) {
                    true => None,
                    false => Some(self.expression()?),
                };
                self.ended(What::Return(value))
            }
            "break" => self.lone(What::Break),
            "continue" => self.lone(What::Continue),
            "delete" => {
                self.at += 1;
                let path = self.expression()?;
                self.ended(What::Delete(path))
            }
            "assert" => {
                self.at += 1;
                let condition = self.expression()?;
                self.ended(What::Assert(condition))
            }
            "else" => {
                Err(self.unexpected_hint("a statement", Some("there is no \"if\" before it")))
            }
            _ => {
                let simple = self.simple_statement()?;
                self.ended(simple)
            }
        }
    }

    fn lone(&mut self, what: What) -> Parsed<What> {
        self.at += 1;
        self.ended(what)
    }

    fn ended(&mut self, what: What) -> Parsed<What> {
        self.expect(Sign::Semicolon)?;
        Ok(what)
    }

    /// Parses an assignment or a call, without its `;`.
    fn simple_statement(&mut self) -> Parsed<What> {
        let target = self.expression()?;
        let operator = match self.peek() {
            Token::Sign(Sign::Assign | Sign::AssignLong) => Assignment::Set,
            Token::Sign(Sign::AddAssign) => Assignment::Add,
            Token::Sign(Sign::SubtractAssign) => Assignment::Subtract,
            Token::Sign(Sign::OrAssign) => Assignment::Or,
            Token::Sign(Sign::SingleEqual) => {
                let hint = "assign with \":=\", compare with \"==\"";
                return Err(self.unexpected_hint("\":=\"", Some(hint)));
            }
            Token::Sign(Sign::Increment) => {
                return Err(self.unexpected_hint("\"+=\"", Some("write x += 1")));
            }
            _ => return Ok(What::Evaluate(target)),
        };
        self.at += 1;
        Ok(What::Assign { target, operator, value: self.expression()? })
    }

    /// Parses a condition in its parentheses. If it has a mistake, it is skipped, so that the statements it controls
    /// are parsed.
    fn condition(&mut self) -> Parsed<WrittenExpression> {
        let (start, span) = (self.at, self.span());
        self.expect(Sign::Open)?;
        self.condition_within().or_else(|SyntaxError| {
            self.skip_parentheses(start)?;
            Ok(WrittenExpression { what: Wrong, span: self.since(span) })
        })
    }

    /// Skips to behind the parenthesis that closes the one at `start`.
    fn skip_parentheses(&mut self, start: usize) -> Parsed<()> {
        let mut open = 0_usize;
        for (place, item) in self.items.iter().enumerate().skip(start) {
            match item.token {
                Token::Sign(Sign::Open) => open += 1,
                Token::Sign(Sign::Close) if open == 1 => {
                    self.at = place + 1;
                    return Ok(());
                }
                Token::Sign(Sign::Close) => open -= 1,
                Token::Sign(Sign::OpenBrace | Sign::CloseBrace | Sign::Semicolon) => break,
                _ => {}
            }
        }
        Err(SyntaxError)
    }

    fn condition_within(&mut self) -> Parsed<WrittenExpression> {
        let condition = self.expression()?;
        if self.is_sign(Sign::SingleEqual) {
            let hint = "compare with \"==\", assign with \":=\"";
            return Err(self.unexpected_hint("\")\"", Some(hint)));
        }
        self.expect(Sign::Close)?;
        Ok(condition)
    }

    fn if_statement(&mut self) -> Parsed<What> {
        self.at += 1;
        let condition = self.condition()?;
        let then = Box::new(self.statement()?);
        let otherwise = match self.is_word("else") {
            true => {
                self.at += 1;
                Some(Box::new(self.statement()?))
            }
            false => None,
        };
        Ok(What::If { condition, then, otherwise })
    }

    fn while_statement(&mut self) -> Parsed<What> {
        self.at += 1;
        Ok(What::While { condition: self.condition()?, body: Box::new(self.statement()?) })
    }

    fn for_statement(&mut self) -> Parsed<What> {
        self.at += 1;
        self.expect(Sign::Open)?;
        let start = self.part(Sign::Semicolon)?;
        let condition = match self.is_sign(Sign::Semicolon) {
            true => None,
            false => Some(self.expression()?),
        };
        self.expect(Sign::Semicolon)?;
        let step = self.part(Sign::Close)?;
        Ok(What::For { start, condition, step, body: Box::new(self.statement()?) })
    }

    /// Parses the first or last part of a `for`, with the sign behind it.
    fn part(&mut self, end: Sign) -> Parsed<Option<Box<WrittenStatement>>> {
        let start = self.span();
        let part = match self.is_sign(end) {
            true => None,
            false => {
                let what = self.simple_statement()?;
                Some(Box::new(WrittenStatement { what, span: self.since(start) }))
            }
        };
        self.expect(end)?;
        Ok(part)
    }

    fn switch_statement(&mut self) -> Parsed<What> {
        self.at += 1;
        let value = self.condition()?;
        self.expect(Sign::OpenBrace)?;
        let mut cases = Vec::new();
        while !self.take(Sign::CloseBrace) {
            cases.push(self.case()?);
        }
        Ok(What::Switch { value, cases })
    }

    fn case(&mut self) -> Parsed<WrittenCase> {
        let start = self.span();
        let mut labels = Vec::new();
        let mut default = None;
        loop {
            let label = self.span();
            if self.is_word("case") {
                self.at += 1;
                labels.push(self.expression()?);
            } else if self.is_word("default") {
                self.at += 1;
                default = Some(label);
            } else if labels.is_empty() && default.is_none() {
                return Err(self.unexpected("\"case\", \"default\" or \"}\""));
            } else {
                break;
            }
            self.expect(Sign::Colon)?;
        }
        let span = self.since(start);
        let body = self.case_body()?;
        Ok(WrittenCase { labels, default, body, span })
    }

    fn case_body(&mut self) -> Parsed<Vec<WrittenStatement>> {
        let mut body = Vec::new();
        while !(self.is_word("case") || self.is_word("default") || self.is_sign(Sign::CloseBrace)) {
            let start = self.at;
            match self.statement() {
                Ok(statement) => body.push(statement),
                Err(SyntaxError) => self.skip_statement(start)?,
            }
        }
        Ok(body)
    }
}
