//! The lines of a file; empty ones are passed over.

use std::io::{self, Read};

use crate::coding::{NextEnd, Stretch};
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

/// Where the first line ends so many octets on or later that is not empty, of octets that begin behind one.
pub(crate) fn next_end(octets: &[u8], from: usize) -> Option<NextEnd> {
    let from = from.saturating_sub(1);
    let ends = octets.iter().enumerate().skip(from).filter(|(_, octet)| **octet == b'\n');
    let is_empty = |end: usize| {
        let line = &octets[..end];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        line.last().is_none_or(|octet| *octet == b'\n')
    };
    let (end, _) = { ends }.find(|(end, _)| !is_empty(*end))?;
    Some(NextEnd { octets: end + 1, records: lines(&octets[..=end]) })
}

/// The lines that are not empty.
fn lines(octets: &[u8]) -> u64 {
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
        let check = |text: &str, from: usize, expected: Option<(usize, u64)>| {
            let found = next_end(text.as_bytes(), from).map(|end| (end.octets, end.records));
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
