//! Describes a line of JSON (JER, X.697). Every value is parsed as raw text, so its place in the line is known.

use std::fmt;
use std::ops::Range;

use record::part::PARTS_MAX;
use record::{Anatomy, Part, Schema, TypeId};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{DEPTH_MAX, element_of, leaf, name_of, within};

/// Describes a line.
pub(crate) fn json(schema: &Schema, ty: TypeId, line: &[u8]) -> Anatomy {
    let damaged = |at, reason: String| Anatomy { damage: Some((at, reason)), ..Anatomy::default() };
    let text = match std::str::from_utf8(line) {
        Ok(text) => text,
        Err(error) => return damaged(error.valid_up_to(), "these octets are no UTF-8".into()),
    };
    let raw: &RawValue = match serde_json::from_str(text) {
        Ok(raw) => raw,
        // Columns count octets from 1.
        Err(error) => {
            return damaged(error.column().saturating_sub(1).min(text.len()), error.to_string());
        }
    };
    let mut taking = Taking { schema, text, left: PARTS_MAX, is_cut: false };
    let part = taking.value(schema.shown(ty), Some(ty), raw, 0);
    Anatomy { parts: part.into_iter().collect(), damage: None, is_cut: taking.is_cut }
}

struct Taking<'t> {
    schema: &'t Schema,
    text: &'t str,
    left: usize,
    is_cut: bool,
}

impl<'t> Taking<'t> {
    fn value(
        &mut self,
        name: String,
        ty: Option<TypeId>,
        raw: &'t RawValue,
        depth: usize,
    ) -> Option<Part> {
        self.is_cut |= self.left == 0;
        self.left = self.left.checked_sub(1)?;
        let (schema, place) = (self.schema, self.place(raw));
        let ty_name = name_of(schema, ty);
        let inner = place.start + 1..place.end.saturating_sub(1);
        let mut parts = Vec::new();
        match raw.get().as_bytes().first() {
            Some(b'{') if depth < DEPTH_MAX => {
                let Members(members) = serde_json::from_str(raw.get()).ok()?;
                for (name, value) in members {
                    let ty = within(schema, ty, &name);
                    parts.extend(self.value(name, ty, value, depth + 1));
                }
            }
            Some(b'[') if depth < DEPTH_MAX => {
                let elements: Vec<&RawValue> = serde_json::from_str(raw.get()).ok()?;
                for (position, value) in elements.into_iter().enumerate() {
                    let ty = element_of(schema, ty);
                    parts.extend(self.value(format!("[{position}]"), ty, value, depth + 1));
                }
            }
            Some(b'"') => {
                let text: String = serde_json::from_str(raw.get()).ok()?;
                return Some(leaf(name, ty_name, (place, inner), text.as_bytes()));
            }
            _ => {
                let content = place.clone();
                return Some(leaf(name, ty_name, (place, content), raw.get().as_bytes()));
            }
        }
        Some(Part { name, ty: ty_name, place, content: inner, parts, ..Part::default() })
    }

    /// Returns the place of a raw value, which is a part of the text it was parsed from.
    fn place(&self, raw: &RawValue) -> Range<usize> {
        let start = raw.get().as_ptr() as usize - self.text.as_ptr() as usize;
        start..start + raw.get().len()
    }
}

/// The members of an object in order.
struct Members<'m>(Vec<(String, &'m RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Members<'de>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(All)
    }
}
