//! The meaning of a type's octets as lines of text, to compare with modules of another time: by names and tags, not by
//! the numbers of types in memory.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;

use asn1::{Encoding, Specification, Tags};
use record::{Kind, TypeId};

/// Returns each component of all types that a value may contain, with its tags, type and default, and each name of a
/// number or bit.
pub(crate) fn layout(specification: &Specification, root: TypeId) -> String {
    let mut lines = BTreeSet::new();
    let (mut ahead, mut visited) = (vec![root], HashSet::new());
    let schema = &specification.schema;
    let tagged = |tags: &Tags, ty: TypeId| {
        let mut text = String::new();
        for tag in tags {
            write!(text, "[{:?} {}] ", tag.class, tag.number).expect("a text takes all");
        }
        text + &schema.get(ty).name
    };
    lines.insert(tagged(&specification.tags[root.0 as usize], root));
    while let Some(ty) = ahead.pop() {
        if !visited.insert(ty) {
            continue;
        }
        let (name, kind) = (&schema.get(ty).name, &schema.get(ty).kind);
        lines.insert(format!("{name} is {}", word(kind)));
        match (kind, &specification.encodings[ty.0 as usize]) {
            (
                Kind::Sequence(fields) | Kind::Set(fields) | Kind::Choice(fields),
                Encoding::Structure { tags, .. } | Encoding::Choice { tags, .. },
            ) => {
                for (field, tags) in fields.iter().zip(tags) {
                    let mut line = format!("{name}.{} {}", field.name, tagged(tags, field.ty));
                    if let Some(default) = &field.default {
                        write!(line, " DEFAULT {default:?}").expect("a text takes all");
                    }
                    lines.insert(line);
                    ahead.push(field.ty);
                }
            }
            (Kind::SequenceOf(of) | Kind::SetOf(of), Encoding::List(tags)) => {
                lines.insert(format!("{name} of {}", tagged(tags, *of)));
                ahead.push(*of);
            }
            (_, Encoding::Open { table, .. }) => {
                for (selected, tags, of) in table {
                    lines.insert(format!("{name} {selected:?} {}", tagged(tags, *of)));
                    ahead.push(*of);
                }
            }
            (Kind::Enumerated { items, .. }, _) => {
                let line =
                    |item: &record::EnumeratedItem| format!("{name}.{} {}", item.name, item.value);
                lines.extend(items.iter().map(line));
            }
            (Kind::BitString { bits, .. }, _) => {
                lines.extend(bits.iter().map(|(bit, place)| format!("{name}.{bit} {place}")));
            }
            _ => {}
        }
    }
    lines.into_iter().collect::<Vec<_>>().join("\n")
}

fn word(kind: &Kind) -> String {
    match kind {
        Kind::Boolean => "BOOLEAN".into(),
        Kind::Integer { .. } => "INTEGER".into(),
        Kind::Enumerated { .. } => "ENUMERATED".into(),
        Kind::Real => "REAL".into(),
        Kind::Null => "NULL".into(),
        Kind::OctetString => "OCTET STRING".into(),
        Kind::BitString { .. } => "BIT STRING".into(),
        Kind::ObjectIdentifier => "OBJECT IDENTIFIER".into(),
        Kind::RelativeObjectIdentifier => "RELATIVE-OID".into(),
        Kind::Text(kind) => format!("{kind:?} text"),
        Kind::Time(kind) => format!("{kind:?} time"),
        Kind::Open => "open".into(),
        Kind::Sequence(_) => "SEQUENCE".into(),
        Kind::Set(_) => "SET".into(),
        Kind::Choice(_) => "CHOICE".into(),
        Kind::SequenceOf(_) => "SEQUENCE OF".into(),
        Kind::SetOf(_) => "SET OF".into(),
    }
}
