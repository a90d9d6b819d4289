//! The possible content of a record, for a form.

use record::Shape;
use record::shape::{Digits, Member, Says, Shaped};
use serde::Serialize;
use utoipa::ToSchema;

/// A type of a record, or within one.
#[derive(Serialize, ToSchema)]
pub(super) struct RecordType {
    /// As people call it.
    name: String,
    /// `boolean`, `integer`, `enumerated`, `real`, `null`, `octets` in hexadecimal, `bits` as an object of these and
    /// their number, telephone `digits`, `packed-digits` which are such in hexadecimal with the first of an octet in its
    /// lower half, `text`, `structure`, `choice`, `list`; `other` of what is not said here.
    kind: &'static str,
    /// Of an enumeration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    words: Vec<String>,
    /// The components of a structure, or the alternatives of a choice.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fields: Vec<RecordField>,
    /// The place of the type of a list's elements.
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<usize>,
}

/// A component or an alternative of a type.
#[derive(Serialize, ToSchema)]
pub(super) struct RecordField {
    name: String,
    /// The place of its type; none where there are too many.
    #[serde(rename = "type")]
    ty: Option<usize>,
    /// Whether it may be missing.
    optional: bool,
}

/// Returns the types of a shape in its order.
pub(super) fn types(shape: Shape) -> Vec<RecordType> {
    shape.types.into_iter().map(RecordType::from).collect()
}

impl From<Shaped> for RecordType {
    fn from(Shaped { name, says }: Shaped) -> Self {
        let bare = RecordType { name, kind: kind(&says), words: vec![], fields: vec![], of: None };
        match says {
            Says::Enumerated(words) => RecordType { words, ..bare },
            Says::Structure(members) | Says::Choice(members) => {
                let fields = members.into_iter().map(RecordField::from).collect();
                RecordType { fields, ..bare }
            }
            Says::List(of) => RecordType { of, ..bare },
            _ => bare,
        }
    }
}

fn kind(says: &Says) -> &'static str {
    match says {
        Says::Boolean => "boolean",
        Says::Integer => "integer",
        Says::Enumerated(_) => "enumerated",
        Says::Real => "real",
        Says::Null => "null",
        Says::Octets => "octets",
        Says::Bits => "bits",
        Says::Digits(Digits::Plain) => "digits",
        Says::Digits(Digits::Packed) => "packed-digits",
        Says::Text => "text",
        Says::Structure(_) => "structure",
        Says::Choice(_) => "choice",
        Says::List(_) => "list",
        Says::Other => "other",
    }
}

impl From<Member> for RecordField {
    fn from(Member { name, ty, is_optional }: Member) -> Self {
        RecordField { name, ty, optional: is_optional }
    }
}
