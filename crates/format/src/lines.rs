//! The lines of a file; empty ones are passed over.

use std::io::{self, Read};

use crate::coding::{LastEnd, Stretch};
use crate::window::{CHUNK_OCTETS, Window};

/// Longest line; a longer one is handed on in pieces, as no record.
pub(crate) const LINE_OCTETS_MAX: usize = 1 << 20;

/// A file being read line by line.
pub(crate) struct Lines {
    window: Window,
    /// Whether what comes next is the rest of a line that is too long.
    torn: bool,
    /// The number of the line given last, from 1.
    pub(crate) number: u64,
}

/// A line without its end.
pub(crate) struct Line<'l> {
    pub(crate) offset: u64,
    pub(crate) octets: &'l [u8],
    /// Whether it is a whole line, or why not.
    pub(crate) whole: Result<(), String>,
}

impl Lines {
    pub(crate) fn new(file: Box<dyn Read>) -> Self {
        Lines { window: Window::new(file), torn: false, number: 0 }
    }

    /// From the beginning of a line on.
    pub(crate) fn over(stretch: Stretch) -> Self {
        Lines { window: Window::over(stretch), torn: false, number: 0 }
    }

    /// Where in the file it is, if that is where a line begins.
    pub(crate) fn position(&self) -> Option<u64> {
        (!self.torn).then(|| self.window.position())
    }

    pub(crate) fn into_octets(self) -> Vec<u8> {
        self.window.into_octets()
    }

    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            let (length, passed, ends) = self.measure()?;
            if passed == 0 {
                return Ok(None);
            }
            let torn = std::mem::replace(&mut self.torn, !ends);
            self.number += u64::from(!torn);
            if length == 0 {
                self.window.pass(passed);
                continue;
            }
            let offset = self.window.position();
            let octets = &self.window.pass(passed)[..length];
            let whole = match torn || !ends {
                true => Err(format!("a line of more than {LINE_OCTETS_MAX} octets")),
                false => Ok(()),
            };
            return Ok(Some(Line { offset, octets, whole }));
        }
    }

    /// Octets of the line ahead without and with its end, and whether it ends.
    fn measure(&mut self) -> io::Result<(usize, usize, bool)> {
        let mut searched = 0;
        loop {
            self.window.look_ahead(searched + 1)?;
            // However much is in memory, a line that is too long has the same pieces.
            let in_memory = self.window.ahead().len();
            let ahead = &self.window.ahead()[..in_memory.min(LINE_OCTETS_MAX + 1)];
            let found = ahead[searched..].iter().position(|octet| *octet == b'\n');
            if let Some(place) = found {
                let end = searched + place;
                let carriage_return = usize::from(end > 0 && ahead[end - 1] == b'\r');
                return Ok((end - carriage_return, end + 1, true));
            }
            searched = ahead.len();
            let ends = self.window.is_all() && searched == in_memory;
            if ends || searched > LINE_OCTETS_MAX {
                return Ok((searched, searched, ends));
            }
            self.window.look_ahead((searched + CHUNK_OCTETS).min(LINE_OCTETS_MAX + 1))?;
        }
    }
}

/// Where the last line ends that is not empty, within so many octets that begin behind one.
pub(crate) fn last_end(octets: &[u8], within: usize) -> Option<LastEnd> {
    let octets = &octets[..within.min(octets.len())];
    let mut end = octets.iter().rposition(|octet| *octet == b'\n')?;
    while let Some(before) = octets[..end].strip_suffix(b"\n").or(octets[..end].strip_suffix(b"\n\r")) {
        end = before.len();
    }
    let is_empty = matches!(&octets[..end], [] | [b'\r']);
    let octets = &octets[..=end];
    (!is_empty).then(|| LastEnd { octets: octets.len(), records: lines(octets) })
}

/// The lines that are not empty.
fn lines(octets: &[u8]) -> u64 {
    let is_end = |octet: &u8| *octet == b'\n';
    let ends = octets.iter().filter(|octet| is_end(octet)).count();
    let empty = octets.windows(2).filter(|two| *two == b"\n\n").count()
        + octets.windows(3).filter(|three| *three == b"\n\r\n").count();
    (ends - empty) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_is_one_that_is_not_empty() {
        let check = |text: &str, expected: Option<(usize, u64)>| {
            let found = last_end(text.as_bytes(), text.len()).map(|end| (end.octets, end.records));
            assert_eq!(found, expected, "{text:?}");
        };
        check("ab\ncd\nef", Some((6, 2)));
        check("ab\r\ncd\r\nef", Some((8, 2)));
        check("ab\n\ncd\n\n\n", Some((7, 2)));
        check("ab\r\n\r\ncd\r\n\r\n", Some((10, 2)));
        check("ab", None);
        check("\n\n", None);
        check("\r\n", None);
    }
}
