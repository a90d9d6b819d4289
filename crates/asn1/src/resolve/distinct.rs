//! What must differ so that values can be told apart: tags of components (X.680, 25.6, 27.3 and 29.3),
//! names, numbers of enumerations (20.4 and 20.5).

use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::hash::Hash;

use record::{Field, Kind, TypeId};

use super::{Resolver, Scope};
use crate::encoding::{Encoding, Tag, Tags};
use crate::notation::syntax::{Component, Named, TypeExpression, Value, ValueKind};

impl<'m> Resolver<'m> {
    /// Reports components that cannot be told apart. Those of a SEQUENCE come `in_order`, so only what
    /// may be absent must differ from what may stand in its place.
    pub(super) fn distinct_components(
        &mut self,
        scope: &Scope<'m>,
        components: &[Component],
        fields: &[Field],
        tags: &[Tags],
        in_order: bool,
    ) {
        let begins: Vec<Vec<Tag>> = fields
            .iter()
            .zip(tags)
            .map(|(field, tags)| {
                let mut found = Vec::new();
                self.first_tags(tags, field.ty, &mut HashSet::new(), &mut found);
                found
            })
            .collect();
        for (place, field) in fields.iter().enumerate() {
            let own = components.iter().rfind(|component| component.name == field.name);
            let inherited = || components.iter().find(|component| component.components_of);
            let Some(Component { ty: TypeExpression { span, .. }, .. }) = own.or_else(inherited)
            else {
                continue;
            };
            let mut before = fields[..place].iter().zip(&begins).rev();
            if before.clone().any(|(other, _)| other.name == field.name) {
                let message = format!("the name \"{}\" is there twice", field.name);
                self.mistakes.push(*self.wrong(scope, *span, message, None));
                continue;
            }
            let other = before.find_map(|(other, tags)| {
                let shared = tags.iter().find(|tag| begins[place].contains(tag));
                match (shared, in_order && other.is_required()) {
                    (Some(tag), false) => Some(Some((other, tag))),
                    (_, true) => Some(None),
                    (None, false) => None,
                }
            });
            if let Some(Some((other, tag))) = other {
                let class = ["UNIVERSAL ", "APPLICATION ", "", "PRIVATE "][tag.class as usize];
                let message = format!(
                    "\"{}\" has the tag [{class}{}], as \"{}\" has: they cannot be told apart",
                    field.name, tag.number, other.name
                );
                self.mistakes.push(*self.wrong(scope, *span, message, None));
            }
        }
    }

    /// The tags that values may begin with: those of the alternatives, where a CHOICE has none of its own.
    fn first_tags(
        &self,
        tags: &Tags,
        ty: TypeId,
        passed: &mut HashSet<TypeId>,
        found: &mut Vec<Tag>,
    ) {
        if let Some(first) = tags.first() {
            found.push(*first);
            return;
        }
        let kind = self.specification.schema.kind(ty);
        let encoding = &self.specification.encodings[ty.0 as usize];
        if let (Kind::Choice(fields), Encoding::Choice(tags)) = (kind, encoding)
            && passed.insert(ty)
        {
            for (field, tags) in fields.iter().zip(tags) {
                self.first_tags(tags, field.ty, passed, found);
            }
        }
    }

    /// Reports names of an ENUMERATED, or of numbers or bits, that are there twice or have one number.
    /// `numbers` are those of the same place, as far as they are known.
    pub(super) fn distinct_names<T: Copy + Eq + Hash + Display>(
        &mut self,
        scope: &Scope<'m>,
        named: &[&Named],
        numbers: &[(&str, T)],
    ) {
        let mut places = HashMap::new();
        for name in named {
            if places.insert(name.name.as_str(), name).is_some() {
                let message = format!("the name \"{}\" is there twice", name.name);
                self.mistakes.push(*self.wrong(scope, name.span, message, None));
            }
        }
        let mut taken = HashMap::new();
        for (name, number) in numbers {
            let other = *taken.entry(*number).or_insert(*name);
            if let Some(named) = places.get(name)
                && other != *name
            {
                let message = format!("\"{name}\" has the number {number}, as \"{other}\" has");
                let span = named.value.as_ref().map_or(named.span, |value| value.span);
                self.mistakes.push(*self.wrong(scope, span, message, None));
            }
        }
    }

    /// Reports a value that is none of its type; a name that nothing is called by.
    pub(super) fn fitting_default(&mut self, scope: &Scope<'m>, ty: TypeId, value: &Value) {
        let kind = self.specification.schema.kind(ty);
        let fits = match (&value.what, kind) {
            (_, Kind::Open) => true,
            (ValueKind::Name(name), _) => {
                let named = match kind {
                    Kind::Enumerated { items, .. } => items.iter().any(|item| item.name == *name),
                    Kind::Integer { names } => names.iter().any(|(known, _)| known == name),
                    _ => false,
                };
                named
                    || self.modules.lookup(scope.module, name).is_some()
                    || scope.bindings.is_some()
            }
            (ValueKind::Boolean(_), kind) => *kind == Kind::Boolean,
            (ValueKind::Number(_), kind) => matches!(kind, Kind::Integer { .. } | Kind::Real),
            (ValueKind::Text(_), kind) => matches!(kind, Kind::Text(_) | Kind::Time(_)),
            (ValueKind::Octets(_) | ValueKind::Bits(_), kind) => {
                matches!(kind, Kind::OctetString | Kind::BitString { .. })
            }
            (ValueKind::Braced { .. } | ValueKind::Other, _) => true,
        };
        if !fits {
            let name = &self.specification.schema.get(ty).name;
            let message = format!("the DEFAULT is no value of \"{name}\"");
            self.mistakes.push(*self.wrong(scope, value.span, message, None));
        }
    }
}
