//! Resolves the types of open types, by table constraints (X.682, 10).

use std::collections::HashSet;

use record::{Default, Kind, TypeId, integer_octets};

use super::components::Placed;
use super::{Resolver, STEPS_MAX, Scope};
use crate::encoding::{Encoding, Tags};
use crate::modules::Definition;
use crate::notation::objects::{Object, ObjectSetElement, Setting};
use crate::notation::syntax::{Body, Component, ValueKind};

/// Maximum length of a chain of names before the arcs of an identifier.
const NAMES_MAX: usize = 16;

impl<'m> Resolver<'m> {
    /// Sets the table of each open type in a structure that has a table constraint.
    pub(super) fn tables(
        &mut self,
        scope: &Scope<'m>,
        components: &'m [Component],
        placed: &[Placed],
        name: &str,
    ) {
        for component in components {
            let Some(table) = &component.ty.table else { continue };
            let Some(at) = table.at.first() else { continue };
            let Body::ClassField { path, .. } = &component.ty.body else { continue };
            let place = |name: &str| placed.iter().position(|placed| placed.field.name == name);
            let (Some(open), Some(place)) = (place(&component.name), place(at)) else { continue };
            let key = components.iter().find(|c| c.name == *at).and_then(|c| match &c.ty.body {
                Body::ClassField { path, .. } => path.first(),
                _ => None,
            });
            let (Some(key), Some(field)) = (key, path.first()) else { continue };
            let (open, key_ty) = (placed[open].field.ty, placed[place].field.ty);
            if *self.specification.schema.kind(open) != Kind::Open {
                continue;
            }
            if self.steps > STEPS_MAX {
                return;
            }
            let (module, set) = scope.actual_set(&table.set);
            let (objects, mut entries) = (self.objects(module, set), Vec::new());
            self.steps += objects.len();
            for (module, object) in objects {
                let name = format!("{name}.{}", component.name);
                entries.extend(self.entry(module, object, key, key_ty, field, &name));
            }
            let open_encoding = Encoding::Open { selector: vec![place], table: entries };
            self.specification.encodings[open.0 as usize] = open_encoding;
        }
    }

    /// Returns the objects of a set, each with its module. A set may include another set twice, or itself.
    fn objects(&self, module: usize, set: &str) -> Vec<(usize, &'m Object)> {
        let (mut found, mut met) = (Vec::new(), HashSet::new());
        let mut within: Vec<(usize, std::slice::Iter<'m, ObjectSetElement>)> = Vec::new();
        let mut next = self.modules.lookup(module, set);
        loop {
            if let Some(definition) = next.take().filter(|definition| met.insert(*definition)) {
                within.push((definition.module, self.modules.objects(definition).iter()));
            }
            let Some((module, elements)) = within.last_mut() else { break };
            match elements.next() {
                Some(ObjectSetElement::Object(object)) => found.push((*module, object)),
                Some(ObjectSetElement::Reference(name)) => {
                    next = self.modules.lookup(*module, name)
                }
                None => drop(within.pop()),
            }
        }
        found
    }

    /// Returns an object's entry in the table: the key's octets, and the type for it.
    fn entry(
        &mut self,
        module: usize,
        object: &'m Object,
        key: &str,
        key_ty: TypeId,
        field: &str,
        name: &str,
    ) -> Option<(Vec<u8>, Tags, TypeId)> {
        let setting = |wanted: &str| {
            object.settings.iter().find(|(name, _)| name == wanted).map(|(_, setting)| setting)
        };
        let scope = Scope { module, bindings: None };
        let (Some(Setting::Value(value)), Some(Setting::Type(ty))) = (setting(key), setting(field))
        else {
            return None;
        };
        let octets = match self.specification.schema.kind(key_ty) {
            Kind::ObjectIdentifier => {
                self.identifier(module, value, 0).and_then(|arcs| octets(&arcs))?
            }
            _ => match self.default(&scope, key_ty, value) {
                Default::Integer(number) => integer_octets(number).as_slice().to_vec(),
                Default::Octets(octets) => octets,
                _ => return None,
            },
        };
        let resolved = self.expression(&scope, ty, name, None).ok()?;
        Some((octets, resolved.tags, resolved.ty))
    }

    /// Returns the arcs of an OBJECT IDENTIFIER value (X.680, 32.3): numbers, names with numbers, and a value that it
    /// begins with.
    fn identifier(
        &self,
        module: usize,
        value: &crate::notation::syntax::Value,
        depth: usize,
    ) -> Option<Vec<u64>> {
        if depth == NAMES_MAX {
            return None;
        }
        let named = |name: &str| {
            let definition: Definition = self.modules.lookup(module, name)?;
            self.identifier(definition.module, self.modules.value(definition)?, depth + 1)
        };
        if let ValueKind::Name(name) = &value.what {
            return named(name);
        }
        // The value's span starts at its beginning.
        let text = &self.modules.module(module).text.source.text[value.span.start as usize..];
        let (inner, _) = text.strip_prefix('{')?.split_once('}')?;
        let mut arcs = Vec::new();
        for (place, word) in inner.split_whitespace().enumerate() {
            let number = match word.split_once('(') {
                Some((_, number)) => number.strip_suffix(')')?,
                None => word,
            };
            match (number.parse::<u64>(), number) {
                (Ok(number), _) => arcs.push(number),
                (_, "itu-t" | "ccitt") => arcs.push(0),
                (_, "iso") => arcs.push(1),
                (_, "joint-iso-itu-t" | "joint-iso-ccitt") => arcs.push(2),
                (_, name) if place == 0 => arcs = named(name)?,
                _ => return None,
            }
        }
        Some(arcs)
    }
}

/// Returns the content octets of an OBJECT IDENTIFIER (X.690, 8.19).
fn octets(arcs: &[u64]) -> Option<Vec<u8>> {
    let [top, second, rest @ ..] = arcs else { return None };
    let first = top.checked_mul(40)?.checked_add(*second)?;
    let mut octets = Vec::new();
    for arc in std::iter::once(first).chain(rest.iter().copied()) {
        let septets = (64 - arc.leading_zeros()).div_ceil(7).max(1);
        for septet in (0..septets).rev() {
            let more = if septet == 0 { 0 } else { 0x80 };
            octets.push((arc >> (7 * septet)) as u8 & 0x7F | more);
        }
    }
    Some(octets)
}
