//! A part of a file in memory that moves on as records are read.

use std::io::{self, Read, Take};

use crate::coding::{Contents, Stretch};

/// The octets of a read.
pub(crate) const CHUNK_OCTETS: usize = 256 * 1024;

/// A window of a file.
pub(crate) struct Window {
    source: Take<Box<dyn Read>>,
    /// There is room after `end`, so that memory need not be cleared before a read.
    octets: Vec<u8>,
    /// The index of the next octet.
    start: usize,
    end: usize,
    /// The offset of the window's first octet in the file.
    offset: u64,
    at_end: bool,
    /// Octets in memory after `end` that are [beyond it](Self::end_at).
    beyond: usize,
}

impl Window {
    /// Creates a window at the beginning of a source.
    pub(crate) fn new(source: Box<dyn Read>) -> Self {
        let source = source.take(u64::MAX);
        Window { source, octets: Vec::new(), start: 0, end: 0, offset: 0, at_end: false, beyond: 0 }
    }

    /// Creates a window at the beginning of a file. It uses the memory that the contents bring: to clear new memory costs
    /// more than to read a small file.
    pub(crate) fn open(contents: &dyn Contents) -> io::Result<Self> {
        Ok(Window { octets: contents.memory(), ..Window::new(contents.octets()?) })
    }

    /// Creates a window at the beginning of a stretch in memory.
    pub(crate) fn over(stretch: Stretch) -> Self {
        let Stretch { offset, octets, begin: start, end, behind } = stretch;
        Window { octets, start, end, offset: offset - start as u64, ..Window::new(behind) }
    }

    /// Returns its memory.
    pub(crate) fn into_octets(self) -> Vec<u8> {
        self.octets
    }

    /// Returns the octets in memory that were not passed yet.
    #[inline]
    pub(crate) fn ahead(&self) -> &[u8] {
        &self.octets[self.start..self.end]
    }

    /// Returns the offset in the file of the next octet.
    #[inline]
    pub(crate) fn position(&self) -> u64 {
        self.offset + self.start as u64
    }

    /// Returns whether [`ahead`](Self::ahead) is the rest of the file.
    pub(crate) fn is_all(&self) -> bool {
        self.at_end
    }

    /// Loads so many octets, if the file has them.
    #[inline]
    pub(crate) fn look_ahead(&mut self, octets: usize) -> io::Result<()> {
        match self.at_end || self.end - self.start >= octets {
            true => Ok(()),
            false => self.fill(octets),
        }
    }

    /// Returns so many octets, if the file has them, and no more, so that results do not depend on how many are in
    /// memory.
    pub(crate) fn look_at(&mut self, octets: usize) -> io::Result<&[u8]> {
        self.look_ahead(octets)?;
        let ahead = self.ahead();
        Ok(&ahead[..ahead.len().min(octets)])
    }

    #[cold]
    fn fill(&mut self, octets: usize) -> io::Result<()> {
        self.octets.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.offset += self.start as u64;
        self.start = 0;
        let wanted = octets.max(self.end + CHUNK_OCTETS);
        if self.octets.len() < wanted {
            self.octets.resize(wanted, 0);
        }
        while self.end < wanted && !self.at_end {
            match self.source.read(&mut self.octets[self.end..wanted]) {
                Ok(read) => {
                    self.end += read;
                    self.at_end = read == 0;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Limits the window to end at an offset that was not passed yet, until [`go_on`](Self::go_on).
    pub(crate) fn end_at(&mut self, end: u64) {
        let in_memory = self.offset + self.end as u64;
        if end <= in_memory {
            self.beyond = (in_memory - end) as usize;
            self.end -= self.beyond;
            self.at_end = true;
        } else {
            self.source.set_limit(end - in_memory);
        }
    }

    /// Removes the limit set by [`end_at`](Self::end_at).
    pub(crate) fn go_on(&mut self) {
        self.end += std::mem::take(&mut self.beyond);
        self.source.set_limit(u64::MAX);
        self.at_end = false;
    }

    /// Passes octets and returns them.
    #[inline]
    pub(crate) fn pass(&mut self, octets: usize) -> &[u8] {
        let start = self.start;
        self.start += octets;
        &self.octets[start..start + octets]
    }

    /// Passes octets that may not be in memory. Returns how many there were.
    pub(crate) fn skip(&mut self, octets: u64) -> io::Result<u64> {
        let mut left = octets;
        while left > 0 {
            self.look_ahead(1)?;
            let now = (self.ahead().len() as u64).min(left);
            if now == 0 {
                break;
            }
            self.start += now as usize;
            left -= now;
        }
        Ok(octets - left)
    }
}
