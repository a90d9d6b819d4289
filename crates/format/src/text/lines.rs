//! The lines of a text file, with their offsets. Used for CSV, fixed-width and JSON records.
//!
//! Anything that is not a record is either skipped and counted or set aside once, and never affects
//! its neighbours. Skipped: the byte order mark, lines excluded by settings, empty lines, a Ctrl-Z
//! at the end. Set aside: runs of NULs, as left by a crashed writer or a copied log; overlong
//! lines; unclosed quotes. A file in another encoding is set aside in pieces, with one reason.

use std::borrow::Cow;
use std::io::{self, Read};
use std::sync::Arc;

use cells::{Blanks, LineEnd, Row, Rules};
use diagnostics::Encoding;
use diagnostics::encoding::{self, Unit};

use super::error::{EncodingError, TextError};
use super::settings::{Begun, LineSettings};
use super::units::Units;
use crate::coding::{NextEnd, PassedOver, Stretch};
use crate::patience::Patience;
use crate::window::{CHUNK_OCTETS, Window};

/// Maximum length of a line. Longer lines, and files that cannot be read at all, are set aside in
/// pieces of this size.
pub(crate) const LINE_OCTETS_MAX: usize = 1 << 20;

/// The octets stored for a run of NULs; its length is the only information in it.
const NULS: [u8; 64] = [0; 64];

/// The end-of-file character of DOS and CP/M.
const CTRL_Z: u8 = 0x1A;

pub(crate) struct Lines {
    units: Units,
    encoding: Encoding,
    rules: Rules,
    settings: LineSettings,
    /// The reason why the whole file is set aside.
    refused: Option<Arc<EncodingError>>,
    has_begun: bool,
    /// Whether the rest of an overlong line comes next.
    torn: bool,
    /// The budget for missing closing quotes. When it is used up, a quote must close on its own line.
    patience: Patience,
    /// Number of the last line returned, from 1.
    pub(crate) number: u64,
    passed: Passed,
    has_mark: bool,
    /// Everything read since the beginning of the file, while the caller needs it.
    beginning: Option<Vec<u8>>,
}

/// Counts of skipped bytes.
#[derive(Default)]
struct Passed {
    mark: u64,
    skipped: u64,
    fitting: u64,
    empty: u64,
    ctrl_z: u64,
    is_open_ended: bool,
}

pub(crate) struct Line<'l> {
    pub(crate) offset: u64,
    /// The octets with the line end.
    pub(crate) octets: &'l [u8],
    /// Length without the line end.
    length: usize,
    /// The reason why it is not a record.
    pub(crate) fault: Option<TextError>,
    encoding: Encoding,
}

/// What comes next; positions are in units.
enum Ahead {
    Nothing,
    /// A line. `next` is behind its line end.
    Line {
        end: usize,
        next: usize,
        fault: Option<TextError>,
    },
    Nuls,
}

impl<'l> Line<'l> {
    /// Returns the line without its line end.
    pub(crate) fn content(&self) -> &'l [u8] {
        &self.octets[..self.length]
    }

    /// Returns the fault, if this is a run of NULs instead of a line.
    pub(crate) fn nuls(&self) -> Option<&TextError> {
        self.fault.as_ref().filter(|_| self.octets.iter().all(|octet| *octet == 0))
    }

    /// Returns its text, or why it has none.
    pub(crate) fn text<'t>(&self, buffer: &'t mut String) -> Result<&'t str, TextError>
    where
        'l: 't,
    {
        match &self.fault {
            Some(fault) => Err(fault.clone()),
            None => text(self.encoding, self.content(), buffer),
        }
    }
}

/// Decodes the text of a line.
fn text<'t>(
    encoding: Encoding,
    octets: &'t [u8],
    buffer: &'t mut String,
) -> Result<&'t str, TextError> {
    encoding.decode(octets, buffer).map_err(|malformed| match encoding == Encoding::UTF_8 {
        true => TextError::NotUtf8(Box::new(malformed)),
        false => malformed.into(),
    })
}

impl Lines {
    /// Reads a file from its beginning. With a separator, values may be quoted.
    pub(crate) fn new(
        mut window: Window,
        separator: Option<u8>,
        settings: &LineSettings,
    ) -> io::Result<Self> {
        let Begun { encoding, mark_octets, refused } = settings.begin(&mut window)?;
        let mut lines = Lines::through(window, encoding, separator, settings);
        lines.passed.mark = mark_octets as u64;
        lines.has_mark = mark_octets > 0;
        lines.refused = refused;
        Ok(lines)
    }

    /// Reads on from a [position](Self::position) in a file with this [context](Self::context).
    pub(crate) fn over(
        context: &[u8],
        stretch: Stretch,
        separator: Option<u8>,
        settings: &LineSettings,
    ) -> Self {
        let found = encoding::find(context, settings.encoding);
        let encoding = found.map_or(Encoding::UTF_8, |found| found.encoding);
        let mut lines = Lines::through(Window::over(stretch), encoding, separator, settings);
        lines.rules.line_end = Some(LineEnd::LineFeed);
        lines.has_begun = true;
        lines
    }

    /// Reads a piece set aside from a file with this [context](Self::context).
    pub(crate) fn open_piece(
        context: &[u8],
        file: Box<dyn Read>,
        separator: Option<u8>,
        settings: &LineSettings,
    ) -> io::Result<Self> {
        let found = encoding::find(context, settings.encoding);
        let encoding = found.ok().filter(|_| !context.is_empty()).map(|found| found.encoding);
        let mut lines = Lines::new(Window::new(file), separator, settings)?;
        if let Some(encoding) = encoding
            && !lines.has_mark
        {
            (lines.encoding, lines.refused) = (encoding, None);
            lines.units = lines.units.of(encoding.unit());
        }
        lines.has_begun = true;
        lines.settings.last_line_must_end = false;
        // A line that ends with a carriage return comes from a file of such lines.
        lines.units.look_ahead(LINE_OCTETS_MAX)?;
        let is_return = lines.units.ahead().last() == Some(&b'\r');
        lines.rules.line_end =
            Some(if is_return { LineEnd::CarriageReturn } else { LineEnd::LineFeed });
        Ok(lines)
    }

    fn through(
        window: Window,
        encoding: Encoding,
        separator: Option<u8>,
        settings: &LineSettings,
    ) -> Self {
        Lines {
            units: Units::new(window, encoding.unit()),
            encoding,
            rules: Rules { separator, line_end: None, blanks: Blanks::Preserved },
            settings: settings.clone(),
            refused: None,
            has_begun: false,
            torn: false,
            patience: Patience::WHOLE,
            number: 0,
            passed: Passed::default(),
            has_mark: false,
            beginning: None,
        }
    }

    /// Returns whether the whole file is set aside in pieces, with one reason.
    pub(crate) fn is_refused(&self) -> bool {
        self.refused.is_some()
    }

    /// Returns the part that is needed to read a line of a file without a header alone: the byte order mark.
    pub(crate) fn context(&self) -> &'static [u8] {
        if self.has_mark { self.encoding.mark() } else { b"" }
    }

    /// Records what is read from here on, at the beginning of a file, for [`take_beginning`](Self::take_beginning).
    pub(crate) fn record_beginning(&mut self) {
        self.beginning = Some(self.context().to_vec());
    }

    /// Returns everything read since the beginning of the file, without runs of NULs. Stops recording.
    pub(crate) fn take_beginning(&mut self) -> Vec<u8> {
        self.beginning.take().unwrap_or_default()
    }

    /// Returns the current offset, if another reader could start there and give the same lines.
    pub(crate) fn position(&self) -> Option<u64> {
        let is_as_new = !self.torn && self.patience == Patience::WHOLE && self.refused.is_none();
        let is_usual = self.has_begun
            && self.encoding.unit() == Unit::One
            && self.rules.line_end == Some(LineEnd::LineFeed);
        (is_as_new && is_usual).then(|| self.units.position())
    }

    pub(crate) fn offset(&self) -> u64 {
        self.units.position()
    }

    pub(crate) fn into_octets(self) -> Vec<u8> {
        self.units.into_octets()
    }

    /// Returns what has been skipped so far.
    pub(crate) fn passed_over(&self) -> Vec<PassedOver> {
        let Passed { mark, skipped, fitting, empty, ctrl_z, is_open_ended } = self.passed;
        let mut all = vec![
            (format!("the mark of {}", self.encoding.name()).into(), mark),
            (Cow::from("lines by `skip-lines`"), skipped),
            (Cow::from("lines by `pass-over`"), fitting),
            (Cow::from("empty lines"), empty),
            (Cow::from("Ctrl-Z at the end"), ctrl_z),
        ];
        all.retain(|(_, octets)| *octets > 0);
        if is_open_ended {
            all.push((Cow::from("the last line has no end: the file may be cut off"), 0));
        }
        all.into_iter().map(|(what, octets)| PassedOver { what, octets }).collect()
    }

    /// Returns the next line that is not skipped.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        if let Some(reason) = self.refused.clone() {
            let fault = Some(TextError::Encoding(reason));
            return Ok(self.piece()?.map(|piece| Line { fault, ..piece }));
        }
        if !self.has_begun {
            self.begin()?;
        }
        loop {
            match self.look()? {
                Ahead::Nothing => return Ok(None),
                Ahead::Nuls => return self.nuls().map(Some),
                Ahead::Line { end: 0, next, fault: None } if !self.has_long_beginning() => {
                    self.number += 1;
                    self.passed.empty += self.pass_noted(next);
                }
                Ahead::Line { end, next, mut fault } => {
                    self.number += 1;
                    self.patience.earn(next);
                    if self.has_long_beginning() {
                        fault = Some(TextError::LongBeginning);
                    } else if fault.is_none() && self.is_passed_over(end) {
                        self.passed.fitting += self.pass_noted(next);
                        continue;
                    }
                    let length = self.units.octets(end);
                    let (offset, encoding) = (self.units.position(), self.encoding);
                    let octets = self.units.pass(next);
                    if let Some(beginning) = &mut self.beginning {
                        beginning.extend_from_slice(octets);
                    }
                    return Ok(Some(Line { offset, octets, length, fault, encoding }));
                }
            }
        }
    }

    /// Determines the line end and skips the lines that `skip-lines` excludes.
    fn begin(&mut self) -> io::Result<()> {
        self.has_begun = true;
        let plain = Rules { separator: None, ..self.rules };
        let rules = if self.settings.skip_lines > 0 { plain } else { self.rules };
        let mut wanted = CHUNK_OCTETS / 4;
        self.rules.line_end = loop {
            self.units.look_ahead(wanted)?;
            let found = rules.find_line_end(self.units.ahead(), self.units.is_all());
            if found.is_some() || self.units.is_all() || wanted >= LINE_OCTETS_MAX {
                break found.or(Some(LineEnd::LineFeed));
            }
            wanted = (wanted * 2).min(LINE_OCTETS_MAX);
        };
        for _ in 0..self.settings.skip_lines {
            self.units.look_ahead(1)?;
            if self.units.ahead().is_empty() {
                break;
            }
            let plain = Rules { line_end: self.rules.line_end, ..plain };
            let (row, _, _) = self.measure(plain)?;
            self.passed.skipped += self.pass_noted(row.next);
            self.number += 1;
        }
        Ok(())
    }

    fn look(&mut self) -> io::Result<Ahead> {
        self.units.look_ahead(1)?;
        let Some(first) = self.units.ahead().first().copied() else { return Ok(Ahead::Nothing) };
        match first {
            0 if !self.settings.has_nuls && !self.torn => return Ok(Ahead::Nuls),
            CTRL_Z if self.pass_last()? => return Ok(Ahead::Nothing),
            _ => {}
        }
        if self.torn {
            let plain = Rules { separator: None, ..self.rules };
            let (Row { end, next, .. }, has_end, is_last) = self.measure(plain)?;
            self.torn = !has_end && !is_last;
            return Ok(Ahead::Line { end, next, fault: (end > 0).then_some(TextError::TooLong) });
        }
        let (Row { end, next, fault }, has_end, is_last) = self.measure(self.rules)?;
        self.torn = !has_end && !is_last;
        let mut fault = fault.map(|fault| TextError::Quote(fault.what));
        if self.torn {
            fault = Some(TextError::TooLong);
        } else if !has_end {
            self.passed.is_open_ended = self.number > 0 && next == self.units.ahead().len();
            if self.passed.is_open_ended && self.settings.last_line_must_end {
                fault = Some(TextError::CutOff);
            }
        }
        let line = &self.units.ahead()[..end];
        if !self.settings.has_nuls && line.contains(&0) {
            let at = line.iter().take_while(|octet| **octet != 0).count();
            fault = Some(TextError::Nuls(at + 1));
        }
        Ok(Ahead::Line { end, next, fault })
    }

    /// Returns the row ahead, whether it has a line end, and whether it is the last in the file.
    fn measure(&mut self, rules: Rules) -> io::Result<(Row, bool, bool)> {
        let reach = match self.patience {
            Patience::WHOLE => LINE_OCTETS_MAX,
            patience => {
                let plain = Rules { separator: None, ..rules };
                let first_end = self.row(plain, LINE_OCTETS_MAX)?.end;
                LINE_OCTETS_MAX.min(first_end + 2 + patience.octets())
            }
        };
        let row = self.row(rules, reach)?;
        if let Some(fault) = row.fault {
            self.patience.spend(fault.at.saturating_sub(row.end));
        }
        let (ahead, are_all) = self.text_ahead();
        let is_at_end = are_all && row.next == ahead.len();
        let has_end = row.end < row.next;
        let mut row = row;
        if is_at_end && !has_end && self.rules.line_end != Some(LineEnd::CarriageReturn) {
            // The file was truncated between the two characters of a line end.
            let returns = ahead[..row.end].iter().rev().take_while(|octet| **octet == b'\r');
            row.end -= returns.count();
        }
        Ok((row, has_end || row.end < row.next, is_at_end))
    }

    /// Returns the text ahead, without a Ctrl-Z at the end of the file, and whether it is the rest of the file.
    fn text_ahead(&self) -> (&[u8], bool) {
        let ahead = self.units.ahead();
        if !self.units.is_all() {
            return (ahead, false);
        }
        let ctrl_z = ahead.iter().rev().take_while(|octet| **octet == CTRL_Z).count();
        // A Ctrl-Z at the start of the text has been handled already.
        (&ahead[..(ahead.len() - ctrl_z).max(1).min(ahead.len())], true)
    }

    /// Returns the row ahead, from at most `reach` octets.
    fn row(&mut self, rules: Rules, reach: usize) -> io::Result<Row> {
        let mut wanted = 1;
        loop {
            self.units.look_ahead(wanted)?;
            let (ahead, is_rest) = self.text_ahead();
            let known = ahead.len().min(reach);
            let are_all = known == reach || (is_rest && known == ahead.len());
            match rules.row(&ahead[..known], are_all) {
                Some(row) => return Ok(row),
                None => wanted = (known * 2).clamp(CHUNK_OCTETS / 4, LINE_OCTETS_MAX),
            }
        }
    }

    /// Returns whether more is recorded than any file has before its first record.
    fn has_long_beginning(&self) -> bool {
        self.beginning.as_ref().is_some_and(|beginning| beginning.len() > LINE_OCTETS_MAX)
    }

    /// Skips units that are not a record. Returns their length in octets.
    fn pass_noted(&mut self, units: usize) -> u64 {
        let octets = self.units.pass(units);
        if let Some(beginning) = &mut self.beginning {
            beginning.extend_from_slice(octets);
        }
        octets.len() as u64
    }

    /// Returns whether the line up to `end` matches a `pass-over` pattern.
    fn is_passed_over(&mut self, end: usize) -> bool {
        if self.settings.pass_over.is_empty() {
            return false;
        }
        let octets = self.units.raw(end);
        let mut buffer = String::new();
        let text = match self.encoding.decode(octets, &mut buffer) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(octets),
        };
        self.settings.pass_over.iter().any(|pattern| pattern.fits(&text))
    }

    /// Skips Ctrl-Z characters at the end of the file.
    fn pass_last(&mut self) -> io::Result<bool> {
        self.units.look_ahead(CHUNK_OCTETS)?;
        let ahead = self.units.ahead();
        let is_end = |octet: &u8| matches!(octet, &CTRL_Z | 0 | b'\r' | b'\n');
        let are_last = self.units.is_all() && ahead.iter().all(is_end);
        if are_last {
            let units = ahead.len();
            self.passed.ctrl_z += self.pass_noted(units);
        }
        Ok(are_last)
    }

    /// Skips a run of NULs of any length, and returns it as one piece.
    #[cold]
    fn nuls(&mut self) -> io::Result<Line<'_>> {
        let offset = self.units.position();
        loop {
            self.units.look_ahead(CHUNK_OCTETS)?;
            let ahead = self.units.ahead();
            let nuls = ahead.iter().take_while(|octet| **octet == 0).count();
            let is_over = nuls < ahead.len() || nuls == 0;
            self.units.pass(nuls);
            if is_over {
                break;
            }
        }
        let octets = self.units.position() - offset;
        let length = octets.min(NULS.len() as u64) as usize;
        let (encoding, fault) = (self.encoding, Some(TextError::NulRun(octets)));
        Ok(Line { offset, octets: &NULS[..length], length, fault, encoding })
    }

    /// Returns a piece of a file that is set aside whole. It ends at a line end if there is one.
    #[cold]
    pub(crate) fn piece(&mut self) -> io::Result<Option<Line<'_>>> {
        self.units.look_ahead(LINE_OCTETS_MAX)?;
        let ahead = self.units.ahead();
        let known = &ahead[..ahead.len().min(LINE_OCTETS_MAX)];
        let is_last = self.units.is_all() && known.len() == ahead.len();
        let ended = known.iter().rposition(|octet| *octet == b'\n').map(|at| at + 1);
        let units = if is_last { known.len() } else { ended.unwrap_or(known.len()) };
        if units == 0 {
            return Ok(None);
        }
        let (offset, encoding) = (self.units.position(), self.encoding);
        let octets = self.units.pass(units);
        Ok(Some(Line { offset, octets, length: octets.len(), fault: None, encoding }))
    }
}

/// Returns where the first non-empty line ends that is at least `from` octets long. `octets` start at a line. If values
/// may be quoted, prefers a line end outside quotes; if there is none, a stray quote is an ordinary character.
pub(crate) fn next_end(octets: &[u8], from: usize, has_quotes: bool) -> Option<NextEnd> {
    let from = from.saturating_sub(1).min(octets.len());
    let ends = |at: usize| {
        let line = &octets[..at];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        octets[at] == b'\n' && line.last().is_some_and(|octet| *octet != b'\n')
    };
    let quotes = |octets: &[u8]| octets.iter().filter(|octet| **octet == b'"').count() % 2;
    let mut open = if has_quotes { quotes(&octets[..from]) } else { 0 };
    let is_it = |at: &usize| {
        open ^= usize::from(has_quotes && octets[*at] == b'"');
        open == 0 && ends(*at)
    };
    let end =
        (from..octets.len()).find(is_it).or_else(|| (from..octets.len()).find(|at| ends(*at)))?;
    Some(NextEnd { octets: end + 1, records: count(&octets[..=end]) })
}

/// Returns the number of non-empty lines; line ends within quotes count too.
fn count(octets: &[u8]) -> u64 {
    let ends = octets.iter().filter(|octet| **octet == b'\n').count();
    let empty = octets.windows(2).filter(|two| *two == b"\n\n").count()
        + octets.windows(3).filter(|three| *three == b"\n\r\n").count();
    let begins_empty = octets.starts_with(b"\n") || octets.starts_with(b"\r\n");
    (ends - empty) as u64 - u64::from(begins_empty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_end_is_that_of_a_line_that_is_not_empty() {
        for has_quotes in [false, true] {
            let check = |text: &str, from: usize, expected: Option<(usize, u64)>| {
                let found = next_end(text.as_bytes(), from, has_quotes);
                let found = found.map(|end| (end.octets, end.records));
                assert_eq!(found, expected, "{text:?} {from}");
            };
            check("ab\ncd\nef", 0, Some((3, 1)));
            check("ab\ncd\nef", 3, Some((3, 1)));
            check("ab\ncd\nef", 4, Some((6, 2)));
            check("ab\ncd\nef", 7, None);
            check("ab\r\ncd\r\nef", 4, Some((4, 1)));
            check("ab\n\n\r\ncd\n\n", 4, Some((9, 2)));
            check("\n\nab\n", 0, Some((5, 1)));
        }
    }

    #[test]
    fn a_line_does_not_end_within_quotes() {
        let check = |text: &str, from: usize, expected: Option<(usize, u64)>| {
            let found = next_end(text.as_bytes(), from, true).map(|end| (end.octets, end.records));
            assert_eq!(found, expected, "{text:?} {from}");
        };
        check("a;\"b\nc\"\nd\n", 0, Some((8, 2)));
        check("a;\"b\nc\"\nd\n", 5, Some((8, 2)));
        check("a;\"b\nc\nd", 0, Some((5, 1)));
        check("a;\"b\nc\"\nd\n", 9, Some((10, 3)));
    }
}
