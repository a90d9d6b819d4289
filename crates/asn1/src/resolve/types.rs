//! Resolves type expressions to types and tags.

use std::rc::Rc;

use diagnostics::{Span, did_you_mean};
use record::{Kind, TypeId};

use super::components::{Structure, StructureKind};
use super::instances::{Followed, Instance};
use super::{Resolution, Resolved, Resolver, STEPS_MAX, Scope, TYPE_DEPTH_MAX, TYPES_MAX};
use crate::encoding::{Class, Encoding, Tag, Tags, universal_tag};
use crate::modules::Definition;
use crate::notation::syntax::{
    Argument, Assigned, Body, Named, TagExpression, Tagging, TypeExpression,
};

/// A parameterized list whose element type is under resolution.
#[derive(Debug)]
pub(super) struct UnfinishedList {
    instance: Instance,
    is_set: bool,
    tags: Tags,
    /// Its type, once the list refers to itself.
    ty: Option<TypeId>,
}

impl<'m> Resolver<'m> {
    /// Resolves a type without parameters, by its definition.
    pub(super) fn defined(&mut self, definition: Definition) -> Resolution<Resolved> {
        let assignment = self.modules.get(definition);
        let scope = Scope { module: definition.module, bindings: None };
        let Assigned::Type(expression) = &assignment.what else {
            let message = format!("\"{}\" is not a type", assignment.name);
            return Err(self.wrong(&scope, assignment.span, message, None));
        };
        let module = &self.modules.module(definition.module).name;
        let name = format!("{module}.{}", assignment.name);
        self.instance(Instance { definition, arguments: Rc::from([]) }, &scope, expression, &name)
    }

    /// Resolves a definition with its actual parameters. Equal parameters give the same type (X.683, 8), so recursive
    /// definitions terminate.
    fn instance(
        &mut self,
        instance: Instance,
        scope: &Scope<'m>,
        expression: &'m TypeExpression,
        name: &str,
    ) -> Resolution<Resolved> {
        if let Some(known) = self.known.get(&instance) {
            return Ok(known.clone());
        }
        if let Some(list) = self.unfinished_list(&instance, name) {
            return Ok(list);
        }
        if self.naming.contains(&instance) {
            let assignment = self.modules.get(instance.definition);
            let module = Scope { module: instance.definition.module, bindings: None };
            let message = format!("\"{}\" is defined by itself", assignment.name);
            return Err(self.wrong(&module, assignment.span, message, None));
        }
        let resolved = self.expression(scope, expression, name, Some(&instance));
        match &resolved {
            // Later uses must not take the unfinished type for a type.
            Err(_) => drop(self.known.remove(&instance)),
            Ok(resolved) if !instance.has_parameters() => {
                self.known.insert(instance, resolved.clone());
            }
            Ok(_) => {}
        }
        resolved
    }

    /// Resolves a type expression. `instance` is set if the expression is a whole definition: the type may then be
    /// recursive, and without parameters it has its own name.
    pub(super) fn expression(
        &mut self,
        scope: &Scope<'m>,
        expression: &'m TypeExpression,
        name: &str,
        instance: Option<&Instance>,
    ) -> Resolution<Resolved> {
        self.deeper(scope, expression.span, |resolver| {
            resolver.expression_within(scope, expression, name, instance)
        })
    }

    /// Runs one level of nested resolution. Every recursion in this file goes through here, so depth is bounded.
    pub(super) fn deeper<T>(
        &mut self,
        scope: &Scope<'m>,
        span: Span,
        step: impl FnOnce(&mut Self) -> Resolution<T>,
    ) -> Resolution<T> {
        self.steps += 1;
        if let Some(refused) = &self.refused {
            return Err(refused.clone());
        }
        if self.depth == TYPE_DEPTH_MAX {
            return Err(self.too_deep(scope, span));
        }
        if self.specification.encodings.len() > TYPES_MAX {
            let message = format!("these modules have more than {TYPES_MAX} types");
            return Err(self.refuse(scope, span, message));
        }
        if self.steps > STEPS_MAX {
            let message = format!("these modules have more than {STEPS_MAX} components");
            return Err(self.refuse(scope, span, message));
        }
        self.depth += 1;
        let found = step(self);
        self.depth -= 1;
        found
    }

    fn expression_within(
        &mut self,
        scope: &Scope<'m>,
        expression: &'m TypeExpression,
        name: &str,
        instance: Option<&Instance>,
    ) -> Resolution<Resolved> {
        let Some((tag, kind)) = own_body(&expression.body) else {
            self.naming.extend(instance.cloned());
            let base = self.referred(scope, expression, name);
            self.naming.truncate(self.naming.len() - usize::from(instance.is_some()));
            let base = base?;
            let tags = self.tags(scope, expression, base.tags.clone())?;
            let has_own_name = instance.is_some_and(|instance| !instance.has_parameters());
            return Ok(match has_own_name {
                true => Resolved { ty: self.named_alike(name, base.ty, tags.clone()), tags },
                false => Resolved { ty: base.ty, tags },
            });
        };
        let own: Tags =
            tag.map(|number| Tag { class: Class::Universal, number }).into_iter().collect();
        let tags = self.tags(scope, expression, own.clone())?;
        let has_parameters = instance.is_none_or(Instance::has_parameters);
        if let Body::SequenceOf(element) | Body::SetOf(element) = &expression.body
            && has_parameters
        {
            return self.list_in_place(scope, element, name, own, tags, instance);
        }
        let is_constructed = kind.is_constructed();
        let ty = self.add(name.to_owned(), kind, Encoding::Primitive, tags.clone());
        let resolved = Resolved { tags, ty };
        // Primitive types are named after their use, so each use is a separate type.
        if let Some(instance) = instance.filter(|of| !of.has_parameters() || is_constructed) {
            self.known.insert(instance.clone(), resolved.clone());
        }
        // A type may contain itself, through any chain of names.
        let naming = std::mem::take(&mut self.naming);
        let filled = self.fill(scope, &expression.body, name, ty);
        self.naming = naming;
        filled.map(|()| resolved)
    }

    /// Adds a second name for a type. It is a type of its own, unless it is used within the type it names.
    fn named_alike(&mut self, name: &str, base: TypeId, tags: Tags) -> TypeId {
        let kind = self.specification.schema.kind(base).clone();
        let encoding = self.specification.encodings[base.0 as usize].clone();
        let unfinished = kind.is_constructed() && encoding == Encoding::Primitive;
        let is_same = self.specification.schema.get(base).name == name
            && self.specification.tags[base.0 as usize] == tags;
        if unfinished || is_same {
            return base;
        }
        self.steps += kind.fields().len();
        self.add(name.to_owned(), kind, encoding, tags)
    }

    /// Resolves a list without a name. All lists of the same elements have the same type, so that a script can copy
    /// octets between them.
    fn list_in_place(
        &mut self,
        scope: &Scope<'m>,
        element: &'m TypeExpression,
        name: &str,
        own: Tags,
        tags: Tags,
        instance: Option<&Instance>,
    ) -> Resolution<Resolved> {
        let unfinished = self.unfinished_lists.len();
        if let Some(instance) = instance {
            let is_set = own.first().is_some_and(|tag| tag.number == SET_OF);
            let (instance, tags) = (instance.clone(), tags.clone());
            self.unfinished_lists.push(UnfinishedList { instance, is_set, tags, ty: None });
        }
        let element = self.expression(scope, element, &format!("{name}[]"), None);
        let begun = self.unfinished_lists.drain(unfinished..).next().and_then(|list| list.ty);
        let element = element?;
        let (of, is_set) = (element.ty, own.first().is_some_and(|tag| tag.number == SET_OF));
        if let Some(ty) = begun {
            self.define(ty, list_kind(is_set, of), Encoding::List(element.tags));
            return Ok(Resolved { tags, ty });
        }
        let key = (element, own);
        if let Some(known) = self.lists.get(&key) {
            return Ok(Resolved { tags, ty: *known });
        }
        let (element, own) = &key;
        let word = if is_set { "SET OF" } else { "SEQUENCE OF" };
        let name = format!("{word} {}", self.specification.schema.get(of).name);
        let encoding = Encoding::List(element.tags.clone());
        let ty = self.add(name, list_kind(is_set, of), encoding, own.clone());
        self.lists.insert(key, ty);
        Ok(Resolved { tags, ty })
    }

    /// Resolves a recursive use of a parameterized list. Adds its type now; the elements are filled in once they are
    /// resolved.
    fn unfinished_list(&mut self, instance: &Instance, name: &str) -> Option<Resolved> {
        let mut lists = self.unfinished_lists.iter();
        let place = lists.position(|list| list.instance == *instance)?;
        let UnfinishedList { is_set, ref tags, ty, .. } = self.unfinished_lists[place];
        let tags = tags.clone();
        let ty = ty.unwrap_or_else(|| {
            let kind = list_kind(is_set, TypeId(0));
            self.add(name.to_owned(), kind, Encoding::Primitive, tags.clone())
        });
        self.unfinished_lists[place].ty = Some(ty);
        Some(Resolved { tags, ty })
    }

    /// Fills in the content of a type that was added before.
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
                let fixed = fixed.as_ref().and_then(|size| self.size(scope, size));
                (Kind::BitString { bits, fixed }, Encoding::Primitive)
            }
            Body::Enumerated { root, additions, extensible } => {
                let items = self.enumeration(scope, root, additions)?;
                let named: Vec<&Named> = root.iter().chain(additions).collect();
                let numbers: Vec<(&str, i64)> =
                    items.iter().map(|item| (item.name.as_str(), item.value)).collect();
                self.distinct_names(scope, &named, &numbers);
                let implied = self.modules.module(scope.module).extensibility_implied;
                (
                    Kind::Enumerated { items, extensible: *extensible || implied },
                    Encoding::Primitive,
                )
            }
            Body::Sequence(components) => {
                let Structure { fields, tags, extension } =
                    self.structure(scope, components, name, StructureKind::Sequence)?;
                (Kind::Sequence(fields), Encoding::Structure { tags, extension })
            }
            Body::Set(components) => {
                let Structure { fields, tags, extension } =
                    self.structure(scope, components, name, StructureKind::Set)?;
                (Kind::Set(fields), Encoding::Structure { tags, extension })
            }
            Body::Choice(alternatives) => {
                let Structure { fields, tags, extension } =
                    self.structure(scope, alternatives, name, StructureKind::Choice)?;
                let is_extensible = extension.is_some();
                (Kind::Choice(fields), Encoding::Choice { tags, is_extensible })
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

    /// Adds the tags of an expression outside those of its body (X.680, 31.2.6 to 31.2.9).
    fn tags(
        &mut self,
        scope: &Scope<'m>,
        expression: &'m TypeExpression,
        mut tags: Tags,
    ) -> Resolution<Tags> {
        let own = self.modules.module(scope.module).tagging;
        let default = own.unwrap_or(self.assumed);
        self.relied |= own.is_none() && expression.tags.iter().any(|tag| tag.mode.is_none());
        // Before a dummy reference a tag is EXPLICIT, whatever the reference stands for.
        let mut untagged_dummy = scope.is_dummy(&expression.body);
        for TagExpression { class, number, mode } in expression.tags.iter().rev() {
            let number = self.tag_number(scope, number)?;
            let default = if untagged_dummy { Tagging::Explicit } else { default };
            untagged_dummy = false;
            tags = put(Tag { class: *class, number }, mode.unwrap_or(default), tags);
        }
        Ok(tags)
    }

    /// Resolves a type that refers to another.
    fn referred(
        &mut self,
        scope: &Scope<'m>,
        expression: &'m TypeExpression,
        name: &str,
    ) -> Resolution<Resolved> {
        match &expression.body {
            Body::Reference { module, name: of, arguments } => {
                let of = self.follow(scope, module.as_deref(), of, arguments, expression.span)?;
                match of.instance {
                    Some(instance) if !instance.has_parameters() => {
                        self.defined(instance.definition)
                    }
                    Some(instance) => self.instance(instance, &of.scope, of.expression, name),
                    None => self.expression(&of.scope, of.expression, name, None),
                }
            }
            Body::Selection { name: alternative, of } => {
                let choice = self.expression(scope, of, name, None)?;
                let kind = self.specification.schema.kind(choice.ty);
                match (kind.field(alternative), &self.specification.encodings[choice.ty.0 as usize])
                {
                    (Some(place), Encoding::Choice { tags, .. }) => {
                        Ok(Resolved { tags: tags[place].clone(), ty: kind.fields()[place].ty })
                    }
                    _ => {
                        let shown = self.specification.schema.shown(choice.ty);
                        let message = format!("{shown} has no alternative \"{alternative}\"");
                        let names = kind.fields().iter().map(|field| field.name.as_str());
                        let hint = did_you_mean(alternative, names);
                        Err(self.wrong(scope, expression.span, message, hint))
                    }
                }
            }
            Body::ClassField { class, path } => self.class_field(scope, class, path, name),
            _ => unreachable!("every other body is its own"),
        }
    }

    /// Follows a name to what it stands for.
    pub(super) fn follow(
        &mut self,
        scope: &Scope<'m>,
        module: Option<&str>,
        of: &str,
        arguments: &'m [Argument],
        span: Span,
    ) -> Resolution<Followed<'m>> {
        if let (None, Some((argument, outer))) = (module, scope.argument(of)) {
            return match argument {
                Some(Argument::Type(expression)) => {
                    Ok(Followed { scope: outer.clone(), expression, instance: None })
                }
                _ => Err(self.wrong(scope, span, format!("\"{of}\" is not a type here"), None)),
            };
        }
        let Some(definition) = self.modules.find(scope.module, module, of) else {
            return Err(self.undefined(scope, span, of));
        };
        let assignment = self.modules.get(definition);
        let Assigned::Type(expression) = &assignment.what else {
            return Err(self.wrong(scope, span, format!("\"{of}\" is not a type"), None));
        };
        let (scope, actuals) = self.bound(scope, definition, arguments);
        let instance = Some(Instance { definition, arguments: actuals });
        Ok(Followed { scope, expression, instance })
    }

    /// Resolves a field of an information object class: to the type of a fixed-type field, otherwise to an open type
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

/// Returns the universal tag of a type of a single keyword.
pub(super) fn plain_tag(body: &Body) -> Option<u32> {
    match own_body(body)? {
        _ if matches!(body, Body::Any) => Some(0),
        (Some(tag), kind) if !kind.is_constructed() && is_one_word(body) => Some(tag),
        _ => None,
    }
}

fn is_one_word(body: &Body) -> bool {
    match body {
        Body::Integer(names) => names.is_empty(),
        Body::BitString { bits, fixed } => bits.is_empty() && fixed.is_none(),
        body => !matches!(body, Body::Enumerated { .. }),
    }
}

/// The universal tag of a SET OF.
const SET_OF: u32 = 17;

fn list_kind(is_set: bool, of: TypeId) -> Kind {
    if is_set { Kind::SetOf(of) } else { Kind::SequenceOf(of) }
}

fn refs(named: &[Named]) -> Vec<&Named> {
    named.iter().collect()
}

fn numbers<T: Copy>(names: &[(String, T)]) -> Vec<(&str, T)> {
    names.iter().map(|(name, number)| (name.as_str(), *number)).collect()
}

/// Puts a tag before others: IMPLICIT replaces the first, except before an untagged CHOICE or open type, which has none
/// (X.680, 31.2.7).
pub(super) fn put(tag: Tag, mode: Tagging, mut tags: Tags) -> Tags {
    match tags.first_mut() {
        Some(first) if mode != Tagging::Explicit => *first = tag,
        _ => tags.insert(0, tag),
    }
    tags
}

/// Returns the universal tag and the still empty kind of a type with its own definition; `None` for one that refers to
/// another (X.680, table 1).
fn own_body(body: &Body) -> Option<(Option<u32>, Kind)> {
    let kind = match body {
        Body::Boolean => Kind::Boolean,
        Body::Integer(_) => Kind::Integer { names: Vec::new() },
        Body::BitString { .. } => Kind::BitString { bits: Vec::new(), fixed: None },
        Body::OctetString => Kind::OctetString,
        Body::Null => Kind::Null,
        Body::ObjectIdentifier => Kind::ObjectIdentifier,
        Body::Real => Kind::Real,
        Body::Enumerated { .. } => Kind::Enumerated { items: Vec::new(), extensible: false },
        Body::RelativeObjectIdentifier => Kind::RelativeObjectIdentifier,
        Body::Sequence(_) | Body::SequenceOf(_) => Kind::Sequence(Vec::new()),
        Body::Set(_) => Kind::Set(Vec::new()),
        Body::SetOf(_) => return Some((Some(SET_OF), Kind::Set(Vec::new()))),
        Body::Text(kind) => Kind::Text(*kind),
        Body::Time(kind) => Kind::Time(*kind),
        Body::Choice(_) => Kind::Choice(Vec::new()),
        Body::Any => Kind::Open,
        Body::Reference { .. } | Body::Selection { .. } | Body::ClassField { .. } => return None,
    };
    Some((universal_tag(&kind), kind))
}
