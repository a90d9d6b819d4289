//! Keys of which files in hand change what is kept, groups or counters: each has one file at a time, until that is settled
//! or given up.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::JobNumber;
use crate::in_hand::{Contested, FileNumber, InHand};

/// A digest of a key's text: no two keys have the same.
pub type KeyDigest = [u8; 16];

/// The digest of a key, or of other octets that tell records apart.
pub fn key_digest(octets: &[u8]) -> KeyDigest {
    let digest = blake3::hash(octets);
    let (first, _) = digest.as_bytes().split_first_chunk().expect("a digest has 32 octets");
    *first
}

/// Parts that the keys lie in, so that workers seldom meet.
const PARTS: usize = 64;

/// Of the memory of a node what the cache of what is kept has, and as much for what files in hand bring. The rest is what
/// both take besides.
pub fn share(octets: u64) -> u64 {
    octets / 3
}

/// The keys of all files in hand.
#[derive(Debug)]
pub struct Claims {
    parts: [Mutex<HashMap<KeyDigest, FileNumber>>; PARTS],
    in_hand: InHand,
    /// Octets of memory that the files in hand have, and how many they may have before another is begun.
    octets: AtomicU64,
    octets_max: u64,
}

impl Claims {
    /// Of a template whose files in hand may have so many octets in memory before another is begun.
    pub fn new(octets_max: u64) -> Self {
        Claims {
            parts: std::array::from_fn(|_| Mutex::default()),
            in_hand: InHand::default(),
            octets: AtomicU64::new(0),
            octets_max,
        }
    }

    /// A file begins; one that gave up behind whom it met.
    pub fn begin(claims: &Arc<Self>, job: JobNumber, after: Option<FileNumber>) -> Claimed {
        let has_room = || claims.octets.load(Ordering::Relaxed) < claims.octets_max;
        let file = claims.in_hand.begin(job, after, has_room);
        Claimed { claims: Arc::clone(claims), file, job, keys: Vec::new(), octets: 0 }
    }

    fn part(&self, key: &KeyDigest) -> MutexGuard<'_, HashMap<KeyDigest, FileNumber>> {
        let part = &self.parts[usize::from(key[15]) % PARTS];
        part.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The keys of a file in hand. They are others' again when this is dropped: when the file is settled or given up.
#[derive(Debug)]
pub struct Claimed {
    claims: Arc<Claims>,
    file: FileNumber,
    job: JobNumber,
    keys: Vec<KeyDigest>,
    octets: u64,
}

impl Claimed {
    /// The file has so many octets more in memory.
    pub fn grow(&mut self, octets: usize) {
        self.octets += octets as u64;
        self.claims.octets.fetch_add(octets as u64, Ordering::Relaxed);
    }

    /// Takes a key; returns when no other has it.
    pub fn take(&mut self, key: KeyDigest) -> Result<(), Contested> {
        loop {
            let other = match self.claims.part(&key).entry(key) {
                Entry::Occupied(taken) => *taken.get(),
                Entry::Vacant(free) => {
                    free.insert(self.file);
                    self.keys.push(key);
                    return Ok(());
                }
            };
            if other == self.file {
                return Ok(());
            }
            self.claims.in_hand.wait_for(other, self.job)?;
        }
    }
}

impl Drop for Claimed {
    fn drop(&mut self) {
        for key in &self.keys {
            self.claims.part(key).remove(key);
        }
        self.claims.octets.fetch_sub(self.octets, Ordering::Relaxed);
        self.claims.in_hand.settle(self.file);
    }
}
