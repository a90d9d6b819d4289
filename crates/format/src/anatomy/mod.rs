//! Describes records of text formats: the octets of each value, for highlighting.
//!
//! This is a separate walk over the text. The reader decides what a record is; this also shows the contents of damaged
//! ones.

mod json;
mod xml;

use std::ops::Range;

use record::part::{PARTS_MAX, VALUE_OCTETS_MAX};
use record::{Anatomy, Kind, Part, Schema, TypeId};

pub(crate) use json::json;
pub(crate) use xml::xml;

/// Maximum nesting of parts; deeper ones are shown as text.
const DEPTH_MAX: usize = record::DEPTH_MAX as usize;

/// Returns a value without parts: its place, the place of its content, and its text.
pub(crate) fn leaf(
    name: String,
    ty: String,
    (place, content): (Range<usize>, Range<usize>),
    text: &[u8],
) -> Part {
    let is_cut = text.len() > VALUE_OCTETS_MAX;
    let shown = if is_cut { &text[..VALUE_OCTETS_MAX] } else { text };
    let value = Some(String::from_utf8_lossy(shown).into_owned());
    Part { name, ty, place, content, value, is_cut, ..Part::default() }
}

/// Returns a record of consecutive parts.
pub(crate) fn flat(parts: impl Iterator<Item = Part>) -> Anatomy {
    let mut parts = parts.peekable();
    let shown = parts.by_ref().take(PARTS_MAX).collect();
    Anatomy { parts: shown, damage: None, is_cut: parts.peek().is_some() }
}

/// Returns the name of a type, if it is known.
fn name_of(schema: &Schema, ty: Option<TypeId>) -> String {
    ty.map_or(String::new(), |ty| schema.shown(ty))
}

/// Returns the type of the component with a name.
fn within(schema: &Schema, ty: Option<TypeId>, name: &str) -> Option<TypeId> {
    let kind = schema.kind(ty?);
    kind.field(name).map(|place| kind.fields()[place].ty)
}

/// Returns the type of a list's elements.
fn element_of(schema: &Schema, ty: Option<TypeId>) -> Option<TypeId> {
    schema.kind(ty?).element()
}

/// Returns whether a value is an empty element whose name is the value.
fn is_named(schema: &Schema, ty: Option<TypeId>) -> bool {
    ty.is_some_and(|ty| matches!(schema.kind(ty), Kind::Boolean | Kind::Enumerated { .. }))
}
