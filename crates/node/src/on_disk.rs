//! Keyed state on disk, for large values of which few change at a time, such as counters of
//! subscribers. The journal has a row for each key.
//!
//! A node reads values by a [`ValueReader`]. The values that a file's records changed go into the
//! journal in the transaction of the file's job.

use serde::{Deserialize, Serialize};

use crate::StateError;

/// The settings of keyed state on disk. The engine processes the files of each network element in
/// order, so that a rerun of the same files gives the same state.
#[derive(Clone, Copy, Debug)]
pub struct OnDisk {
    /// Octets of memory for a cache of values, for all workers.
    pub memory_octets: u64,
    /// A digest of the settings from which the nodes make their keys.
    pub keyed_by: [u8; 16],
    /// Merges the values that two nodes have for a key. A renamed node has values under both names.
    pub add: AddValues,
}

/// Merges two values of a key. An error says why one cannot be read.
pub type AddValues = fn(&[u8], &[u8]) -> Result<Vec<u8>, StateError>;

/// Reads the values of a node.
pub trait ValueReader: Send {
    /// Appends the value of a key to `to`. Appends nothing if the key has none.
    fn read(&mut self, key: &str, to: &mut Vec<u8>) -> Result<(), StateError>;
}

/// The new value of a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedValue {
    /// The key.
    pub key: String,
    /// The whole value; none if the key is deleted.
    pub octets: Option<Vec<u8>>,
}
