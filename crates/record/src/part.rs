//! A record taken apart for people to look at: each value of it, what it is called, and which octets are its own.
//!
//! No record that flows is ever taken apart: this is strings and vectors, and as much of a record as anybody can read.

use std::ops::Range;

/// Most parts of one record that are named; what there is more of it is left out.
pub const PARTS_MAX: usize = 2_000;

/// Most octets of one value that are shown.
pub const VALUE_OCTETS_MAX: usize = 256;

/// A value of a record, or of a part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The component or alternative; of a list's element its place, `[0]`; of what the schema does not know, `?`.
    pub name: String,
    /// Its type; empty where that is not known.
    pub ty: String,
    /// How the encoding marks it, if it does: a tag.
    pub mark: Option<String>,
    /// Its octets, counted from the record's first.
    pub place: Range<usize>,
    /// Of these, the value's own: without what stands around it.
    pub content: Range<usize>,
    /// What it says; none of what has parts.
    pub value: Option<String>,
    /// Whether the value goes on.
    pub is_cut: bool,
    /// Why it is not what its type says, if so.
    pub fault: Option<String>,
    /// What is in it.
    pub parts: Vec<Part>,
}

/// A record taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Anatomy {
    /// What is in it; of octets that are no record, what was found before the damage.
    pub parts: Vec<Part>,
    /// Where it cannot be read on, and why.
    pub damage: Option<(usize, String)>,
    /// Whether there was more than [`PARTS_MAX`].
    pub is_cut: bool,
}

impl Part {
    /// This one and all below it, outermost first.
    pub fn all(&self) -> Box<dyn Iterator<Item = &Part> + '_> {
        Box::new(std::iter::once(self).chain(self.parts.iter().flat_map(Part::all)))
    }
}
