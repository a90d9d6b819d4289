//! The entries behind the full spans, by digest.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use node::EntryNumber;

/// Entries by digest.
#[derive(Debug, Default)]
pub(super) struct Recent {
    /// By digest, the place of the last entry.
    last: HashMap<u64, u32, BuildHasherDefault<Itself>>,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    digest: u64,
    number: EntryNumber,
    /// The place of the entry before it with the same digest.
    before: Option<u32>,
}

impl Recent {
    /// Adds an entry. Its number is greater than those that are there.
    pub(super) fn insert(&mut self, digest: u64, number: EntryNumber) {
        let last = self.entries.last().map(|last| last.number);
        assert!(last.is_none_or(|last| last < number), "an entry of groups comes twice");
        let before = self.last.insert(digest, self.entries.len() as u32);
        self.entries.push(Entry { digest, number, before });
    }

    /// Adds the numbers of a digest's entries to `found`, in ascending order.
    pub(super) fn find(&self, digest: u64, found: &mut Vec<EntryNumber>) {
        let begin = found.len();
        let mut place = self.last.get(&digest).copied();
        while let Some(entry) = place.map(|place| self.entries[place as usize]) {
            found.push(entry.number);
            place = entry.before;
        }
        found[begin..].reverse();
    }

    /// Forgets the entries before a number.
    pub(super) fn forget(&mut self, before: EntryNumber) {
        if self.entries.first().is_none_or(|first| first.number >= before) {
            return;
        }
        let entries = std::mem::take(&mut self.entries);
        self.last.clear();
        for Entry { digest, number, .. } in entries {
            if number >= before {
                self.insert(digest, number);
            }
        }
    }
}

/// Hashes a digest to itself.
#[derive(Debug, Default)]
struct Itself(u64);

impl Hasher for Itself {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, digest: u64) {
        self.0 = digest;
    }
}
