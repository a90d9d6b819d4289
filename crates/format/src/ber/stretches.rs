//! Files of BER read in stretches: where records end is seen without decoding them, as long as nothing is damaged.

use std::io::{self, Cursor};

use asn1::ber::{Reason, extent};
use record::Arena;

use super::file::BerFile;
use super::framed::{self, Header};
use super::{BerInput, Framing, is_filler};
use crate::coding::{LastEnd, Reader, Stretch, Stretches};
use crate::window::Window;

impl Stretches for BerInput {
    fn last_end(&self, context: &[u8], octets: &[u8], within: usize) -> Option<LastEnd> {
        let framing = self.framing_named(context);
        let walked = self.walk(framing, octets, within);
        walked.or_else(|| self.read_to_last_end(framing, octets, within).ok()?)
    }

    fn read_on(&self, context: &[u8], stretch: Stretch) -> io::Result<Box<dyn Reader + '_>> {
        Ok(Box::new(self.within(self.framing_named(context), stretch)))
    }
}

impl BerInput {
    /// That of a file, which says it itself where it was found out.
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
        file.within()
    }

    /// Goes from record to record by their lengths. None where one leads nowhere, or to what is no record.
    fn walk(&self, framing: Framing, octets: &[u8], within: usize) -> Option<LastEnd> {
        let mut last = LastEnd { octets: 0, records: 0 };
        let next = loop {
            match self.end(framing, octets, last.octets) {
                Some(end) if end <= within => {
                    last = LastEnd { octets: end, records: last.records + 1 };
                }
                next => break next?,
            }
        };
        let is_record = |octets| {
            let (mut file, mut arena) = (self.within(framing, in_memory(octets)), Arena::new());
            let next = file.next(&mut arena);
            matches!(next, Ok(Some(read)) if read.record.is_ok())
        };
        let is_sound = next > octets.len() || is_record(&octets[last.octets..next]);
        (last.records > 0 && is_sound).then_some(last)
    }

    /// Where the record ends that comes at a place; beyond these octets, where not all of it is among them.
    fn end(&self, framing: Framing, octets: &[u8], at: usize) -> Option<usize> {
        let at = at.checked_add(usize::try_from(self.gap).ok()?)?;
        match framing {
            Framing::Records | Framing::Detect => {
                let filler = octets.get(at..)?.iter().take_while(|octet| is_filler(**octet));
                match extent(octets, at + filler.count()) {
                    Err(Reason::Truncated | Reason::LongerThanParent) => Some(usize::MAX),
                    end => end.ok(),
                }
            }
            Framing::Length(own) => framed::end(octets, at, Header::Length(own)),
            Framing::Ts32297 => framed::end(octets, at, Header::Ts32297),
            Framing::Batch => None,
        }
    }

    /// Reads the records, damage too.
    fn read_to_last_end(
        &self,
        framing: Framing,
        octets: &[u8],
        within: usize,
    ) -> io::Result<Option<LastEnd>> {
        let (mut arena, mut last) = (Arena::new(), LastEnd { octets: 0, records: 0 });
        let mut file = self.within(framing, in_memory(octets));
        loop {
            arena.reset();
            let Some(_) = file.next(&mut arena)? else { break };
            let end = file.position().map_or(usize::MAX, |position| position as usize);
            if end > within {
                break;
            }
            last = LastEnd { octets: end, records: last.records + 1 };
        }
        Ok((last.records > 0).then_some(last))
    }
}

fn in_memory(octets: &[u8]) -> Stretch {
    Stretch {
        offset: 0,
        end: octets.len(),
        octets: octets.to_vec(),
        behind: Box::new(Cursor::new([])),
    }
}
