//! The lines of a file; empty ones are passed over.

use std::io::{self, Read};

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
            let ahead = self.window.ahead();
            let found = ahead[searched..].iter().position(|octet| *octet == b'\n');
            if let Some(place) = found {
                let end = searched + place;
                let carriage_return = usize::from(end > 0 && ahead[end - 1] == b'\r');
                return Ok((end - carriage_return, end + 1, true));
            }
            searched = ahead.len();
            if self.window.is_all() || searched >= LINE_OCTETS_MAX {
                return Ok((searched, searched, self.window.is_all()));
            }
            self.window.look_ahead((searched + CHUNK_OCTETS).min(LINE_OCTETS_MAX))?;
        }
    }
}
