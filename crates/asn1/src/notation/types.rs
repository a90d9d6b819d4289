//! Parses types (X.680, clauses 17 to 51).

use diagnostics::Span;
use record::{TextKind, TimeKind};

use super::lexer::Token;
use super::parser::{Parsed, Parser, Reported};
use super::syntax::{
    Argument, Body, Component, ComponentList, Named, TagExpression, Tagging, TypeExpression, Value,
};
use crate::encoding::Class;

/// Reserved words (X.680, 12.38) that end what precedes them. Parsed as type names, they would carry a mistake into the
/// next assignment.
pub(super) const NEVER_TYPES: [&str; 9] =
    ["BEGIN", "DEFAULT", "ENCODING-CONTROL", "END", "EXPORTS", "FROM", "IMPORTS", "OF", "OPTIONAL"];

impl Parser<'_> {
    pub(super) fn type_expression(&mut self) -> Parsed<TypeExpression> {
        let mut tags = Vec::new();
        while self.is('[') {
            if self.is_instruction() {
                self.skip_brackets()?;
                continue;
            }
            tags.push(self.tag()?);
        }
        let start = self.item().span;
        let body = self.body()?;
        let span = start.to(self.text.items[self.at.saturating_sub(1)].span);
        let table = self.constraints()?;
        Ok(TypeExpression { tags, body, span, table })
    }

    /// Returns whether an encoding prefix (X.680, 31.3) starts here, not a tag. Reports it if it names its encoding.
    fn is_instruction(&mut self) -> bool {
        let word = self.word_ahead(1);
        if self.ahead(1).token != Token::Upper {
            return false;
        }
        if self.ahead(2).token == Token::Sign(':') {
            let is_tag = word == "TAG";
            if !is_tag {
                let message = format!(
                    "the encoding instruction of \"{word}\" is passed over; BER and JER have none"
                );
                self.forgive(self.ahead(1).span, message);
            }
            return !is_tag;
        }
        self.instructions_are_default && class(word).is_none()
    }

    // Tag (X.680, 31.2.1).
    fn tag(&mut self) -> Parsed<TagExpression> {
        self.expect('[')?;
        if self.take_word("TAG") {
            self.expect(':')?;
        }
        let class = class(self.word());
        if class.is_some() {
            self.step();
        }
        let number = self.value()?;
        self.expect(']')?;
        let mode = if self.take_word("IMPLICIT") {
            Some(Tagging::Implicit)
        } else if self.take_word("EXPLICIT") {
            Some(Tagging::Explicit)
        } else {
            None
        };
        Ok(TagExpression { class: class.unwrap_or(Class::Context), number, mode })
    }

    fn body(&mut self) -> Parsed<Body> {
        if self.token() == Token::Lower && self.ahead(1).token == Token::Sign('<') {
            let name = self.name()?;
            self.expect('<')?;
            return Ok(Body::Selection { name, of: Box::new(self.ty()?) });
        }
        // The type of an object's field: `object.&Type`.
        let of_object =
            self.ahead(1).token == Token::Sign('.') && self.ahead(2).token == Token::FieldName;
        if self.token() == Token::Lower && of_object {
            return self.reference();
        }
        if self.token() != Token::Upper || NEVER_TYPES.contains(&self.word()) {
            return self.wrong("a type");
        }
        let word = self.word().to_owned();
        if let Some(body) = simple(&word) {
            self.step();
            return Ok(body);
        }
        let of = self.at;
        self.step();
        match word.as_str() {
            "INTEGER" => Ok(Body::Integer(self.named_numbers()?)),
            "ENUMERATED" => self.enumerated(),
            "OCTET" if self.take_word("STRING") => Ok(Body::OctetString),
            "BIT" if self.take_word("STRING") => {
                let bits = self.named_numbers()?;
                Ok(Body::BitString { bits, fixed: self.fixed_size()? })
            }
            "OBJECT" if self.take_word("IDENTIFIER") => Ok(Body::ObjectIdentifier),
            "CHARACTER" if self.take_word("STRING") => Ok(built_in("CHARACTER-STRING")),
            "EMBEDDED" if self.take_word("PDV") => Ok(built_in("EMBEDDED-PDV")),
            "INSTANCE" if self.take_word("OF") => {
                self.step();
                Ok(built_in("INSTANCE-OF"))
            }
            "EXTERNAL" => Ok(built_in("EXTERNAL")),
            "ANY" => {
                if self.take_word("DEFINED") {
                    self.take_word("BY");
                    self.name()?;
                }
                Ok(Body::Any)
            }
            "SEQUENCE" => self.structure(Body::Sequence, Body::SequenceOf),
            "SET" => self.structure(Body::Set, Body::SetOf),
            "CHOICE" => self.choice(),
            _ => {
                self.at = of;
                self.reference()
            }
        }
    }

    fn structure(
        &mut self,
        structure: fn(ComponentList) -> Body,
        list: fn(Box<TypeExpression>) -> Body,
    ) -> Parsed<Body> {
        if self.is('{') {
            return Ok(structure(self.components()?));
        }
        if self.take_word("SIZE") || self.is('(') {
            self.constraint()?;
        }
        if !self.take_word("OF") {
            return self.wrong("\"{\" or \"OF\"");
        }
        // SEQUENCE OF name Type.
        if self.token() == Token::Lower && self.ahead(1).token != Token::Sign('<') {
            self.step();
        }
        Ok(list(Box::new(self.ty()?)))
    }

    // ChoiceType (X.680, 29.1): nothing may follow a second `...`.
    fn choice(&mut self) -> Parsed<Body> {
        let mut alternatives = self.components()?;
        let count = alternatives.list.len();
        if let Some(included) = alternatives.list.iter().find(|of| of.components_of) {
            let span = included.span;
            self.mistake(span, "COMPONENTS OF stands in a SEQUENCE or SET, not in a CHOICE");
        }
        if let Some(additions) = &mut alternatives.additions
            && let Some(behind) = alternatives.list.get(additions.end)
        {
            let span = Span { end: behind.span.start + behind.name.len() as u32, ..behind.span };
            additions.end = count;
            let message = "a CHOICE has no alternative behind a second \"...\"; \
                           it is read as one of those between the two";
            self.forgive(span, message);
        }
        Ok(Body::Choice(alternatives))
    }

    // ComponentTypeLists, AlternativeTypeLists (X.680, 25.1, 29.1).
    fn components(&mut self) -> Parsed<ComponentList> {
        self.expect('{')?;
        let mut list = Vec::new();
        let mut markers = Vec::new();
        loop {
            let start = self.at;
            match self.token() {
                Token::Sign('}') => {
                    self.step();
                    let additions = match markers.as_slice() {
                        [] => None,
                        [first] => Some(*first..list.len()),
                        [first, second, ..] => Some(*first..*second),
                    };
                    return Ok(ComponentList { list, additions });
                }
                Token::Ellipsis => self.extension_marker(&mut markers, list.len())?,
                Token::OpenGroup => {
                    self.step();
                    if self.token() == Token::Number && self.ahead(1).token == Token::Sign(':') {
                        self.step();
                        self.step();
                    }
                    continue;
                }
                Token::CloseGroup => {
                    self.step();
                }
                _ => match self.component() {
                    Ok(component) => list.push(component),
                    Err(Reported) => self.skip_component(start)?,
                },
            }
            if let Err(Reported) = self.separator() {
                self.skip_component(start)?;
                self.take(',');
            }
        }
    }

    // ExtensionAndException (X.680, 25.1), before the component at `place`.
    fn extension_marker(&mut self, markers: &mut Vec<usize>, place: usize) -> Parsed<()> {
        let span = self.step();
        if self.take('!') {
            self.value()?;
        }
        match markers.len() {
            0 | 1 => markers.push(place),
            _ => self.forgive(span, "a third \"...\" is passed over"),
        }
        Ok(())
    }

    fn separator(&mut self) -> Parsed<()> {
        if self.take(',') {
            if self.is('}') {
                let span = self.item().span;
                self.forgive(span, "a comma before \"}\" is passed over");
            }
            return Ok(());
        }
        match self.token() {
            Token::Sign('}') | Token::CloseGroup | Token::Ellipsis => Ok(()),
            Token::Lower | Token::OpenGroup => {
                let span = self.item().span;
                self.forgive(span, "a comma is missing before this");
                Ok(())
            }
            _ => self.wrong("\",\" or \"}\""),
        }
    }

    fn component(&mut self) -> Parsed<Component> {
        let start = self.item().span;
        if self.take_word("COMPONENTS") {
            if !self.take_word("OF") {
                return self.wrong("\"OF\"");
            }
            let ty = self.ty()?;
            let name = String::new();
            let span = self.since(start);
            return Ok(Component {
                name,
                span,
                ty,
                optional: false,
                default: None,
                components_of: true,
            });
        }
        let name = self.name()?;
        let ty = self.ty()?;
        let optional = self.take_word("OPTIONAL");
        let default = if self.take_word("DEFAULT") { Some(self.value()?) } else { None };
        let span = self.since(start);
        Ok(Component { name, span, ty, optional, default, components_of: false })
    }

    /// Returns the number or name in `(SIZE (n))`, if that follows. It is not consumed; the constraint parser reads it
    /// again.
    fn fixed_size(&mut self) -> Parsed<Option<Value>> {
        let open = Token::Sign('(');
        let close = Token::Sign(')');
        let is_fixed = [0, 2].iter().all(|ahead| self.ahead(*ahead).token == open)
            && self.word_ahead(1) == "SIZE"
            && matches!(self.ahead(3).token, Token::Number | Token::Lower)
            && [4, 5].iter().all(|ahead| self.ahead(*ahead).token == close);
        if !is_fixed {
            return Ok(None);
        }
        let begin = self.at;
        self.at += 3;
        let size = self.value()?;
        self.at = begin;
        Ok(Some(size))
    }

    /// Parses `{ name (number), … }` after INTEGER or BIT STRING, if present.
    fn named_numbers(&mut self) -> Parsed<Vec<Named>> {
        let mut names = Vec::new();
        if !self.take('{') {
            return Ok(names);
        }
        while !self.take('}') {
            if self.token() == Token::Ellipsis {
                self.step();
            } else {
                names.push(self.named()?);
            }
            self.separator()?;
        }
        Ok(names)
    }

    fn named(&mut self) -> Parsed<Named> {
        let span = self.item().span;
        let name = self.name()?;
        let value = match self.take('(') {
            true => {
                let value = self.value()?;
                self.expect(')')?;
                Some(value)
            }
            false => None,
        };
        Ok(Named { name, span, value })
    }

    // EnumeratedType (X.680, 20.1).
    fn enumerated(&mut self) -> Parsed<Body> {
        let (mut root, mut additions, mut extensible) = (Vec::new(), Vec::new(), false);
        self.expect('{')?;
        while !self.take('}') {
            if self.token() == Token::Ellipsis {
                self.step();
                if self.take('!') {
                    self.value()?;
                }
                extensible = true;
            } else if extensible {
                additions.push(self.named()?);
            } else {
                root.push(self.named()?);
            }
            self.separator()?;
        }
        Ok(Body::Enumerated { root, additions, extensible })
    }

    // DefinedType with its actual parameters (X.683, 9), or the field of a class (X.681, 14).
    fn reference(&mut self) -> Parsed<Body> {
        let mut name = self.word().to_owned();
        let mut module = None;
        self.step();
        if self.is('.') && self.ahead(1).token == Token::FieldName {
            let mut path = Vec::new();
            while self.take('.') {
                path.push(self.word().trim_start_matches('&').to_owned());
                self.step();
            }
            return Ok(Body::ClassField { class: name, path });
        }
        if self.is('.') && self.ahead(1).token == Token::Upper {
            self.step();
            module = Some(std::mem::replace(&mut name, self.word().to_owned()));
            self.step();
        }
        let mut arguments = Vec::new();
        if self.is('{') && !self.is_assignment_of_braces() {
            arguments = self.arguments()?;
        }
        Ok(Body::Reference { module, name, arguments })
    }

    /// Returns whether the brace here begins the right side of an assignment, not something after a type.
    fn is_assignment_of_braces(&self) -> bool {
        self.at > 0 && self.text.items[self.at - 1].token == Token::Assign
    }

    // ActualParameterList (X.683, 9.5).
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Argument>> {
        self.expect('{')?;
        let mut arguments = Vec::new();
        while !self.take('}') {
            arguments.push(self.argument()?);
            if !self.is('}') {
                self.expect(',')?;
            }
        }
        Ok(arguments)
    }
}

fn class(word: &str) -> Option<Class> {
    match word {
        "UNIVERSAL" => Some(Class::Universal),
        "APPLICATION" => Some(Class::Application),
        "PRIVATE" => Some(Class::Private),
        "CONTEXT" => Some(Class::Context),
        _ => None,
    }
}

fn built_in(name: &str) -> Body {
    let module = Some(super::BUILT_IN.to_owned());
    Body::Reference { module, name: name.to_owned(), arguments: Vec::new() }
}

/// Returns the types of a single word.
fn simple(word: &str) -> Option<Body> {
    Some(match word {
        "BOOLEAN" => Body::Boolean,
        "NULL" => Body::Null,
        "REAL" => Body::Real,
        "RELATIVE-OID" => Body::RelativeObjectIdentifier,
        "UTF8String" => Body::Text(TextKind::Utf8),
        "NumericString" => Body::Text(TextKind::Numeric),
        "PrintableString" => Body::Text(TextKind::Printable),
        "TeletexString" | "T61String" => Body::Text(TextKind::Teletex),
        "VideotexString" => Body::Text(TextKind::Videotex),
        "IA5String" | "IA5STRING" => Body::Text(TextKind::Ia5),
        "GraphicString" => Body::Text(TextKind::Graphic),
        "VisibleString" | "ISO646String" => Body::Text(TextKind::Visible),
        "GeneralString" => Body::Text(TextKind::General),
        "UniversalString" => Body::Text(TextKind::Universal),
        "BMPString" => Body::Text(TextKind::Bmp),
        "ObjectDescriptor" => Body::Text(TextKind::ObjectDescriptor),
        "UTCTime" => Body::Time(TimeKind::Utc),
        "GeneralizedTime" => Body::Time(TimeKind::Generalized),
        "TIME" => Body::Time(TimeKind::Time),
        "DATE" => Body::Time(TimeKind::Date),
        "TIME-OF-DAY" => Body::Time(TimeKind::TimeOfDay),
        "DATE-TIME" => Body::Time(TimeKind::DateTime),
        "DURATION" => Body::Time(TimeKind::Duration),
        "OID-IRI" => Body::Time(TimeKind::OidIri),
        "RELATIVE-OID-IRI" => Body::Time(TimeKind::RelativeOidIri),
        _ => return None,
    })
}
