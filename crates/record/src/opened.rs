//! Which values of records are read. The contents of others need not be decoded.

use std::collections::BTreeSet;

use crate::schema::TypeId;

/// The types whose values are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opened {
    /// All types.
    All,
    /// These types, each only down to its own components, alternatives or elements.
    Only(BTreeSet<TypeId>),
}

impl Opened {
    /// Returns a set of no types.
    pub fn none() -> Self {
        Opened::Only(BTreeSet::new())
    }

    /// Returns the types of both.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Opened::Only(mut types), Opened::Only(more)) => {
                types.extend(more);
                Opened::Only(types)
            }
            _ => Opened::All,
        }
    }

    /// Returns whether it includes all types of another.
    pub fn has(&self, other: &Self) -> bool {
        match (self, other) {
            (Opened::All, _) => true,
            (Opened::Only(types), Opened::Only(others)) => types.is_superset(others),
            (Opened::Only(_), Opened::All) => false,
        }
    }
}

impl FromIterator<TypeId> for Opened {
    fn from_iter<I: IntoIterator<Item = TypeId>>(types: I) -> Self {
        Opened::Only(types.into_iter().collect())
    }
}
