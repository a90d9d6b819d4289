//! BER records one after another in a file, with filler between them, some of them damaged.
//!
//! A window of the file is in memory, so that memory does not grow with the file.

use std::fs::File;
use std::io::{self, Read as _};

use asn1::ber::{Decoder, Reason, extent};
use record::Arena;

use crate::coding::{Read, Reader};

/// Octets read at once.
const CHUNK_OCTETS: usize = 256 * 1024;
/// Largest record of a file of records: a length beyond this is damage. (A file that is one record, as
/// in TAP, is smaller, GSMA TD.57.)
const RECORD_OCTETS_MAX: usize = 16 * 1024 * 1024;
/// How far behind damage the next record is looked for; then what was skipped is reported and the
/// search begins anew. Bounds the time that hostile octets can take.
const SEARCH_OCTETS_MAX: usize = 64 * 1024;

const _: () = assert!(SEARCH_OCTETS_MAX < CHUNK_OCTETS);

/// A file being read.
pub(crate) struct BerFile<'p> {
    decoder: Decoder<'p>,
    file: File,
    window: Vec<u8>,
    /// What in the window comes next.
    start: usize,
    /// Where in the file the window begins.
    offset: u64,
    at_end: bool,
}

impl<'p> BerFile<'p> {
    pub(crate) fn new(decoder: Decoder<'p>, file: File) -> Self {
        BerFile { decoder, file, window: Vec::new(), start: 0, offset: 0, at_end: false }
    }

    fn ahead(&self) -> &[u8] {
        &self.window[self.start..]
    }

    /// Makes sure that so many octets lie ahead, if the file has them.
    fn look_ahead(&mut self, octets: usize) -> io::Result<()> {
        if self.at_end || self.ahead().len() >= octets {
            return Ok(());
        }
        self.window.drain(..self.start);
        self.offset += self.start as u64;
        self.start = 0;
        let wanted = (octets - self.window.len()).max(CHUNK_OCTETS);
        let read = (&self.file).take(wanted as u64).read_to_end(&mut self.window)?;
        self.at_end = read < wanted;
        Ok(())
    }

    /// Skips filler; whether there is a record behind it.
    fn skip_filler(&mut self) -> io::Result<bool> {
        loop {
            self.look_ahead(1)?;
            match self.ahead().iter().position(|octet| !is_filler(*octet)) {
                Some(filler) => {
                    self.start += filler;
                    return Ok(true);
                }
                None => self.start = self.window.len(),
            }
            if self.at_end {
                return Ok(false);
            }
        }
    }

    /// Length of the record ahead.
    fn record_length(&mut self) -> io::Result<Result<usize, Reason>> {
        loop {
            let found = extent(self.ahead(), 0);
            let more_may_help = matches!(found, Err(Reason::Truncated | Reason::LongerThanParent));
            let seen = self.ahead().len();
            if !more_may_help || self.at_end || seen >= RECORD_OCTETS_MAX {
                return Ok(found);
            }
            self.look_ahead((seen * 2).clamp(CHUNK_OCTETS, RECORD_OCTETS_MAX))?;
        }
    }

    /// How many octets belong to the damage ahead: up to the next place where a record can be read.
    #[cold]
    fn damage(&mut self, length: Option<usize>, arena: &mut Arena) -> io::Result<usize> {
        self.look_ahead(CHUNK_OCTETS.max(length.unwrap_or(0) + CHUNK_OCTETS))?;
        let ahead = &self.window[self.start..];
        let mut starts = |at: usize| {
            arena.reset();
            match ahead.get(at) {
                None => true,
                Some(octet) if is_filler(*octet) => false,
                Some(_) => extent(ahead, at)
                    .is_ok_and(|end| self.decoder.decode(&ahead[at..end], arena).is_ok()),
            }
        };
        // Where the length is sound, the damage ends with the record.
        if let Some(length) = length {
            let filler = ahead[length..].iter().take_while(|octet| is_filler(**octet)).count();
            if starts(length + filler) {
                return Ok(length);
            }
        }
        let searched = ahead.len().min(SEARCH_OCTETS_MAX);
        Ok((1..searched).find(|at| starts(*at)).unwrap_or(searched))
    }
}

impl Reader for BerFile<'_> {
    fn next(&mut self, arena: &mut Arena) -> io::Result<Option<Read<'_>>> {
        if !self.skip_filler()? {
            return Ok(None);
        }
        let length = self.record_length()?;
        let (length, record) = match length {
            Ok(length) => match self.decoder.decode(&self.ahead()[..length], arena) {
                Ok(record) => (length, Ok(record)),
                Err(error) => (self.damage(Some(length), arena)?, Err(error.to_string())),
            },
            Err(reason) => (self.damage(None, arena)?, Err(reason.to_string())),
        };
        let offset = self.offset + self.start as u64;
        let octets = self.start..self.start + length;
        self.start += length;
        Ok(Some(Read { offset, octets: &self.window[octets], record }))
    }
}

/// Octets that blocks are padded with; no record begins with one.
fn is_filler(octet: u8) -> bool {
    matches!(octet, 0x00 | 0xFF)
}
