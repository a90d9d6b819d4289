//! Which counters are read.

use std::collections::HashSet;

/// The names of counters that are read.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    names: HashSet<Vec<u8>>,
    /// The beginnings of names, of patterns that end with `*`.
    beginnings: Vec<Vec<u8>>,
}

impl Wanted {
    /// Creates a choice from names. A `*` at the end of one stands for any characters. Without any, all counters are read;
    /// with some, a row without any of them is stepped over.
    pub fn new<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut wanted = Wanted::default();
        for name in names {
            match name.strip_suffix('*') {
                Some(beginning) => wanted.beginnings.push(beginning.into()),
                None => {
                    wanted.names.insert(name.into());
                }
            }
        }
        wanted
    }

    /// Returns whether all counters are read.
    pub(crate) fn is_all(&self) -> bool {
        self.names.is_empty() && self.beginnings.is_empty()
    }

    /// Returns whether a counter is read.
    pub(crate) fn has(&self, name: &[u8]) -> bool {
        self.is_all()
            || self.names.contains(name)
            || self.beginnings.iter().any(|beginning| name.starts_with(beginning))
    }
}

#[cfg(test)]
mod tests {
    use super::Wanted;

    #[test]
    fn names_are_whole_or_beginnings() {
        let check =
            |names: &[&str], name: &str| Wanted::new(names.iter().copied()).has(name.as_bytes());
        assert!(check(&[], "a"));
        assert!(check(&["a", "b*"], "a") && check(&["a", "b*"], "bc") && check(&["a", "b*"], "b"));
        assert!(!check(&["a", "b*"], "ab") && !check(&["a", "b*"], ""));
        assert!(check(&["*"], "a"));
    }
}
