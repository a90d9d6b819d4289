//! The possible content of a record, for a form.

use record::Shape;
use record::shape::{Digits, Member, Says, Shaped};
use serde::Serialize;
use utoipa::ToSchema;

/// The type of a record, or of a part of one.
#[derive(Serialize, ToSchema)]
pub(super) struct RecordType {
    /// The name of the type, for display.
    name: String,
    /// The form of its values in JSON: `boolean`, `integer`, `enumerated`, `real`, `null`, `octets` (in hexadecimal),
    /// `bits` (an object with the bits and their number), `digits` (telephone digits), `packed-digits` (telephone
    /// digits in hexadecimal, the first digit of an octet in its lower half), `text`, `structure`, `choice`, `list`, or
    /// `other`.
    kind: &'static str,
    /// The values of an enumeration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    words: Vec<String>,
    /// The components of a structure, or the alternatives of a choice.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fields: Vec<RecordField>,
    /// The type of a list's elements, as an index in `types`. Absent for other kinds, or if there are too many types.
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<usize>,
}

/// A component of a structure, or an alternative of a choice.
#[derive(Serialize, ToSchema)]
pub(super) struct RecordField {
    name: String,
    /// Its type, as an index in `types`. Absent if there are too many types.
    #[serde(rename = "type")]
    ty: Option<usize>,
    /// Whether it may be absent.
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
