//! Classes of types: what scripts can do with their values.

use record::{Kind, Schema, TextKind, Type, TypeId, Types};

/// The class of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Null,
    Boolean,
    Integer,
    Enumerated,
    /// OCTET STRING, character strings with one octet per character (and UTF8String), times.
    Octets,
    Structure,
    Choice,
    List,
    /// REAL, BIT STRING, OBJECT IDENTIFIER, BMPString, ANY: only copied and compared for equality.
    Opaque,
}

impl Class {
    pub(crate) fn of(schema: &Schema, ty: TypeId) -> Class {
        match schema.kind(ty) {
            Kind::Null => Class::Null,
            Kind::Boolean => Class::Boolean,
            Kind::Integer { .. } => Class::Integer,
            Kind::Enumerated { .. } => Class::Enumerated,
            Kind::Text(TextKind::Universal | TextKind::Bmp) => Class::Opaque,
            Kind::OctetString | Kind::Text(_) | Kind::Time(_) => Class::Octets,
            Kind::Sequence(_) | Kind::Set(_) => Class::Structure,
            Kind::Choice(_) => Class::Choice,
            Kind::SequenceOf(_) | Kind::SetOf(_) => Class::List,
            _ => Class::Opaque,
        }
    }

    /// Returns whether a value fits in a register.
    pub(crate) fn is_scalar(self) -> bool {
        self.is_number() || self == Class::Octets
    }

    /// Returns whether a value is a number in a register.
    pub(crate) fn is_number(self) -> bool {
        matches!(self, Class::Boolean | Class::Integer | Class::Enumerated)
    }

    /// Returns whether a value may have slots below its own.
    pub(crate) fn is_composite(self) -> bool {
        matches!(self, Class::Structure | Class::Choice | Class::List)
    }
}

/// The characters that a string type allows (X.680, clause 41). Types that allow all octets have no alphabet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alphabet {
    Numeric,
    Printable,
    Ia5,
    Visible,
    Utf8,
}

impl Alphabet {
    /// Returns the alphabet of a type.
    pub(crate) fn of(schema: &Schema, ty: TypeId) -> Option<Alphabet> {
        match schema.kind(ty) {
            Kind::Text(TextKind::Numeric) => Some(Alphabet::Numeric),
            Kind::Text(TextKind::Printable) => Some(Alphabet::Printable),
            Kind::Text(TextKind::Ia5) => Some(Alphabet::Ia5),
            Kind::Text(TextKind::Visible) | Kind::Time(_) => Some(Alphabet::Visible),
            Kind::Text(TextKind::Utf8) => Some(Alphabet::Utf8),
            _ => None,
        }
    }

    /// Returns whether every text of the other alphabet is a text of this one.
    pub(crate) fn includes(self, other: Option<Alphabet>) -> bool {
        use Alphabet::*;
        let Some(other) = other else { return false };
        self == other
            || match self {
                Numeric | Printable => false,
                Visible => matches!(other, Numeric | Printable),
                Ia5 | Utf8 => other != Utf8,
            }
    }

    /// Returns whether a text has only characters of the alphabet.
    pub(crate) fn allows(self, octets: &[u8]) -> bool {
        let printable =
            |octet: &u8| octet.is_ascii_alphanumeric() || b" '()+,-./:=?".contains(octet);
        match self {
            Alphabet::Numeric => octets.iter().all(|o| o.is_ascii_digit() || *o == b' '),
            Alphabet::Printable => octets.iter().all(printable),
            Alphabet::Ia5 => octets.is_ascii(),
            Alphabet::Visible => octets.iter().all(|o| (b' '..=b'~').contains(o)),
            Alphabet::Utf8 => std::str::from_utf8(octets).is_ok(),
        }
    }

    /// Returns the name of its type.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Alphabet::Numeric => "NumericString",
            Alphabet::Printable => "PrintableString",
            Alphabet::Ia5 => "IA5String",
            Alphabet::Visible => "VisibleString",
            Alphabet::Utf8 => "UTF8String",
        }
    }
}

/// Returns the kind of a built-in type, by its name.
pub(crate) fn built_in_kind(name: &str) -> Kind {
    use record::TimeKind;
    match name {
        "NULL" => Kind::Null,
        "BOOLEAN" => Kind::Boolean,
        "INTEGER" => Kind::Integer { names: Vec::new() },
        "REAL" => Kind::Real,
        "BIT STRING" => Kind::BitString { bits: Vec::new(), fixed: None },
        "UTF8String" => Kind::Text(TextKind::Utf8),
        "NumericString" => Kind::Text(TextKind::Numeric),
        "PrintableString" => Kind::Text(TextKind::Printable),
        "TeletexString" | "T61String" => Kind::Text(TextKind::Teletex),
        "VideotexString" => Kind::Text(TextKind::Videotex),
        "IA5String" => Kind::Text(TextKind::Ia5),
        "GraphicString" => Kind::Text(TextKind::Graphic),
        "VisibleString" | "ISO646String" => Kind::Text(TextKind::Visible),
        "GeneralString" => Kind::Text(TextKind::General),
        "ObjectDescriptor" => Kind::Text(TextKind::ObjectDescriptor),
        "UTCTime" => Kind::Time(TimeKind::Utc),
        "GeneralizedTime" => Kind::Time(TimeKind::Generalized),
        "TIME" => Kind::Time(TimeKind::Time),
        "DATE" => Kind::Time(TimeKind::Date),
        "TIME-OF-DAY" => Kind::Time(TimeKind::TimeOfDay),
        "DATE-TIME" => Kind::Time(TimeKind::DateTime),
        "DURATION" => Kind::Time(TimeKind::Duration),
        _ => Kind::OctetString, // OCTET STRING, TBCD STRING
    }
}

/// Returns the type of a name that needs no module. Creates it at first use.
pub(crate) fn made(types: &mut dyn Types, name: &str, kind: impl FnOnce() -> Kind) -> TypeId {
    match types.schema().find(name) {
        Some(found) => found,
        None => types.add(Type { name: name.to_owned(), kind: kind() }),
    }
}

/// Returns whether a value of one type can be used as the other, component by component: the same names in the same
/// order. The encoding may differ.
pub(crate) fn is_alike(schema: &Schema, a: TypeId, b: TypeId) -> bool {
    /// The depth up to which recursive types are compared.
    const DEPTH_MAX: usize = 32;
    fn alike(schema: &Schema, a: TypeId, b: TypeId, depth: usize) -> bool {
        if a == b || depth == DEPTH_MAX {
            return true;
        }
        let fields = |a: &[record::Field], b: &[record::Field]| {
            a.len() == b.len()
                && a.iter()
                    .zip(b)
                    .all(|(a, b)| a.name == b.name && alike(schema, a.ty, b.ty, depth + 1))
        };
        match (schema.kind(a), schema.kind(b)) {
            (Kind::Sequence(a) | Kind::Set(a), Kind::Sequence(b) | Kind::Set(b))
            | (Kind::Choice(a), Kind::Choice(b)) => fields(a, b),
            (Kind::SequenceOf(a) | Kind::SetOf(a), Kind::SequenceOf(b) | Kind::SetOf(b)) => {
                alike(schema, *a, *b, depth + 1)
            }
            (Kind::Enumerated { items: a, .. }, Kind::Enumerated { items: b, .. }) => a == b,
            (Kind::Integer { .. }, Kind::Integer { .. }) => true,
            (Kind::BitString { .. }, Kind::BitString { .. }) => true,
            (a, b) => a == b,
        }
    }
    alike(schema, a, b, 0)
}
