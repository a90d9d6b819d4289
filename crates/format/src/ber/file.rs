//! One file of BER being read, whatever its framing.

use std::io;

use asn1::ber::Decoder;
use record::Arena;

use super::batch::BatchFile;
use super::framed;
use super::ts32297::Begun;
use super::{Framing, ImplicitReading, records, ts32297};
use crate::coding::{Header, Read, Reader};
use crate::window::Window;

/// A file being read.
pub struct BerFile<'p> {
    pub(super) decoder: Decoder<'p>,
    pub(super) window: Window,
    framing: Framing,
    gap: u64,
    begun: bool,
    /// What that says.
    header: Option<Header>,
    /// Whether the file's own header lies ahead, where its framing has one.
    pub(super) has_header: bool,
    pub(super) batch: Option<BatchFile>,
    pub(super) implicit: Option<&'p ImplicitReading>,
}

impl<'p> BerFile<'p> {
    pub(super) fn new(decoder: Decoder<'p>, window: Window, framing: Framing, gap: u64) -> Self {
        BerFile {
            decoder,
            window,
            framing,
            gap,
            begun: false,
            header: None,
            has_header: true,
            batch: None,
            implicit: None,
        }
    }

    /// As one that has read all records up to here.
    pub(super) fn within(mut self) -> Self {
        (self.begun, self.has_header) = (true, false);
        self
    }
}

impl Reader for BerFile<'_> {
    fn next(&mut self, arena: &mut Arena) -> io::Result<Option<Read<'_>>> {
        // Where there is nothing to add, what was read is made where it is wanted, and not moved there.
        let Some(implicit) = self.implicit else { return self.read(arena) };
        let mut next = self.read(arena);
        if let Ok(Some(Read { record: Err(reason), octets, .. })) = &mut next {
            implicit.explain(octets, reason);
        }
        next
    }

    fn header(&self) -> Option<Header> {
        self.header
    }

    /// The framing, which may have been found out.
    fn context(&self) -> &[u8] {
        self.framing.name().as_bytes()
    }

    /// Of a batch, only who has read the beginning knows where its list ends.
    fn position(&self) -> Option<u64> {
        (self.begun && self.framing != Framing::Batch).then(|| self.window.position())
    }

    fn into_octets(self: Box<Self>) -> Vec<u8> {
        self.window.into_octets()
    }
}

impl BerFile<'_> {
    #[cold]
    fn without_header(&mut self) -> Read<'_> {
        let offset = self.window.position();
        let octets = self.window.pass(self.window.ahead().len());
        let reason = "the file does not begin with a header of TS 32.297".to_owned();
        Read { offset, octets, record: Err(reason) }
    }

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
                framed::next(&mut self.window, framed::Header::Length(octets), &self.decoder, arena)
            }
            Framing::Ts32297 => {
                if first && self.has_header {
                    match ts32297::begin(&mut self.window)? {
                        Begun::With(header) => self.header = Some(header),
                        Begun::Empty => {}
                        Begun::Otherwise => return Ok(Some(self.without_header())),
                    }
                }
                framed::next(&mut self.window, framed::Header::Ts32297, &self.decoder, arena)
            }
            Framing::Batch => match &mut self.batch {
                Some(batch) => batch.next(&self.decoder, arena),
                None => Ok(None),
            },
        }
    }
}
