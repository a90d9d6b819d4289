//! What a record is: its schema, its slots in memory, its values and the paths to them.
//!
//! A record is a table of [`Slot`]s over the octets it came in. A slot says where a value lies; it
//! holds the value itself only when a script or a text format made it. A structure's components are a
//! run of slots (a *frame*), so a path that is known before records flow becomes a few indexed loads.
//! Slots and made octets live in an [`Arena`] that is emptied, not freed, between records.
//!
//! This crate knows no tag, no length octets, no text format and no file.
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
