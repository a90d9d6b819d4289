//! Digests of keys.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A digest of a key's octets. No two keys have the same.
pub type KeyDigest = [u8; 16];

/// Returns the digest of a key, or of other octets that distinguish records.
pub fn key_digest(octets: &[u8]) -> KeyDigest {
    let digest = blake3::hash(octets);
    let (first, _) = digest.as_bytes().split_first_chunk().expect("a digest has 32 octets");
    *first
}

/// A map with digests as keys.
pub type DigestMap<V> = HashMap<KeyDigest, V, BuildHasherDefault<FirstOctets>>;

/// Hashes a digest to its first octets: it is a hash already.
#[derive(Debug, Default)]
pub struct FirstOctets(u64);

impl Hasher for FirstOctets {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, octets: &[u8]) {
        if let Some((first, _)) = octets.split_first_chunk() {
            self.0 = u64::from_le_bytes(*first);
        }
    }

    /// Ignores the length, which is the same for all digests.
    fn write_usize(&mut self, _: usize) {}
}
