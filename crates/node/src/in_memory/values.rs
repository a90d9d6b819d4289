//! Values by key, in memory.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reason::Coded;

use super::delta::{DeltaKind, Writer, read_values};
use super::shards::{PARTS, Shards};
use super::small::SmallOctets;
use super::{InMemory, SnapshotPart, StoredState};
use crate::{Committed, JobEntry, KeyDigest, StateError};

/// The memory of a key without a long value, in octets: its entry, and the overhead of the map and
/// the allocator. With a million keys and values of 24 octets, 196 octets a key were measured, and
/// 192 are counted.
const KEY_OCTETS: u64 = 120;

/// A snapshot is due when the deltas since the last one have at least this many octets, and as many
/// as a snapshot. So at most half of the writes are snapshots, and a restart reads at most three
/// times the size of the state.
const SNAPSHOT_AFTER: u64 = 8 << 20;

/// The overhead of a delta in the journal, in octets.
const DELTA_OCTETS: u64 = 100;

/// The octets of parts that are written in one transaction.
const AT_ONCE: u64 = 1 << 20;

/// The number of rounds per window in which expired keys are removed.
const STEPS: u32 = 32;

/// Values by key in memory, for all workers of a template. Files change them by a
/// [`Keyed`](crate::Keyed).
pub struct Values {
    form: String,
    window: Option<Duration>,
    octets_max: u64,
    /// The minimum size of the deltas since the last snapshot, in octets, after which a snapshot is
    /// due.
    snapshot_after: u64,
    values: Shards<TimedValue>,
    keys: AtomicU64,
    /// The memory of keys and values.
    octets: AtomicU64,
    /// The approximate size of a snapshot, in octets.
    snapshot_octets: AtomicU64,
    /// Whether a file had more keys than there was room for.
    is_full: AtomicBool,
    /// Why the state could not be restored.
    unreadable: OnceLock<String>,
    log: Mutex<Log>,
    snapshot: Mutex<Snapshot>,
    expired: Mutex<Option<SystemTime>>,
}

/// The value of a key.
struct TimedValue {
    /// When it changed last, in seconds since 1970.
    changed_s: u32,
    octets: SmallOctets,
}

/// The deltas in the journal.
struct Log {
    /// The last job whose changes are in memory.
    last: Committed,
    /// The size of the deltas since the last snapshot began, in octets.
    octets: u64,
    /// The deltas that may already be in the journal, while their changes are not in memory yet.
    /// Each has the last job at the time of its encoding; its own job is a later one.
    pending: BTreeMap<Ticket, JobEntry>,
    tickets: Ticket,
}

/// The number of a delta.
pub(crate) type Ticket = u64;

impl Log {
    /// Returns the last job whose changes are in memory together with those of all earlier jobs.
    fn through(&self) -> JobEntry {
        self.pending.values().copied().fold(self.last.job, JobEntry::min)
    }
}

/// The snapshot that is being written.
#[derive(Default)]
struct Snapshot {
    /// The next part; 0 if none is being written.
    next: usize,
}

/// The keys use all the memory that the node may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("state-memory-full")]
#[error("its {keys} keys use all of its {octets_max} octets of memory: allow more \"memory\"")]
pub(crate) struct MemoryFull {
    keys: u64,
    octets_max: u64,
}

impl Values {
    /// Returns a state without keys. It uses approximately `octets_max` octets of memory at most.
    /// `form` describes how keys and values are made. A key that does not change for `window` is
    /// removed.
    pub fn new(form: String, window: Option<Duration>, octets_max: u64) -> Self {
        Values {
            form,
            window,
            octets_max,
            snapshot_after: SNAPSHOT_AFTER,
            values: Shards::default(),
            keys: AtomicU64::new(0),
            octets: AtomicU64::new(0),
            snapshot_octets: AtomicU64::new(0),
            is_full: AtomicBool::new(false),
            unreadable: OnceLock::new(),
            log: Mutex::new(Log {
                last: Committed { job: 0, at: UNIX_EPOCH },
                octets: 0,
                pending: BTreeMap::new(),
                tickets: 0,
            }),
            snapshot: Mutex::default(),
            expired: Mutex::default(),
        }
    }

    /// Sets the minimum size of deltas, in octets, after which a snapshot is due.
    #[must_use]
    pub fn with_snapshot_after(self, octets: u64) -> Self {
        Values { snapshot_after: octets, ..self }
    }

    /// Appends the value of a key to `to`. Returns whether the key has a value.
    pub(crate) fn read(&self, key: &KeyDigest, to: &mut Vec<u8>) -> bool {
        let part = self.values.of(key);
        let value = part.get(key);
        to.extend_from_slice(value.map(|value| value.octets.as_slice()).unwrap_or_default());
        value.is_some()
    }

    /// Refuses another key if there is no room for it.
    pub(crate) fn check_room(&self) -> Result<(), MemoryFull> {
        if self.octets.load(Ordering::Relaxed) < self.octets_max {
            return Ok(());
        }
        self.is_full.store(true, Ordering::Relaxed);
        Err(self.full())
    }

    fn full(&self) -> MemoryFull {
        MemoryFull { keys: self.keys.load(Ordering::Relaxed), octets_max: self.octets_max }
    }

    /// Encodes the changes of a file. The caller must return the ticket with
    /// [`commit`](Self::commit) or [`give_up`](Self::give_up).
    pub(crate) fn delta(&self, changed: &[(KeyDigest, Option<Vec<u8>>)]) -> (Vec<u8>, Ticket) {
        let value = |(_, value): &(_, Option<Vec<u8>>)| 24 + value.as_ref().map_or(0, Vec::len);
        let mut writer = Writer::new(DeltaKind::Values, changed.iter().map(value).sum());
        for (key, value) in changed {
            writer.value(key, 0, value.as_deref());
        }
        let mut log = lock(&self.log);
        log.tickets += 1;
        let (ticket, last) = (log.tickets, log.last.job);
        log.pending.insert(ticket, last);
        (writer.finish(), ticket)
    }

    /// Applies the changes of a job that is in the journal.
    pub(crate) fn commit(
        &self,
        changed: &[(KeyDigest, Option<Vec<u8>>)],
        (ticket, delta_octets): (Ticket, usize),
        job: Committed,
    ) {
        let changed_s = seconds(job.at);
        for (key, value) in changed {
            self.set(key, changed_s, value.as_deref());
        }
        self.logged(job, delta_octets);
        self.give_up(ticket);
    }

    /// Forgets a delta: it is not in the journal.
    pub(crate) fn give_up(&self, ticket: Ticket) {
        lock(&self.log).pending.remove(&ticket);
    }

    fn logged(&self, job: Committed, delta_octets: usize) {
        let mut log = lock(&self.log);
        if job.job > log.last.job {
            log.last = job;
        }
        log.octets += delta_octets as u64 + DELTA_OCTETS;
    }

    fn set(&self, key: &KeyDigest, changed_s: u32, value: Option<&[u8]>) {
        let value = value.map(|octets| TimedValue { changed_s, octets: SmallOctets::new(octets) });
        let new = value.as_ref().map(TimedValue::sizes);
        let old = {
            let mut part = self.values.of(key);
            match value {
                Some(value) => match part.entry(*key) {
                    Entry::Occupied(mut old) => Some(old.insert(value)),
                    Entry::Vacant(free) => {
                        free.insert(value);
                        None
                    }
                },
                None => part.remove(key),
            }
        };
        let old = old.as_ref().map(TimedValue::sizes);
        self.keys.fetch_add(u64::from(new.is_some()), Ordering::Relaxed);
        self.keys.fetch_sub(u64::from(old.is_some()), Ordering::Relaxed);
        let (new, old) = (new.unwrap_or_default(), old.unwrap_or_default());
        self.octets.fetch_add(new.memory, Ordering::Relaxed);
        self.octets.fetch_sub(old.memory, Ordering::Relaxed);
        self.snapshot_octets.fetch_add(new.snapshot, Ordering::Relaxed);
        self.snapshot_octets.fetch_sub(old.snapshot, Ordering::Relaxed);
    }

    /// Encodes a part of the state.
    fn encode(&self, part: usize, at: SystemTime) -> Vec<u8> {
        let now_s = seconds(at);
        let part = self.values.part(part);
        let octets = part.values().map(|value| 24 + value.octets.as_slice().len()).sum();
        let mut writer = Writer::new(DeltaKind::Values, octets);
        for (key, value) in &*part {
            let age_s = now_s.saturating_sub(value.changed_s);
            writer.value(key, age_s, Some(value.octets.as_slice()));
        }
        writer.finish()
    }

    /// Returns whether a value is older than the window.
    fn is_expired(&self, changed_s: u32, now: SystemTime) -> bool {
        self.window.is_some_and(|window| {
            u64::from(seconds(now).saturating_sub(changed_s)) > window.as_secs()
        })
    }
}

impl InMemory for Values {
    fn form(&self) -> String {
        self.form.clone()
    }

    fn window(&self) -> Option<Duration> {
        self.window
    }

    fn restore(&self, stored: StoredState<'_>) -> Result<(), StateError> {
        let at_s = seconds(stored.at);
        let read = read_values(stored.octets, |key, age_s, value| {
            self.set(key, at_s.saturating_sub(age_s), value);
        });
        match read {
            Ok(()) => {
                self.logged(Committed { job: stored.job, at: stored.at }, stored.octets.len())
            }
            Err(error) => {
                let text = format!("its state cannot be read from the journal: {error}");
                // Only the first error is reported.
                let _ = self.unreadable.set(text);
                return Err(error);
            }
        }
        Ok(())
    }

    fn expire(&self, now: SystemTime) {
        let Some(window) = self.window else { return };
        let mut expired = lock(&self.expired);
        let is_recent = |last| now.duration_since(last).is_ok_and(|since| since < window / STEPS);
        if expired.is_some_and(is_recent) {
            return;
        }
        *expired = Some(now);
        for part in 0..PARTS {
            let mut part = self.values.part(part);
            part.retain(|_, value| {
                let stays = !self.is_expired(value.changed_s, now);
                if !stays {
                    let Sizes { memory, snapshot } = value.sizes();
                    self.keys.fetch_sub(1, Ordering::Relaxed);
                    self.octets.fetch_sub(memory, Ordering::Relaxed);
                    self.snapshot_octets.fetch_sub(snapshot, Ordering::Relaxed);
                    self.is_full.store(false, Ordering::Relaxed);
                }
                stays
            });
            // Frees memory when a window has much fewer keys than before.
            if part.len() < part.capacity() / 4 {
                part.shrink_to_fit();
            }
        }
    }

    fn refuses(&self) -> Option<String> {
        if let Some(text) = self.unreadable.get() {
            return Some(text.clone());
        }
        let is_full = self.is_full.load(Ordering::Relaxed)
            || self.octets.load(Ordering::Relaxed) >= self.octets_max;
        is_full.then(|| self.full().to_string())
    }

    fn has_values(&self) -> bool {
        true
    }

    fn keys(&self) -> u64 {
        self.keys.load(Ordering::Relaxed)
    }

    fn snapshot(&self) -> Vec<SnapshotPart> {
        // A snapshot of an incomplete state must not replace a complete one.
        if self.unreadable.get().is_some() {
            return Vec::new();
        }
        let mut snapshot = lock(&self.snapshot);
        let (through, at) = {
            let mut log = lock(&self.log);
            if snapshot.next == 0 {
                let due = self.snapshot_octets.load(Ordering::Relaxed).max(self.snapshot_after);
                if log.octets < due {
                    return Vec::new();
                }
                log.octets = 0;
            }
            (log.through(), log.last.at)
        };
        let (mut parts, mut octets) = (Vec::new(), 0);
        let at_once = AT_ONCE.min(self.snapshot_after / 8);
        while snapshot.next < PARTS && octets <= at_once {
            let part = snapshot.next;
            let encoded = self.encode(part, at);
            octets += encoded.len() as u64;
            parts.push(SnapshotPart { part: part as u16, through, at, octets: encoded });
            snapshot.next += 1;
        }
        if snapshot.next == PARTS {
            snapshot.next = 0;
        }
        parts
    }
}

/// The sizes of a key with its value, in octets.
#[derive(Clone, Copy, Default)]
struct Sizes {
    memory: u64,
    snapshot: u64,
}

impl TimedValue {
    fn sizes(&self) -> Sizes {
        Sizes {
            memory: KEY_OCTETS + self.octets.heap_octets() as u64,
            snapshot: 20 + self.octets.as_slice().len() as u64,
        }
    }
}

fn seconds(at: SystemTime) -> u32 {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    u32::try_from(since).unwrap_or(u32::MAX)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
