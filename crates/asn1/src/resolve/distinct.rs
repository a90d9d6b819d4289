//! Checks what must differ so that values can be told apart: tags of components (X.680, 25.6, 27.3 and 29.3), names,
//! numbers of enumerations (20.4 and 20.5).

use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::hash::Hash;

use record::{Kind, TypeId};

use super::components::Placed;
use super::values::named_number;
use super::{Resolver, Scope};
use crate::encoding::{Encoding, Tag, Tags};
use crate::notation::syntax::{Named, Value, ValueKind};

impl<'m> Resolver<'m> {
    /// Reports components that cannot be told apart. Those of a SEQUENCE come `in_order`, so only an optional component
    /// must differ from those that may stand in its place.
    pub(super) fn distinct_components(
        &mut self,
        scope: &Scope<'m>,
        components: &[Placed],
        in_order: bool,
    ) {
        let mut names = HashSet::new();
        // Tags that a root component or an addition must differ from. Senders that know an addition include all
        // mandatory additions before it.
        let (mut before_root, mut before_addition) = (HashMap::new(), HashMap::new());
        for component in components {
            let Placed { field, tags, span, is_root, is_mandatory, .. } = component;
            if !names.insert(field.name.as_str()) {
                let message = format!("the name \"{}\" is there twice", field.name);
                self.mistakes.push(*self.wrong(scope, *span, message, None));
                continue;
            }
            let mut begins = Vec::new();
            self.first_tags(tags, field.ty, &mut HashSet::new(), &mut begins);
            let before = if *is_root { &before_root } else { &before_addition };
            let shared = begins.iter().find_map(|tag| Some((tag, *before.get(tag)?)));
            if let Some((tag, other)) = shared {
                let class = ["UNIVERSAL ", "APPLICATION ", "", "PRIVATE "][tag.class as usize];
                let message = format!(
                    "\"{}\" has the tag [{class}{}], as \"{other}\" has: they cannot be told apart",
                    field.name, tag.number
                );
                self.mistakes.push(*self.wrong(scope, *span, message, None));
            }
            if in_order && *is_mandatory {
                before_addition.clear();
                if *is_root {
                    before_root.clear();
                    continue;
                }
            }
            let begins = begins.into_iter().map(|tag| (tag, field.name.as_str()));
            if !(in_order && *is_mandatory) {
                before_addition.extend(begins.clone());
            }
            before_root.extend(begins);
        }
    }

    /// Collects the tags that values may begin with: for a CHOICE without its own, those of its alternatives.
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
        if let (Kind::Choice(fields), Encoding::Choice { tags, .. }) = (kind, encoding)
            && passed.insert(ty)
        {
            for (field, tags) in fields.iter().zip(tags) {
                self.first_tags(tags, field.ty, passed, found);
            }
        }
    }

    /// Reports names of an ENUMERATED, or of numbers or bits, that occur twice or share a number. `numbers` are the
    /// known ones.
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

    /// Reports a DEFAULT that is no value of its type, such as an undefined name.
    pub(super) fn fitting_default(&mut self, scope: &Scope<'m>, ty: TypeId, value: &'m Value) {
        let kind = self.specification.schema.kind(ty);
        let meant = self.meant(scope, value, |name| named_number(kind, name).is_some());
        let fits = *kind == Kind::Open || meant.is_ok_and(|(_, value)| is_of(kind, &value.what));
        if !fits {
            let name = &self.specification.schema.get(ty).name;
            let message = format!("the DEFAULT is no value of \"{name}\"");
            self.mistakes.push(*self.wrong(scope, value.span, message, None));
        }
    }
}

/// Returns whether a value may belong to a type. Structured values are not checked.
fn is_of(kind: &Kind, value: &ValueKind) -> bool {
    match value {
        ValueKind::Name(name) => named_number(kind, name).is_some(),
        ValueKind::Boolean(_) => *kind == Kind::Boolean,
        ValueKind::Number(_) => matches!(kind, Kind::Integer { .. } | Kind::Real),
        ValueKind::Text(_) => matches!(kind, Kind::Text(_) | Kind::Time(_)),
        ValueKind::Octets(_) | ValueKind::Bits(_) => {
            matches!(kind, Kind::OctetString | Kind::BitString { .. })
        }
        ValueKind::Braced { .. } | ValueKind::Other => true,
    }
}
