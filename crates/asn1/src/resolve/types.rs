//! Type expressions to types and tags.

use std::rc::Rc;

use diagnostics::Span;
use record::{Field, Kind, TextKind, TimeKind, TypeId};

use super::{Bindings, Resolution, Resolved, Resolver, Scope, TYPE_DEPTH_MAX, TYPES_MAX};
use crate::encoding::{Class, Encoding, Tag, Tags};
use crate::modules::Definition;
use crate::notation::syntax::{
    Argument, Assigned, Body, Component, Named, TagExpression, Tagging, TypeExpression,
};

impl<'m> Resolver<'m> {
    /// A type without parameters by the place of its definition.
    pub(super) fn defined(&mut self, definition: Definition) -> Resolution<Resolved> {
        if let Some(known) = self.known.get(&definition) {
            return Ok(known.clone());
        }
        let assignment = self.modules.get(definition);
        let scope = Scope { module: definition.module, bindings: None };
        let module = &self.modules.module(definition.module).name;
        let name = format!("{module}.{}", assignment.name);
        let Assigned::Type(expression) = &assignment.what else {
            let message = format!("\"{}\" is not a type", assignment.name);
            return Err(self.wrong(&scope, assignment.span, message, None));
        };
        if self.naming.contains(&definition) {
            let message = format!("\"{}\" is defined by itself", assignment.name);
            return Err(self.wrong(&scope, assignment.span, message, None));
        }
        let resolved = self.expression(&scope, expression, &name, Some(definition));
        if resolved.is_err() {
            // What was begun must not look like a type to those who come later.
            self.known.remove(&definition);
        }
        let resolved = resolved?;
        self.known.insert(definition, resolved.clone());
        Ok(resolved)
    }

    /// A type as written. `definition` is given where it is the whole of a definition: the type then
    /// has a name of its own, and may contain itself.
    pub(super) fn expression(
        &mut self,
        scope: &Scope<'m>,
        expression: &'m TypeExpression,
        name: &str,
        definition: Option<Definition>,
    ) -> Resolution<Resolved> {
        if self.depth == TYPE_DEPTH_MAX {
            let message = format!("types lie more than {TYPE_DEPTH_MAX} deep within each other");
            return Err(self.wrong(scope, expression.span, message, None));
        }
        if self.specification.encodings.len() > TYPES_MAX {
            let message = format!("these modules have more than {TYPES_MAX} types");
            return Err(self.wrong(scope, expression.span, message, None));
        }
        self.depth += 1;
        let resolved = self.expression_within(scope, expression, name, definition);
        self.depth -= 1;
        resolved
    }

    fn expression_within(
        &mut self,
        scope: &Scope<'m>,
        expression: &'m TypeExpression,
        name: &str,
        definition: Option<Definition>,
    ) -> Resolution<Resolved> {
        let Some((tag, kind)) = own_body(&expression.body) else {
            self.naming.extend(definition);
            let base = self.referred(scope, expression, name);
            self.naming.truncate(self.naming.len() - usize::from(definition.is_some()));
            let base = base?;
            let tags = self.tags(scope, &expression.tags, base.tags.clone())?;
            return Ok(match definition {
                Some(_) => Resolved { ty: self.named_alike(name, base.ty, tags.clone()), tags },
                None => Resolved { ty: base.ty, tags },
            });
        };
        let own: Tags =
            tag.map(|number| Tag { class: Class::Universal, number }).into_iter().collect();
        let tags = self.tags(scope, &expression.tags, own.clone())?;
        if let (Body::SequenceOf(element) | Body::SetOf(element), None) =
            (&expression.body, definition)
        {
            let element = self.expression(scope, element, &format!("{name}[]"), None)?;
            return Ok(Resolved { ty: self.list_in_place(element, own), tags });
        }
        let ty = self.add(name.to_owned(), kind, Encoding::Primitive, tags.clone());
        let resolved = Resolved { tags, ty };
        if let Some(definition) = definition {
            self.known.insert(definition, resolved.clone());
        }
        // A type may lie within itself, by whatever names.
        let naming = std::mem::take(&mut self.naming);
        let filled = self.fill(scope, &expression.body, name, ty);
        self.naming = naming;
        filled.map(|()| resolved)
    }

    /// A second name for a type. It is a type of its own, unless it stands within what it names.
    fn named_alike(&mut self, name: &str, base: TypeId, tags: Tags) -> TypeId {
        let kind = self.specification.schema.kind(base).clone();
        let encoding = self.specification.encodings[base.0 as usize].clone();
        let unfinished = kind.is_constructed() && encoding == Encoding::Primitive;
        if unfinished { base } else { self.add(name.to_owned(), kind, encoding, tags) }
    }

    /// A list that has no name. All of the same elements are of one type, so that a script that gives one to
    /// another copies octets.
    fn list_in_place(&mut self, element: Resolved, own: Tags) -> TypeId {
        let key = (element, own);
        if let Some(known) = self.lists.get(&key) {
            return *known;
        }
        let (Resolved { ty, tags }, own) = &key;
        let of = &self.specification.schema.get(*ty).name;
        let (name, kind) = match own.first().is_some_and(|tag| tag.number == SET_OF) {
            true => (format!("SET OF {of}"), Kind::SetOf(*ty)),
            false => (format!("SEQUENCE OF {of}"), Kind::SequenceOf(*ty)),
        };
        let list = self.add(name, kind, Encoding::List(tags.clone()), own.clone());
        self.lists.insert(key, list);
        list
    }

    /// Gives a type whose place is taken its content.
    fn fill(
        &mut self,
        scope: &Scope<'m>,
        body: &'m Body,
        name: &str,
        ty: TypeId,
    ) -> Resolution<()> {
        let (kind, encoding) = match body {
            Body::Integer(named) => {
                let names = self.named(scope, named);
                self.distinct_names(scope, &refs(named), &numbers(&names));
                (Kind::Integer { names }, Encoding::Primitive)
            }
            Body::BitString { bits: named, fixed } => {
                let bits = self.named(scope, named);
                self.distinct_names(scope, &refs(named), &numbers(&bits));
                (Kind::BitString { bits, fixed: *fixed }, Encoding::Primitive)
            }
            Body::Enumerated { root, additions, extensible } => {
                let items = self.enumeration(scope, root, additions)?;
                let named: Vec<&Named> = root.iter().chain(additions).collect();
                let numbers: Vec<(&str, i64)> =
                    items.iter().map(|item| (item.name.as_str(), item.value)).collect();
                self.distinct_names(scope, &named, &numbers);
                (Kind::Enumerated { items, extensible: *extensible }, Encoding::Primitive)
            }
            Body::Sequence(components) => {
                let (fields, tags) = self.components(scope, components, name, false)?;
                self.distinct_components(scope, components, &fields, &tags, true);
                (Kind::Sequence(fields), Encoding::Structure(tags))
            }
            Body::Set(components) => {
                let (fields, tags) = self.components(scope, components, name, false)?;
                self.distinct_components(scope, components, &fields, &tags, false);
                (Kind::Set(fields), Encoding::Structure(tags))
            }
            Body::Choice(alternatives) => {
                let (fields, tags) = self.components(scope, alternatives, name, true)?;
                self.distinct_components(scope, alternatives, &fields, &tags, false);
                (Kind::Choice(fields), Encoding::Choice(tags))
            }
            Body::SequenceOf(element) => {
                let element = self.expression(scope, element, &format!("{name}[]"), None)?;
                (Kind::SequenceOf(element.ty), Encoding::List(element.tags))
            }
            Body::SetOf(element) => {
                let element = self.expression(scope, element, &format!("{name}[]"), None)?;
                (Kind::SetOf(element.ty), Encoding::List(element.tags))
            }
            _ => return Ok(()),
        };
        self.define(ty, kind, encoding);
        Ok(())
    }

    // X.680, 25.4 to 25.8 and 29.2 to 29.5.
    fn components(
        &mut self,
        scope: &Scope<'m>,
        components: &'m [Component],
        name: &str,
        choice: bool,
    ) -> Resolution<(Vec<Field>, Vec<Tags>)> {
        let automatic = self.modules.module(scope.module).tagging == Some(Tagging::Automatic)
            && components.iter().all(|c| c.components_of || c.ty.tags.is_empty());
        let (mut fields, mut tags) = (Vec::new(), Vec::new());
        for component in components {
            if component.components_of {
                let (more, more_tags) = self.components_of(scope, &component.ty, name)?;
                fields.extend(more);
                tags.extend(more_tags);
                continue;
            }
            let inner = format!("{name}.{}", component.name);
            let resolved = match self.expression(scope, &component.ty, &inner, None) {
                Ok(resolved) => resolved,
                Err(mistake) => {
                    self.mistakes.push(*mistake);
                    continue;
                }
            };
            let default =
                component.default.as_ref().map(|value| self.default(scope, resolved.ty, value));
            if let Some(value) = &component.default {
                self.fitting_default(scope, resolved.ty, value);
            }
            fields.push(Field {
                name: component.name.clone(),
                ty: resolved.ty,
                optional: component.optional && !choice,
                default,
            });
            tags.push(resolved.tags);
        }
        self.tables(scope, components, &fields, name);
        if automatic {
            for (number, tags) in tags.iter_mut().enumerate() {
                let tag = Tag { class: Class::Context, number: number as u32 };
                *tags = put(tag, Tagging::Implicit, std::mem::take(tags));
            }
        }
        Ok((fields, tags))
    }

    fn components_of(
        &mut self,
        scope: &Scope<'m>,
        of: &'m TypeExpression,
        name: &str,
    ) -> Resolution<(Vec<Field>, Vec<Tags>)> {
        // From the syntax, since the structure may be one that is just being resolved.
        let mut scope = scope.clone();
        let mut expression = of;
        for _ in 0..TYPE_DEPTH_MAX {
            match &expression.body {
                Body::Sequence(components) | Body::Set(components) => {
                    return self.components(&scope, components, name, false);
                }
                Body::Reference { module, name, arguments } => {
                    let span = expression.span;
                    let (inner, next, _) =
                        self.follow(&scope, module.as_deref(), name, arguments, span)?;
                    (scope, expression) = (inner, next);
                }
                _ => break,
            }
        }
        let message = "COMPONENTS OF needs a SEQUENCE or SET".to_owned();
        Err(self.wrong(&scope, expression.span, message, None))
    }

    /// Puts the tags of an expression before those the type has (X.680, 31.2.6 to 31.2.9).
    fn tags(
        &mut self,
        scope: &Scope<'m>,
        expressions: &[TagExpression],
        mut tags: Tags,
    ) -> Resolution<Tags> {
        let own = self.modules.module(scope.module).tagging;
        let default = own.unwrap_or(self.assumed);
        self.relied |= own.is_none() && expressions.iter().any(|tag| tag.mode.is_none());
        for expression in expressions.iter().rev() {
            let number = self.number_within(scope, &expression.number)?;
            let tag = Tag { class: expression.class, number };
            tags = put(tag, expression.mode.unwrap_or(default), tags);
        }
        Ok(tags)
    }

    /// A type that is written by referring to another.
    fn referred(
        &mut self,
        scope: &Scope<'m>,
        expression: &'m TypeExpression,
        name: &str,
    ) -> Resolution<Resolved> {
        match &expression.body {
            Body::Reference { module, name: of, arguments } => {
                self.reference(scope, module.as_deref(), of, arguments, expression.span, name)
            }
            Body::Selection { name: alternative, of } => {
                let choice = self.expression(scope, of, name, None)?;
                let kind = self.specification.schema.kind(choice.ty);
                match (kind.field(alternative), &self.specification.encodings[choice.ty.0 as usize])
                {
                    (Some(place), Encoding::Choice(tags)) => {
                        Ok(Resolved { tags: tags[place].clone(), ty: kind.fields()[place].ty })
                    }
                    _ => Err(self.undefined(scope, expression.span, alternative)),
                }
            }
            Body::ClassField { class, path } => self.class_field(scope, class, path, name),
            _ => unreachable!("every other body is its own"),
        }
    }

    fn reference(
        &mut self,
        scope: &Scope<'m>,
        module: Option<&str>,
        of: &str,
        arguments: &'m [Argument],
        span: Span,
        name: &str,
    ) -> Resolution<Resolved> {
        match self.follow(scope, module, of, arguments, span)? {
            (_, _, Some(definition)) => self.defined(definition),
            (scope, expression, None) => self.expression(&scope, expression, name, None),
        }
    }

    /// The expression a name stands for, where to read it, and its definition if that has no parameters.
    fn follow(
        &self,
        scope: &Scope<'m>,
        module: Option<&str>,
        of: &str,
        arguments: &'m [Argument],
        span: Span,
    ) -> Resolution<(Scope<'m>, &'m TypeExpression, Option<Definition>)> {
        if let Some(bindings) = &scope.bindings
            && let Some(place) = bindings.names.iter().position(|dummy| dummy == of)
        {
            return match bindings.arguments.get(place) {
                Some(Argument::Type(ty)) => Ok((bindings.outer.clone(), ty, None)),
                _ => Err(self.wrong(scope, span, format!("\"{of}\" is not a type here"), None)),
            };
        }
        let found = match module {
            Some(module) => {
                self.modules.named(module).and_then(|module| self.modules.local(module, of))
            }
            None => self.modules.lookup(scope.module, of),
        };
        let Some(found) = found else { return Err(self.undefined(scope, span, of)) };
        let assignment = self.modules.get(found);
        let Assigned::Type(expression) = &assignment.what else {
            return Err(self.wrong(scope, span, format!("\"{of}\" is not a type"), None));
        };
        if assignment.parameters.is_empty() {
            return Ok((Scope { module: found.module, bindings: None }, expression, Some(found)));
        }
        let outer = scope.clone();
        let bindings = Bindings { names: &assignment.parameters, arguments, outer };
        let bindings = Some(Rc::new(bindings));
        Ok((Scope { module: found.module, bindings }, expression, None))
    }

    /// A field of an information object class: the type of a fixed-type field, open otherwise
    /// (X.681, 14.2).
    fn class_field(
        &mut self,
        scope: &Scope<'m>,
        class: &str,
        path: &[String],
        name: &str,
    ) -> Resolution<Resolved> {
        if let Some((module, found)) = self.modules.class(scope.module, class)
            && let [field] = path
            && let Some(field) = found.fields.iter().find(|known| known.name == *field)
            && let Some(ty) = &field.ty
        {
            let scope = Scope { module, bindings: None };
            return self.expression(&scope, ty, name, None);
        }
        let open = Encoding::Open { selector: Vec::new(), table: Vec::new() };
        let ty = self.add(name.to_owned(), Kind::Open, open, Tags::new());
        Ok(Resolved { tags: Tags::new(), ty })
    }
}

/// The universal tag of a SET OF.
const SET_OF: u32 = 17;

fn refs(named: &[Named]) -> Vec<&Named> {
    named.iter().collect()
}

fn numbers<T: Copy>(names: &[(String, T)]) -> Vec<(&str, T)> {
    names.iter().map(|(name, number)| (name.as_str(), *number)).collect()
}

/// Puts a tag before others: IMPLICIT replaces the first, except before an untagged CHOICE or open
/// type, which has none (X.680, 31.2.7).
fn put(tag: Tag, mode: Tagging, mut tags: Tags) -> Tags {
    match tags.first_mut() {
        Some(first) if mode != Tagging::Explicit => *first = tag,
        _ => tags.insert(0, tag),
    }
    tags
}

/// The universal tag and the still empty kind of a type that is its own; none for one that refers to
/// another (X.680, table 1).
fn own_body(body: &Body) -> Option<(Option<u32>, Kind)> {
    let (tag, kind) = match body {
        Body::Boolean => (1, Kind::Boolean),
        Body::Integer(_) => (2, Kind::Integer { names: Vec::new() }),
        Body::BitString { fixed, .. } => (3, Kind::BitString { bits: Vec::new(), fixed: *fixed }),
        Body::OctetString => (4, Kind::OctetString),
        Body::Null => (5, Kind::Null),
        Body::ObjectIdentifier => (6, Kind::ObjectIdentifier),
        Body::Real => (9, Kind::Real),
        Body::Enumerated { .. } => (10, Kind::Enumerated { items: Vec::new(), extensible: false }),
        Body::RelativeObjectIdentifier => (13, Kind::RelativeObjectIdentifier),
        Body::Sequence(_) => (16, Kind::Sequence(Vec::new())),
        Body::SequenceOf(_) => (16, Kind::Sequence(Vec::new())),
        Body::Set(_) => (17, Kind::Set(Vec::new())),
        Body::SetOf(_) => (SET_OF, Kind::Set(Vec::new())),
        Body::Text(kind) => (text_tag(*kind), Kind::Text(*kind)),
        Body::Time(kind) => (time_tag(*kind), Kind::Time(*kind)),
        Body::Choice(_) => return Some((None, Kind::Choice(Vec::new()))),
        Body::Any => return Some((None, Kind::Open)),
        Body::Reference { .. } | Body::Selection { .. } | Body::ClassField { .. } => return None,
    };
    Some((Some(tag), kind))
}

fn text_tag(kind: TextKind) -> u32 {
    match kind {
        TextKind::ObjectDescriptor => 7,
        TextKind::Utf8 => 12,
        TextKind::Numeric => 18,
        TextKind::Printable => 19,
        TextKind::Teletex => 20,
        TextKind::Videotex => 21,
        TextKind::Ia5 => 22,
        TextKind::Graphic => 25,
        TextKind::Visible => 26,
        TextKind::General => 27,
        TextKind::Universal => 28,
        TextKind::Bmp => 30,
    }
}

fn time_tag(kind: TimeKind) -> u32 {
    match kind {
        TimeKind::Time => 14,
        TimeKind::Utc => 23,
        TimeKind::Generalized => 24,
        TimeKind::Date => 31,
        TimeKind::TimeOfDay => 32,
        TimeKind::DateTime => 33,
        TimeKind::Duration => 34,
        TimeKind::OidIri => 35,
        TimeKind::RelativeOidIri => 36,
    }
}
