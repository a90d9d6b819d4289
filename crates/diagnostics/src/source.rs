//! A text with a name, and places in it.

use std::sync::Arc;

use crate::Diagnostic;
use crate::encoding::{self, Encoding, Found, Named};
use crate::visible::excerpted;

/// Most characters of a line that an excerpt shows; real modules have lines of many kilobytes.
const EXCERPT_CHARACTERS_MAX: usize = 160;

/// Block size of the character index: a column is found without scanning all of a long line.
const BLOCK_OCTETS: usize = 1024;

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
    /// The number of characters before each block, and before the end.
    characters_before: Vec<u32>,
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
        let of_blocks = text.as_bytes().chunks(BLOCK_OCTETS).map(characters_in);
        let add = |before: &mut u32, of_block| {
            *before += of_block;
            Some(*before)
        };
        let characters_before = std::iter::once(0).chain(of_blocks.scan(0, add)).collect();
        let name = name.into();
        Arc::new(Source { name, text, line_starts, characters_before, is_latin1: false })
    }

    /// Creates a source from the bytes of a file, without the byte order mark. The file must be
    /// UTF-8, or UTF-16 with a mark; the error names another encoding that the file appears to
    /// have.
    pub fn decoded(name: impl Into<String>, octets: Vec<u8>) -> Result<Arc<Self>, Box<Diagnostic>> {
        Self::decoded_as(name, octets, None)
    }

    /// Like [`decoded`](Self::decoded), with an encoding for files without a byte order mark.
    pub fn decoded_as(
        name: impl Into<String>,
        octets: Vec<u8>,
        named: Option<Named>,
    ) -> Result<Arc<Self>, Box<Diagnostic>> {
        let name = name.into();
        let Found { encoding, mark_octets } = match encoding::find(&octets, named) {
            Ok(found) => found,
            Err(refused) => {
                let message = format!("this text is not read: {refused}");
                let mistake = Diagnostic::error(&Self::new(name, ""), Span::default(), message);
                return Err(Box::new(mistake.hint("save it as UTF-8")));
            }
        };
        if encoding == Encoding::UTF_8 && mark_octets == 0 {
            return String::from_utf8(octets)
                .map(|text| Self::new(name.as_str(), text))
                .map_err(|error| Self::not_utf8(&name, error.as_bytes()));
        }
        let (octets, mut buffer) = (&octets[mark_octets..], String::new());
        match encoding.decode(octets, &mut buffer) {
            Ok(text) => Ok(Self::new(name, text)),
            Err(_) if encoding == Encoding::UTF_8 => Err(Self::not_utf8(&name, octets)),
            Err(malformed) => {
                let message = format!("this text is not read: {malformed}");
                Err(Box::new(Diagnostic::error(&Self::new(name, ""), Span::default(), message)))
            }
        }
    }

    /// Like [`decoded`](Self::decoded), but reads invalid UTF-8 as Latin-1, which real ASN.1
    /// modules contain in comments. Callers must opt in by using this function.
    pub fn forgiven(
        name: impl Into<String>,
        octets: Vec<u8>,
    ) -> Result<Arc<Self>, Box<Diagnostic>> {
        let is_utf8 = std::str::from_utf8(&octets).is_ok();
        match encoding::find(&octets, None) {
            Ok(Found { encoding, mark_octets }) if encoding == Encoding::UTF_8 && !is_utf8 => {
                let octets = octets[mark_octets..].iter();
                let text: String = octets.map(|octet| char::from(*octet)).collect();
                let source = Arc::unwrap_or_clone(Self::new(name, text));
                Ok(Arc::new(Source { is_latin1: true, ..source }))
            }
            _ => Self::decoded(name, octets),
        }
    }

    #[cold]
    fn not_utf8(name: &str, octets: &[u8]) -> Box<Diagnostic> {
        let at = std::str::from_utf8(octets).map_or_else(|error| error.valid_up_to(), str::len);
        let text = String::from_utf8_lossy(octets);
        // Offsets are the same in both texts up to this point.
        let span = Span::new(at, at + char::REPLACEMENT_CHARACTER.len_utf8());
        let octet = octets.get(at).copied().unwrap_or_default();
        let message = format!("octet {octet:02X} is no UTF-8");
        let mistake = Diagnostic::error(&Self::new(name, text), span, message);
        Box::new(mistake.hint("save the text as UTF-8; it looks like ISO-8859-1 or windows-1252"))
    }

    /// The line and column of an octet.
    pub fn place(&self, offset: u32) -> Place {
        let line = self.line_of(offset);
        let start = self.line_starts[line - 1] as usize;
        let end = self.floor(offset as usize).max(start);
        let column = self.characters_before(end) - self.characters_before(start) + 1;
        Place { line, column: column as usize }
    }

    /// The number of characters that begin before an offset.
    fn characters_before(&self, offset: usize) -> u32 {
        let block = offset / BLOCK_OCTETS;
        let within = &self.text.as_bytes()[block * BLOCK_OCTETS..offset];
        self.characters_before[block] + characters_in(within)
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

    /// The line where a span begins, with tabs replaced by blanks; the indentation of the markers;
    /// and their number. Long lines are cut around the span, at a cost that does not depend on
    /// their length.
    pub(crate) fn excerpt(&self, span: Span) -> (String, String, usize) {
        let (start, end) = (self.floor(span.start as usize), self.floor(span.end as usize));
        let line = self.line(self.line_of(span.start));
        let line_start = self.line_starts[self.line_of(span.start) - 1] as usize;
        // The span may begin at the line end, which is not shown.
        let (before, behind) = line.split_at((start - line_start).min(line.len()));
        let before: Vec<char> = before.chars().rev().take(EXCERPT_CHARACTERS_MAX / 2).collect();
        let room = EXCERPT_CHARACTERS_MAX - before.len();
        let shown = before.iter().rev().copied().chain(behind.chars().take(room));
        let marked = self.text[start..end.max(start)].chars().take_while(|c| *c != '\n');
        let marked = marked.take(room).count().max(1);
        (shown.map(excerpted).collect(), " ".repeat(before.len()), marked)
    }

    fn floor(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }
}

/// The number of characters that begin in UTF-8 bytes: all bytes but continuation bytes.
fn characters_in(octets: &[u8]) -> u32 {
    octets.iter().filter(|octet| **octet & 0xc0 != 0x80).count() as u32
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
    fn a_text_is_read_by_its_mark_and_as_utf8_and_refused_with_the_place() {
        for octets in
            [b"caf\xC3\xA9".as_slice(), b"\xEF\xBB\xBFcaf\xC3\xA9", b"\xFF\xFEc\0a\0f\0\xE9\0"]
        {
            for read in [Source::decoded("a", octets.into()), Source::forgiven("a", octets.into())]
            {
                let source = read.expect("its encoding is known");
                assert_eq!((source.text.as_str(), source.is_latin1), ("café", false));
            }
        }
        let refused = Source::decoded("a", b"x\ncaf\xE9".into()).expect_err("it is Latin-1");
        assert_eq!(refused.line(), "a:2:4: octet E9 is no UTF-8");
        let forgiven = Source::forgiven("a", b"caf\xe9".to_vec()).expect("it is read as Latin-1");
        assert_eq!((forgiven.text.as_str(), forgiven.is_latin1), ("café", true));
        let refused = Source::decoded("a", b"a\0b\0".into()).expect_err("it has no mark");
        let expected =
            "a:1:1: this text is not read: it looks like UTF-16LE without a byte-order mark";
        assert_eq!(refused.line(), expected);
        let named = Some(Named::One(Encoding::ISO_8859_1));
        let source =
            Source::decoded_as("a", b"caf\xE9".into(), named).expect("its encoding is named");
        assert_eq!(source.text, "café");
    }

    #[test]
    fn a_long_line_is_cut_around_the_mark() {
        let source = Source::new("a", format!("{}here{}", "x".repeat(5000), "y".repeat(5000)));
        let (text, before, marked) = source.excerpt(Span::new(5000, 5004));
        assert_eq!(&text[before.len()..before.len() + marked], "here");
        assert_eq!(text.len(), EXCERPT_CHARACTERS_MAX);
    }

    /// A reference implementation that scans the whole line.
    fn simple(text: &str, offset: usize) -> Place {
        let before = &text[..offset];
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        Place {
            line: before.matches('\n').count() + 1,
            column: before[start..].chars().count() + 1,
        }
    }

    #[test]
    fn places_are_those_that_a_look_at_all_of_the_text_finds() {
        let piece = "å = 1; \u{1f600}x\n".repeat(20) + &"ö y".repeat(900) + "\n\n";
        for length in [0, 1, 1023, 1024, 1025, 2048, 4000] {
            let text: String = piece.chars().cycle().take(length).collect();
            let source = Source::new("a", text.as_str());
            for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
                assert_eq!(source.place(offset as u32), simple(&text, offset), "{offset}");
            }
        }
    }

    #[test]
    fn many_mistakes_on_one_long_line_cost_no_more_than_on_short_ones() {
        let source = Source::new("a", "å x; ".repeat(400_000));
        let begun = std::time::Instant::now();
        for place in 0..100_000 {
            let span = Span::new(place * 20 + 3, place * 20 + 4);
            assert_eq!(source.excerpt(span).2, 1);
            assert!(source.place(span.start).column > place);
        }
        // Scanning the whole line for each takes minutes.
        assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
    }

    #[test]
    fn an_excerpt_shows_nothing_that_a_terminal_obeys() {
        let source = Source::new("a", "x\u{1b}[31m\u{202e}\ty = ?");
        let (text, before, marked) = source.excerpt(Span::new(12, 13));
        assert_eq!((text.as_str(), before.len(), marked), ("x [31m\u{fffd} y = ?", 10, 1));
    }

    #[test]
    fn a_mark_at_the_end_of_a_line_or_over_several_is_one_line_long() {
        let source = Source::new("a", "ab\r\ncd");
        assert_eq!(source.excerpt(Span::new(3, 3)), ("ab".into(), "  ".into(), 1));
        assert_eq!(source.excerpt(Span::new(4, 6)), ("cd".into(), String::new(), 2));
        assert_eq!(source.excerpt(Span::new(1, 6)), ("ab".into(), " ".into(), 2));
        assert_eq!(source.excerpt(Span::new(6, 99)), ("cd".into(), "  ".into(), 1));
    }
}
