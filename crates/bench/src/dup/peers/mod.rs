//! The same scripts in the VRL and Rhai crates, over the same fields of the same records.
//!
//! Each gets its best honest shot: the records are the values that its scripts take before anything is measured,
//! scripts are compiled once, VRL knows the types of all fields, and what the languages lack (the digits of TBCD, the
//! look-up of prefixes) is the Rust code that the way by hand calls. Hosts of such scripts give them tables in this
//! way, as Vector does with its enrichment tables.

mod rhai;
mod vrl;

use std::collections::BTreeMap;

use ::record::{Kind, Memory, Schema, SlotIndex, TypeId};

use super::by_hand;
use crate::error::BenchError;

/// A value of a record that any language can take.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// Of a BOOLEAN, INTEGER or ENUMERATED.
    Number(i64),
    /// Of a string.
    Octets(Vec<u8>),
    /// The elements of a list.
    List(Vec<Value>),
    /// The components that are there; of a CHOICE, one.
    Structure(BTreeMap<String, Value>),
}

/// A script of another language.
pub(super) trait Peer {
    /// Runs it on a record and drops what it made. Returns the result of a filter or a sum.
    fn call(&mut self, record: usize) -> u64;

    /// Runs it on a record. Returns the line that it made.
    fn line(&mut self, record: usize) -> Option<Value>;
}

/// Creates the script of a case, with records of this type.
type Make = fn(&str, Type<'_>, &[Value]) -> Result<Box<dyn Peer>, BenchError>;

/// The other languages, as the ratios name them.
pub(super) const PEERS: [(&str, Make); 2] = [
    ("vrl", |case, of, records| Ok(Box::new(vrl::Vrl::new(case, of, records)?))),
    ("rhai", |case, _, records| Ok(Box::new(rhai::Rhai::new(case, records)?))),
];

/// A type of a schema.
pub(super) type Type<'s> = (&'s Schema, TypeId);

/// Returns the value of a slot of this type; `None` if it is absent.
pub(super) fn value((schema, ty): Type<'_>, memory: &Memory<'_>, at: SlotIndex) -> Option<Value> {
    if !memory.slot(at).is_present() {
        return None;
    }
    let kind = schema.kind(ty);
    let component = |place: usize, at| {
        let field = &kind.fields()[place];
        value((schema, field.ty), memory, at).map(|value| (field.name.clone(), value))
    };
    Some(match kind {
        Kind::Sequence(fields) | Kind::Set(fields) => {
            let all = (0..fields.len())
                .filter_map(|place| component(place, memory.component(at, place)?));
            Value::Structure(all.collect())
        }
        Kind::Choice(_) => {
            let (place, at) = memory.chosen(at)?;
            Value::Structure(component(place, at).into_iter().collect())
        }
        Kind::SequenceOf(element) | Kind::SetOf(element) => {
            let all = (0..memory.count(at))
                .filter_map(|place| value((schema, *element), memory, memory.element(at, place)?));
            Value::List(all.collect())
        }
        kind if kind.is_number() => Value::Number(memory.number(at).ok()?),
        _ => Value::Octets(memory.octets(at).ok()?.to_vec()),
    })
}

/// Returns TBCD as text.
fn digits(octets: &[u8]) -> String {
    let mut text = Vec::with_capacity(2 * octets.len());
    by_hand::digits(octets, &mut text);
    String::from_utf8(text).expect("digits are ASCII")
}

/// Returns octets in hexadecimal.
fn hex(octets: &[u8]) -> String {
    let mut text = Vec::with_capacity(2 * octets.len());
    by_hand::hex(octets, &mut text);
    String::from_utf8(text).expect("digits are ASCII")
}

/// Returns the script of a case.
fn text<'t>(case: &str, texts: [(&str, &'t str); 3]) -> Result<&'t str, BenchError> {
    let found = texts.into_iter().find(|(name, _)| *name == case);
    found.map(|(_, text)| text).ok_or_else(|| BenchError::Peer(format!("no script \"{case}\"")))
}
