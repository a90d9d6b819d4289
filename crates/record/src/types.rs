//! Finds types by name: scripts and flow files use names, and do not know modules.

use crate::schema::{Schema, Type, TypeId};

/// Types by name, resolved at first use.
pub trait Types {
    /// Returns the types resolved so far.
    fn schema(&self) -> &Schema;

    /// Returns the type with a name: `Module.Type`, or `Type` if only one module defines it.
    fn find(&mut self, name: &str) -> Result<TypeId, TypeFault>;

    /// Adds a type that no module defines.
    fn add(&mut self, ty: Type) -> TypeId;

    /// Returns the names that [`find`](Self::find) knows, for hints.
    fn names(&self) -> Vec<String>;
}

/// The reason why there is no type with a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TypeFault {
    /// No module defines it.
    #[error("no module defines a type \"{name}\"")]
    Unknown {
        /// The name.
        name: String,
    },
    /// Several modules define it.
    #[error("several modules define a type \"{name}\"; write Module.Type")]
    Ambiguous {
        /// The name.
        name: String,
    },
    /// Its definition has mistakes.
    #[error("{}", mistakes.join("\n"))]
    Broken {
        /// The mistakes with their places.
        mistakes: Vec<String>,
    },
}

/// A finished schema finds types by their full names, or by their last part if it is unique.
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

/// Returns `Type` of `Module.Type`; `None` for a type defined in place, `Module.Type.field`.
fn last_part(name: &str) -> Option<&str> {
    name.split_once('.').map(|(_, ty)| ty).filter(|ty| !ty.contains('.'))
}
