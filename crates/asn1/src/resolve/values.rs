//! Numbers behind names, and the values of absent components.

use diagnostics::Span;
use record::{Default, Kind, TextKind, TypeId};

use super::{Resolution, Resolver, Scope};
use crate::notation::syntax::{Assigned, Named, Value, ValueKind};

/// How many names may stand for each other before a number is reached.
const NAMES_MAX: usize = 32;

impl<'m> Resolver<'m> {
    /// The number a value is or refers to.
    pub(super) fn number(&self, scope: &Scope<'m>, value: &Value) -> Resolution<i128> {
        let mut module = scope.module;
        let mut what = &value.what;
        let no_number = || self.wrong(scope, value.span, "expected a number here".to_owned(), None);
        for _ in 0..NAMES_MAX {
            match what {
                ValueKind::Number(number) => return Ok(*number),
                ValueKind::Name(name) => {
                    let Some(found) = self.modules.lookup(module, name) else {
                        return Err(self.undefined(scope, value.span, name));
                    };
                    let Assigned::Value(next) = &self.modules.get(found).what else {
                        return Err(no_number());
                    };
                    module = found.module;
                    what = &next.what;
                }
                _ => return Err(no_number()),
            }
        }
        let message = format!("more than {NAMES_MAX} names stand for each other before a number");
        Err(self.wrong(scope, value.span, message, None))
    }

    /// A number that fits the bounds of what it is for.
    pub(super) fn number_within<T: TryFrom<i128>>(
        &self,
        scope: &Scope<'m>,
        value: &Value,
    ) -> Resolution<T> {
        let number = self.number(scope, value)?;
        T::try_from(number).map_err(|_| {
            let message = format!("the number {number} is too large here");
            self.wrong(scope, value.span, message, None)
        })
    }

    /// Names and their numbers; a number that no module gives makes its name unusable, nothing else.
    pub(super) fn named<T: TryFrom<i128>>(
        &self,
        scope: &Scope<'m>,
        names: &[Named],
    ) -> Vec<(String, T)> {
        let numbered = names.iter().filter_map(|named| {
            let value = named.value.as_ref()?;
            Some((named.name.clone(), self.number_within(scope, value).ok()?))
        });
        numbered.collect()
    }

    /// The numbers of an enumeration: those without one take the next that is free (X.680, 20.3 to 20.6).
    pub(super) fn enumeration(
        &self,
        scope: &Scope<'m>,
        root: &[Named],
        additions: &[Named],
    ) -> Resolution<Vec<record::EnumeratedItem>> {
        let mut items: Vec<record::EnumeratedItem> = Vec::new();
        for part in [root, additions] {
            let mut taken: Vec<i64> = items.iter().map(|item| item.value).collect();
            for value in part.iter().filter_map(|named| named.value.as_ref()) {
                taken.push(self.number_within(scope, value)?);
            }
            let mut next = items.iter().map(|item| item.value + 1).max().unwrap_or(0).max(0);
            for named in part {
                let value = match &named.value {
                    Some(value) => self.number_within(scope, value)?,
                    None => {
                        while taken.contains(&next) {
                            next += 1;
                        }
                        taken.push(next);
                        next
                    }
                };
                items.push(record::EnumeratedItem { name: named.name.clone(), value });
            }
        }
        Ok(items)
    }

    /// The value of a component that is absent (X.680, 25.1). Values of structures are not looked into.
    pub(super) fn default(&self, scope: &Scope<'m>, ty: TypeId, value: &Value) -> Default {
        self.simple_default(scope, ty, value).unwrap_or(Default::Other)
    }

    fn simple_default(&self, scope: &Scope<'m>, ty: TypeId, value: &Value) -> Option<Default> {
        let kind = self.specification.schema.kind(ty);
        match (&value.what, kind) {
            (ValueKind::Boolean(value), _) => Some(Default::Integer(i64::from(*value))),
            (ValueKind::Name(name), Kind::Enumerated { items, .. }) => {
                let item = items.iter().find(|item| item.name == *name)?;
                Some(Default::Integer(item.value))
            }
            (ValueKind::Name(name), Kind::Integer { names }) => {
                let named =
                    names.iter().find(|(known, _)| known == name).map(|(_, number)| *number);
                let number = match named {
                    Some(number) => number,
                    None => self.number_within(scope, value).ok()?,
                };
                Some(Default::Integer(number))
            }
            (ValueKind::Name(name), _) => self.defined_default(scope, ty, name, value.span),
            (ValueKind::Number(_), Kind::Integer { .. }) => {
                self.number_within(scope, value).ok().map(Default::Integer)
            }
            (ValueKind::Text(text), Kind::Text(kind)) => {
                Some(Default::Octets(characters(*kind, text)))
            }
            (ValueKind::Octets(octets), Kind::OctetString) => Some(Default::Octets(octets.clone())),
            (ValueKind::Octets(octets), Kind::BitString { .. }) => {
                Some(Default::Octets(std::iter::once(0).chain(octets.iter().copied()).collect()))
            }
            (ValueKind::Bits(bits), Kind::BitString { .. }) => Some(Default::Octets(bits.clone())),
            (ValueKind::Braced { empty: true }, Kind::SequenceOf(_) | Kind::SetOf(_)) => {
                Some(Default::EmptyList)
            }
            (ValueKind::Braced { empty: true }, Kind::BitString { .. }) => {
                Some(Default::Octets(vec![0]))
            }
            _ => None,
        }
    }

    fn defined_default(
        &self,
        scope: &Scope<'m>,
        ty: TypeId,
        name: &str,
        span: Span,
    ) -> Option<Default> {
        let found = self.modules.lookup(scope.module, name)?;
        let Assigned::Value(value) = &self.modules.get(found).what else { return None };
        // A name of a name is not followed: no module in use has one.
        if matches!(value.what, ValueKind::Name(_)) {
            return None;
        }
        let value = Value { what: value.what.clone(), span };
        self.simple_default(scope, ty, &value)
    }
}

fn characters(kind: TextKind, text: &str) -> Vec<u8> {
    match kind {
        TextKind::Universal => text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect(),
        TextKind::Bmp => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        _ => text.as_bytes().to_vec(),
    }
}
