//! Without the VRL and Rhai crates there is nothing to compare with; `make bench` builds them in.

use record::{Memory, Schema, SlotIndex, TypeId};

use crate::error::BenchError;

/// Of a record, for nobody.
#[derive(PartialEq)]
pub(super) struct Value;

/// Nobody.
pub(super) trait Peer {
    fn call(&mut self, record: usize) -> u64;
    fn line(&mut self, record: usize) -> Option<Value>;
}

type Make = fn(&str, Type<'_>, &[Value]) -> Result<Box<dyn Peer>, BenchError>;

/// None.
pub(super) const PEERS: [(&str, Make); 0] = [];

/// A type of a schema.
pub(super) type Type<'s> = (&'s Schema, TypeId);

/// Nothing.
pub(super) fn value(_: Type<'_>, _: &Memory<'_>, _: SlotIndex) -> Option<Value> {
    Some(Value)
}
