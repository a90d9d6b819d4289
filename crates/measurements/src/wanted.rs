//! Which counters are read.

use std::collections::HashSet;

use diagnostics::Encoding;

use crate::text::{Text, plain};

/// The names of counters that are read.
#[derive(Clone, Debug)]
pub struct Wanted {
    names: HashSet<Vec<u8>>,
    /// The beginnings of names, of patterns that end with `*`.
    beginnings: Vec<Vec<u8>>,
    /// The encoding of the names in a file.
    encoding: Encoding,
    is_utf8: bool,
}

impl Default for Wanted {
    /// All counters.
    fn default() -> Self {
        let (names, beginnings, encoding) = (HashSet::new(), Vec::new(), Encoding::UTF_8);
        Wanted { names, beginnings, encoding, is_utf8: true }
    }
}

impl Wanted {
    /// Creates a choice from names. Blanks around them do not count. A `*` at the end of one stands for any characters. Without
    /// any, all counters are read; with some, a row without any of them is stepped over.
    pub fn new<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut wanted = Wanted::default();
        for name in names {
            let name = name.trim();
            match name.strip_suffix('*') {
                Some(beginning) => wanted.beginnings.push(beginning.into()),
                None => {
                    wanted.names.insert(name.into());
                }
            }
        }
        wanted
    }

    /// Returns the same choice for a file in an encoding. It is UTF-8 if none is given.
    pub fn of_file_in(&self, encoding: Encoding) -> Self {
        Wanted { encoding, is_utf8: encoding == Encoding::UTF_8, ..self.clone() }
    }

    /// Returns whether all counters are read.
    pub(crate) fn is_all(&self) -> bool {
        self.names.is_empty() && self.beginnings.is_empty()
    }

    /// Returns whether the counter is read whose name is at a place. What is meant counts, not how it is written.
    pub(crate) fn has(&self, octets: &[u8], name: Text) -> bool {
        if self.is_all() {
            return true;
        }
        let written = name.of(octets);
        match !name.is_escaped && (self.is_utf8 || written.is_ascii()) {
            true => self.has_name(written),
            false => self.has_meant(written),
        }
    }

    #[cold]
    fn has_meant(&self, written: &[u8]) -> bool {
        match self.encoding.decode(written, &mut String::new()) {
            Ok(text) => self.has_name(plain(text).as_bytes()),
            // A row with this name is refused because of it.
            Err(_) => self.has_name(written),
        }
    }

    fn has_name(&self, name: &[u8]) -> bool {
        self.names.contains(name)
            || self.beginnings.iter().any(|beginning| name.starts_with(beginning))
    }
}

#[cfg(test)]
mod tests {
    use diagnostics::Encoding;

    use super::{Text, Wanted};

    fn has(wanted: &Wanted, name: &[u8]) -> bool {
        wanted.has(name, Text::at(name, 0, name.len()))
    }

    #[test]
    fn names_are_whole_or_beginnings() {
        let check =
            |names: &[&str], name: &str| has(&Wanted::new(names.iter().copied()), name.as_bytes());
        assert!(check(&[], "a"));
        assert!(check(&["a", "b*"], "a") && check(&["a", "b*"], "bc") && check(&["a", "b*"], "b"));
        assert!(!check(&["a", "b*"], "ab") && !check(&["a", "b*"], ""));
        assert!(check(&["*"], "a"));
    }

    #[test]
    fn what_is_meant_by_names_counts() {
        let wanted = Wanted::new(["a&b", " c<d* ", "ü"]);
        for name in [
            "a&amp;b",
            " a&#38;b\n",
            "<![CDATA[ a&b ]]>",
            "c&lt;d",
            "c<![CDATA[<d]]>e",
            "ü",
            "&#xFC;",
            "a<!-- - -->&amp;b",
        ] {
            assert!(has(&wanted, name.as_bytes()), "{name}");
        }
        for name in ["a&amp;amp;b", "<![CDATA[a&amp;b]]>", "c&amp;lt;d", "&#xFD;", "\u{fd}"] {
            assert!(!has(&wanted, name.as_bytes()), "{name}");
        }
        assert!(has(&wanted.of_file_in(Encoding::ISO_8859_1), b"\xFC"));
        assert!(!has(&wanted.of_file_in(Encoding::ISO_8859_1), "ü".as_bytes()));
    }
}
