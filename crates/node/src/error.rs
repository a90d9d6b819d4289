//! Why a node cannot have what it keeps between files.

use std::error::Error;

/// Why what a node keeps between files cannot be read or written. Each variant is small: some of them are results of a
/// function that is called for each record.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The database cannot be read. Trying again may help.
    #[error("the journal: {0}")]
    Journal(Box<dyn Error + Send + Sync>),
    /// Records wait whose type was changed.
    #[error(transparent)]
    TypeChanged(Box<TypeChanged>),
    /// The octets are not what the node wrote, or a record has no octets.
    #[error(transparent)]
    Octets(Box<dyn Error + Send + Sync>),
}

const _: () = assert!(size_of::<Result<(), StateError>>() <= size_of::<String>());

/// A type of which records wait lacks something that their octets have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "records wait in \"{node}\" whose type was changed: \"{gone}\" is no more; its files wait until the type is as it was, \
     or the node has another name"
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
