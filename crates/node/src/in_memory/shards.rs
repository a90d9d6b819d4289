//! A hash map in parts, each with a lock of its own, so that workers rarely wait for each other.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::KeyDigest;
use crate::digest::DigestMap;

/// The number of parts of keyed state in memory, and of its snapshots.
pub const PARTS: usize = 256;

pub(super) struct Shards<V>(Box<[Mutex<DigestMap<V>>]>);

impl<V> Default for Shards<V> {
    fn default() -> Self {
        Shards((0..PARTS).map(|_| Mutex::default()).collect())
    }
}

impl<V> Shards<V> {
    /// Locks the part of a key.
    pub(super) fn of(&self, key: &KeyDigest) -> MutexGuard<'_, DigestMap<V>> {
        self.part(usize::from(key[15]))
    }

    /// Locks a part.
    pub(super) fn part(&self, part: usize) -> MutexGuard<'_, DigestMap<V>> {
        self.0[part].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
