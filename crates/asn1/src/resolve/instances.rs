//! Parameterization (X.683): the meaning of dummy references, and when two uses of a definition are the same type.
//!
//! Actual parameters are compared as written, by the definitions their names refer to, not by the types they resolve
//! to: an unused parameter may be undefined.

use std::collections::HashMap;
use std::rc::Rc;

use super::values::Lost;
use super::{Resolver, Scope};
use crate::modules::Definition;
use crate::notation::syntax::{Argument, Body, TypeExpression, Value, ValueKind};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Instance {
    pub(super) definition: Definition,
    pub(super) arguments: Rc<[Actual]>,
}

impl Instance {
    pub(super) fn has_parameters(&self) -> bool {
        !self.arguments.is_empty()
    }
}

/// An actual parameter. Equal parameters have the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Actual(usize);

/// The key by which actual parameters are compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum ActualKey {
    Instance(Instance),
    /// A type of a single keyword, by its universal tag.
    Plain(u32),
    SequenceOf(Actual),
    SetOf(Actual),
    Set {
        module: usize,
        name: String,
    },
    Value(ValueKind),
    /// A name that only the type using it can resolve, such as an enumeration item.
    Name {
        module: usize,
        name: String,
    },
    /// The use has fewer parameters than the definition.
    Missing,
    /// Anything else, by its source position and the parameters used in it.
    Written {
        module: usize,
        start: u32,
        within: Rc<[Actual]>,
    },
}

/// All actual parameters found so far.
#[derive(Debug, Default)]
pub(super) struct Actuals(HashMap<ActualKey, Actual>);

impl Actuals {
    fn number(&mut self, content: ActualKey) -> Actual {
        let next = Actual(self.0.len());
        *self.0.entry(content).or_insert(next)
    }
}

/// The meanings of a definition's dummy references.
#[derive(Debug)]
pub(super) struct Bindings<'m> {
    names: &'m [String],
    arguments: &'m [Argument],
    actuals: Rc<[Actual]>,
    /// The scope in which the arguments are written.
    outer: Scope<'m>,
}

impl<'m> Scope<'m> {
    /// Returns the argument for a dummy reference and the scope it was written in. The outer `None`: the name is not a
    /// dummy reference; the inner: the argument is missing.
    pub(super) fn argument(&self, name: &str) -> Option<(Option<&'m Argument>, &Scope<'m>)> {
        let bindings = self.bindings.as_ref()?;
        let place = bindings.names.iter().position(|dummy| dummy == name)?;
        Some((bindings.arguments.get(place), &bindings.outer))
    }

    /// Returns the comparable form of a dummy reference's argument.
    fn actual(&self, name: &str) -> Option<Actual> {
        let bindings = self.bindings.as_ref()?;
        let place = bindings.names.iter().position(|dummy| dummy == name)?;
        bindings.actuals.get(place).copied()
    }

    /// Returns whether a type is written as a dummy reference.
    pub(super) fn is_dummy(&self, body: &Body) -> bool {
        match body {
            Body::Reference { module: None, name, .. } => self.argument(name).is_some(),
            _ => false,
        }
    }

    /// Returns the module and name of an object set. A set may be a parameter of the definition that uses it, and so on
    /// outwards.
    pub(super) fn actual_set<'s>(&'s self, set: &'s str) -> (usize, &'s str) {
        let (mut scope, mut set) = (self, set);
        while let Some((Some(Argument::Set(actual)), outer)) = scope.argument(set) {
            (scope, set) = (outer, actual);
        }
        (scope.module, set)
    }
}

/// The end of a chain of names: an expression, the scope to read it in, and the definition, unless it is a parameter.
pub(super) struct Followed<'m> {
    pub(super) scope: Scope<'m>,
    pub(super) expression: &'m TypeExpression,
    pub(super) instance: Option<Instance>,
}

impl<'m> Resolver<'m> {
    /// Returns the scope of a definition with these arguments, and their comparable form.
    pub(super) fn bound(
        &mut self,
        scope: &Scope<'m>,
        definition: Definition,
        arguments: &'m [Argument],
    ) -> (Scope<'m>, Rc<[Actual]>) {
        let names = &self.modules.get(definition).parameters;
        if names.is_empty() {
            return (Scope { module: definition.module, bindings: None }, Rc::from([]));
        }
        let actual = |place: usize| match arguments.get(place) {
            Some(argument) => self.actual(scope, argument),
            None => self.actuals.number(ActualKey::Missing),
        };
        let actuals: Rc<[Actual]> = (0..names.len()).map(actual).collect();
        let (outer, actuals) = (scope.clone(), Rc::clone(&actuals));
        let bindings = Bindings { names, arguments, actuals: Rc::clone(&actuals), outer };
        (Scope { module: definition.module, bindings: Some(Rc::new(bindings)) }, actuals)
    }

    /// Returns the scope of a value definition with these arguments.
    pub(super) fn bound_value(
        &self,
        scope: &Scope<'m>,
        definition: Definition,
        arguments: &'m [Argument],
    ) -> Scope<'m> {
        let names = &self.modules.get(definition).parameters;
        let (actuals, outer) = (Rc::from([]), scope.clone());
        let bindings = Bindings { names, arguments, actuals, outer };
        let has_parameters = !names.is_empty();
        Scope { module: definition.module, bindings: has_parameters.then(|| Rc::new(bindings)) }
    }

    fn actual(&mut self, scope: &Scope<'m>, argument: &'m Argument) -> Actual {
        let content = match argument {
            Argument::Type(expression) => return self.actual_type(scope, expression),
            Argument::Value(value) => self.actual_value(scope, value),
            Argument::Set(set) => {
                let (module, name) = scope.actual_set(set);
                ActualKey::Set { module, name: name.to_owned() }
            }
            Argument::Other(span) => self.written(scope, span.start, span.end),
        };
        self.actuals.number(content)
    }

    fn actual_type(&mut self, scope: &Scope<'m>, expression: &'m TypeExpression) -> Actual {
        let content = match &expression.body {
            _ if !expression.tags.is_empty() => self.written_type(scope, expression),
            Body::Reference { module, name, arguments } => {
                if let (None, Some(actual)) = (module, scope.actual(name)) {
                    return actual;
                }
                match self.modules.find(scope.module, module.as_deref(), name) {
                    Some(definition) => {
                        let (_, arguments) = self.bound(scope, definition, arguments);
                        ActualKey::Instance(Instance { definition, arguments })
                    }
                    None => self.written_type(scope, expression),
                }
            }
            Body::SequenceOf(element) => ActualKey::SequenceOf(self.actual_type(scope, element)),
            Body::SetOf(element) => ActualKey::SetOf(self.actual_type(scope, element)),
            body => match super::types::plain_tag(body) {
                Some(tag) => ActualKey::Plain(tag),
                None => self.written_type(scope, expression),
            },
        };
        self.actuals.number(content)
    }

    fn actual_value(&mut self, scope: &Scope<'m>, value: &'m Value) -> ActualKey {
        let found = self.meant(scope, value, |_| false);
        match found {
            Ok((scope, Value { what: ValueKind::Braced { .. } | ValueKind::Other, span, .. })) => {
                self.written(&scope, span.start, span.end)
            }
            Ok((_, value)) => ActualKey::Value(value.what.clone()),
            Err(Lost { scope, name, .. }) => ActualKey::Name { module: scope.module, name },
        }
    }

    fn written_type(&self, scope: &Scope<'m>, expression: &TypeExpression) -> ActualKey {
        let tag = expression.tags.first().map(|tag| tag.number.span.start);
        self.written(scope, tag.unwrap_or(expression.span.start), expression.span.end)
    }

    fn written(&self, scope: &Scope<'m>, start: u32, end: u32) -> ActualKey {
        let text = &self.modules.module(scope.module).text;
        let first = text.items.partition_point(|item| item.span.start < start);
        let mut items = text.items[first..].iter().take_while(|item| item.span.end <= end);
        let within = match &scope.bindings {
            Some(bindings)
                if items
                    .any(|item| bindings.names.iter().any(|name| name == text.at(item.span))) =>
            {
                Rc::clone(&bindings.actuals)
            }
            _ => Rc::from([]),
        };
        ActualKey::Written { module: scope.module, start, within }
    }
}
