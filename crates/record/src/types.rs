//! Where types come from when people name them: scripts and flow files know names, not modules.

use crate::schema::{Schema, Type, TypeId};

/// Types by the names people give them, resolved when they are first asked for.
pub trait Types {
    /// The types known so far.
    fn schema(&self) -> &Schema;

    /// The type of a name: `Module.Type`, or `Type` where only one module defines it.
    fn find(&mut self, name: &str) -> Result<TypeId, TypeFault>;

    /// Adds a type that no module defines.
    fn add(&mut self, ty: Type) -> TypeId;

    /// The names that [`find`](Self::find) knows, for hints.
    fn names(&self) -> Vec<String>;
}

/// Why there is no type of a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TypeFault {
    /// No module defines it.
    #[error("no module defines a type \"{name}\"")]
    Unknown {
        /// The name.
        name: String,
    },
    /// Several modules do.
    #[error("several modules define a type \"{name}\"; write Module.Type")]
    Ambiguous {
        /// The name.
        name: String,
    },
    /// Its definition has mistakes; these are their texts.
    #[error("{}", mistakes.join("\n"))]
    Broken {
        /// What is wrong, place included.
        mistakes: Vec<String>,
    },
}

/// A finished schema knows its types by their whole names, or by their last part where it is the only one.
impl Types for Schema {
    fn schema(&self) -> &Schema {
        self
    }

    fn find(&mut self, name: &str) -> Result<TypeId, TypeFault> {
        if let Some(found) = Schema::find(self, name) {
            return Ok(found);
        }
        let mut named = self.iter().filter(|(_, ty)| last_part(&ty.name) == Some(name));
        match (named.next(), named.next()) {
            (Some((found, _)), None) => Ok(found),
            (None, _) => Err(TypeFault::Unknown { name: name.to_owned() }),
            _ => Err(TypeFault::Ambiguous { name: name.to_owned() }),
        }
    }

    fn add(&mut self, ty: Type) -> TypeId {
        Schema::add(self, ty)
    }

    fn names(&self) -> Vec<String> {
        self.iter().map(|(_, ty)| ty.name.clone()).collect()
    }
}

/// `Type` of `Module.Type`; none for a type written in place, `Module.Type.field`.
fn last_part(name: &str) -> Option<&str> {
    name.split_once('.').map(|(_, ty)| ty).filter(|ty| !ty.contains('.'))
}
