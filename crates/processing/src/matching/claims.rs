//! The keys whose groups files in hand may change: each has one file at a time, until that is settled or given up.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use node::Job;

use crate::in_hand::{Contested, FileNumber, InHand};

/// A digest of a key's text.
pub(super) type KeyDigest = [u8; 16];

/// Parts that the keys lie in, so that workers seldom meet.
const PARTS: usize = 64;

/// The keys of all files in hand.
#[derive(Debug)]
pub(super) struct Claims {
    parts: [Mutex<HashMap<KeyDigest, FileNumber>>; PARTS],
    in_hand: InHand,
}

impl Default for Claims {
    fn default() -> Self {
        Claims { parts: std::array::from_fn(|_| Mutex::default()), in_hand: InHand::default() }
    }
}

impl Claims {
    /// A file begins; one that gave up behind whom it met.
    pub(super) fn begin(claims: &Arc<Self>, job: Job, after: Option<FileNumber>) -> Claimed {
        let file = claims.in_hand.begin(job, after);
        Claimed { claims: Arc::clone(claims), file, job, keys: Vec::new() }
    }

    fn part(&self, key: &KeyDigest) -> MutexGuard<'_, HashMap<KeyDigest, FileNumber>> {
        let part = &self.parts[usize::from(key[15]) % PARTS];
        part.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The keys of a file in hand. They are others' again when this is dropped: when the file is settled or given up.
#[derive(Debug)]
pub(super) struct Claimed {
    claims: Arc<Claims>,
    file: FileNumber,
    job: Job,
    keys: Vec<KeyDigest>,
}

impl Claimed {
    /// Takes a key; returns when no other has it.
    pub(super) fn take(&mut self, key: KeyDigest) -> Result<(), Contested> {
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
        self.claims.in_hand.settle(self.file);
    }
}
