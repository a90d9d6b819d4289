//! Parses constraints (X.680, 49 to 51; X.682). Only their form is checked: decoding ignores them, since network
//! elements send more than their modules allow.

use super::lexer::Token;
use super::parser::{Parsed, Parser};
use super::syntax::TableConstraint;

impl Parser<'_> {
    /// Parses all constraints after a type. Returns the table constraint, which decoding needs.
    pub(super) fn constraints(&mut self) -> Parsed<Option<TableConstraint>> {
        let mut table = None;
        while self.is('(') {
            table = self.constraint()?.or(table);
        }
        Ok(table)
    }

    // Constraint (X.680, 49.6).
    pub(super) fn constraint(&mut self) -> Parsed<Option<TableConstraint>> {
        self.nested(|parser| {
            parser.expect('(')?;
            let mut table = None;
            match parser.word() {
                "CONSTRAINED" => parser.user_defined()?,
                "CONTAINING" | "ENCODED" => parser.contents()?,
                _ if parser.is('{') && parser.ahead(1).token == Token::Upper => {
                    table = Some(parser.table()?)
                }
                _ => parser.element_sets()?,
            }
            if parser.take('!') {
                parser.exception()?;
            }
            parser.expect(')')?;
            Ok(table)
        })
    }

    // UserDefinedConstraint (X.682, 9).
    fn user_defined(&mut self) -> Parsed<()> {
        self.step();
        if !self.take_word("BY") {
            return self.wrong("\"BY\"");
        }
        self.braced()
    }

    // ContentsConstraint (X.682, 11).
    fn contents(&mut self) -> Parsed<()> {
        if self.take_word("CONTAINING") {
            self.ty()?;
        }
        if self.take_word("ENCODED") {
            if !self.take_word("BY") {
                return self.wrong("\"BY\"");
            }
            self.value()?;
        }
        Ok(())
    }

    // TableConstraint (X.682, 10): a set of objects, and the components that choose one.
    fn table(&mut self) -> Parsed<TableConstraint> {
        let mut table = TableConstraint { set: self.word_ahead(1).to_owned(), at: Vec::new() };
        if self.ahead(2).token == Token::Sign('.') {
            table.set = self.word_ahead(3).to_owned();
        }
        self.braced()?;
        if !self.is('{') {
            return Ok(table);
        }
        self.step();
        loop {
            self.expect('@')?;
            let levels = self.dots();
            let name = self.name()?;
            if levels <= 1 {
                table.at.push(name);
            }
            while self.take('.') {
                self.name()?;
            }
            if !self.take(',') {
                self.expect('}')?;
                return Ok(table);
            }
        }
    }

    // Level (X.682, 10.7): how many enclosing types up the component is.
    fn dots(&mut self) -> usize {
        let mut levels = 0;
        loop {
            levels += match self.token() {
                Token::Sign('.') => 1,
                Token::Range => 2,
                Token::Ellipsis => 3,
                _ => return levels,
            };
            self.step();
        }
    }

    // ElementSetSpecs (X.680, 50.1).
    fn element_sets(&mut self) -> Parsed<()> {
        self.unions()?;
        if !self.take(',') {
            return Ok(());
        }
        if self.token() != Token::Ellipsis {
            return self.wrong("\"...\"");
        }
        self.step();
        if self.take(',') {
            self.unions()?;
        }
        Ok(())
    }

    fn unions(&mut self) -> Parsed<()> {
        if self.take_word("ALL") {
            if !self.take_word("EXCEPT") {
                return self.wrong("\"EXCEPT\"");
            }
            return self.elements();
        }
        loop {
            self.intersections()?;
            if !(self.take('|') || self.take_word("UNION")) {
                return Ok(());
            }
        }
    }

    fn intersections(&mut self) -> Parsed<()> {
        loop {
            self.elements()?;
            if self.take_word("EXCEPT") {
                self.elements()?;
            }
            if !(self.take('^') || self.take_word("INTERSECTION")) {
                return Ok(());
            }
        }
    }

    // SubtypeElements (X.680, 51.1).
    fn elements(&mut self) -> Parsed<()> {
        match self.word() {
            "SIZE" | "FROM" => {
                self.step();
                self.constraint().map(drop)
            }
            "PATTERN" => {
                self.step();
                self.value().map(drop)
            }
            "SETTINGS" => {
                self.step();
                match self.token() {
                    Token::Text => {
                        self.step();
                        Ok(())
                    }
                    _ => self.wrong("\"…\""),
                }
            }
            "WITH" => self.inner(),
            "INCLUDES" => {
                self.step();
                self.ty().map(drop)
            }
            _ if self.is('(') => self.nested(|parser| {
                parser.step();
                parser.unions()?;
                parser.expect(')').map(drop)
            }),
            _ => self.range_or_type(),
        }
    }

    // ValueRange, SingleValue, ContainedSubtype (X.680, 51.2 to 51.4).
    fn range_or_type(&mut self) -> Parsed<()> {
        if matches!(self.token(), Token::Sign(')' | ',' | '|') | Token::Range | Token::Ellipsis) {
            return self.wrong("a value, a range or a type");
        }
        let is_bound = matches!(self.word(), "MIN" | "MAX");
        if is_bound {
            self.step();
        } else if self.token() == Token::Upper && !is_value_word(self.word()) {
            return self.ty().map(drop);
        } else {
            self.bound()?;
        }
        let below = self.take('<');
        if self.token() != Token::Range {
            return if below { self.wrong("\"..\"") } else { Ok(()) };
        }
        self.step();
        self.take('<');
        self.bound()
    }

    fn bound(&mut self) -> Parsed<()> {
        if matches!(self.word(), "MIN" | "MAX") {
            self.step();
            return Ok(());
        }
        self.value()?;
        // A field of an object, `object.&field`, or a value of a CHOICE, `name : value`.
        while self.take('.') {
            self.step();
        }
        if self.take(':') {
            self.value()?;
        }
        Ok(())
    }

    // InnerTypeConstraints (X.680, 51.8).
    fn inner(&mut self) -> Parsed<()> {
        self.step();
        if self.take_word("COMPONENT") {
            return self.constraint().map(drop);
        }
        if !self.take_word("COMPONENTS") {
            return self.wrong("\"COMPONENT\" or \"COMPONENTS\"");
        }
        self.expect('{')?;
        loop {
            if self.token() == Token::Ellipsis {
                self.step();
            } else {
                self.name()?;
                self.constraints()?;
                let _ = ["PRESENT", "ABSENT", "OPTIONAL"].iter().any(|word| self.take_word(word));
            }
            if !self.take(',') {
                self.expect('}')?;
                return Ok(());
            }
        }
    }

    // ExceptionIdentification (X.680, 53.4).
    fn exception(&mut self) -> Parsed<()> {
        let is_typed = self.token() == Token::Upper && !is_value_word(self.word());
        if is_typed {
            self.ty()?;
            self.expect(':')?;
        }
        self.value().map(drop)
    }

    /// Skips `{ … }`, whose contents have another syntax.
    fn braced(&mut self) -> Parsed<()> {
        match self.is('{') {
            true => self.skip_brackets().map(drop),
            false => self.wrong("\"{\""),
        }
    }
}

/// Returns whether a word is a value that begins with a capital letter.
fn is_value_word(word: &str) -> bool {
    matches!(word, "TRUE" | "FALSE" | "NULL" | "PLUS-INFINITY" | "MINUS-INFINITY" | "NOT-A-NUMBER")
}
