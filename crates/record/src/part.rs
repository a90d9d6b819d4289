//! A record taken apart for display: each value with its name and octets.
//!
//! It is never used for records in processing: it consists of strings and vectors, and is limited to what a user can
//! read.

use std::ops::Range;

/// Maximum number of parts of one record; more are left out.
pub const PARTS_MAX: usize = 2_000;

/// Maximum octets of one value that are shown.
pub const VALUE_OCTETS_MAX: usize = 256;

/// A value of a record, or of a part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The component or alternative; the index of a list's element, `[0]`; `?` if the schema does not have it.
    pub name: String,
    /// Its type; empty if that is unknown.
    pub ty: String,
    /// Its mark in the encoding, if any: a tag.
    pub mark: Option<String>,
    /// Its octets, counted from the record's first.
    pub place: Range<usize>,
    /// The value's own octets among these, without those around it.
    pub content: Range<usize>,
    /// Its value as text; `None` if it has parts.
    pub value: Option<String>,
    /// Whether the value was cut off.
    pub is_cut: bool,
    /// Why it is no value of its type, if so.
    pub fault: Option<String>,
    /// The values within it.
    pub parts: Vec<Part>,
}

/// A record taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Anatomy {
    /// Its values; if it is damaged, those before the damage.
    pub parts: Vec<Part>,
    /// The place and reason of damage.
    pub damage: Option<(usize, String)>,
    /// Whether there are more than [`PARTS_MAX`].
    pub is_cut: bool,
}

impl Part {
    /// Returns this part and all below it, outermost first.
    pub fn all(&self) -> Box<dyn Iterator<Item = &Part> + '_> {
        Box::new(std::iter::once(self).chain(self.parts.iter().flat_map(Part::all)))
    }
}
