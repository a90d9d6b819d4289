//! Claims of keys. A file claims each key whose group or value it changes, until the file is
//! settled or given up. Each key belongs to one file at a time.

use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::digest::DigestMap;
use crate::in_hand::{Contested, FileNumber, FilesInHand};
use crate::{JobNumber, KeyDigest};

/// The number of parts of the claims, each with a lock of its own.
const PARTS: usize = 64;

/// Returns the part of a node's memory that is for its cache. Files in hand have the same amount.
/// The rest is for overhead.
pub fn cache_share(octets: u64) -> u64 {
    octets / 3
}

/// The claimed keys of all files in hand.
#[derive(Debug)]
pub struct Claims {
    parts: [Mutex<DigestMap<FileNumber>>; PARTS],
    in_hand: FilesInHand,
    /// The number of settled files.
    settled: AtomicU64,
    /// The octets of memory that the files in hand have.
    octets: AtomicU64,
    /// With this many octets in use, no other file begins.
    octets_max: u64,
}

impl Claims {
    /// Returns the claims of a template. While files in hand have `octets_max` octets of memory, no
    /// other file begins.
    pub fn new(octets_max: u64) -> Self {
        Claims {
            parts: std::array::from_fn(|_| Mutex::default()),
            in_hand: FilesInHand::default(),
            settled: AtomicU64::new(0),
            octets: AtomicU64::new(0),
            octets_max,
        }
    }

    /// Begins a file. `after` is the file that goes first, if this one gave up for it.
    pub fn begin(claims: &Arc<Self>, job: JobNumber, after: Option<FileNumber>) -> FileClaims {
        let has_room = || claims.octets.load(Ordering::Relaxed) < claims.octets_max;
        let file = claims.in_hand.begin(job, after, has_room);
        FileClaims { claims: Arc::clone(claims), file, job, keys: Vec::new(), octets: 0 }
    }

    fn part(&self, key: &KeyDigest) -> MutexGuard<'_, DigestMap<FileNumber>> {
        let part = &self.parts[usize::from(key[15]) % PARTS];
        part.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The claims of a file in hand. They end when this is dropped: when the file is settled or given
/// up.
#[derive(Debug)]
pub struct FileClaims {
    claims: Arc<Claims>,
    file: FileNumber,
    job: JobNumber,
    keys: Vec<KeyDigest>,
    octets: u64,
}

impl FileClaims {
    /// Returns the number of settled files. As long as it does not change, no other file has
    /// changed a key that is free or belongs to this file.
    pub fn settled(&self) -> u64 {
        self.claims.settled.load(Ordering::Acquire)
    }

    /// Adds octets of memory that the file uses.
    pub fn grow(&mut self, octets: usize) {
        self.octets += octets as u64;
        self.claims.octets.fetch_add(octets as u64, Ordering::Relaxed);
    }

    /// Claims a key. Waits until no file that was begun earlier has it.
    ///
    /// # Errors
    ///
    /// Fails if a file that was begun later has the key: waiting for it could never end.
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

impl Drop for FileClaims {
    fn drop(&mut self) {
        // Counts before the keys are free, so that a file that gets one of them reads the new
        // number.
        self.claims.settled.fetch_add(1, Ordering::Release);
        for key in &self.keys {
            self.claims.part(key).remove(key);
        }
        self.claims.octets.fetch_sub(self.octets, Ordering::Relaxed);
        self.claims.in_hand.settle(self.file);
    }
}
