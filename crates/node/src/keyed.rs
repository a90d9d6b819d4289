//! Keyed state: a value for each of many keys, from file to file.
//!
//! A node reads the value of a key and changes it, record by record. The state guarantees the
//! following, without any code in the node:
//!
//! - The changes of a file are written in the transaction of its job, or they never happened.
//! - The changes of a record are undone if another node rejects the record.
//! - Each key belongs to one file at a time ([`Claims`]). Results are as if files came one after
//!   the other.
//! - Memory is bounded: no file begins while the files in hand use too much, or while the state is
//!   full.
//!
//! A node may also set a [timer](crate::Timer) for a key, if its template [has
//! timers](crate::Template::has_timers).
//!
//! [`KeyedState`] determines where the state of a template is: [on disk](OnDisk), with a row for
//! each key, or [in memory](InMemory). The code of a node is the same for both. It uses a [`Keyed`]
//! state of values of its own type, or a [`KeyedOctets`], which has `get`, `put` and `delete`.

use std::sync::Arc;

use crate::claims::{Claims, FileClaims};
use crate::digest::{DigestMap, KeyDigest, key_digest};
use crate::in_hand::{Contested, FileNumber};
use crate::in_memory::Ticket;
use crate::timers::TimersInHand;
use crate::{
    ChangedValue, Committed, InMemory, JobNumber, OnDisk, Origin, RecordEnd, Refusal, Refused,
    StateChanges, StateError, StateRefusal, Timer, TimerChanges, TimerEquipment, ValueReader,
    Values,
};

/// The memory of a key in hand, in octets, without its value.
const KEY_OCTETS: usize = 500;

/// Where the keyed state of a template's nodes is.
#[derive(Clone, Copy)]
pub enum KeyedState<'t> {
    /// On disk, with a row for each key: for large values of which few change at a time.
    OnDisk(OnDisk),
    /// In memory, with deltas and snapshots on disk: for many small values of which many change at
    /// a time.
    InMemory(&'t dyn InMemory),
}

/// The decoded value of a key. A key without a value has the default.
pub trait Value: Default + Send + 'static {
    /// The word for a key in messages.
    const KEY: &'static str = "key";

    /// Reads a value that [`write`](Self::write) wrote.
    fn read(octets: &[u8]) -> Result<Self, StateError>;

    /// Appends the octets of the value to `to`.
    fn write(&self, to: &mut Vec<u8>);

    /// Returns whether the key is deleted.
    fn is_deleted(&self) -> bool {
        false
    }

    /// Returns whether the current record changed it.
    fn is_changed(&self) -> bool;

    /// Makes the changes of the current record final.
    fn accept(&mut self);

    /// Undoes the changes of the current record.
    fn undo(&mut self);
}

/// The keyed state of a node, in one worker. The node forwards these calls of the engine to it:
/// `attach`, and the begin and end of files and records.
pub struct Keyed<V> {
    claims: Arc<Claims>,
    storage: Storage,
    file: Option<FileInHand<V>>,
    /// The file that goes first, if the last file gave up for it.
    after: Option<FileNumber>,
    /// A buffer for the octets of a value.
    octets: Vec<u8>,
    /// Set if the template has timers.
    timer_equipment: Option<TimerEquipment>,
}

/// Where the values are.
enum Storage {
    /// The reader is set before the first file.
    OnDisk(Option<Box<dyn ValueReader>>),
    InMemory(Arc<Values>),
}

struct FileInHand<V> {
    claims: FileClaims,
    keys: Vec<KeyInHand<V>>,
    /// The index of each key in `keys`.
    indexes: DigestMap<usize>,
    /// The indexes of the current record's keys.
    touched: Vec<usize>,
    timers: TimersInHand,
}

struct KeyInHand<V> {
    digest: KeyDigest,
    /// Empty if the state is in memory without timers, where only the digest is needed.
    key: String,
    value: V,
    is_changed: bool,
}

impl<V: Value> Keyed<V> {
    /// Returns a state on disk, for one worker. All nodes of a template share the claims.
    pub fn new(claims: Arc<Claims>) -> Self {
        Self::with_storage(Storage::OnDisk(None), claims)
    }

    /// Returns a state in memory, for one worker. All nodes of a template share the claims and the
    /// values.
    pub fn in_memory(claims: Arc<Claims>, values: Arc<Values>) -> Self {
        Self::with_storage(Storage::InMemory(values), claims)
    }

    fn with_storage(storage: Storage, claims: Arc<Claims>) -> Self {
        Keyed {
            claims,
            storage,
            file: None,
            after: None,
            octets: Vec::new(),
            timer_equipment: None,
        }
    }

    /// Takes the reader of values on disk.
    pub fn attach(&mut self, reader: Box<dyn ValueReader>) {
        if let Storage::OnDisk(current) = &mut self.storage {
            *current = Some(reader);
        }
    }

    /// Takes what timers need.
    pub fn equip_timers(&mut self, equipment: TimerEquipment) {
        self.timer_equipment = Some(equipment);
    }

    /// Begins a file.
    pub fn begin_file(&mut self, job: JobNumber) {
        self.file = Some(FileInHand {
            claims: Claims::begin(&self.claims, job, self.after.take()),
            keys: Vec::new(),
            indexes: DigestMap::default(),
            touched: Vec::new(),
            timers: TimersInHand::default(),
        });
    }

    /// Returns the value of a key, for the current record. The key belongs to the file from now on.
    ///
    /// # Errors
    ///
    /// Rejects the file for now if a file that was begun later has the key, if the value cannot be
    /// read, or if there is no room for another key.
    pub fn value(&mut self, key: &str) -> Result<&mut V, Refusal> {
        let (file, index) = self.claim(key)?;
        Ok(&mut file.keys[index].value)
    }

    /// Claims a key for the file. Returns the file, and the index of the key in it.
    fn claim(&mut self, key: &str) -> Result<(&mut FileInHand<V>, usize), Refusal> {
        let Self { storage, file: Some(file), after, octets, timer_equipment, .. } = self else {
            return Err(Refusal::new(&StateRefusal::NoFile));
        };
        let digest = key_digest(key.as_bytes());
        let index = match file.indexes.get(&digest) {
            Some(index) => *index,
            None => {
                file.claim((digest, key), (storage, octets), timer_equipment.is_some(), after)?
            }
        };
        file.touched.push(index);
        Ok((file, index))
    }

    /// Sets the timer of a key. It replaces an earlier timer of the key.
    ///
    /// # Errors
    ///
    /// Fails as [`value`](Self::value) does, and if the template has no timers.
    pub fn set_timer(&mut self, key: &str, timer: Timer) -> Result<(), Refusal> {
        self.change_timer(key, Some(timer))
    }

    /// Cancels the timer of a key, if it has one.
    ///
    /// # Errors
    ///
    /// Fails as [`set_timer`](Self::set_timer) does.
    pub fn cancel_timer(&mut self, key: &str) -> Result<(), Refusal> {
        self.change_timer(key, None)
    }

    fn change_timer(&mut self, key: &str, timer: Option<Timer>) -> Result<(), Refusal> {
        self.with_timers(key, |timers, index, equipment| {
            timers.set((index, key), timer, &mut *equipment.reader)
        })
    }

    /// Takes a timer of a key that is due. The key belongs to the job from now on. Returns whether
    /// the key still has the timer. If so, the timer has fired.
    ///
    /// # Errors
    ///
    /// Fails as [`set_timer`](Self::set_timer) does.
    pub fn take_timer(&mut self, key: &str, timer: Timer) -> Result<bool, Refusal> {
        self.with_timers(key, |timers, index, equipment| {
            timers.fire((index, key), timer, &mut *equipment.reader)
        })
    }

    /// Notes that a record was made at `time_ms`, in milliseconds since 1970. Returns the latest
    /// time of its network element's records, including this one.
    ///
    /// # Errors
    ///
    /// Rejects the record if it was made in the future, and the file for now if the time of the
    /// network element cannot be read. Fails if the template has no timers.
    pub fn advance_time(&mut self, origin: &Origin<'_>, time_ms: i64) -> Result<i64, Refusal> {
        match (&mut self.file, &mut self.timer_equipment) {
            (Some(file), Some(equipment)) => file.timers.advance_time(origin, time_ms, equipment),
            _ => Err(no_timers()),
        }
    }

    /// Returns the arrival time, in milliseconds since 1970, for timers that wait for it.
    ///
    /// # Errors
    ///
    /// Fails if the template has no timers.
    pub fn now_ms(&self) -> Result<i64, Refusal> {
        let equipment = self.timer_equipment.as_ref().ok_or_else(no_timers)?;
        Ok((equipment.now_ms)())
    }

    /// Claims a key, and calls `act` with the timers of the file.
    fn with_timers<T>(
        &mut self,
        key: &str,
        act: impl FnOnce(&mut TimersInHand, usize, &mut TimerEquipment) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let (_, index) = self.claim(key)?;
        match (&mut self.file, &mut self.timer_equipment) {
            (Some(file), Some(equipment)) => act(&mut file.timers, index, equipment),
            _ => Err(no_timers()),
        }
    }

    /// Ends the current record after it has passed the whole graph.
    pub fn end_record(&mut self, end: RecordEnd) {
        let Some(file) = &mut self.file else { return };
        for index in file.touched.drain(..) {
            let key = &mut file.keys[index];
            match end.is_accepted() {
                true => {
                    if key.value.is_changed() {
                        key.is_changed = true;
                        if self.timer_equipment.is_some() && key.value.is_deleted() {
                            file.timers.forget(index);
                        }
                    }
                    key.value.accept();
                }
                false => key.value.undo(),
            }
        }
        if self.timer_equipment.is_some() {
            file.timers.end_record(end);
        }
    }

    /// Ends the file, and returns its changes for the journal. The keys belong to the file until
    /// the changes are dropped.
    pub fn end_file(&mut self) -> Option<Box<dyn StateChanges>> {
        let FileInHand { claims, keys, timers, .. } = self.file.take()?;
        let timers = timers.changes(|index| keys[index].key.clone());
        let changed = keys.into_iter().filter(|key| key.is_changed).map(|key| {
            let octets = (!key.value.is_deleted()).then(|| {
                let mut octets = Vec::new();
                key.value.write(&mut octets);
                octets
            });
            (key.digest, key.key, octets)
        });
        Some(match &self.storage {
            Storage::OnDisk(_) => {
                let values = changed.map(|(_, key, octets)| ChangedValue { key, octets }).collect();
                Box::new(ChangedOnDisk { values, timers, _claims: claims })
            }
            Storage::InMemory(values) => Box::new(ChangedInMemory {
                values: Arc::clone(values),
                changed: changed.map(|(digest, _, octets)| (digest, octets)).collect(),
                delta: None,
                timers,
                _claims: claims,
            }),
        })
    }
}

impl<V: Value> FileInHand<V> {
    /// Claims a key for the file, and reads its value. Returns its index.
    fn claim(
        &mut self,
        (digest, key): (KeyDigest, &str),
        (storage, octets): (&mut Storage, &mut Vec<u8>),
        has_timers: bool,
        after: &mut Option<FileNumber>,
    ) -> Result<usize, Refusal> {
        if let Err(Contested(other)) = self.claims.take(digest) {
            *after = Some(other);
            let contested = StateRefusal::Contested { what: V::KEY };
            return Err(Refusal::of(Refused::FileBegunAgain, &contested));
        }
        octets.clear();
        let (has_value, key_text) = match storage {
            Storage::OnDisk(None) => return Err(Refusal::new(&StateRefusal::NoFile)),
            Storage::OnDisk(Some(reader)) => {
                reader.read(key, octets).map_err(|error| Refusal::of_file(&error))?;
                (!octets.is_empty(), key)
            }
            Storage::InMemory(values) => {
                let has_value = values.read(&digest, octets);
                if !has_value {
                    values.check_room().map_err(|error| Refusal::of_file(&error))?;
                }
                (has_value && !octets.is_empty(), if has_timers { key } else { "" })
            }
        };
        let value = match has_value {
            false => V::default(),
            true => V::read(octets).map_err(|fault| {
                Refusal::of_file(&StateRefusal::Value { what: V::KEY, key: key.to_owned(), fault })
            })?,
        };
        self.claims.grow(KEY_OCTETS + 4 * octets.len());
        let index = self.keys.len();
        self.keys.push(KeyInHand { digest, key: key_text.into(), value, is_changed: false });
        self.indexes.insert(digest, index);
        Ok(index)
    }
}

#[cold]
fn no_timers() -> Refusal {
    Refusal::new(&StateRefusal::NoTimers)
}

/// The changes of a file to state on disk, with its claims.
struct ChangedOnDisk {
    values: Vec<ChangedValue>,
    timers: TimerChanges,
    _claims: FileClaims,
}

impl StateChanges for ChangedOnDisk {
    fn values(&mut self) -> Vec<ChangedValue> {
        std::mem::take(&mut self.values)
    }

    fn timers(&mut self) -> TimerChanges {
        std::mem::take(&mut self.timers)
    }

    fn committed(self: Box<Self>, _: Committed) {}
}

/// The changes of a file to state in memory, with its claims.
struct ChangedInMemory {
    values: Arc<Values>,
    changed: Vec<(KeyDigest, Option<Vec<u8>>)>,
    /// The ticket and the size of the delta, from the time when the delta may be in the journal
    /// until the changes are in memory.
    delta: Option<(Ticket, usize)>,
    timers: TimerChanges,
    _claims: FileClaims,
}

impl StateChanges for ChangedInMemory {
    fn delta(&mut self) -> Option<Vec<u8>> {
        if self.changed.is_empty() {
            return None;
        }
        let (delta, ticket) = self.values.delta(&self.changed);
        self.delta = Some((ticket, delta.len()));
        Some(delta)
    }

    fn timers(&mut self) -> TimerChanges {
        std::mem::take(&mut self.timers)
    }

    fn committed(mut self: Box<Self>, job: Committed) {
        if let Some(delta) = self.delta.take() {
            self.values.commit(&self.changed, delta, job);
        }
    }
}

impl Drop for ChangedInMemory {
    fn drop(&mut self) {
        if let Some((ticket, _)) = self.delta {
            self.values.give_up(ticket);
        }
    }
}

/// A keyed state of octets.
pub type KeyedOctets = Keyed<Octets>;

impl KeyedOctets {
    /// Returns the octets of a key, if it has any.
    pub fn get(&mut self, key: &str) -> Result<Option<&[u8]>, Refusal> {
        Ok(self.value(key)?.now.as_deref())
    }

    /// Sets the octets of a key. Empty octets delete the key.
    pub fn put(&mut self, key: &str, octets: impl Into<Vec<u8>>) -> Result<(), Refusal> {
        let octets = Some(octets.into()).filter(|octets: &Vec<u8>| !octets.is_empty());
        self.value(key).map(|value| value.change(octets))
    }

    /// Deletes a key. This also cancels its timer, even one that the same record sets.
    pub fn delete(&mut self, key: &str) -> Result<(), Refusal> {
        self.value(key).map(|value| value.change(None))
    }
}

/// The octets of a key, or none.
#[derive(Debug, Default)]
pub struct Octets {
    now: Option<Vec<u8>>,
    /// The octets before the current record, if the record changed them.
    before: Option<Option<Vec<u8>>>,
}

impl Octets {
    fn change(&mut self, now: Option<Vec<u8>>) {
        let was = std::mem::replace(&mut self.now, now);
        self.before.get_or_insert(was);
    }
}

impl Value for Octets {
    fn read(octets: &[u8]) -> Result<Self, StateError> {
        Ok(Octets { now: Some(octets.into()), before: None })
    }

    fn write(&self, to: &mut Vec<u8>) {
        to.extend(self.now.iter().flatten());
    }

    fn is_deleted(&self) -> bool {
        self.now.is_none()
    }

    fn is_changed(&self) -> bool {
        self.before.is_some()
    }

    fn accept(&mut self) {
        self.before = None;
    }

    fn undo(&mut self) {
        if let Some(before) = self.before.take() {
            self.now = before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Has no value for any key.
    struct Empty;

    impl ValueReader for Empty {
        fn read(&mut self, _: &str, _: &mut Vec<u8>) -> Result<(), StateError> {
            Ok(())
        }
    }

    #[test]
    fn empty_octets_delete_a_key_for_this_file_and_the_next() {
        let mut state = KeyedOctets::new(Arc::new(Claims::new(1 << 20)));
        state.attach(Box::new(Empty));
        state.begin_file(1);
        state.put("a", [7]).unwrap();
        assert_eq!(state.get("a").unwrap(), Some(&[7][..]));
        state.put("a", []).unwrap();
        assert_eq!(state.get("a").unwrap(), None);
        state.end_record(RecordEnd::Accepted);
        let values = state.end_file().expect("a file has begun").values();
        assert_eq!(values.iter().map(|value| &value.octets).collect::<Vec<_>>(), [&None]);
    }

    /// Changes a key in a file of its own, and commits the file or not.
    fn put(
        values: &Arc<Values>,
        key: &str,
        value: &[u8],
        is_committed: bool,
    ) -> Result<(), Refusal> {
        let mut state = KeyedOctets::in_memory(Arc::new(Claims::new(1 << 20)), Arc::clone(values));
        state.begin_file(1);
        let put = state.put(key, value);
        state.end_record(RecordEnd::Accepted);
        let mut changes = state.end_file().expect("a file has begun");
        if changes.delta().is_some() && is_committed {
            changes.committed(Committed { job: 1, at: std::time::SystemTime::now() });
        }
        put
    }

    #[test]
    fn only_a_file_with_a_new_key_waits_for_memory() {
        let values = Arc::new(Values::new("form".into(), None, 10_000));
        let mut keys = 0;
        let refusal = loop {
            match put(&values, &format!("key {keys}"), &[7; 100], true) {
                Ok(()) => keys += 1,
                Err(refusal) => break refusal,
            }
        };
        assert_eq!((refusal.refused, values.keys()), (Refused::File, keys));
        assert!((30..100).contains(&keys), "{keys}");
        let refuses = values.refuses().unwrap_or_default();
        assert!(refuses.contains("allow more \"memory\""), "{refuses}");
        // A key that has a value needs no more room.
        put(&values, "key 1", &[8; 100], true).unwrap();
    }

    #[test]
    fn the_changes_of_a_file_that_is_given_up_are_undone() {
        let values = Arc::new(Values::new("form".into(), None, 10_000));
        put(&values, "a", &[1], true).unwrap();
        put(&values, "a", &[2], false).unwrap();
        put(&values, "b", &[3], false).unwrap();
        let mut state = KeyedOctets::in_memory(Arc::new(Claims::new(1 << 20)), Arc::clone(&values));
        state.begin_file(2);
        assert_eq!(state.get("a").unwrap(), Some(&[1][..]));
        assert_eq!(state.get("b").unwrap(), None);
    }
}
