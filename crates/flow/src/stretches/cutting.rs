//! Reads a file once, from its beginning to its end, and cuts it into stretches.

use std::io::{self, Read as _};

use format::coding::{LastEnd, Stretches};

use super::{Cut, END};
use crate::input::InputOctets;

/// Octets at hand behind a stretch, so that its last records are not read again: more than most records have.
const BEHIND_OCTETS: usize = 16 << 10;

/// Octets read at once, to be digested before they leave a processor's cache.
const READ_OCTETS: usize = 256 << 10;

/// Stretches in which a record's end is looked for. Where there is none, the file is cut somewhere.
const LOOKED_AT: usize = 32;

pub(super) struct Cutting {
    input: InputOctets,
    /// What was read and not cut yet.
    ahead: Vec<u8>,
    /// Where that begins, and how many records there likely are before it.
    at: (u64, u64),
    is_at_end: bool,
    stretch_octets: usize,
}

impl Cutting {
    pub(super) fn new(input: InputOctets, at: (u64, u64), stretch_octets: usize) -> Self {
        Cutting { input, ahead: Vec::new(), at, is_at_end: false, stretch_octets }
    }

    /// The next stretch, in this memory; none at the end of the file.
    pub(super) fn next(
        &mut self,
        reads: &dyn Stretches,
        context: &[u8],
        mut octets: Vec<u8>,
    ) -> io::Result<Option<Cut>> {
        let mut length = self.ahead.len();
        let mut wanted = self.stretch_octets + BEHIND_OCTETS;
        octets.resize(octets.len().max(length), 0);
        octets[..length].copy_from_slice(&self.ahead);
        let last = loop {
            length = self.fill(&mut octets, length, wanted)?;
            if self.is_at_end && length <= self.stretch_octets {
                break None;
            }
            let within = wanted - BEHIND_OCTETS;
            let last = reads.last_end(context, &octets[..length], within.min(length));
            if last.is_some() || self.is_at_end {
                break last;
            }
            if wanted > LOOKED_AT * self.stretch_octets {
                break Some(LastEnd { octets: within, records: 0 });
            }
            wanted *= 2;
        };
        let (start, records_before) = self.at;
        self.ahead.clear();
        let end = match last {
            None if length == 0 => return Ok(None),
            None => END,
            Some(LastEnd { octets: end, records }) => {
                self.ahead.extend_from_slice(&octets[end..length]);
                self.at = (start + end as u64, records_before + records);
                self.at.0
            }
        };
        Ok(Some(Cut { start, end, records_before, octets: (octets, length) }))
    }

    /// Fills memory up to so many octets, if the file has them.
    fn fill(&mut self, octets: &mut Vec<u8>, mut length: usize, wanted: usize) -> io::Result<usize> {
        octets.resize(octets.len().max(wanted), 0);
        while length < wanted && !self.is_at_end {
            let until = wanted.min(length + READ_OCTETS);
            match self.input.read(&mut octets[length..until]) {
                Ok(read) => {
                    length += read;
                    self.is_at_end = read == 0;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(length)
    }

    /// So many records are before a place where so many were expected.
    pub(super) fn recount(&mut self, expected: u64, found: u64) {
        self.at.1 = self.at.1.wrapping_add(found.wrapping_sub(expected));
    }
}
