//! Records of a fixed number of characters without line ends, as mainframes send them.
//!
//! A record's position depends on all characters before it, so one extra character shifts all records after it. A line
//! end within a record indicates that, and the record is set aside.

use std::io;
use std::sync::Arc;

use diagnostics::Encoding;
use diagnostics::encoding::{self, Unit};

use crate::coding::{Contents, NextEnd, PassedOver, Stretch};
use crate::text::{Begun, EncodingError, LINE_OCTETS_MAX, LineSettings, TextError};
use crate::window::Window;

/// Maximum bytes of a character.
const CHARACTER_OCTETS_MAX: usize = 4;

pub(crate) struct Unbroken {
    window: Window,
    encoding: Encoding,
    /// The characters of a record.
    width: usize,
    settings: LineSettings,
    has_mark: bool,
    /// Number of records still to skip.
    skip: u64,
    /// The reason why the whole file is set aside.
    refused: Option<Arc<EncodingError>>,
    text: String,
    passed: [(&'static str, u64); 4],
}

/// A record before decoding.
pub(crate) struct Unread<'u> {
    pub(crate) offset: u64,
    pub(crate) octets: &'u [u8],
    /// Its text, or why it has none.
    pub(crate) text: Result<&'u str, TextError>,
}

impl Unbroken {
    /// Reads a file from its beginning.
    pub(crate) fn new(
        contents: &dyn Contents,
        width: usize,
        settings: &LineSettings,
    ) -> io::Result<Self> {
        let mut window = Window::open(contents)?;
        let Begun { encoding, mark_octets, refused } = settings.begin(&mut window)?;
        let mut file = Unbroken::through(window, encoding, width, settings);
        (file.refused, file.has_mark, file.skip) = (refused, mark_octets > 0, settings.skip_lines);
        file.passed[0].1 = mark_octets as u64;
        Ok(file)
    }

    /// Reads a piece set aside from a file with this [context](Self::context).
    pub(crate) fn set_aside(
        context: &[u8],
        contents: &dyn Contents,
        width: usize,
        settings: &LineSettings,
    ) -> io::Result<Self> {
        let found = encoding::find(context, settings.encoding);
        let encoding = found.map_or(Encoding::UTF_8, |found| found.encoding);
        Ok(Unbroken::through(Window::new(contents.octets()?), encoding, width, settings))
    }

    /// Reads on from the end of a record in a file with this [context](Self::context).
    pub(crate) fn over(
        context: &[u8],
        stretch: Stretch,
        width: usize,
        settings: &LineSettings,
    ) -> Self {
        let window = Window::over(stretch);
        let found = encoding::find(context, settings.encoding);
        Unbroken::through(
            window,
            found.map_or(Encoding::UTF_8, |found| found.encoding),
            width,
            settings,
        )
    }

    fn through(window: Window, encoding: Encoding, width: usize, settings: &LineSettings) -> Self {
        let passed = [
            "the mark of the encoding",
            "lines by `skip-lines`",
            "lines by `pass-over`",
            "line ends and filler at the end",
        ];
        Unbroken {
            window,
            encoding,
            width,
            settings: settings.clone(),
            has_mark: false,
            skip: 0,
            refused: None,
            text: String::new(),
            passed: passed.map(|what| (what, 0)),
        }
    }

    /// Returns the part of the file that is needed to read a record alone.
    pub(crate) fn context(&self) -> &'static [u8] {
        if self.has_mark { self.encoding.mark() } else { b"" }
    }

    pub(crate) fn passed_over(&self) -> Vec<PassedOver> {
        let all = self.passed.iter().filter(|(_, octets)| *octets > 0);
        all.map(|(what, octets)| PassedOver { what: (*what).into(), octets: *octets }).collect()
    }

    pub(crate) fn position(&self) -> Option<u64> {
        let is_usual =
            self.refused.is_none() && self.skip == 0 && self.encoding.unit() == Unit::One;
        is_usual.then(|| self.window.position())
    }

    pub(crate) fn into_octets(self) -> Vec<u8> {
        self.window.into_octets()
    }

    pub(crate) fn next(&mut self) -> io::Result<Option<Unread<'_>>> {
        let octets = loop {
            if let Some(reason) = &self.refused {
                let reason = TextError::Encoding(Arc::clone(reason));
                let offset = self.window.position();
                let octets = self.window.look_at(LINE_OCTETS_MAX)?.len();
                let octets = self.window.pass(octets);
                let unread = Unread { offset, octets, text: Err(reason) };
                return Ok((!octets.is_empty()).then_some(unread));
            }
            let ahead = self.window.look_at(self.width * CHARACTER_OCTETS_MAX)?;
            let Some(octets) = end_of(self.encoding, ahead, self.width) else {
                return self.last();
            };
            let text = self.encoding.decode(&ahead[..octets], &mut self.text);
            let is_passed_over = text
                .is_ok_and(|text| self.settings.pass_over.iter().any(|pattern| pattern.fits(text)));
            let why = match self.skip {
                0 if is_passed_over => 2,
                0 => break octets,
                _ => 1,
            };
            self.skip = self.skip.saturating_sub(1);
            self.passed[why].1 += octets as u64;
            self.window.pass(octets);
        };
        let offset = self.window.position();
        let octets = self.window.pass(octets);
        let text = self.encoding.decode(octets, &mut self.text).map_err(TextError::from);
        let text = text.and_then(|text| match text.contains(['\r', '\n']) {
            true => Err(TextError::LineEnd),
            false => Ok(text),
        });
        Ok(Some(Unread { offset, octets, text }))
    }

    /// Returns the incomplete record at the end of the file.
    fn last(&mut self) -> io::Result<Option<Unread<'_>>> {
        let (offset, octets) = (self.window.position(), self.window.ahead().len());
        let ahead = self.window.ahead();
        if ahead.iter().all(|octet| matches!(octet, b'\r' | b'\n' | 0x1A | 0x00)) {
            self.passed[3].1 += octets as u64;
            self.window.pass(octets);
            return Ok(None);
        }
        let text = Err(TextError::EndsWithin { octets, characters: self.width });
        Ok(Some(Unread { offset, octets: self.window.pass(octets), text }))
    }
}

/// Returns where the first `characters` characters end, if they are all there.
fn end_of(encoding: Encoding, octets: &[u8], characters: usize) -> Option<usize> {
    match encoding.unit() {
        Unit::One if encoding != Encoding::UTF_8 => {
            (octets.len() >= characters).then_some(characters)
        }
        Unit::One => {
            if octets.get(..characters)?.is_ascii() {
                return Some(characters);
            }
            let begins = |octet: &u8| *octet & 0xC0 != 0x80;
            let starts = octets.iter().enumerate().filter(|(_, octet)| begins(octet));
            let mut starts = starts.map(|(at, _)| at).skip(characters);
            let has_all = octets.iter().filter(|octet| begins(octet)).count() >= characters;
            has_all.then(|| starts.next().unwrap_or(octets.len()))
        }
        unit => {
            // A low surrogate does not begin a character.
            let is_second = |pair: &[u8; 2]| {
                let octet = if unit == Unit::TwoBig { pair[0] } else { pair[1] };
                octet & 0xFC == 0xDC
            };
            let pairs = octets.as_chunks::<2>().0;
            let mut starts = pairs.iter().enumerate().filter(|(_, pair)| !is_second(pair));
            let has_all = starts.clone().count() >= characters;
            has_all.then(|| starts.nth(characters).map_or(pairs.len() * 2, |(at, _)| at * 2))
        }
    }
}

/// Returns where the first record ends at `from` or later. `octets` start at a record.
pub(crate) fn next_end(
    encoding: Encoding,
    width: usize,
    octets: &[u8],
    from: usize,
) -> Option<NextEnd> {
    let (mut at, mut records) = (0, 0);
    while at < from || records == 0 {
        at += end_of(encoding, octets.get(at..)?, width)?;
        records += 1;
    }
    Some(NextEnd { octets: at, records })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_so_many_characters_in_every_encoding() {
        let check = |encoding: Encoding, text: &str, characters: usize, expected: Option<usize>| {
            let mut octets = Vec::new();
            encoding.encode(text, &mut octets).expect("it has them");
            assert_eq!(end_of(encoding, &octets, characters), expected, "{text} {characters}");
        };
        check(Encoding::UTF_8, "abcd", 3, Some(3));
        check(Encoding::UTF_8, "abc", 3, Some(3));
        check(Encoding::UTF_8, "ab", 3, None);
        check(Encoding::UTF_8, "aéc\u{1f4de}x", 3, Some(4));
        check(Encoding::UTF_8, "aéc\u{1f4de}x", 4, Some(8));
        check(Encoding::UTF_8, "aé", 2, Some(3));
        check(Encoding::ISO_8859_1, "aéc", 2, Some(2));
        check(Encoding::UTF_16LE, "a\u{1f4de}bc", 2, Some(6));
        check(Encoding::UTF_16BE, "a\u{1f4de}", 2, Some(6));
        check(Encoding::UTF_16BE, "a\u{1f4de}", 3, None);
    }
}
