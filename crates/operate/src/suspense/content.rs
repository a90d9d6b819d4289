//! The possible content of a record in suspense: the types of its values, for a form.

use record::Shape;
use record::shape::{Digits, Member, Says, Shaped};
use serde::Serialize;
use utoipa::ToSchema;

/// The type of a record, or of a part of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct RecordType {
    /// The name of the type, for display.
    pub name: String,
    /// The form of its values in JSON.
    pub kind: RecordTypeKind,
    /// The values of an enumeration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// The components of a structure, or the alternatives of a choice.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<RecordField>,
    /// The type of a list's elements, as an index in `types`. Absent for other kinds, or if there are too many types.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub of: Option<usize>,
}

/// The form of the values in JSON. `octets`: text in hexadecimal. `bits`: an object with the bits and their number.
/// `digits`: telephone digits. `packed-digits`: telephone digits in hexadecimal, the first digit of an octet in its lower
/// half.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RecordTypeKind {
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Integer,
    /// One of some words.
    Enumerated,
    /// A number.
    Real,
    /// `null`.
    Null,
    /// Octets in hexadecimal.
    Octets,
    /// An object with the bits and their number.
    Bits,
    /// Telephone digits.
    Digits,
    /// Telephone digits in hexadecimal, the first digit of an octet in its lower half.
    PackedDigits,
    /// A text.
    Text,
    /// An object with several fields.
    Structure,
    /// An object with one field.
    Choice,
    /// A list.
    List,
    /// A value of any other form.
    Other,
}

/// A component of a structure, or an alternative of a choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct RecordField {
    /// Its name.
    pub name: String,
    /// Its type, as an index in `types`. Absent if there are too many types.
    #[serde(rename = "type")]
    pub ty: Option<usize>,
    /// Whether it may be absent.
    pub optional: bool,
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

fn kind(says: &Says) -> RecordTypeKind {
    match says {
        Says::Boolean => RecordTypeKind::Boolean,
        Says::Integer => RecordTypeKind::Integer,
        Says::Enumerated(_) => RecordTypeKind::Enumerated,
        Says::Real => RecordTypeKind::Real,
        Says::Null => RecordTypeKind::Null,
        Says::Octets => RecordTypeKind::Octets,
        Says::Bits => RecordTypeKind::Bits,
        Says::Digits(Digits::Plain) => RecordTypeKind::Digits,
        Says::Digits(Digits::Packed) => RecordTypeKind::PackedDigits,
        Says::Text => RecordTypeKind::Text,
        Says::Structure(_) => RecordTypeKind::Structure,
        Says::Choice(_) => RecordTypeKind::Choice,
        Says::List(_) => RecordTypeKind::List,
        Says::Other => RecordTypeKind::Other,
    }
}

impl From<Member> for RecordField {
    fn from(Member { name, ty, is_optional }: Member) -> Self {
        RecordField { name, ty, optional: is_optional }
    }
}
