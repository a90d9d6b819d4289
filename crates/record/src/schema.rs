//! Schemas: names, types and optionality of records, independent of their encoding.

use std::collections::HashMap;

/// The index of a type in its [`Schema`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u32);

/// The types of a flow's records. It grows while modules and scripts are read, and never changes after that.
#[derive(Clone, Debug, std::default::Default)]
pub struct Schema {
    types: Vec<Type>,
    by_name: HashMap<String, TypeId>,
}

/// A type and its name.
#[derive(Clone, Debug)]
pub struct Type {
    /// `Module.Type`; a type defined in place is named by the path to it, `Module.Type.field`, or, if it is a list, by
    /// its elements: `SEQUENCE OF Module.Type`.
    pub name: String,
    /// The kind of its values.
    pub kind: Kind,
}

/// The kind of a type's values.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// TRUE or FALSE; one octet, zero for FALSE.
    Boolean,
    /// A whole number; two's complement, big-endian, any number of octets.
    Integer {
        /// Named numbers.
        names: Vec<(String, i64)>,
    },
    /// One of a list of names; octets as of an integer.
    Enumerated {
        /// The names, in the order of their definition.
        items: Vec<EnumeratedItem>,
        /// Whether later versions may send numbers that are not listed.
        extensible: bool,
    },
    /// A real number; content octets of X.690, 8.5.
    Real,
    /// Nothing but its presence.
    Null,
    /// Octets.
    OctetString,
    /// Bits; the first octet says how many bits of the last are unused (X.690, 8.6.2).
    BitString {
        /// Named bits and their numbers.
        bits: Vec<(String, u32)>,
        /// The number of bits of every value, if the type fixes it.
        fixed: Option<u32>,
    },
    /// An object identifier; content octets of X.690, 8.19.
    ObjectIdentifier,
    /// A relative object identifier; content octets of X.690, 8.20.
    RelativeObjectIdentifier,
    /// Characters.
    Text(TextKind),
    /// A point or a length of time, as characters.
    Time(TimeKind),
    /// A value of a type that this schema does not know: ANY, open types. Its octets have their own tag.
    Open,
    /// Fields in a fixed order.
    Sequence(Vec<Field>),
    /// Fields in any order.
    Set(Vec<Field>),
    /// One of several fields.
    Choice(Vec<Field>),
    /// A list whose order matters.
    SequenceOf(TypeId),
    /// A list whose order does not matter.
    SetOf(TypeId),
}

/// A name of an enumeration and its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumeratedItem {
    /// Its name.
    pub name: String,
    /// Its number.
    pub value: i64,
}

/// A component of a SEQUENCE or SET, or an alternative of a CHOICE.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Whether the component may be absent: it is OPTIONAL, or an addition that older senders do
    /// not include. Never true for alternatives of a CHOICE.
    pub optional: bool,
    /// The value it has when it is absent.
    pub default: Option<Default>,
}

impl Field {
    /// Returns whether its structure must have it.
    pub fn is_required(&self) -> bool {
        !self.optional && self.default.is_none()
    }
}

/// The value of an absent field, if its definition gives a simple one.
#[derive(Clone, Debug, PartialEq)]
pub enum Default {
    /// The value of a BOOLEAN (0 or 1), INTEGER or ENUMERATED.
    Integer(i64),
    /// Any other value, in the octets that [`Kind`] describes for the type.
    Octets(Vec<u8>),
    /// An empty SEQUENCE OF or SET OF.
    EmptyList,
    /// A (structured) value that this schema does not store. Reading the absent field fails.
    Other,
}

/// The character string types of X.680.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The names are those of X.680, clause 41.
pub enum TextKind {
    Utf8,
    Numeric,
    Printable,
    Teletex,
    Videotex,
    Ia5,
    Graphic,
    Visible,
    General,
    /// Four octets per character, big-endian.
    Universal,
    /// Two octets per character, big-endian.
    Bmp,
    ObjectDescriptor,
}

/// The time types of X.680, all written as characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The names are those of X.680, clauses 38, 46 and 47.
pub enum TimeKind {
    Utc,
    Generalized,
    Time,
    Date,
    TimeOfDay,
    DateTime,
    Duration,
    OidIri,
    RelativeOidIri,
}

impl Schema {
    /// Creates a schema without types.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a type. Types may refer to ids that are added or [`define`](Self::define)d later, so that
    /// a type can contain itself.
    ///
    /// A second type of the same name is found by its id only.
    pub fn add(&mut self, ty: Type) -> TypeId {
        let id = TypeId(u32::try_from(self.types.len()).expect("fewer than 2^32 types"));
        self.by_name.entry(ty.name.clone()).or_insert(id);
        self.types.push(ty);
        id
    }

    /// Sets the final kind of a type that was added before, usually as a placeholder.
    pub fn define(&mut self, id: TypeId, kind: Kind) {
        self.types[id.0 as usize].kind = kind;
    }

    /// Returns the type with this id.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }

    /// Returns the kind of the type with this id.
    pub fn kind(&self, id: TypeId) -> &Kind {
        &self.types[id.0 as usize].kind
    }

    /// Returns the type with this full name, `Module.Type`.
    pub fn find(&self, name: &str) -> Option<TypeId> {
        self.by_name.get(name).copied()
    }

    /// Returns whether a value of this type, or of a type within it, may contain another of the same type.
    pub fn is_recursive(&self, ty: TypeId) -> bool {
        let (mut around, mut visited) = (Vec::new(), vec![false; self.types.len()]);
        self.leads_back(ty, &mut around, &mut visited)
    }

    fn leads_back(&self, ty: TypeId, around: &mut Vec<TypeId>, visited: &mut [bool]) -> bool {
        if around.contains(&ty) {
            return true;
        }
        if std::mem::replace(&mut visited[ty.0 as usize], true) {
            return false;
        }
        around.push(ty);
        let kind = self.kind(ty);
        let below = kind.fields().iter().map(|field| field.ty).chain(kind.element());
        let found = below.into_iter().any(|ty| self.leads_back(ty, around, visited));
        around.pop();
        found
    }

    /// Returns a type's name for display; for one defined in place, its kind.
    pub fn shown(&self, id: TypeId) -> String {
        let Type { name, kind } = self.get(id);
        let list = match kind {
            Kind::SequenceOf(element) => Some(("SEQUENCE OF ", element)),
            Kind::SetOf(element) => Some(("SET OF ", element)),
            _ => None,
        };
        if let Some((of, element)) = list.filter(|(of, _)| name.starts_with(of)) {
            // An element's own list may be this one.
            let element = self
                .get(*element)
                .kind
                .element()
                .map_or_else(|| self.shown(*element), |_| self.get(*element).name.clone());
            return format!("{of}{element}");
        }
        let is_own = name.split_once('.').is_none_or(|(_, own)| !own.contains(['.', '[']));
        if is_own { name.clone() } else { kind.word().to_owned() }
    }

    /// Returns the number of types; ids are below it.
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Returns whether there is no type.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// Returns all types with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (TypeId, &Type)> {
        self.types.iter().enumerate().map(|(index, ty)| (TypeId(index as u32), ty))
    }
}

impl Kind {
    /// Returns the components or alternatives; empty for other kinds.
    pub fn fields(&self) -> &[Field] {
        match self {
            Kind::Sequence(fields) | Kind::Set(fields) | Kind::Choice(fields) => fields,
            _ => &[],
        }
    }

    /// Returns the index of a component or alternative by its name.
    pub fn field(&self, name: &str) -> Option<usize> {
        self.fields().iter().position(|field| field.name == name)
    }

    /// Returns the type of a list's elements.
    pub fn element(&self) -> Option<TypeId> {
        match self {
            Kind::SequenceOf(element) | Kind::SetOf(element) => Some(*element),
            _ => None,
        }
    }

    /// Returns the name in X.680.
    pub fn word(&self) -> &'static str {
        match self {
            Kind::Boolean => "BOOLEAN",
            Kind::Integer { .. } => "INTEGER",
            Kind::Enumerated { .. } => "ENUMERATED",
            Kind::Real => "REAL",
            Kind::Null => "NULL",
            Kind::OctetString => "OCTET STRING",
            Kind::BitString { .. } => "BIT STRING",
            Kind::ObjectIdentifier => "OBJECT IDENTIFIER",
            Kind::RelativeObjectIdentifier => "RELATIVE-OID",
            Kind::Text(TextKind::Utf8) => "UTF8String",
            Kind::Text(TextKind::Numeric) => "NumericString",
            Kind::Text(TextKind::Printable) => "PrintableString",
            Kind::Text(TextKind::Ia5) => "IA5String",
            Kind::Text(TextKind::Visible) => "VisibleString",
            Kind::Text(TextKind::Teletex) => "TeletexString",
            Kind::Text(TextKind::Videotex) => "VideotexString",
            Kind::Text(TextKind::Graphic) => "GraphicString",
            Kind::Text(TextKind::General) => "GeneralString",
            Kind::Text(TextKind::Universal) => "UniversalString",
            Kind::Text(TextKind::Bmp) => "BMPString",
            Kind::Text(TextKind::ObjectDescriptor) => "ObjectDescriptor",
            Kind::Time(TimeKind::Utc) => "UTCTime",
            Kind::Time(TimeKind::Generalized) => "GeneralizedTime",
            Kind::Time(_) => "TIME",
            Kind::Open => "ANY",
            Kind::Sequence(_) => "SEQUENCE",
            Kind::Set(_) => "SET",
            Kind::Choice(_) => "CHOICE",
            Kind::SequenceOf(_) => "SEQUENCE OF",
            Kind::SetOf(_) => "SET OF",
        }
    }

    /// Returns whether values are stored as numbers: BOOLEAN, INTEGER, ENUMERATED.
    pub fn is_number(&self) -> bool {
        matches!(self, Kind::Boolean | Kind::Integer { .. } | Kind::Enumerated { .. })
    }

    /// Returns whether values have slots below their own.
    pub fn is_constructed(&self) -> bool {
        matches!(
            self,
            Kind::Sequence(_)
                | Kind::Set(_)
                | Kind::Choice(_)
                | Kind::SequenceOf(_)
                | Kind::SetOf(_)
        )
    }
}
