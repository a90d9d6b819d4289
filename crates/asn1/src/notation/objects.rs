//! Information objects (X.681, 11 and 12): their settings for the fields of their class.
//!
//! The notation of an object depends on its class, so objects are parsed after all modules. An object that cannot be
//! parsed is left out: values that need it are shown as octets.

use std::ops::Range;
use std::sync::Arc;

use super::lexer::Token;
use super::parser::{Parsed, Parser};
use super::syntax::{ClassField, ObjectClass, Text, TypeExpression, Value};

/// An element of an object set.
#[derive(Debug)]
pub(crate) enum ObjectSetElement {
    Object(Object),
    /// Another set, or a named object.
    Reference(String),
}

/// The settings of an object, by the names of its class's fields.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) settings: Vec<(String, Setting)>,
}

#[derive(Debug)]
pub(crate) enum Setting {
    Type(TypeExpression),
    Value(Value),
}

/// Returns the elements of a set, or the one object of an object assignment, in a range of items.
pub(crate) fn elements(
    text: &Arc<Text>,
    items: Range<usize>,
    class: &ObjectClass,
    is_set: bool,
) -> Vec<ObjectSetElement> {
    let mut unheard = Vec::new();
    let mut parser = Parser::within(text, items.start, &mut unheard);
    let end = items.end;
    if !is_set {
        return parser.object(class, end).map(ObjectSetElement::Object).into_iter().collect();
    }
    let mut found = Vec::new();
    while parser.at < end {
        let start = parser.at;
        match parser.token() {
            Token::Sign('{') => {
                if parser.skip_brackets().is_err() {
                    break;
                }
                let inside =
                    Parser::within(text, start + 1, &mut Vec::new()).object(class, parser.at - 1);
                found.extend(inside.map(ObjectSetElement::Object));
            }
            Token::Lower | Token::Upper => {
                if !matches!(parser.word(), "UNION" | "INTERSECTION" | "EXCEPT") {
                    found.push(ObjectSetElement::Reference(parser.word().to_owned()));
                }
                parser.step();
            }
            _ => {
                parser.step();
            }
        }
    }
    found
}

impl Parser<'_> {
    /// Parses the object whose items end at `end`.
    fn object(&mut self, class: &ObjectClass, end: usize) -> Option<Object> {
        let mut settings = Vec::new();
        let read = match &class.syntax {
            Some(syntax) => self.by_syntax(class, syntax.clone(), end, &mut settings),
            None => self.by_default(class, end, &mut settings),
        };
        (read.is_ok() && self.at == end).then_some(Object { settings })
    }

    // DefaultSyntax (X.681, 11.5): `&field setting, …`.
    fn by_default(
        &mut self,
        class: &ObjectClass,
        end: usize,
        settings: &mut Vec<(String, Setting)>,
    ) -> Parsed<()> {
        while self.at < end {
            let name = self.word().trim_start_matches('&').to_owned();
            self.step();
            self.setting(class, &name, settings)?;
            self.take(',');
        }
        Ok(())
    }

    // DefinedSyntax (X.681, 11.6): the words of the class's WITH SYNTAX, which lie in its own text.
    fn by_syntax(
        &mut self,
        class: &ObjectClass,
        syntax: Range<usize>,
        end: usize,
        settings: &mut Vec<(String, Setting)>,
    ) -> Parsed<()> {
        let mut at = syntax.start;
        while at < syntax.end {
            let item = class.text.items[at];
            let word = class.text.at(item.span);
            match item.token {
                Token::Sign('[') => {
                    let close = closing(&class.text, at, syntax.end);
                    if self.begins(class, at + 1, end) {
                        self.nested(|parser| {
                            parser.by_syntax(class, at + 1..close, end, settings)
                        })?;
                    }
                    at = close;
                }
                Token::FieldName => {
                    let name = word.trim_start_matches('&').to_owned();
                    self.setting(class, &name, settings)?;
                }
                _ if self.at < end && self.word() == word => {
                    self.step();
                }
                _ => return self.wrong(&format!("\"{word}\"")),
            }
            at += 1;
        }
        Ok(())
    }

    /// Returns whether an optional group of the syntax is present: its first word is next, or an item that its first
    /// field could be.
    fn begins(&self, class: &ObjectClass, at: usize, end: usize) -> bool {
        let first = class.text.items[at];
        match first.token {
            Token::FieldName | Token::Sign('[') => {
                self.at < end && self.token() != Token::Sign(',')
            }
            _ => self.at < end && self.word() == class.text.at(first.span),
        }
    }

    /// Parses the setting of a field: a type for a name that begins with a capital letter, otherwise a value. Sets and
    /// objects are skipped.
    fn setting(
        &mut self,
        class: &ObjectClass,
        name: &str,
        settings: &mut Vec<(String, Setting)>,
    ) -> Parsed<()> {
        let field: Option<&ClassField> = class.fields.iter().find(|field| field.name == name);
        let is_type = name.starts_with(|first: char| first.is_ascii_uppercase());
        if is_type && self.is('{') {
            return self.skip_brackets().map(drop);
        }
        if is_type {
            let ty = self.ty()?;
            settings.push((name.to_owned(), Setting::Type(ty)));
            return Ok(());
        }
        let value = self.value()?;
        if field.is_some_and(|field| field.ty.is_some()) {
            settings.push((name.to_owned(), Setting::Value(value)));
        }
        Ok(())
    }
}

/// Returns the item that closes the group opened at `open`.
fn closing(text: &Text, open: usize, end: usize) -> usize {
    let mut depth = 0_usize;
    for at in open..end {
        match text.items[at].token {
            Token::Sign('[') => depth += 1,
            Token::OpenGroup => depth += 2,
            Token::Sign(']') => depth = depth.saturating_sub(1),
            Token::CloseGroup => depth = depth.saturating_sub(2),
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    end
}
