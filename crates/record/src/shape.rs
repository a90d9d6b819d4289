//! The possible contents of a record, for forms: choices, optional fields, types of list elements. It is a schema
//! without type ids, from one type down, limited to what a page can show.

use std::collections::HashMap;

use crate::{Field, Kind, Schema, TypeId};

/// Maximum number of types in a shape. Fields of further types have none.
pub const TYPES_MAX: usize = 2_000;

/// Maximum number of fields and words of all types together.
pub const WORDS_MAX: usize = 20_000;

/// The types of a record, its own first. They refer to each other by index, so that a type may contain itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Those nearer to the record come first.
    pub types: Vec<Shaped>,
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shaped {
    /// Its name for display.
    pub name: String,
    /// The form of its values.
    pub says: Says,
}

/// The form of a type's values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Says {
    /// True or false.
    Boolean,
    /// A whole number.
    Integer,
    /// One of these words.
    Enumerated(Vec<String>),
    /// A number.
    Real,
    /// Nothing but its presence.
    Null,
    /// Octets.
    Octets,
    /// Any number of bits.
    Bits,
    /// Telephone digits.
    Digits(Digits),
    /// Characters.
    Text,
    /// Named values.
    Structure(Vec<Member>),
    /// One of several named values.
    Choice(Vec<Member>),
    /// Values of one type; `None` if the shape has no room for it.
    List(Option<usize>),
    /// Another form.
    Other,
}

/// The form of telephone digits in shown records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Digits {
    /// As digits.
    Plain,
    /// As octets in hexadecimal: two digits each, the first in the lower half.
    Packed,
}

/// A component or an alternative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// The index of its type, if the shape has room for it.
    pub ty: Option<usize>,
    /// Whether it may be absent.
    pub is_optional: bool,
}

impl Shape {
    /// Returns the shape of a type's records. `digits` says by its name whether a type holds digits, which depends on
    /// the notation.
    pub fn of(schema: &Schema, ty: TypeId, digits: impl Fn(&str) -> Option<Digits>) -> Self {
        let mut found = Found { places: HashMap::new(), queue: Vec::new(), words: 0 };
        found.place(ty);
        let mut types = Vec::new();
        while let Some(ty) = found.queue.get(types.len()).copied() {
            let says = match (schema.kind(ty), digits(&schema.get(ty).name)) {
                (Kind::OctetString, Some(digits)) => Says::Digits(digits),
                (kind, _) => found.says(kind),
            };
            types.push(Shaped { name: schema.shown(ty), says });
        }
        Shape { types }
    }
}

/// The part of a shape found so far.
struct Found {
    places: HashMap<TypeId, usize>,
    queue: Vec<TypeId>,
    words: usize,
}

impl Found {
    fn says(&mut self, kind: &Kind) -> Says {
        match kind {
            Kind::Boolean => Says::Boolean,
            Kind::Integer { .. } => Says::Integer,
            Kind::Enumerated { items, .. } if self.has_room(items.len()) => {
                Says::Enumerated(items.iter().map(|item| item.name.clone()).collect())
            }
            Kind::Real => Says::Real,
            Kind::Null => Says::Null,
            Kind::OctetString | Kind::BitString { fixed: Some(_), .. } => Says::Octets,
            Kind::BitString { fixed: None, .. } => Says::Bits,
            Kind::ObjectIdentifier | Kind::RelativeObjectIdentifier => Says::Text,
            Kind::Text(_) | Kind::Time(_) => Says::Text,
            Kind::Sequence(fields) | Kind::Set(fields) if self.has_room(fields.len()) => {
                Says::Structure(self.members(fields))
            }
            Kind::Choice(fields) if self.has_room(fields.len()) => {
                Says::Choice(self.members(fields))
            }
            Kind::SequenceOf(element) | Kind::SetOf(element) => Says::List(self.place(*element)),
            _ => Says::Other,
        }
    }

    fn members(&mut self, fields: &[Field]) -> Vec<Member> {
        let member = |field: &Field| Member {
            name: field.name.clone(),
            ty: self.place(field.ty),
            is_optional: !field.is_required(),
        };
        fields.iter().map(member).collect()
    }

    fn has_room(&mut self, words: usize) -> bool {
        let has_room = words <= WORDS_MAX - self.words;
        self.words += if has_room { words } else { 0 };
        has_room
    }

    fn place(&mut self, ty: TypeId) -> Option<usize> {
        if let Some(place) = self.places.get(&ty) {
            return Some(*place);
        }
        if self.queue.len() == TYPES_MAX {
            return None;
        }
        self.places.insert(ty, self.queue.len());
        self.queue.push(ty);
        Some(self.queue.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Type;

    fn schema(kinds: Vec<Kind>) -> Schema {
        let mut schema = Schema::new();
        for (place, kind) in kinds.into_iter().enumerate() {
            schema.add(Type { name: format!("M.T{place}"), kind });
        }
        schema
    }

    fn field(name: &str, ty: u32, optional: bool) -> Field {
        Field { name: name.into(), ty: TypeId(ty), optional, default: None }
    }

    #[test]
    fn a_type_within_itself_has_one_place() {
        let fields = vec![field("inner", 0, true), field("number", 1, false)];
        let schema = schema(vec![Kind::Sequence(fields), Kind::OctetString]);
        let shape =
            Shape::of(&schema, TypeId(0), |name| (name == "M.T1").then_some(Digits::Packed));
        let member = |name: &str, ty: usize, is_optional: bool| Member {
            name: name.into(),
            ty: Some(ty),
            is_optional,
        };
        let members = vec![member("inner", 0, true), member("number", 1, false)];
        let says: Vec<Says> = shape.types.into_iter().map(|ty| ty.says).collect();
        assert_eq!(says, [Says::Structure(members), Says::Digits(Digits::Packed)]);
    }

    #[test]
    fn a_shape_has_an_end() {
        let fields = (0..3_000).map(|place| field(&format!("f{place}"), place + 1, true));
        let large = Kind::Sequence(fields.collect());
        let kinds = std::iter::once(large.clone()).chain((0..3_000).map(|_| large.clone()));
        let shape = Shape::of(&schema(kinds.collect()), TypeId(0), |_| None);
        assert_eq!(shape.types.len(), TYPES_MAX);
        let members = |shaped: &Shaped| match &shaped.says {
            Says::Structure(members) => members.len(),
            _ => 0,
        };
        assert_eq!(shape.types.iter().map(members).sum::<usize>(), 18_000);
        let Says::Structure(first) = &shape.types[0].says else { panic!("it is a structure") };
        assert_eq!(first.iter().filter(|member| member.ty.is_none()).count(), 1_001);
    }
}
