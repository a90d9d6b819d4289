//! The comparison in a build without the VRL and Rhai crates, where there is none. `make bench` builds them in.

use record::{Memory, Schema, SlotIndex, TypeId};

use crate::error::BenchError;

/// The value of a record, unused.
#[derive(PartialEq)]
pub(super) struct Value;

/// A script in another language, never made.
pub(super) trait Peer {
    fn call(&mut self, record: usize) -> u64;
    fn line(&mut self, record: usize) -> Option<Value>;
}

type Make = fn(&str, Type<'_>, &[Value]) -> Result<Box<dyn Peer>, BenchError>;

/// The other languages: none.
pub(super) const PEERS: [(&str, Make); 0] = [];

/// A type of a schema.
pub(super) type Type<'s> = (&'s Schema, TypeId);

/// Returns an empty value.
pub(super) fn value(_: Type<'_>, _: &Memory<'_>, _: SlotIndex) -> Option<Value> {
    Some(Value)
}
