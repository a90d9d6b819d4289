//! Keyed state: what the nodes of a template have of each of many keys, from file to file.
//!
//! A node asks for the state of a key and changes it, record by record. The state has these properties, and a node does
//! nothing for them:
//!
//! - What a file changed is written in the transaction that finishes the file, or it was never changed.
//! - What a record changed is taken back if another node refuses the record.
//! - Of each key, the state belongs to one file at a time ([`Claims`]). Results are as if files came one after the other.
//! - Memory is bounded: the engine caches what it reads, and no file begins while those in hand have too much.
//!
//! A template says with [`Keeps`] that its nodes have such a state. A node has a [`Keyed`] state of values that it reads and
//! writes itself, or a [`KeyedOctets`], which has `get`, `put` and `delete`.

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::Arc;
use std::time::SystemTime;

use crate::claims::{Claimed, Claims, KeyDigest, key_digest};
use crate::in_hand::{Contested, FileNumber};
use crate::{JobNumber, Keeper, Kept, Noted, RecordEnd, Refusal, Refused, StateError};

/// What the memory of a key takes besides the octets of its value.
const KEY_OCTETS: usize = 500;

/// The state of a key, as a node works with it. The default is that of a key that has none.
pub trait Value: Default + Send + 'static {
    /// What a key is called in messages.
    const KEY: &'static str = "key";

    /// Reads what [`write`](Self::write) wrote.
    fn read(octets: &[u8]) -> Result<Self, StateError>;

    /// Adds the octets by which it is read again.
    fn write(&self, to: &mut Vec<u8>);

    /// Whether the journal is to have nothing of the key.
    fn is_deleted(&self) -> bool {
        false
    }

    /// Whether the record in hand changed it.
    fn is_changed(&self) -> bool;

    /// The record in hand is kept: what it changed stays.
    fn keep(&mut self);

    /// The record in hand is refused: what it changed is taken back.
    fn take_back(&mut self);
}

/// The keyed state of a node, in one worker. A node passes on to it what the engine tells: the reader, where a file begins,
/// and where a record and the file end.
pub struct Keyed<V> {
    claims: Arc<Claims>,
    reader: Option<Box<dyn Keeper>>,
    file: Option<FileInHand<V>>,
    /// The file that goes first, where the one before gave up.
    after: Option<FileNumber>,
    /// What the journal has of a key, as it is read.
    octets: Vec<u8>,
}

struct FileInHand<V> {
    claimed: Claimed,
    keys: Vec<KeyInHand<V>>,
    places: HashMap<KeyDigest, usize>,
    /// The places of those that the record in hand met.
    met: Vec<usize>,
}

struct KeyInHand<V> {
    key: String,
    value: V,
    is_changed: bool,
}

impl<V: Value> Keyed<V> {
    /// That of one worker, of a template whose nodes share these claims.
    pub fn new(claims: Arc<Claims>) -> Self {
        Keyed { claims, reader: None, file: None, after: None, octets: Vec::new() }
    }

    /// Takes what the journal is read by.
    pub fn entrust(&mut self, reader: Box<dyn Keeper>) {
        self.reader = Some(reader);
    }

    /// A file begins.
    pub fn begin_file(&mut self, job: JobNumber) {
        self.file = Some(FileInHand {
            claimed: Claims::begin(&self.claims, job, self.after.take()),
            keys: Vec::new(),
            places: HashMap::new(),
            met: Vec::new(),
        });
    }

    /// The value of a key, for the record in hand. The key is the file's from now on; what cannot be read, or belongs to a
    /// file that was begun later, refuses the file for now.
    pub fn of(&mut self, key: &str) -> Result<&mut V, Refusal> {
        let Self { reader: Some(reader), file: Some(file), after, octets, .. } = self else {
            return Err(Refusal::new("no file has begun"));
        };
        let digest = key_digest(key.as_bytes());
        let place = match file.places.get(&digest) {
            Some(place) => *place,
            None => file.take((digest, key), (reader.as_mut(), octets), after)?,
        };
        file.met.push(place);
        Ok(&mut file.keys[place].value)
    }

    /// The record in hand is through the whole graph.
    pub fn end_record(&mut self, end: RecordEnd) {
        let Some(file) = &mut self.file else { return };
        for place in file.met.drain(..) {
            let key = &mut file.keys[place];
            match end.is_kept() {
                true => {
                    key.is_changed |= key.value.is_changed();
                    key.value.keep();
                }
                false => key.value.take_back(),
            }
        }
    }

    /// What the file changed, for the journal. The keys belong to the file until that is dropped.
    pub fn end_file(&mut self) -> Option<Box<dyn Noted>> {
        let FileInHand { claimed, keys, .. } = self.file.take()?;
        let changed = keys.into_iter().filter(|key| key.is_changed);
        let kept = changed.map(|KeyInHand { key, value, .. }| {
            let octets = (!value.is_deleted()).then(|| {
                let mut octets = Vec::new();
                value.write(&mut octets);
                octets
            });
            Kept { key, octets }
        });
        Some(Box::new(ChangedByFile { kept: kept.collect(), _claimed: claimed }))
    }
}

impl<V: Value> FileInHand<V> {
    /// Takes a key for the file, with what the journal has of it; returns its place.
    fn take(
        &mut self,
        (digest, key): (KeyDigest, &str),
        (reader, octets): (&mut dyn Keeper, &mut Vec<u8>),
        after: &mut Option<FileNumber>,
    ) -> Result<usize, Refusal> {
        if let Err(Contested(other)) = self.claimed.take(digest) {
            *after = Some(other);
            let reason = format!("a file that was begun later has a record of the same {}", V::KEY);
            return Err(Refusal::of(Refused::FileBegunAgain, reason));
        }
        octets.clear();
        reader.read(key, octets).map_err(not_now)?;
        let value = match octets.as_slice() {
            [] => V::default(),
            octets => V::read(octets)
                .map_err(|fault| not_now(format!("the journal: {} \"{key}\": {fault}", V::KEY)))?,
        };
        self.claimed.grow(KEY_OCTETS + 4 * octets.len());
        let place = self.keys.len();
        self.keys.push(KeyInHand { key: key.into(), value, is_changed: false });
        self.places.insert(digest, place);
        Ok(place)
    }
}

/// The file is tried again later.
#[cold]
fn not_now(why: impl Display) -> Refusal {
    Refusal::of(Refused::File, why.to_string())
}

/// What a file changed. Its keys are others' again when this goes away.
struct ChangedByFile {
    kept: Vec<Kept>,
    _claimed: Claimed,
}

impl Noted for ChangedByFile {
    fn kept(&mut self) -> Vec<Kept> {
        std::mem::take(&mut self.kept)
    }

    fn keep(self: Box<Self>, _: SystemTime) {}
}

/// A keyed state of octets.
pub type KeyedOctets = Keyed<Octets>;

impl KeyedOctets {
    /// Returns the octets of a key; none if it has none.
    pub fn get(&mut self, key: &str) -> Result<Option<&[u8]>, Refusal> {
        Ok(self.of(key)?.now.as_deref())
    }

    /// Sets the octets of a key. No octets are the same as none: the key is deleted.
    pub fn put(&mut self, key: &str, octets: impl Into<Vec<u8>>) -> Result<(), Refusal> {
        let octets = Some(octets.into()).filter(|octets: &Vec<u8>| !octets.is_empty());
        self.of(key).map(|value| value.change(octets))
    }

    /// Deletes a key.
    pub fn delete(&mut self, key: &str) -> Result<(), Refusal> {
        self.of(key).map(|value| value.change(None))
    }
}

/// The octets of a key, or that it has none.
#[derive(Debug, Default)]
pub struct Octets {
    now: Option<Vec<u8>>,
    /// What it had before the record in hand, if that changed it.
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

    fn keep(&mut self) {
        self.before = None;
    }

    fn take_back(&mut self) {
        if let Some(before) = self.before.take() {
            self.now = before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A journal that has nothing of any key.
    struct Empty;

    impl Keeper for Empty {
        fn read(&mut self, _: &str, _: &mut Vec<u8>) -> Result<(), StateError> {
            Ok(())
        }
    }

    #[test]
    fn no_octets_are_no_state_for_this_file_as_for_the_next() {
        let mut state = KeyedOctets::new(Arc::new(Claims::new(1 << 20)));
        state.entrust(Box::new(Empty));
        state.begin_file(1);
        state.put("a", [7]).unwrap();
        assert_eq!(state.get("a").unwrap(), Some(&[7][..]));
        state.put("a", []).unwrap();
        assert_eq!(state.get("a").unwrap(), None);
        state.end_record(RecordEnd::Kept);
        let kept = state.end_file().expect("a file has begun").kept();
        assert_eq!(kept.iter().map(|kept| &kept.octets).collect::<Vec<_>>(), [&None]);
    }
}
