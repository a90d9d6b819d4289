//! Keys that came within a time window, without values.
//!
//! A file adds its keys to the shared map at once, under its number. Until the file is settled, it
//! is unknown whether these keys stay: another file with the same key waits, or gives up (see
//! [`FilesInHand`]).
//!
//! A key is written once, in the delta of the file that brought it, and leaves with its window. So
//! the deltas within the window are as large as the keys themselves, and snapshots would save
//! nothing.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use reason::Coded;

use super::delta::{DeltaKind, Writer, read_keys};
use super::shards::{PARTS, Shards};
use super::{InMemory, StoredState};
use crate::in_hand::{Contested, FileNumber, FilesInHand};
use crate::{Committed, JobNumber, KeyDigest, StateChanges, StateError};

/// Keys are removed once the oldest are past the window by this fraction of it, since each removal
/// scans all keys.
const STEPS: u32 = 32;

/// Whether a key came before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occurrence {
    /// The key is new.
    First,
    /// The key came before.
    Repeated,
}

/// Why a file cannot go on now.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("duplicate-keys")]
pub enum KeyRefusal {
    /// A file that was begun later has the key, and goes first.
    #[error("a file that was begun later has the same record: this file is processed after it")]
    Contested(FileNumber),
    /// There is no room for another key.
    #[error("the limit of {keys} keys is reached: allow more \"keys\" or a shorter \"window\"", keys = .0)]
    Full(usize),
}

/// The keys of a time window, for all workers.
pub struct Keys {
    form: String,
    window: Duration,
    keys_max: usize,
    keys: AtomicUsize,
    /// Whether a file had more keys than there was room for. It gave them back, but will need the
    /// room again.
    is_full: AtomicBool,
    /// The file of each key.
    files: Shards<FileNumber>,
    in_hand: FilesInHand,
    /// The settled files, and the time when each was settled.
    settled: Mutex<VecDeque<(FileNumber, SystemTime)>>,
}

impl From<Contested> for KeyRefusal {
    fn from(Contested(file): Contested) -> Self {
        KeyRefusal::Contested(file)
    }
}

impl Keys {
    /// Returns an empty window that remembers each key for `window`, and at most `keys_max` keys.
    /// `form` describes how keys are made.
    pub fn new(form: String, window: Duration, keys_max: usize) -> Self {
        Keys {
            form,
            window,
            keys_max,
            keys: AtomicUsize::new(0),
            is_full: AtomicBool::new(false),
            files: Shards::default(),
            in_hand: FilesInHand::default(),
            settled: Mutex::default(),
        }
    }

    /// Begins a file. `after` is the file that goes first, if this one gave up its keys for it.
    pub fn begin(keys: &Arc<Self>, job: JobNumber, after: Option<FileNumber>) -> FileKeys {
        FileKeys {
            window: Arc::clone(keys),
            file: keys.in_hand.begin(job, after, || true),
            job,
            keys: Vec::new(),
            keys_before: 0,
            is_committed: false,
        }
    }

    /// Returns the number of keys, including those of files in hand.
    fn len(&self) -> usize {
        self.keys.load(Ordering::Relaxed)
    }

    fn has_room(&self) -> bool {
        self.len() < self.keys_max
    }

    fn settled(&self) -> MutexGuard<'_, VecDeque<(FileNumber, SystemTime)>> {
        self.settled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn settle(&self, file: FileNumber, at: Option<SystemTime>) {
        self.settled().extend(at.map(|at| (file, at)));
        self.in_hand.settle(file);
    }
}

impl InMemory for Keys {
    fn form(&self) -> String {
        self.form.clone()
    }

    fn window(&self) -> Option<Duration> {
        Some(self.window)
    }

    fn restore(&self, stored: StoredState<'_>) -> Result<(), StateError> {
        let keys = read_keys(stored.octets)?;
        let file = self.in_hand.settled_before();
        self.settled().push_back((file, stored.at));
        for key in keys {
            if self.files.of(key).insert(*key, file).is_none() {
                self.keys.fetch_add(1, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    fn expire(&self, now: SystemTime) {
        let age = |at: SystemTime| now.duration_since(at).unwrap_or_default();
        // Reads the files in hand first: a file that is settled meanwhile is then in both sets, not
        // in neither.
        let first_in_hand = self.in_hand.first();
        let mut settled = self.settled();
        let step = self.window + self.window / STEPS;
        if settled.front().is_none_or(|(_, at)| age(*at) <= step) {
            return;
        }
        while settled.front().is_some_and(|(_, at)| age(*at) > self.window) {
            settled.pop_front();
        }
        let oldest = settled.iter().map(|(file, _)| *file).fold(first_in_hand, FileNumber::min);
        drop(settled);
        for part in 0..PARTS {
            let mut part = self.files.part(part);
            let before = part.len();
            part.retain(|_, file| *file >= oldest);
            self.keys.fetch_sub(before - part.len(), Ordering::Relaxed);
        }
        self.is_full.store(false, Ordering::Relaxed);
    }

    fn refuses(&self) -> Option<String> {
        let is_full = self.is_full.load(Ordering::Relaxed) || !self.has_room();
        is_full.then(|| KeyRefusal::Full(self.keys_max).to_string())
    }

    fn has_values(&self) -> bool {
        false
    }

    fn keys(&self) -> u64 {
        self.len() as u64
    }
}

/// The keys of a file in hand. If this is dropped before the file is committed, the keys are
/// removed.
pub struct FileKeys {
    window: Arc<Keys>,
    file: FileNumber,
    job: JobNumber,
    /// The keys that the file added, in the order of its records.
    keys: Vec<KeyDigest>,
    /// The number of keys of records before the current one.
    keys_before: usize,
    is_committed: bool,
}

impl FileKeys {
    /// Adds a key. Returns whether it came before.
    ///
    /// # Errors
    ///
    /// Fails if a file that was begun later has the key, or if there is no room for it.
    #[inline]
    pub fn take(&mut self, key: KeyDigest) -> Result<Occurrence, KeyRefusal> {
        loop {
            let other = match self.window.files.of(&key).entry(key) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(free) => {
                    if !self.window.has_room() {
                        self.window.is_full.store(true, Ordering::Relaxed);
                        return Err(KeyRefusal::Full(self.window.keys_max));
                    }
                    free.insert(self.file);
                    self.window.keys.fetch_add(1, Ordering::Relaxed);
                    self.keys.push(key);
                    return Ok(Occurrence::First);
                }
            };
            if other == self.file {
                return Ok(Occurrence::Repeated);
            }
            self.window.in_hand.wait_for(other, self.job)?;
            // A file that gives up removes its keys before it is settled.
            if self.window.files.of(&key).get(&key) == Some(&other) {
                return Ok(Occurrence::Repeated);
            }
        }
    }

    /// Ends the current record. The keys of a refused record are removed.
    pub fn end_record(&mut self, is_accepted: bool) {
        if !is_accepted {
            self.remove_from(self.keys_before);
        }
        self.keys_before = self.keys.len();
    }

    fn remove_from(&mut self, keys_before: usize) {
        for key in self.keys.drain(keys_before..) {
            self.window.files.of(&key).remove(&key);
            self.window.keys.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl StateChanges for FileKeys {
    fn delta(&mut self) -> Option<Vec<u8>> {
        if self.keys.is_empty() {
            return None;
        }
        let mut writer = Writer::new(DeltaKind::Keys, self.keys.as_flattened().len());
        writer.keys(&self.keys);
        Some(writer.finish())
    }

    fn committed(mut self: Box<Self>, job: Committed) {
        self.is_committed = true;
        self.window.settle(self.file, Some(job.at));
    }
}

impl Drop for FileKeys {
    fn drop(&mut self) {
        if !self.is_committed {
            self.remove_from(0);
            self.window.settle(self.file, None);
        }
    }
}
