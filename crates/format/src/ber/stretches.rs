//! Reads BER files in stretches. Without damage, the ends of records are found without decoding them.

use std::io;

use asn1::ber::extent;
use record::Arena;

use super::blocks::Blocks;
use super::file::BerFile;
use super::framed::RecordHeader;
use super::records::behind_blocks;
use super::{BerInput, Framing, is_filler};
use crate::coding::{NextEnd, Reader, Stretch, Stretches};
use crate::window::Window;

impl Stretches for BerInput {
    fn next_end(&self, context: &[u8], octets: &[u8], from: usize) -> Option<NextEnd> {
        let framing = self.framing_named(context);
        let walked = match (framing, self.gap) {
            (Framing::Records, 0) if self.blocks.is_empty() => {
                walk(octets, from, |at| record_end(octets, at))
            }
            (Framing::Records, 0) => {
                let blocks = Blocks::of(&self.blocks);
                walk(octets, from, |at| record_end(octets, behind_blocks(octets, at, &blocks)))
            }
            _ => {
                let gap = usize::try_from(self.gap).ok()?;
                walk(octets, from, |at| end(framing, octets, at.checked_add(gap)?))
            }
        };
        let sound = walked.filter(|end| self.is_followed(framing, octets, end.octets));
        sound.or_else(|| self.read_up_to(framing, octets, from).ok()?)
    }

    fn read_on(&self, context: &[u8], stretch: Stretch) -> io::Result<Box<dyn Reader + '_>> {
        Ok(Box::new(self.within(self.framing_named(context), stretch)))
    }
}

impl BerInput {
    /// Returns the framing of a file. If it was detected, it is in the context.
    fn framing_named(&self, context: &[u8]) -> Framing {
        match self.framing {
            Framing::Detect => Framing::named(context).unwrap_or(Framing::Records),
            framing => framing,
        }
    }

    fn within(&self, framing: Framing, stretch: Stretch) -> BerFile<'_> {
        let window = Window::over(stretch);
        let mut file = BerFile::new(self.decoder(framing), window, framing, self.gap);
        file.implicit = self.implicit.as_deref();
        file.blocks = Blocks::of(&self.blocks);
        file.within()
    }

    /// Returns whether a record seems to follow at a place.
    fn is_followed(&self, framing: Framing, octets: &[u8], at: usize) -> bool {
        let behind = octets.get(at..).unwrap_or_default();
        let mut file = self.within(framing, in_memory(behind));
        let (mut arena, is_all) = (Arena::new(), |octets: usize| octets == behind.len());
        match file.next(&mut arena) {
            Ok(Some(read)) => read.record.is_ok() || is_all(read.octets.len()),
            Ok(None) => true,
            Err(_) => false,
        }
    }

    /// Finds the end by reading all records and damage.
    fn read_up_to(
        &self,
        framing: Framing,
        octets: &[u8],
        from: usize,
    ) -> io::Result<Option<NextEnd>> {
        let (mut arena, mut records) = (Arena::new(), 0);
        let mut file = self.within(framing, in_memory(octets));
        loop {
            arena.reset();
            if file.next(&mut arena)?.is_none() {
                return Ok(None);
            }
            records += 1;
            if let Some(at) = file.position().filter(|at| *at >= from as u64) {
                return Ok(Some(NextEnd { octets: at as usize, records }));
            }
        }
    }
}

/// Walks from record to record. `None` if one has no valid end.
fn walk(octets: &[u8], from: usize, end: impl Fn(usize) -> Option<usize>) -> Option<NextEnd> {
    let (mut at, mut records) = (0, 0);
    while at < from || records == 0 {
        at = end(at).filter(|end| *end > at && at < octets.len())?;
        records += 1;
    }
    Some(NextEnd { octets: at, records })
}

/// Returns where the record at a place ends.
fn end(framing: Framing, octets: &[u8], at: usize) -> Option<usize> {
    match framing {
        Framing::Records | Framing::Detect => record_end(octets, at),
        Framing::Length(own) => RecordHeader::Length(own).end(octets, at),
        Framing::Ts32297 => RecordHeader::Ts32297.end(octets, at),
        Framing::Batch => None,
    }
}

/// Returns the same where only filler may be between records. Nearly all have a short tag and a length of few octets.
#[inline(always)]
fn record_end(octets: &[u8], mut at: usize) -> Option<usize> {
    while is_filler(*octets.get(at)?) {
        at += 1;
    }
    let length = |of: usize| {
        let digits = octets.get(at + 2..at + 2 + of)?;
        let length = digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit));
        Some(at + 2 + of + length)
    };
    match (octets[at] & 0x1F, octets.get(at + 1)?) {
        (0x1F, _) => extent(octets, at).ok(),
        (_, short @ 0x00..=0x7F) => Some(at + 2 + usize::from(*short)),
        (_, 0x81) => length(1),
        (_, 0x82) => length(2),
        (_, 0x83) => length(3),
        _ => extent(octets, at).ok(),
    }
}

fn in_memory(octets: &[u8]) -> Stretch {
    let (octets, end) = (octets.to_vec(), octets.len());
    Stretch { offset: 0, octets, begin: 0, end, behind: Box::new(io::empty()) }
}
