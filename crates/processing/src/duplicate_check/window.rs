//! The keys of a time window, of all workers.
//!
//! A key that a file in hand brought is not sure: the file may yet be given up, and then a record with that key did
//! not come. Who meets it waits, or gives up: see [`InHand`].

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use node::{Contested, FileNumber, InHand, JobNumber, Noted};

/// A key: a digest of what a record is known by.
pub(super) type Key = [u8; 16];

/// Parts that the keys lie in, so that workers seldom meet.
const PARTS: usize = 64;

/// Of so many parts of a window, one is forgotten at a time: going through all keys is work.
const STEPS: u32 = 32;

/// Whether a key came before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    First,
    Before,
}

/// Why a file cannot go on now.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Later {
    #[error(
        "a file that was begun later has the same record: this one is done when that is through"
    )]
    Contested(FileNumber),
    #[error("{0}")]
    Full(String),
}

/// Keys, and the files that brought them.
type Part = HashMap<Key, FileNumber, BuildHasherDefault<FirstOctets>>;

/// The keys of a time window.
pub(super) struct Window {
    length: Duration,
    keys_max: usize,
    keys: AtomicUsize,
    /// Whether a file had more keys than there was room for. It gave them back, but would need it again.
    is_full: AtomicBool,
    parts: [Mutex<Part>; PARTS],
    in_hand: InHand,
    /// The files that are settled, and when that was.
    done: Mutex<VecDeque<(FileNumber, SystemTime)>>,
}

impl From<Contested> for Later {
    fn from(Contested(file): Contested) -> Self {
        Later::Contested(file)
    }
}

impl Window {
    pub(super) fn new(length: Duration, keys_max: usize) -> Self {
        Window {
            length,
            keys_max,
            keys: AtomicUsize::new(0),
            is_full: AtomicBool::new(false),
            parts: std::array::from_fn(|_| Mutex::default()),
            in_hand: InHand::default(),
            done: Mutex::default(),
        }
    }

    pub(super) fn length(&self) -> Duration {
        self.length
    }

    /// Why no file can be taken, if none can: the next key does not fit in, or those of a file did not.
    pub(super) fn full(&self) -> Option<String> {
        let is_full = self.is_full.load(Ordering::Relaxed) || !self.has_room();
        is_full.then(|| self.full_text())
    }

    /// How many keys are known, those of files in hand included.
    pub(super) fn known(&self) -> usize {
        self.keys.load(Ordering::Relaxed)
    }

    fn has_room(&self) -> bool {
        self.known() < self.keys_max
    }

    fn full_text(&self) -> String {
        format!(
            "{} keys are known at most, and none is forgotten before its time: \
             allow more \"keys\", or a shorter \"window\"",
            self.keys_max
        )
    }

    /// A file begins; one that gave up behind whom it met.
    pub(super) fn begin(window: &Arc<Self>, job: JobNumber, after: Option<FileNumber>) -> FileKeys {
        FileKeys {
            window: Arc::clone(window),
            file: window.in_hand.begin(job, after, || true),
            job,
            keys: Vec::new(),
            kept: 0,
            is_done: false,
        }
    }

    /// Takes the keys that a file brought in an earlier run.
    pub(super) fn restore(&self, done: SystemTime, keys: &[Key]) {
        let file = self.in_hand.settled_before();
        self.done().push_back((file, done));
        for key in keys {
            if self.part(key).insert(*key, file).is_none() {
                self.keys.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Forgets keys that are older than the window, when they are a good part of it.
    pub(super) fn forget(&self, now: SystemTime) {
        let age = |done: SystemTime| now.duration_since(done).unwrap_or_default();
        // Looked at first: a file that is settled meanwhile is in both then, not in neither.
        let first_in_hand = self.in_hand.first();
        let mut done = self.done();
        let step = self.length + self.length / STEPS;
        if done.front().is_none_or(|(_, done)| age(*done) <= step) {
            return;
        }
        while done.front().is_some_and(|(_, done)| age(*done) > self.length) {
            done.pop_front();
        }
        let oldest = done.iter().map(|(file, _)| *file).fold(first_in_hand, FileNumber::min);
        drop(done);
        for part in &self.parts {
            let mut part = part.lock().unwrap_or_else(PoisonError::into_inner);
            let before = part.len();
            part.retain(|_, file| *file >= oldest);
            self.keys.fetch_sub(before - part.len(), Ordering::Relaxed);
        }
        self.is_full.store(false, Ordering::Relaxed);
    }

    fn part(&self, key: &Key) -> MutexGuard<'_, Part> {
        let part = &self.parts[usize::from(key[15]) % PARTS];
        part.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn done(&self) -> MutexGuard<'_, VecDeque<(FileNumber, SystemTime)>> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn settle(&self, file: FileNumber, done: Option<SystemTime>) {
        self.done().extend(done.map(|done| (file, done)));
        self.in_hand.settle(file);
    }
}

/// The keys of a file in hand.
pub(super) struct FileKeys {
    window: Arc<Window>,
    file: FileNumber,
    job: JobNumber,
    /// Those it brought, in the order they came.
    keys: Vec<Key>,
    /// How many of them are of records before the one in hand.
    kept: usize,
    is_done: bool,
}

impl FileKeys {
    /// Whether a record of this key came before; from now on it did.
    pub(super) fn take(&mut self, key: Key) -> Result<Known, Later> {
        loop {
            let other = match self.window.part(&key).entry(key) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(free) => {
                    if !self.window.has_room() {
                        self.window.is_full.store(true, Ordering::Relaxed);
                        return Err(Later::Full(self.window.full_text()));
                    }
                    free.insert(self.file);
                    self.window.keys.fetch_add(1, Ordering::Relaxed);
                    self.keys.push(key);
                    return Ok(Known::First);
                }
            };
            if other == self.file {
                return Ok(Known::Before);
            }
            self.window.in_hand.wait_for(other, self.job)?;
            // A file that was given up has taken its keys back before it was settled.
            if self.window.part(&key).get(&key) == Some(&other) {
                return Ok(Known::Before);
            }
        }
    }

    /// The record in hand is kept, or it is as if it had never come.
    pub(super) fn end_record(&mut self, kept: bool) {
        if !kept {
            self.forget_from(self.kept);
        }
        self.kept = self.keys.len();
    }

    fn forget_from(&mut self, kept: usize) {
        for key in self.keys.drain(kept..) {
            self.window.part(&key).remove(&key);
            self.window.keys.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Noted for FileKeys {
    fn octets(&self) -> &[u8] {
        self.keys.as_flattened()
    }

    fn keep(mut self: Box<Self>, done: SystemTime) {
        self.is_done = true;
        self.window.settle(self.file, Some(done));
    }
}

impl Drop for FileKeys {
    fn drop(&mut self) {
        if !self.is_done {
            self.forget_from(0);
            self.window.settle(self.file, None);
        }
    }
}

/// A digest is a hash already.
#[derive(Default)]
struct FirstOctets(u64);

impl Hasher for FirstOctets {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, octets: &[u8]) {
        if let Some((first, _)) = octets.split_first_chunk() {
            self.0 = u64::from_le_bytes(*first);
        }
    }

    /// The length of a key says nothing.
    fn write_usize(&mut self, _: usize) {}
}
