//! Records: their schema, their slots in memory, their values and paths to them.
//!
//! A record is a table of [`Slot`]s over the octets it came in. A slot says where a value is; it holds the value itself
//! only if a script or a text format created it. A structure's components are consecutive slots (a *frame*), so a path
//! that is resolved in advance takes a few indexed loads. Slots and created octets live in an [`Arena`], which is
//! cleared, not freed, between records.
//!
//! This crate knows no tags, length octets, text formats or files.
#![forbid(unsafe_code)]

mod arena;
mod opened;
pub mod part;
mod path;
mod schema;
pub mod shape;
mod types;
mod value;

pub use arena::{Arena, DEPTH_MAX, Flags, Memory, Record, Slot, SlotIndex, State, Stretch};
pub use opened::Opened;
pub use part::{Anatomy, Part};
pub use path::{Path, PathError, Step};
pub use schema::{Default, EnumeratedItem, Field, Kind, Schema, TextKind, TimeKind, Type, TypeId};
pub use shape::Shape;
pub use types::{TypeFault, Types};
pub use value::{IntegerOctets, ValueFault, integer_from_octets, integer_octets};

/// Returns the codes of the errors of this crate, for the index of all codes.
pub fn codes() -> Vec<reason::Code> {
    use reason::Coded as _;

    ValueFault::codes()
}
