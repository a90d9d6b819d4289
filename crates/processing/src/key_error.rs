//! Why a record has no key.

use reason::Coded;

/// The most characters of a key.
pub(crate) const KEY_OCTETS_MAX: usize = 256;

/// Why a record has no key.
#[derive(Debug, thiserror::Error, Coded)]
#[code("key")]
pub(crate) enum KeyError {
    /// All parts of the key are empty.
    #[error("its key is empty")]
    Empty,
    /// The key is longer than a key may be.
    #[error("its key is longer than {KEY_OCTETS_MAX} characters")]
    TooLong,
}
