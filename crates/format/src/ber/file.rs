//! One file of BER being read, whatever its framing.

use std::io;

use asn1::ber::Decoder;
use record::Arena;

use super::batch::BatchFile;
use super::{Framing, ImplicitReading, prefixed, records, ts32297};
use crate::coding::{Read, Reader};
use crate::window::Window;

/// A file being read.
pub struct BerFile<'p> {
    pub(super) decoder: Decoder<'p>,
    pub(super) window: Window,
    framing: Framing,
    gap: u64,
    /// Whether the file's own header was passed.
    begun: bool,
    pub(super) batch: Option<BatchFile>,
    pub(super) implicit: Option<&'p ImplicitReading>,
}

/// Where the next record lies, and what is known of it before it is decoded.
pub(super) struct Frame {
    /// Octets of the record, from where the window stands.
    pub(super) length: usize,
    /// Why these octets are no record.
    pub(super) fault: Option<String>,
}

impl<'p> BerFile<'p> {
    pub(super) fn new(decoder: Decoder<'p>, window: Window, framing: Framing, gap: u64) -> Self {
        BerFile { decoder, window, framing, gap, begun: false, batch: None, implicit: None }
    }

    /// A frame with a length of its own, so that a damaged record costs no search.
    fn framed(&mut self, frame: Option<Frame>, arena: &mut Arena) -> io::Result<Option<Read<'_>>> {
        let Some(Frame { length, fault }) = frame else { return Ok(None) };
        let offset = self.window.position();
        let octets = self.window.pass(length);
        let record = match fault {
            Some(fault) => Err(fault),
            None => self.decoder.decode(octets, arena).map_err(|error| error.to_string()),
        };
        Ok(Some(Read { offset, octets, record }))
    }
}

impl Reader for BerFile<'_> {
    fn next(&mut self, arena: &mut Arena) -> io::Result<Option<Read<'_>>> {
        let implicit = self.implicit;
        let mut next = self.read(arena);
        if let (Ok(Some(Read { record: Err(reason), octets, .. })), Some(implicit)) =
            (&mut next, implicit)
        {
            implicit.explain(octets, reason);
        }
        next
    }
}

impl BerFile<'_> {
    #[inline(always)]
    fn read(&mut self, arena: &mut Arena) -> io::Result<Option<Read<'_>>> {
        let first = !std::mem::replace(&mut self.begun, true);
        if !first && self.gap > 0 {
            self.window.skip(self.gap)?;
        }
        match self.framing {
            Framing::Records | Framing::Detect => {
                records::next(&mut self.window, &self.decoder, arena)
            }
            Framing::Length(octets) => {
                let frame = prefixed::next(&mut self.window, octets)?;
                self.framed(frame, arena)
            }
            Framing::Ts32297 => {
                let frame = match first {
                    true => ts32297::begin(&mut self.window)?,
                    false => None,
                };
                let frame = match frame {
                    None => ts32297::next(&mut self.window)?,
                    wrong => wrong,
                };
                self.framed(frame, arena)
            }
            Framing::Batch => match &mut self.batch {
                Some(batch) => batch.next(&self.decoder, arena),
                None => Ok(None),
            },
        }
    }
}
