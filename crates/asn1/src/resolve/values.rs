//! Resolves value references to numbers and to DEFAULT values.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use diagnostics::{Diagnostic, Span};
use record::{Default, Kind, TextKind, TypeId};

use super::{Resolution, Resolver, Scope};
use crate::limits::TAG_NUMBER_MAX;
use crate::notation::syntax::{Argument, Assigned, Named, Value, ValueKind};

/// Maximum length of a chain of names before a number.
const NAMES_MAX: usize = 32;

/// A value reference that could not be resolved.
pub(super) struct Lost<'m> {
    pub(super) why: Why,
    /// The unresolved name, and the scope it is in.
    pub(super) name: String,
    pub(super) scope: Scope<'m>,
    span: Span,
}

pub(super) enum Why {
    Undefined,
    NoValue,
    Endless,
}

/// An integer type and how messages name its bounds.
pub(super) trait Bounded: TryFrom<i128> {
    const BOUNDS: RangeInclusive<i128>;
}

impl Bounded for i64 {
    const BOUNDS: RangeInclusive<i128> = i64::MIN as i128..=i64::MAX as i128;
}

impl Bounded for u32 {
    const BOUNDS: RangeInclusive<i128> = 0..=u32::MAX as i128;
}

impl<'m> Resolver<'m> {
    /// Follows value references to the final value and its scope. `is_own` recognizes names that the value's type
    /// defines itself.
    pub(super) fn meant(
        &self,
        scope: &Scope<'m>,
        value: &'m Value,
        is_own: impl Fn(&str) -> bool,
    ) -> Result<(Scope<'m>, &'m Value), Lost<'m>> {
        let (mut scope, mut value) = (scope.clone(), value);
        let mut why = Why::Endless;
        for _ in 0..NAMES_MAX {
            let ValueKind::Name(name) = &value.what else { return Ok((scope, value)) };
            if is_own(name) {
                return Ok((scope, value));
            }
            if let Some((argument, outer)) = scope.argument(name) {
                let Some(Argument::Value(actual)) = argument else {
                    why = Why::NoValue;
                    break;
                };
                (scope, value) = (outer.clone(), actual);
                continue;
            }
            let Some(found) = self.modules.lookup(scope.module, name) else {
                why = Why::Undefined;
                break;
            };
            let Assigned::Value(next) = &self.modules.get(found).what else {
                why = Why::NoValue;
                break;
            };
            (scope, value) = (self.bound_value(&scope, found, &value.arguments), next);
        }
        let name = match &value.what {
            ValueKind::Name(name) => name.clone(),
            _ => String::new(),
        };
        Err(Lost { why, name, scope, span: value.span })
    }

    /// Returns the number of a value or value reference.
    pub(super) fn number(&mut self, scope: &Scope<'m>, value: &'m Value) -> Resolution<i128> {
        match self.meant(scope, value, |_| false) {
            Ok((_, Value { what: ValueKind::Number(number), .. })) => Ok(*number),
            Err(Lost { why: Why::Undefined, name, scope, span }) => {
                Err(self.undefined(&scope, span, &name))
            }
            Err(Lost { why: Why::Endless, .. }) => {
                let message =
                    format!("more than {NAMES_MAX} names stand for each other before a number");
                Err(self.wrong(scope, value.span, message, None))
            }
            _ => Err(self.wrong(scope, value.span, "expected a number here".to_owned(), None)),
        }
    }

    /// Returns the number of a SIZE constraint, if it is usable. Sizes are not enforced, so errors are ignored.
    pub(super) fn size(&self, scope: &Scope<'m>, value: &'m Value) -> Option<u32> {
        match self.meant(scope, value, |_| false) {
            Ok((_, Value { what: ValueKind::Number(number), .. })) => u32::try_from(*number).ok(),
            _ => None,
        }
    }

    /// Returns a number that fits the bounds of its type.
    pub(super) fn number_within<T: Bounded>(
        &mut self,
        scope: &Scope<'m>,
        value: &'m Value,
    ) -> Resolution<T> {
        let number = self.number(scope, value)?;
        T::try_from(number).map_err(|_| self.beyond(scope, value.span, number, T::BOUNDS))
    }

    /// Returns a tag number within the supported range.
    pub(super) fn tag_number(&mut self, scope: &Scope<'m>, value: &'m Value) -> Resolution<u32> {
        let number = self.number(scope, value)?;
        let bounds = 0..=i128::from(TAG_NUMBER_MAX);
        match u32::try_from(number) {
            Ok(fitting) if bounds.contains(&number) => Ok(fitting),
            _ => Err(self.beyond(scope, value.span, number, bounds)),
        }
    }

    #[cold]
    fn beyond(
        &self,
        scope: &Scope<'m>,
        span: Span,
        number: i128,
        bounds: RangeInclusive<i128>,
    ) -> Box<Diagnostic> {
        let (start, end) = bounds.into_inner();
        let message = format!("the number {number} cannot stand here; expected {start} to {end}");
        self.wrong(scope, span, message, None)
    }

    /// Returns the named numbers. A name without a resolvable number is dropped; the type stays usable.
    pub(super) fn named<T: Bounded>(
        &mut self,
        scope: &Scope<'m>,
        names: &'m [Named],
    ) -> Vec<(String, T)> {
        let numbered = names.iter().filter_map(|named| {
            let value = named.value.as_ref()?;
            Some((named.name.clone(), self.number_within(scope, value).ok()?))
        });
        numbered.collect()
    }

    /// Returns the items of an enumeration. Root items without a number take the lowest free number of the root. An
    /// addition takes the lowest number that is free in the root and above all earlier additions (X.680, 20.3 to 20.6).
    pub(super) fn enumeration(
        &mut self,
        scope: &Scope<'m>,
        root: &'m [Named],
        additions: &'m [Named],
    ) -> Resolution<Vec<record::EnumeratedItem>> {
        let mut items: Vec<record::EnumeratedItem> = Vec::new();
        let mut taken = HashSet::new();
        for value in root.iter().filter_map(|named| named.value.as_ref()) {
            taken.insert(self.number_within::<i64>(scope, value)?);
        }
        let mut next = 0;
        for named in root {
            let value = match &named.value {
                Some(value) => self.number_within(scope, value)?,
                None => self.free(scope, named, next, &taken)?,
            };
            if named.value.is_none() {
                next = value.saturating_add(1);
            }
            taken.insert(value);
            items.push(record::EnumeratedItem { name: named.name.clone(), value });
        }
        let mut above: Option<i64> = None;
        for named in additions {
            let value = match &named.value {
                Some(value) => self.number_within(scope, value)?,
                None => {
                    let lowest = above.map_or(0, |above| above.saturating_add(1).max(0));
                    self.free(scope, named, lowest, &taken)?
                }
            };
            above = above.max(Some(value));
            items.push(record::EnumeratedItem { name: named.name.clone(), value });
        }
        Ok(items)
    }

    /// Returns the lowest free number from `from` on.
    fn free(
        &self,
        scope: &Scope<'m>,
        named: &Named,
        from: i64,
        taken: &HashSet<i64>,
    ) -> Resolution<i64> {
        (from..=i64::MAX).find(|number| !taken.contains(number)).ok_or_else(|| {
            let message = format!("there is no number left for \"{}\"", named.name);
            self.wrong(scope, named.span, message, None)
        })
    }

    /// Returns the DEFAULT value of a component (X.680, 25.1). Structured values are not evaluated.
    pub(super) fn default(&self, scope: &Scope<'m>, ty: TypeId, value: &'m Value) -> Default {
        let kind = self.specification.schema.kind(ty);
        let meant = self.meant(scope, value, |name| named_number(kind, name).is_some());
        let default = meant.ok().and_then(|(_, value)| constant(kind, &value.what));
        default.unwrap_or(Default::Other)
    }
}

/// Returns the number of a name that the type itself defines.
pub(super) fn named_number(kind: &Kind, name: &str) -> Option<i64> {
    match kind {
        Kind::Enumerated { items, .. } => {
            items.iter().find(|item| item.name == name).map(|item| item.value)
        }
        Kind::Integer { names } => {
            names.iter().find(|(known, _)| known == name).map(|(_, number)| *number)
        }
        _ => None,
    }
}

/// Returns a simple value of a type.
fn constant(kind: &Kind, value: &ValueKind) -> Option<Default> {
    match (value, kind) {
        (ValueKind::Boolean(value), _) => Some(Default::Integer(i64::from(*value))),
        (ValueKind::Name(name), kind) => named_number(kind, name).map(Default::Integer),
        (ValueKind::Number(number), Kind::Integer { .. }) => {
            i64::try_from(*number).ok().map(Default::Integer)
        }
        (ValueKind::Text(text), Kind::Text(kind)) => Some(Default::Octets(characters(*kind, text))),
        (ValueKind::Octets(octets), Kind::OctetString) => Some(Default::Octets(octets.clone())),
        (ValueKind::Octets(octets), Kind::BitString { .. }) => {
            Some(Default::Octets(std::iter::once(0).chain(octets.iter().copied()).collect()))
        }
        (ValueKind::Bits(bits), Kind::BitString { .. }) => Some(Default::Octets(bits.clone())),
        // The first octet is the unused-bit count; the last octet is padded with zeros (X.680,
        // 23.3).
        (ValueKind::Bits(bits), Kind::OctetString) => Some(Default::Octets(bits[1..].to_vec())),
        (ValueKind::Braced { empty: true }, Kind::SequenceOf(_) | Kind::SetOf(_)) => {
            Some(Default::EmptyList)
        }
        (ValueKind::Braced { empty: true }, Kind::BitString { .. }) => {
            Some(Default::Octets(vec![0]))
        }
        _ => None,
    }
}

fn characters(kind: TextKind, text: &str) -> Vec<u8> {
    match kind {
        TextKind::Universal => text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect(),
        TextKind::Bmp => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        _ => text.as_bytes().to_vec(),
    }
}
