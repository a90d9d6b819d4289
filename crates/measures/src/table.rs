//! The profiles of all keys. Those in which nothing counts any more are removed, so that keys that come once cost nothing for ever.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

use crate::definition::{Layout, Seconds};
use crate::profile::{Event, apply, until};

/// Keys are looked at when they may be over in groups of this many seconds.
const LOOK_SECONDS: u32 = 64;

/// A key is a digest, which needs no other hash.
#[derive(Clone, Copy, Debug, Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("keys are numbers");
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// The profiles of keys, which are digests.
#[derive(Debug)]
pub struct Table {
    layout: Layout,
    profiles: HashMap<u64, Box<[u8]>, BuildHasherDefault<KeyHasher>>,
    /// The keys by when they may be over: each is in one group.
    due: BTreeMap<u32, Vec<u64>>,
    /// Events before this come no more.
    oldest: Seconds,
    scratch: Vec<u8>,
}

impl Table {
    /// Returns a table without keys.
    pub fn new(layout: Layout) -> Self {
        Table {
            layout,
            profiles: HashMap::default(),
            due: BTreeMap::new(),
            oldest: 0,
            scratch: Vec::new(),
        }
    }

    /// Adds an event of a key. Appends the value of each measure at its time.
    pub fn apply(&mut self, key: u64, event: Event<'_>, values: &mut Vec<Option<i64>>) {
        let Table { layout, profiles, due, oldest, scratch } = self;
        match profiles.entry(key) {
            Entry::Occupied(profile) => {
                apply(layout, (profile.into_mut(), event), *oldest, (scratch, values));
            }
            Entry::Vacant(place) => {
                let mut profile = Box::default();
                apply(layout, (&mut profile, event), *oldest, (scratch, values));
                due.entry(until(layout, &profile) / LOOK_SECONDS).or_default().push(key);
                place.insert(profile);
            }
        }
    }

    /// Notes that events before a time come no more, and removes the keys that are over then.
    pub fn advance(&mut self, oldest: Seconds) {
        self.oldest = self.oldest.max(oldest);
        while let Some(first) = self.due.first_entry()
            && first.key().saturating_add(1).saturating_mul(LOOK_SECONDS) <= self.oldest
        {
            for key in first.remove() {
                let Some(profile) = self.profiles.get(&key) else { continue };
                let until = until(&self.layout, profile);
                if until <= self.oldest {
                    self.profiles.remove(&key);
                } else {
                    self.due.entry(until / LOOK_SECONDS).or_default().push(key);
                }
            }
        }
        if self.profiles.capacity() > 4 * self.profiles.len().max(1_024) {
            self.profiles.shrink_to(2 * self.profiles.len());
        }
    }

    /// Returns the profile of a key; empty without one.
    pub fn profile(&self, key: u64) -> &[u8] {
        self.profiles.get(&key).map_or(&[], |profile| profile)
    }

    /// Returns how many keys there are.
    pub fn len(&self) -> usize {
        self.profiles.len()
    }

    /// Returns whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.profiles.is_empty()
    }

    /// Returns the octets of all profiles.
    pub fn octets(&self) -> usize {
        self.profiles.values().map(|profile| profile.len()).sum()
    }
}
