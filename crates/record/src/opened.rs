//! Into which values of records somebody looks. What is in the others need not be found out.

use std::collections::BTreeSet;

use crate::schema::TypeId;

/// The types into whose values somebody looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opened {
    /// Any.
    All,
    /// These, and only as far as their own components, alternatives or elements.
    Only(BTreeSet<TypeId>),
}

impl Opened {
    /// Into none.
    pub fn none() -> Self {
        Opened::Only(BTreeSet::new())
    }

    /// Into those of both.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Opened::Only(mut types), Opened::Only(more)) => {
                types.extend(more);
                Opened::Only(types)
            }
            _ => Opened::All,
        }
    }

    /// Whether all of another is among these.
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
