//! Positions as editors count them: lines from 0, and columns in UTF-16 units or octets, as the client chooses.

use diagnostics::{Source, Span};
use gen_lsp_types::{InitializeParams, Position, PositionEncodingKind, Range};

/// The unit of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    Utf16,
}

impl Encoding {
    /// Chooses octets if the client supports them; otherwise UTF-16, which every client supports.
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

    /// Converts a span of octets into a range.
    pub(super) fn range(self, source: &Source, span: Span) -> Range {
        self.ranges(source, &[span])[0]
    }

    /// Converts many spans. It walks over the text once: starting at the beginning of the line for each span would make
    /// the cost of a long line quadratic.
    pub(super) fn ranges(self, source: &Source, spans: &[Span]) -> Vec<Range> {
        let mut offsets: Vec<u32> = spans.iter().flat_map(|span| [span.start, span.end]).collect();
        offsets.sort_unstable();
        offsets.dedup();
        let positions = self.positions(source, &offsets);
        let of = |offset| positions[offsets.partition_point(|before| *before < offset)];
        spans.iter().map(|span| Range { start: of(span.start), end: of(span.end) }).collect()
    }

    /// Converts ascending offsets into positions.
    fn positions(self, source: &Source, offsets: &[u32]) -> Vec<Position> {
        let (mut line, mut at, mut column) = (0, 0, 0);
        let position = |offset: &u32| {
            let found = source.line_of(*offset);
            if found != line {
                (line, at, column) = (found, source.line_start(found).unwrap_or(0) as usize, 0);
            }
            for character in source.text[at..].chars() {
                if at >= *offset as usize {
                    break;
                }
                at += character.len_utf8();
                column += self.units(character);
            }
            Position { line: line as u32 - 1, character: column as u32 }
        };
        offsets.iter().map(position).collect()
    }

    /// Returns the octet of a position. A position behind the end of a line or of the text means that end; a position
    /// within a character means its beginning.
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
            assert_eq!(encoding.positions(&source, &[offset]), [position]);
            assert_eq!(encoding.offset(&source, position), offset);
        }
    }

    #[test]
    fn places_found_together_are_those_found_alone() {
        let source = Source::new("a", "-- 😀å é\n\nx := 1; -- 😀\n");
        let length = source.text.len() + 2;
        let spans: Vec<Span> =
            (0..length).flat_map(|end| (0..=end).map(move |start| Span::new(start, end))).collect();
        for encoding in [Encoding::Utf8, Encoding::Utf16] {
            let alone: Vec<Range> =
                spans.iter().map(|span| encoding.range(&source, *span)).collect();
            assert_eq!(encoding.ranges(&source, &spans), alone);
        }
    }

    /// Starting at the beginning of the line for each span, this takes minutes.
    #[test]
    fn a_long_line_is_walked_over_once() {
        let source = Source::new("a", "é".repeat(500_000));
        let spans: Vec<Span> = (0..500_000).rev().map(|at| Span::new(2 * at, 2 * at + 2)).collect();
        let ranges = Encoding::Utf16.ranges(&source, &spans);
        let place = |character| Position { line: 0, character };
        assert_eq!(ranges[0], Range { start: place(499_999), end: place(500_000) });
        assert_eq!(ranges[499_999], Range { start: place(0), end: place(1) });
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
