//! Places as editors count them: lines from 0, and in a line units of UTF-16 or octets, whichever the
//! client chose.

use diagnostics::{Source, Span};
use gen_lsp_types::{InitializeParams, Position, PositionEncodingKind, Range};

/// What a column counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    Utf16,
}

impl Encoding {
    /// Octets if the client can count them; else UTF-16, which every client can.
    pub(super) fn of(params: &InitializeParams) -> Encoding {
        let general = params.capabilities.general.as_ref();
        let offered = general.and_then(|general| general.position_encodings.as_ref());
        match offered.is_some_and(|offered| offered.contains(&PositionEncodingKind::UTF8)) {
            true => Encoding::Utf8,
            false => Encoding::Utf16,
        }
    }

    pub(super) fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
        }
    }

    fn units(self, character: char) -> usize {
        match self {
            Encoding::Utf8 => character.len_utf8(),
            Encoding::Utf16 => character.len_utf16(),
        }
    }

    /// The place of an octet.
    pub(super) fn position(self, source: &Source, offset: u32) -> Position {
        let line = source.place(offset).line;
        let start = source.line_start(line).unwrap_or(0) as usize;
        let before = source.text[start..].char_indices();
        let before = before.take_while(|(at, _)| start + at < offset as usize);
        let column: usize = before.map(|(_, character)| self.units(character)).sum();
        Position { line: line as u32 - 1, character: column as u32 }
    }

    /// The stretch between two octets.
    pub(super) fn range(self, source: &Source, span: Span) -> Range {
        let start = self.position(source, span.start);
        Range { start, end: self.position(source, span.end) }
    }

    /// The octet of a place. What lies behind the end of a line or of the text is its end; what lies
    /// within a character, its beginning.
    pub(super) fn offset(self, source: &Source, position: Position) -> u32 {
        let line = position.line as usize + 1;
        let Some(start) = source.line_start(line) else { return source.text.len() as u32 };
        let mut column = 0;
        let mut offset = start as usize;
        for character in source.line(line).chars() {
            column += self.units(character);
            if column > position.character as usize {
                break;
            }
            offset += character.len_utf8();
        }
        offset as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_octets_or_units_of_utf16() {
        let source = Source::new("a", "x\r\n-- 😀å é\n");
        for (encoding, offset, line, character) in [
            (Encoding::Utf16, 3, 1, 0),
            (Encoding::Utf16, 6, 1, 3),
            (Encoding::Utf16, 10, 1, 5),
            (Encoding::Utf16, 12, 1, 6),
            (Encoding::Utf8, 12, 1, 9),
            (Encoding::Utf16, 16, 2, 0),
        ] {
            let position = Position { line, character };
            assert_eq!(encoding.position(&source, offset), position);
            assert_eq!(encoding.offset(&source, position), offset);
        }
    }

    #[test]
    fn a_place_that_is_not_there_is_the_nearest_before_it() {
        let source = Source::new("a", "x\r\n-- 😀\n");
        let offset =
            |line, character| Encoding::Utf16.offset(&source, Position { line, character });
        assert_eq!(offset(0, 100), 1);
        assert_eq!(offset(1, 4), 6);
        assert_eq!(offset(100, 0), source.text.len() as u32);
    }
}
