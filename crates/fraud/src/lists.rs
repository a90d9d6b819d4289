//! Lists of keys, such as numbers of call centres: each entry holds for a time.

use std::collections::HashMap;
use std::ops::Range;

use measures::Seconds;

/// A list of keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// Its name.
    pub name: String,
    keys: HashMap<Box<[u8]>, Vec<Range<Seconds>>>,
    prefixes: HashMap<Box<[u8]>, Vec<Range<Seconds>>>,
}

impl List {
    /// Returns a list without entries.
    pub fn new(name: String) -> Self {
        List { name, ..List::default() }
    }

    /// Adds an entry: a key, or what keys begin with and a `*`. It holds from a time on until another one.
    pub fn add(&mut self, key: &str, holds: Range<Seconds>) {
        let (entries, key) = match key.strip_suffix('*') {
            Some(prefix) => (&mut self.prefixes, prefix),
            None => (&mut self.keys, key),
        };
        entries.entry(key.as_bytes().into()).or_default().push(holds);
    }

    /// Returns the entry that a key has at a time: itself, or the longest prefix.
    pub fn find(&self, key: &[u8], time: Seconds) -> Option<String> {
        let holds = |ranges: &Vec<Range<Seconds>>| ranges.iter().any(|range| range.contains(&time));
        let shown = |key: &[u8]| String::from_utf8_lossy(key).into_owned();
        if self.keys.get(key).is_some_and(holds) {
            return Some(shown(key));
        }
        if self.prefixes.is_empty() {
            return None;
        }
        let has = |length: &usize| self.prefixes.get(&key[..*length]).is_some_and(holds);
        let length = (0..=key.len()).rev().find(has)?;
        Some(shown(&key[..length]) + "*")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_the_entry_that_holds_then() {
        let mut list = List::new("known".into());
        list.add("0701", 100..200);
        list.add("0701", 300..400);
        list.add("07*", 0..Seconds::MAX);
        list.add("0702*", 0..150);
        let found = |key: &str, time| list.find(key.as_bytes(), time);
        assert_eq!(found("0701", 100).as_deref(), Some("0701"));
        assert_eq!(found("0701", 200).as_deref(), Some("07*"));
        assert_eq!(found("0701", 399).as_deref(), Some("0701"));
        assert_eq!(found("07029", 149).as_deref(), Some("0702*"));
        assert_eq!(found("07029", 150).as_deref(), Some("07*"));
        assert_eq!((found("08", 150), found("", 150)), (None, None));
    }
}
