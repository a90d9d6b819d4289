//! The lines of a file whose values may stand in quotes, with line ends in them (RFC 4180).
//!
//! Where a quote is not closed, or something stands behind a closing one, the line is damaged up to its first
//! line end, and no further.

use std::io::{self, Read};

use crate::coding::{NextEnd, Stretch};
use crate::lines::LINE_OCTETS_MAX;
use crate::window::{CHUNK_OCTETS, Window};

/// Octets that may be looked at in vain, for closing quotes that are not there; each octet of a line adds to it
/// what it is worth. Beyond it a quote closes on its own line. Otherwise hostile files would cost the square
/// of their size.
const PATIENCE_OCTETS: usize = 64 << 20;
const PATIENCE_PER_OCTET: usize = 16;

pub(crate) struct QuotedLines {
    window: Window,
    separator: u8,
    patience: usize,
    /// How far may be looked now.
    reach: usize,
    /// Whether what comes next is the rest of a line that is too long.
    torn: bool,
}

/// A line with its end.
pub(crate) struct QuotedLine<'l> {
    pub(crate) offset: u64,
    pub(crate) octets: &'l [u8],
    pub(crate) fault: Option<&'static str>,
}

/// How far a line goes, its end included.
struct Measured {
    octets: usize,
    fault: Option<&'static str>,
}

/// A value in quotes that does not end as it should, and how far was looked.
struct Unclosed {
    fault: &'static str,
    at: usize,
}

const TOO_LONG: &str = "a line of more than 1 MiB";
const NOT_CLOSED: &str = "a quote is not closed";
const BEHIND_QUOTE: &str = "characters stand behind a closing quote";

impl QuotedLines {
    pub(crate) fn new(file: Box<dyn Read>, separator: u8) -> Self {
        QuotedLines::through(Window::new(file), separator)
    }

    /// From the beginning of a line on.
    pub(crate) fn over(stretch: Stretch, separator: u8) -> Self {
        QuotedLines::through(Window::over(stretch), separator)
    }

    fn through(window: Window, separator: u8) -> Self {
        let (patience, reach) = (PATIENCE_OCTETS, LINE_OCTETS_MAX);
        QuotedLines { window, separator, patience, reach, torn: false }
    }

    /// Where in the file it is, if that is where a line begins, and no patience was lost of late.
    pub(crate) fn position(&self) -> Option<u64> {
        let is_as_new = !self.torn && self.patience == PATIENCE_OCTETS;
        is_as_new.then(|| self.window.position())
    }

    pub(crate) fn into_octets(self) -> Vec<u8> {
        self.window.into_octets()
    }

    /// The next line that is not empty.
    pub(crate) fn next(&mut self) -> io::Result<Option<QuotedLine<'_>>> {
        self.pass_line_ends()?;
        if self.window.ahead().is_empty() {
            return Ok(None);
        }
        let Measured { octets, fault } = match self.torn {
            true => self.rest_of_line()?,
            false => self.measure()?,
        };
        self.patience = (self.patience + octets * PATIENCE_PER_OCTET).min(PATIENCE_OCTETS);
        let offset = self.window.position();
        Ok(Some(QuotedLine { offset, octets: self.window.pass(octets), fault }))
    }

    fn pass_line_ends(&mut self) -> io::Result<()> {
        loop {
            self.window.look_ahead(1)?;
            let ahead = self.window.ahead();
            let blank = ahead.iter().take_while(|octet| is_line_end(**octet)).count();
            // A torn line may end here.
            self.torn &= blank == 0;
            let more = blank == ahead.len() && blank > 0;
            self.window.pass(blank);
            if !more {
                return Ok(());
            }
        }
    }

    /// The octet at a place of the line ahead; none beyond what may be looked at.
    fn octet(&mut self, at: usize) -> io::Result<Option<u8>> {
        if at >= self.window.ahead().len() {
            self.window.look_ahead((at + CHUNK_OCTETS / 4).min(LINE_OCTETS_MAX))?;
        }
        Ok(self.window.ahead().get(at).copied().filter(|_| at < self.reach))
    }

    /// Where the next line end, or quote, from a place on is; where there is none, how far was looked.
    fn find(&mut self, mut at: usize, wanted: impl Fn(u8) -> bool) -> io::Result<usize> {
        while self.octet(at)?.is_some() {
            let ahead = self.window.ahead();
            let ahead = &ahead[..ahead.len().min(self.reach)];
            match ahead[at..].iter().position(|octet| wanted(*octet)) {
                Some(found) => return Ok(at + found),
                None => at = ahead.len(),
            }
        }
        Ok(at)
    }

    fn measure(&mut self) -> io::Result<Measured> {
        self.reach = LINE_OCTETS_MAX;
        let first_end = self.find(0, is_line_end)?;
        self.reach = LINE_OCTETS_MAX.min(first_end + self.patience);
        let (mut at, mut end) = (0, first_end);
        while let Some(begin) = self.quoted(at, end) {
            match self.close(begin)? {
                Ok(behind) => at = behind,
                Err(Unclosed { fault, at }) => {
                    self.patience = self.patience.saturating_sub(at - first_end.min(at));
                    return self.line(first_end, Some(fault));
                }
            }
            if at > end {
                // The value went on behind a line end: so does the line.
                end = self.find(at, is_line_end)?;
            }
        }
        self.line(end, None)
    }

    /// Where the next value in quotes begins on a stretch of the line. A quote within a value that does not
    /// begin with one is a character like others.
    fn quoted(&self, mut at: usize, end: usize) -> Option<usize> {
        let stretch = &self.window.ahead()[..end];
        loop {
            let quote = at + stretch.get(at..)?.iter().position(|octet| *octet == b'"')?;
            if quote == 0 || stretch[quote - 1] == self.separator {
                return Some(quote + 1);
            }
            at = quote + 1;
        }
    }

    /// Where a quoted value ends that begins at `at`, or what is wrong with it.
    fn close(&mut self, mut at: usize) -> io::Result<Result<usize, Unclosed>> {
        loop {
            let closing = self.find(at, |octet| octet == b'"')?;
            if self.octet(closing)?.is_none() {
                return Ok(Err(Unclosed { fault: NOT_CLOSED, at: closing }));
            }
            at = closing + 1;
            match self.octet(at)? {
                Some(b'"') => at += 1,
                None => return Ok(Ok(at)),
                Some(octet) if is_line_end(octet) || octet == self.separator => return Ok(Ok(at)),
                Some(_) => return Ok(Err(Unclosed { fault: BEHIND_QUOTE, at })),
            }
        }
    }

    /// The line up to a line end; one that has none may be too long.
    fn line(&mut self, end: usize, fault: Option<&'static str>) -> io::Result<Measured> {
        self.window.look_ahead(end + 1)?;
        let ends = self.window.ahead().get(end).is_some_and(|octet| is_line_end(*octet));
        let ends_with_file = self.window.is_all() && end == self.window.ahead().len();
        self.torn = !(ends || ends_with_file);
        let fault = if self.torn { Some(TOO_LONG) } else { fault };
        Ok(Measured { octets: end + usize::from(ends), fault })
    }

    /// What is left of a line that is too long, or as much of it as a line may have.
    fn rest_of_line(&mut self) -> io::Result<Measured> {
        self.reach = LINE_OCTETS_MAX;
        let end = self.find(0, is_line_end)?;
        self.line(end, Some(TOO_LONG))
    }
}

/// Where the first line likely ends so many octets on or later that is not empty, of octets that begin behind one: as many
/// quotes as open before it close. Where none does, one was a character like others.
pub(crate) fn next_end(octets: &[u8], from: usize) -> Option<NextEnd> {
    let from = from.saturating_sub(1).min(octets.len());
    let ends = |at: usize| at > 0 && is_line_end(octets[at]) && !is_line_end(octets[at - 1]);
    let mut open = octets[..from].iter().filter(|octet| **octet == b'"').count() % 2;
    let is_it = |at: &usize| {
        open ^= usize::from(octets[*at] == b'"');
        open == 0 && ends(*at)
    };
    let end =
        (from..octets.len()).find(is_it).or_else(|| (from..octets.len()).find(|at| ends(*at)))?;
    Some(NextEnd { octets: end + 1, records: lines(&octets[..=end]) })
}

/// The lines that are not empty, but for line ends within quotes.
fn lines(octets: &[u8]) -> u64 {
    let ends = |two: &&[u8]| !is_line_end(two[0]) && is_line_end(two[1]);
    octets.windows(2).filter(ends).count() as u64
}

fn is_line_end(octet: u8) -> bool {
    matches!(octet, b'\r' | b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_does_not_end_within_quotes() {
        let check = |text: &str, from: usize, expected: Option<(usize, u64)>| {
            let found = next_end(text.as_bytes(), from).map(|end| (end.octets, end.records));
            assert_eq!(found, expected, "{text:?} {from}");
        };
        check("a;b\nc;d\ne", 0, Some((4, 1)));
        check("a;b\nc;d\ne", 5, Some((8, 2)));
        check("a;b\nc;d\ne", 9, None);
        check("\na;b\r\n\r\nc;d\r\n", 6, Some((12, 2)));
        check("a;\"b\nc\"\nd\n", 0, Some((8, 2)));
        check("a;\"b\nc\"\nd\n", 5, Some((8, 2)));
        check("a;\"b\nc\nd", 0, Some((5, 1)));
    }
}
