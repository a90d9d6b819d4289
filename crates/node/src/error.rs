//! Errors of the state of nodes.

use std::error::Error;

use reason::Coded;

/// Why the state of a node cannot be read or written. Each variant is small, since functions that
/// are called for each record return it.
#[derive(Debug, thiserror::Error, Coded)]
#[code("state-error")]
pub enum StateError {
    /// The database cannot be read. Trying again may help.
    #[error("the journal: {fault}", fault = .0)]
    Journal(Box<dyn Error + Send + Sync>),
    /// The type of waiting records was changed.
    #[error(transparent)]
    TypeChanged(Box<TypeChanged>),
    /// The octets are not what the node wrote, or a record has no octets.
    #[error("{fault}", fault = .0)]
    Octets(Box<dyn Error + Send + Sync>),
}

const _: () = assert!(size_of::<Result<(), StateError>>() <= size_of::<String>());

/// The type of waiting records lacks a component that their octets have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("state-type-changed")]
#[error(
    "the type of the records that wait in \"{node}\" was changed: it no longer has \"{gone}\"; files for this node wait until \
     the type is changed back, or the node is renamed"
)]
pub struct TypeChanged {
    /// The node in which they wait.
    pub node: String,
    /// The line of the layout that is gone.
    pub gone: String,
}

impl StateError {
    /// The database cannot be read.
    #[cold]
    pub fn journal(cause: impl Error + Send + Sync + 'static) -> Self {
        StateError::Journal(Box::new(cause))
    }

    /// The octets are not what the node wrote, or a record has no octets.
    #[cold]
    pub fn octets(cause: impl Error + Send + Sync + 'static) -> Self {
        StateError::Octets(Box::new(cause))
    }
}
