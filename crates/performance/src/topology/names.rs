//! Names, each once and with a number: one text of all, and a table that is searched by hash. A map with a text for each
//! name takes three times the memory.

use std::hash::{BuildHasher, RandomState};

/// Names with their numbers, from 0.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    text: String,
    /// Where each name ends in the text.
    ends: Vec<u32>,
    /// Where names are by their hashes: a power of two, of which a third is free at least.
    places: Vec<Place>,
    /// Its keys are random, so that no file can be made of names that are in each other's place.
    hasher: RandomState,
}

/// A name in the table, with its hash: the texts of other names nearby need not be compared.
#[derive(Clone, Copy, Debug)]
struct Place {
    hash: u32,
    number: u32,
}

impl Place {
    const FREE: Place = Place { hash: 0, number: u32::MAX };

    fn is_free(self) -> bool {
        self.number == u32::MAX
    }
}

impl Names {
    /// Returns the number of a name.
    pub(super) fn find(&self, name: &str) -> Option<u32> {
        let place =
            (!self.places.is_empty()).then(|| self.places[self.place(name, self.hash(name))]);
        place.filter(|place| !place.is_free()).map(|place| place.number)
    }

    /// Returns a name.
    pub(super) fn get(&self, number: u32) -> &str {
        let number = number as usize;
        let start = if number == 0 { 0 } else { self.ends[number - 1] as usize };
        &self.text[start..self.ends[number] as usize]
    }

    /// Returns the number of a name, which is new if it was not there. `None` if there are so many already, or 4 GB of them.
    pub(super) fn intern(&mut self, name: &str, count_max: usize) -> Option<u32> {
        if self.places.len() * 2 <= self.ends.len() * 3 {
            self.grow();
        }
        let hash = self.hash(name);
        let place = self.place(name, hash);
        if !self.places[place].is_free() {
            return Some(self.places[place].number);
        }
        let end = u32::try_from(self.text.len() + name.len()).ok()?;
        if self.ends.len() >= count_max {
            return None;
        }
        let number = self.ends.len() as u32;
        self.text.push_str(name);
        self.ends.push(end);
        self.places[place] = Place { hash, number };
        Some(number)
    }

    fn hash(&self, name: &str) -> u32 {
        self.hasher.hash_one(name) as u32
    }

    /// Returns the place of a name, or the free one where it would be.
    fn place(&self, name: &str, hash: u32) -> usize {
        let is_it = |place: Place| place.hash == hash && self.get(place.number) == name;
        first(&self.places, hash, |place| place.is_free() || is_it(place))
    }

    fn grow(&mut self) {
        let length = (self.places.len() * 2).max(16);
        let places = std::mem::replace(&mut self.places, vec![Place::FREE; length]);
        for place in places.into_iter().filter(|place| !place.is_free()) {
            let free = first(&self.places, place.hash, Place::is_free);
            self.places[free] = place;
        }
    }
}

/// Returns the first place from that of a hash on that is wanted. A free one is, so there is one.
fn first(places: &[Place], hash: u32, is_wanted: impl Fn(Place) -> bool) -> usize {
    let last = places.len() - 1;
    let mut at = hash as usize & last;
    while !is_wanted(places[at]) {
        at = (at + 1) & last;
    }
    at
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn names_have_the_numbers_that_a_map_gives_them(names in prop::collection::vec("[a-c]{0,3}", 0..200)) {
            let (mut interned, mut map) = (Names::default(), HashMap::new());
            for name in &names {
                prop_assert_eq!(interned.find(name), map.get(name).copied());
                let count = map.len() as u32;
                let expected = *map.entry(name.clone()).or_insert(count);
                prop_assert_eq!(interned.intern(name, 1_000), Some(expected));
            }
            for (name, number) in &map {
                prop_assert_eq!(interned.find(name), Some(*number));
                prop_assert_eq!(interned.get(*number), name.as_str());
            }
        }
    }

    #[test]
    fn there_are_only_so_many() {
        let mut names = Names::default();
        assert_eq!(
            ["a", "b", "c", "a"].map(|name| names.intern(name, 2)),
            [Some(0), Some(1), None, Some(0)]
        );
        assert_eq!(names.find("c"), None);
    }
}
