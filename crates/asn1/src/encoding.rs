//! The interface between reading modules and coding records: a schema, and the tags of each type.

use record::{Kind, Schema, TextKind, TimeKind, TypeId};

/// The class of a tag (X.680, 8.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
#[repr(u8)]
pub enum Class {
    Universal = 0,
    Application = 1,
    Context = 2,
    Private = 3,
}

/// A tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tag {
    /// Its class.
    pub class: Class,
    /// Its number.
    pub number: u32,
}

/// The tags in front of a value, outermost first. All but the last are explicit. An IMPLICIT tag is in the place of the
/// tag it replaces. Empty for an untagged CHOICE or open type, whose value has its own tag; for a *tagged* CHOICE or
/// open type every tag is explicit.
pub type Tags = Vec<Tag>;

/// The tags inside the values of a type.
#[derive(Clone, Debug, PartialEq)]
pub enum Encoding {
    /// None.
    Primitive,
    /// A SEQUENCE or SET.
    Structure {
        /// The tags of each component, in the order of the schema's fields.
        tags: Vec<Tags>,
        /// For an extensible type: how many components precede unknown additions. Later versions add components after
        /// the known additions and before the second root (X.680, 25.1).
        extension: Option<usize>,
    },
    /// A CHOICE.
    Choice {
        /// The tags of each alternative, in the order of the schema's fields.
        tags: Vec<Tags>,
        /// Whether later versions may add alternatives.
        is_extensible: bool,
    },
    /// The tags of each element of a list.
    List(Tags),
    /// An open type constrained by a table (X.682, 10): the value of the sibling component `selector` (content octets)
    /// determines the type of the value. Empty table: any type.
    Open {
        /// Components to follow from the enclosing structure to the selecting value.
        selector: Vec<usize>,
        /// Content octets of the selector, tags and type of the value.
        table: Vec<(Vec<u8>, Tags, TypeId)>,
    },
}

/// The types that are reached from the chosen roots.
#[derive(Clone, Debug, Default)]
pub struct Specification {
    /// The types.
    pub schema: Schema,
    /// By type id: the tags inside its values.
    pub encodings: Vec<Encoding>,
    /// By type id: the tags of a value that stands alone (as the root of a file).
    pub tags: Vec<Tags>,
}

/// Returns the universal tag of a type (X.680, table 1). `None` for types whose values have their own tag, such as
/// CHOICE.
pub(crate) fn universal_tag(kind: &Kind) -> Option<u32> {
    Some(match kind {
        Kind::Boolean => 1,
        Kind::Integer { .. } => 2,
        Kind::BitString { .. } => 3,
        Kind::OctetString => 4,
        Kind::Null => 5,
        Kind::ObjectIdentifier => 6,
        Kind::Real => 9,
        Kind::Enumerated { .. } => 10,
        Kind::RelativeObjectIdentifier => 13,
        Kind::Sequence(_) | Kind::SequenceOf(_) => 16,
        Kind::Set(_) | Kind::SetOf(_) => 17,
        Kind::Text(kind) => text_tag(*kind),
        Kind::Time(kind) => time_tag(*kind),
        Kind::Choice(_) | Kind::Open => return None,
    })
}

fn text_tag(kind: TextKind) -> u32 {
    match kind {
        TextKind::ObjectDescriptor => 7,
        TextKind::Utf8 => 12,
        TextKind::Numeric => 18,
        TextKind::Printable => 19,
        TextKind::Teletex => 20,
        TextKind::Videotex => 21,
        TextKind::Ia5 => 22,
        TextKind::Graphic => 25,
        TextKind::Visible => 26,
        TextKind::General => 27,
        TextKind::Universal => 28,
        TextKind::Bmp => 30,
    }
}

fn time_tag(kind: TimeKind) -> u32 {
    match kind {
        TimeKind::Time => 14,
        TimeKind::Utc => 23,
        TimeKind::Generalized => 24,
        TimeKind::Date => 31,
        TimeKind::TimeOfDay => 32,
        TimeKind::DateTime => 33,
        TimeKind::Duration => 34,
        TimeKind::OidIri => 35,
        TimeKind::RelativeOidIri => 36,
    }
}
