//! Texts of a file as places in its octets.

use memchr::{memchr, memchr2};

use crate::markup::{Markup, markup, trimmed};

/// The most octets of a reference. Longer ones mean no character, and a search for their end would take long in a text of `&`.
const REFERENCE_OCTETS_MAX: usize = 16;

/// The place of a text in the octets of its row ([`crate::Parser::octets`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// The index of its first octet.
    pub start: u32,
    /// The index after its last octet.
    pub end: u32,
    /// Whether it is only what is written: with references such as `&amp;`, or a CDATA section. [`plain`] gives what is
    /// meant.
    pub is_escaped: bool,
}

impl Text {
    /// Creates the place of a text, without the blanks around it.
    pub(crate) fn at(octets: &[u8], start: usize, end: usize) -> Self {
        let text = Text::unescaped(octets, start, end);
        Text { is_escaped: memchr2(b'&', b'<', text.of(octets)).is_some(), ..text }
    }

    /// Creates the place of a text that is what is written, without the blanks around it.
    pub(crate) fn unescaped(octets: &[u8], start: usize, end: usize) -> Self {
        let (start, end) = trimmed(octets, start, end);
        Text { start: start as u32, end: end as u32, is_escaped: false }
    }

    /// Returns whether nothing is written there.
    pub(crate) fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Returns the octets of the text.
    pub fn of<'o>(&self, octets: &'o [u8]) -> &'o [u8] {
        octets.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

/// Returns the text that is meant: references are replaced, and of CDATA sections only the content is there. A reference
/// that XML does not define stays as it is. Blanks around the text are not meant.
pub fn plain(written: &str) -> String {
    let (octets, mut plain, mut at) = (written.as_bytes(), String::new(), 0);
    while at < octets.len() {
        let next = memchr2(b'&', b'<', &octets[at..]).map_or(octets.len(), |found| at + found);
        plain.push_str(&written[at..next]);
        at = next;
        if octets.get(at) == Some(&b'<') {
            match markup(octets, at) {
                Markup::CharacterData { content, end } => {
                    plain.push_str(&written[content]);
                    at = end;
                }
                Markup::Nothing(end) => at = end,
                _ => {
                    plain.push('<');
                    at += 1;
                }
            }
        } else if at < octets.len() {
            let longest = octets.len().min(at + REFERENCE_OCTETS_MAX);
            let found = memchr(b';', &octets[at..longest])
                .and_then(|end| Some((character(&written[at + 1..at + end])?, at + end + 1)));
            match found {
                Some((character, end)) => {
                    plain.push(character);
                    at = end;
                }
                None => {
                    plain.push('&');
                    at += 1;
                }
            }
        }
    }
    match trimmed(plain.as_bytes(), 0, plain.len()) {
        (0, end) => plain.truncate(end),
        (start, end) => plain = plain[start..end].to_owned(),
    }
    plain
}

/// Returns the character of a reference (XML 1.0, 4.1 and 4.6).
fn character(name: &str) -> Option<char> {
    let number =
        |digits: &str, base| u32::from_str_radix(digits, base).ok().and_then(char::from_u32);
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => match name.strip_prefix("#x") {
            Some(digits) => number(digits, 16),
            None => number(name.strip_prefix('#')?, 10),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn a_text_is_what_is_meant() {
        for (written, meant) in [
            ("a", "a"),
            ("a&amp;b&lt;&gt;&quot;&apos;", "a&b<>\"'"),
            ("&#65;&#x42;&#xffffffff;&none;&", "AB&#xffffffff;&none;&"),
            ("<![CDATA[a<b]]>c<!-- d -->", "a<bc"),
            ("a<b", "a<b"),
            ("<![CDATA[ a\n]]>", "a"),
            ("&#10; a&#9;b &#x20;", "a\tb"),
            ("&#10; <![CDATA[ ]]>", ""),
        ] {
            assert_eq!(plain(written), meant, "{written}");
        }
    }
}
