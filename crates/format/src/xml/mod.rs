//! Records as XML by the basic rules (BASIC-XER, X.693, clause 8), within one element `records`.
//!
//! On input, the outermost element may have any name, and blanks and comments may be between records. A file may
//! consist of several such documents.

pub(crate) mod declaration;
mod error;
mod file;
mod markup;
mod read;
mod write;

use record::{Kind, Schema, TextKind, TypeId};

pub use error::{ElementError, ElementFault, MarkupError};
pub(crate) use file::XmlInput;
pub(crate) use read::character;
pub(crate) use write::XmlOutput;

/// Maximum nesting of elements.
const DEPTH_MAX: usize = 64;

/// Element names for control characters in strings (X.680, 12.15.5), by code. Tab and line ends are
/// written as they are.
const CONTROLS: [&str; 32] = [
    "nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs", "", "", "vt", "ff", "", "so",
    "si", "dle", "dc1", "dc2", "dc3", "dc4", "nak", "syn", "etb", "can", "em", "sub", "esc", "is4",
    "is3", "is2", "is1",
];

/// Returns the element name of a type (X.680, 12.36): its own name, or that of the built-in type.
fn tag(schema: &Schema, ty: TypeId) -> &str {
    let found = schema.get(ty);
    let own = found.name.split_once('.').map(|(_, name)| name).filter(|name| !name.contains('.'));
    own.unwrap_or(match &found.kind {
        Kind::Boolean => "BOOLEAN",
        Kind::Integer { .. } => "INTEGER",
        Kind::Enumerated { .. } => "ENUMERATED",
        Kind::Real => "REAL",
        Kind::Null => "NULL",
        Kind::OctetString => "OCTET_STRING",
        Kind::BitString { .. } => "BIT_STRING",
        Kind::ObjectIdentifier => "OBJECT_IDENTIFIER",
        Kind::RelativeObjectIdentifier => "RELATIVE_OID",
        Kind::Sequence(_) => "SEQUENCE",
        Kind::Set(_) => "SET",
        Kind::Choice(_) => "CHOICE",
        Kind::SequenceOf(_) => "SEQUENCE_OF",
        Kind::SetOf(_) => "SET_OF",
        Kind::Text(TextKind::Utf8) => "UTF8String",
        Kind::Text(TextKind::Ia5) => "IA5String",
        Kind::Text(TextKind::Numeric) => "NumericString",
        Kind::Text(TextKind::Printable) => "PrintableString",
        Kind::Text(TextKind::Visible) => "VisibleString",
        Kind::Text(_) => "GraphicString",
        Kind::Time(_) => "TIME",
        Kind::Open => "ANY",
    })
}

/// Returns whether the values of a list are not enclosed in elements (X.693, 8.3.6 with X.680, table 5): those that are
/// elements themselves.
fn stands_alone(kind: &Kind) -> bool {
    matches!(kind, Kind::Boolean | Kind::Enumerated { .. } | Kind::Choice(_))
}
