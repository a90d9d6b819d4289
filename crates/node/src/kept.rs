//! Nodes that keep something of each of many keys, for as long as the flow is there: counters of subscribers. The engine
//! keeps it with its journal.
//!
//! A node reads it from a [`Keeper`], and what a file's records changed of it becomes part of the journal with the file,
//! in the same transaction. It sees to it that no two files in hand change what is kept of one key.

use serde::{Deserialize, Serialize};

use crate::StateError;

/// What the engine needs to know of a template whose nodes keep something. The files of each network element come to it
/// one after the other, so that the same files, again, leave the same.
#[derive(Clone, Copy, Debug)]
pub struct Keeps {
    /// Octets of memory for what was read of it, for all workers.
    pub memory_octets: u64,
    /// What tells apart by what the keys are made.
    pub keyed_by: [u8; 16],
    /// Makes one of what two nodes keep of a key: a node that was renamed has counted under both names.
    pub add: AddKept,
}

/// Adds two of what is kept of a key; says why one cannot be read.
pub type AddKept = fn(&[u8], &[u8]) -> Result<Vec<u8>, StateError>;

/// What a node keeps, as the journal has it. What it cannot tell is the journal's fault.
pub trait Keeper: Send {
    /// Adds what is kept of a key; nothing if there is nothing.
    fn read(&mut self, key: &str, to: &mut Vec<u8>) -> Result<(), StateError>;
}

/// What is kept of a key from now on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// The key.
    pub key: String,
    /// All of it; none if the journal is to have nothing of the key.
    pub octets: Option<Vec<u8>>,
}
