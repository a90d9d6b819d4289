//! A text with a name, and places in it.

use std::sync::Arc;

/// Most characters of a line that an excerpt shows; real modules have lines of many kilobytes.
const EXCERPT_CHARACTERS_MAX: usize = 160;

/// A text somebody wrote, and what they call it (usually the path of its file).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// What messages call it.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Whether its octets were no UTF-8, and were read as Latin-1.
    pub is_latin1: bool,
    line_starts: Vec<u32>,
}

/// A stretch of a text, in octets, its end not included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// First octet.
    pub start: u32,
    /// Octet after the last.
    pub end: u32,
}

/// A line and a column as editors show them, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl Span {
    /// From `start` to before `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Span { start: start as u32, end: end as u32 }
    }

    /// From the start of this to the end of another.
    pub fn to(self, end: Span) -> Self {
        Span { start: self.start, end: end.end.max(self.start) }
    }
}

impl Source {
    /// A named text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        let text = text.into();
        let newlines = text.bytes().enumerate().filter(|(_, octet)| *octet == b'\n');
        let line_starts =
            std::iter::once(0).chain(newlines.map(|(index, _)| index as u32 + 1)).collect();
        Arc::new(Source { name: name.into(), text, line_starts, is_latin1: false })
    }

    /// A named text from octets that should be UTF-8. What is not is read as Latin-1, which real
    /// ASN.1 modules are written in.
    pub fn from_octets(name: impl Into<String>, octets: Vec<u8>) -> Arc<Self> {
        match String::from_utf8(octets) {
            Ok(text) => Self::new(name, text),
            Err(error) => {
                let text: String =
                    error.as_bytes().iter().map(|octet| char::from(*octet)).collect();
                let source = Arc::unwrap_or_clone(Self::new(name, text));
                Arc::new(Source { is_latin1: true, ..source })
            }
        }
    }

    /// The line and column of an octet.
    pub fn place(&self, offset: u32) -> Place {
        let line = self.line_of(offset);
        let start = self.line_starts[line - 1] as usize;
        let end = self.floor(offset as usize).max(start);
        Place { line, column: self.text[start..end].chars().count() + 1 }
    }

    /// The octet of a line and column. What is behind the end of a line, or of the text, is its end.
    pub fn offset(&self, place: Place) -> u32 {
        let Some(start) = self.line_start(place.line.max(1)) else {
            return self.text.len() as u32;
        };
        let line = self.line(place.line.max(1));
        let before = line.char_indices().nth(place.column.saturating_sub(1));
        start + before.map_or(line.len(), |(octet, _)| octet) as u32
    }

    /// The line of an octet, counted from 1.
    pub fn line_of(&self, offset: u32) -> usize {
        self.line_starts.partition_point(|start| *start <= offset)
    }

    /// The first octet of a line, counted from 1.
    pub fn line_start(&self, line: usize) -> Option<u32> {
        self.line_starts.get(line.checked_sub(1)?).copied()
    }

    /// A line of the text, counted from 1, without its end.
    pub fn line(&self, line: usize) -> &str {
        let Some(start) = line.checked_sub(1).and_then(|index| self.line_starts.get(index)) else {
            return "";
        };
        let end = self.line_starts.get(line).map_or(self.text.len(), |next| *next as usize);
        self.text[*start as usize..end].trim_end_matches(['\n', '\r'])
    }

    /// The line a span begins in with tabs made blanks, the blanks to put before the marks, and the
    /// number of marks. Long lines are cut around the span.
    pub(crate) fn excerpt(&self, span: Span) -> (String, String, usize) {
        let Place { line, column } = self.place(span.start);
        let characters: Vec<char> = self.line(line).chars().collect();
        let marked = self.text[self.floor(span.start as usize)..self.floor(span.end as usize)]
            .split('\n')
            .next()
            .map_or(1, |stretch| stretch.chars().count().max(1));
        let first = (column - 1).saturating_sub(EXCERPT_CHARACTERS_MAX / 2);
        let shown = characters.iter().skip(first).take(EXCERPT_CHARACTERS_MAX);
        let text = shown.map(|c| if c.is_control() { ' ' } else { *c }).collect();
        let room = EXCERPT_CHARACTERS_MAX.saturating_sub(column - 1 - first).max(1);
        (text, " ".repeat(column - 1 - first), marked.min(room))
    }

    fn floor(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_not_octets() {
        let source = Source::new("a", "x\nåäö = 1");
        assert_eq!(source.place(2 + 7), Place { line: 2, column: 5 });
        assert_eq!(source.place(0), Place { line: 1, column: 1 });
        assert_eq!(source.place(1000), Place { line: 2, column: 8 });
    }

    #[test]
    fn a_place_leads_to_its_octet_and_one_that_is_not_there_to_the_nearest_before_it() {
        let source = Source::new("a", "x\r\nåäö = 1");
        for (line, column, offset) in [
            (1, 1, 0),
            (2, 1, 3),
            (2, 3, 7),
            (2, 5, 10),
            (1, 9, 1),
            (2, 99, 13),
            (9, 1, 13),
            (0, 0, 0),
        ] {
            assert_eq!(source.offset(Place { line, column }), offset, "{line}:{column}");
        }
    }

    #[test]
    fn a_text_that_is_not_utf8_is_read_as_latin1() {
        let source = Source::from_octets("a", b"caf\xe9".to_vec());
        assert_eq!((source.text.as_str(), source.is_latin1), ("café", true));
    }

    #[test]
    fn a_long_line_is_cut_around_the_mark() {
        let source = Source::new("a", format!("{}here{}", "x".repeat(5000), "y".repeat(5000)));
        let (text, before, marked) = source.excerpt(Span::new(5000, 5004));
        assert_eq!(&text[before.len()..before.len() + marked], "here");
        assert_eq!(text.len(), EXCERPT_CHARACTERS_MAX);
    }
}
