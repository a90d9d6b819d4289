//! Where the entries of full spans are, by digest, in memory: what the index on disk says, without reading it.

use node::EntryNumber;

/// A slot has the place of an entry, and above it as many bits of the digest as fit, which are never all zero.
type Slot = u32;

/// There are a third more slots than entries, so that few stand between a digest's slot and its entry.
const SLOTS_OF_THREE: usize = 4;

/// The entries of some spans.
#[derive(Debug)]
pub(super) struct Places {
    /// The bits of a place.
    bits: u32,
    /// In the order of the digests, each at the slot of its digest or the next free one behind it.
    slots: Vec<Slot>,
    /// How many slots digests are spread over. Behind them is room for the last ones.
    spread: u64,
    /// The first slot behind the last entry.
    free: usize,
}

impl Places {
    /// Returns places of so many bits with room for so many entries.
    pub(super) fn of(bits: u32, entries: usize) -> Self {
        let spread = (entries * SLOTS_OF_THREE / 3).max(1);
        Places { bits, slots: vec![0; spread], spread: spread as u64, free: 0 }
    }

    /// Adds an entry. They come in ascending order of their digests.
    pub(super) fn push(&mut self, digest: u64, place: u32) {
        let at = self.slot(digest).max(self.free);
        if at >= self.slots.len() {
            self.slots.resize(at + 1, 0);
        }
        self.slots[at] = self.mark(digest) << self.bits | place;
        self.free = at + 1;
    }

    /// Adds the numbers of the entries that may have a digest to `found`. `first` is the number of
    /// the first place.
    pub(super) fn find(&self, digest: u64, first: EntryNumber, found: &mut Vec<EntryNumber>) {
        let mark = self.mark(digest);
        let from = &self.slots[self.slot(digest)..];
        let near = from.iter().take_while(|slot| **slot != 0);
        let same = near.filter(|slot| **slot >> self.bits == mark);
        found.extend(same.map(|slot| first + i64::from(slot & ((1 << self.bits) - 1))));
    }

    /// Returns the octets of memory that it takes.
    pub(super) fn octets(&self) -> usize {
        size_of_val(self.slots.as_slice())
    }

    fn slot(&self, digest: u64) -> usize {
        ((u128::from(digest) * u128::from(self.spread)) >> 64) as usize
    }

    /// Returns the bits of a digest that a slot has. Its first bits choose the slot.
    fn mark(&self, digest: u64) -> u32 {
        ((digest as u32) & ((1 << (32 - self.bits)) - 1)).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a number that is distributed like a digest.
    fn digest(number: u32) -> u64 {
        let digest = blake3::hash(&number.to_le_bytes());
        u64::from_le_bytes(*digest.as_bytes().first_chunk().unwrap())
    }

    fn found(places: &Places, digest: u64) -> Vec<EntryNumber> {
        let mut found = Vec::new();
        places.find(digest, 1_000, &mut found);
        found
    }

    #[test]
    fn the_entries_of_a_digest_are_found_and_hardly_any_other() {
        const ENTRIES: u32 = 100_000;
        // Every tenth entry has the same digest.
        let of = |place: u32| if place.is_multiple_of(10) { u64::MAX - 1 } else { digest(place) };
        let mut digests: Vec<_> = (0..ENTRIES).map(|place| (of(place), place)).collect();
        digests.sort_unstable();
        let mut places = Places::of(20, digests.len());
        digests.iter().for_each(|(digest, place)| places.push(*digest, *place));
        assert!(places.octets() < 6 * ENTRIES as usize);
        for place in (1..ENTRIES).step_by(7).filter(|place| !place.is_multiple_of(10)) {
            let number = 1_000 + i64::from(place);
            assert!(found(&places, digest(place)).contains(&number), "{place}");
        }
        let same = found(&places, u64::MAX - 1);
        let wanted = (0..ENTRIES).step_by(10).map(|place| 1_000 + i64::from(place));
        assert!(wanted.eq(same.into_iter().filter(|number| number % 10 == 0)));
        let others = (ENTRIES..2 * ENTRIES).map(|place| found(&places, digest(place)).len());
        assert!(others.sum::<usize>() < 1_000);
    }

    #[test]
    fn a_span_without_entries_has_none() {
        assert!(found(&Places::of(20, 0), 7).is_empty());
        assert!(found(&Places::of(20, 0), u64::MAX).is_empty());
    }
}
