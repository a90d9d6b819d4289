//! Records of text formats taken apart for people: which octets a value has, as somebody would mark them with a pen.
//!
//! These walk the text for themselves. What a record is, its reader says; here also one that is damaged shows what is in it.

mod json;
mod xml;

use std::ops::Range;

use record::part::{PARTS_MAX, VALUE_OCTETS_MAX};
use record::{Anatomy, Kind, Part, Schema, TypeId};

pub(crate) use json::json;
pub(crate) use xml::xml;

/// How deep parts may lie within each other; what lies deeper is shown as text.
const DEPTH_MAX: usize = record::DEPTH_MAX as usize;

/// A value that has no parts: where it lies, where its own characters do, and these.
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

/// A record of parts that lie side by side.
pub(crate) fn flat(parts: impl Iterator<Item = Part>) -> Anatomy {
    let mut parts = parts.peekable();
    let shown = parts.by_ref().take(PARTS_MAX).collect();
    Anatomy { parts: shown, damage: None, is_cut: parts.peek().is_some() }
}

/// The name of a type, if it is known.
fn name_of(schema: &Schema, ty: Option<TypeId>) -> String {
    ty.map_or(String::new(), |ty| schema.shown(ty))
}

/// The type of what is called so within a value of a type.
fn within(schema: &Schema, ty: Option<TypeId>, name: &str) -> Option<TypeId> {
    let kind = schema.kind(ty?);
    kind.field(name).map(|place| kind.fields()[place].ty)
}

/// That of the elements of a list.
fn element_of(schema: &Schema, ty: Option<TypeId>) -> Option<TypeId> {
    schema.kind(ty?).element()
}

/// Whether a value is an element without text, whose name it is.
fn is_named(schema: &Schema, ty: Option<TypeId>) -> bool {
    ty.is_some_and(|ty| matches!(schema.kind(ty), Kind::Boolean | Kind::Enumerated { .. }))
}
