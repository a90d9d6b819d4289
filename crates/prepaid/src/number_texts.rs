//! The texts of all numbers in one piece of memory: a part of a number is found among a million in some milliseconds, as
//! one search through 12 MB, and takes no index.

use std::collections::BTreeSet;

use memchr::{memchr, memmem, memrchr};

/// What stands before and behind each text. No number has it.
const END: u8 = b'\n';

/// The texts of numbers, in no order.
#[derive(Debug)]
pub(crate) struct NumberTexts {
    /// Each text has an [`END`] before and behind it. Those of removed ones are overwritten with it.
    octets: Vec<u8>,
    /// The octets that are overwritten.
    gone: usize,
}

impl Default for NumberTexts {
    fn default() -> Self {
        NumberTexts { octets: vec![END], gone: 0 }
    }
}

impl NumberTexts {
    /// Adds a text that is not there.
    pub(crate) fn add(&mut self, text: &str) {
        self.octets.extend_from_slice(text.as_bytes());
        self.octets.push(END);
    }

    /// Removes a text that is there.
    pub(crate) fn remove(&mut self, text: &str) {
        let whole = [&[END], text.as_bytes(), &[END]].concat();
        let place = memmem::find(&self.octets, &whole).expect("the text was added");
        self.octets[place..place + whole.len()].fill(END);
        self.gone += text.len() + 1;
        if self.gone > self.octets.len() / 2 {
            self.octets.dedup_by(|one, other| (*one, *other) == (END, END));
            self.gone = 0;
        }
    }

    /// Returns the first texts, in order, that have a part in them and that `is_one` takes; `count` at most. The part is
    /// not empty.
    pub(crate) fn with_part(
        &self,
        part: &str,
        is_one: impl Fn(&str) -> bool,
        count: usize,
    ) -> Vec<String> {
        let finder = memmem::Finder::new(part.as_bytes());
        let mut first = BTreeSet::new();
        let mut rest = &self.octets[..];
        while let Some(place) = finder.find(rest) {
            let begin = memrchr(END, &rest[..place]).map_or(0, |end| end + 1);
            let end = memchr(END, &rest[place..]).map_or(rest.len(), |end| place + end);
            let text = std::str::from_utf8(&rest[begin..end]).expect("numbers are ASCII");
            let is_first = first.len() < count || first.last().is_some_and(|last| text < *last);
            if is_first && is_one(text) {
                first.insert(text);
                if first.len() > count {
                    first.pop_last();
                }
            }
            rest = &rest[end..];
        }
        first.into_iter().map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(of: &[&str]) -> NumberTexts {
        let mut texts = NumberTexts::default();
        of.iter().for_each(|text| texts.add(text));
        texts
    }

    #[test]
    fn a_part_is_found_at_any_place_once_a_text_and_in_order() {
        let texts = texts(&["46703", "46701", "anna@example.org", "46711"]);
        let found = |part, count| texts.with_part(part, |_| true, count);
        assert_eq!(found("670", 10), ["46701", "46703"]);
        assert_eq!(found("1", 10), ["46701", "46711"]);
        assert_eq!(found("46711", 10), ["46711"]);
        assert_eq!(found("4", 2), ["46701", "46703"]);
        assert_eq!(found("example", 10), ["anna@example.org"]);
        assert!(found("0346", 10).is_empty(), "a part is of one text");
        assert_eq!(texts.with_part("4", |text| text > "46701", 1), ["46703"]);
    }

    #[test]
    fn removed_texts_are_found_no_more() {
        let all: Vec<String> = (100..200).map(|number: u32| number.to_string()).collect();
        let mut texts = texts(&all.iter().map(String::as_str).collect::<Vec<_>>());
        texts.add("1100");
        for (removed, text) in all.iter().enumerate() {
            texts.remove(text);
            let left = texts.with_part("1", |_| true, 200);
            assert_eq!(left.len(), 100 - removed, "{text}");
            assert!(left.contains(&"1100".to_owned()) && !left.contains(text));
        }
        assert!(texts.octets.len() < 400, "what is gone takes no memory");
    }
}
