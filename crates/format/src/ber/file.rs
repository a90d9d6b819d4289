//! Reads one BER file with any framing.

use std::io;

use asn1::ber::Decoder;
use record::Arena;

use super::batch::BatchFile;
use super::blocks::Blocks;
use super::framed;
use super::ts32297::{FileBeginning, FileHeader, beginning};
use super::{BerError, Framing, ImplicitReading, is_filler, records};
use crate::ReadError;
use crate::coding::{Header, PassedOver, Read, Reader};
use crate::window::Window;

/// Maximum bytes set aside of a file that contains no records.
const BEGINNING_OCTETS_MAX: usize = 64 * 1024;

/// A file being read.
pub struct BerFile<'p> {
    pub(super) decoder: Decoder<'p>,
    pub(super) window: Window,
    framing: Framing,
    gap: u64,
    pub(super) blocks: Blocks<'p>,
    /// Bytes skipped at the start of the file.
    pub(super) skipped: u64,
    /// Length of the file header, once it has been passed.
    header_octets: u64,
    /// Offset of the first piece that was read, and bytes of blocks before it.
    first: Option<(u64, u64)>,
    begun: bool,
    /// The file header ahead, if the file is read from its beginning and its framing has one.
    pub(super) beginning: Option<FileBeginning>,
    /// The contents of that header.
    header: Option<Header>,
    /// The reason why the whole file is set aside.
    pub(super) fault: Option<BerError>,
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
            blocks: Blocks::default(),
            skipped: 0,
            header_octets: 0,
            first: None,
            begun: false,
            beginning: None,
            header: None,
            fault: None,
            batch: None,
            implicit: None,
        }
    }

    /// Parses the TS 32.297 header ahead; `octets` is the size of the file.
    pub(super) fn header_ahead(
        &mut self,
        octets: u64,
        is_filled_up: impl FnOnce(u64) -> io::Result<bool>,
    ) -> io::Result<FileBeginning> {
        beginning(&mut self.window, octets, &self.decoder, is_filled_up)
    }

    /// Marks the file as one whose records up to here were read.
    pub(super) fn within(mut self) -> Self {
        self.begun = true;
        self
    }
}

impl Reader for BerFile<'_> {
    fn next(&mut self, arena: &mut Arena) -> io::Result<Option<Read<'_>>> {
        // Without an addition, the result is built in place and not moved.
        let Some(implicit) = self.implicit else { return self.read(arena) };
        let mut next = self.read(arena);
        if let Ok(Some(Read { record: Err(ReadError::Ber(error)), octets, .. })) = &mut next {
            implicit.explain(octets, error);
        }
        next
    }

    fn header(&self) -> Option<Header> {
        self.header
    }

    /// Returns the framing, which may have been detected.
    fn context(&self) -> &[u8] {
        self.framing.name().as_bytes()
    }

    fn passed_over(&self) -> Vec<PassedOver> {
        let (offset, blocks_before) = self.first.unwrap_or((self.position_in_file(), 0));
        let before = self.skipped + self.header_octets + blocks_before;
        let rest = match self.framing {
            Framing::Length(_) => "filler and the length of the first record",
            Framing::Ts32297 => "filler and the header of the first record",
            Framing::Batch => "what stands before the list of the batch",
            Framing::Records | Framing::Detect => "filler",
        };
        let all = [
            ("octets by \"skip\"", self.skipped),
            ("the file header of TS 32.297", self.header_octets),
            ("blocks by \"pass-over\"", self.blocks.passed),
            (rest, offset.saturating_sub(before)),
        ];
        let passed = all.into_iter().filter(|(_, octets)| *octets > 0);
        passed.map(|(what, octets)| PassedOver { what: what.into(), octets }).collect()
    }

    /// Returns the position. In a batch, only a reader of its beginning knows where the list ends.
    fn position(&self) -> Option<u64> {
        (self.begun && self.framing != Framing::Batch).then(|| self.window.position())
    }

    fn into_octets(self: Box<Self>) -> Vec<u8> {
        self.window.into_octets()
    }
}

impl BerFile<'_> {
    fn position_in_file(&self) -> u64 {
        self.batch.as_ref().map_or(self.window.position(), BatchFile::position)
    }

    /// Passes the file header, if any. If there is a problem, returns how many bytes to set aside
    /// instead, and the reason.
    #[cold]
    fn begin(&mut self) -> io::Result<Option<(usize, BerError)>> {
        if let Some(fault) = self.fault.take() {
            self.window.end_at(self.window.position() + BEGINNING_OCTETS_MAX as u64);
            self.window.look_ahead(BEGINNING_OCTETS_MAX)?;
            return Ok(Some((self.window.ahead().len(), fault)));
        }
        Ok(match self.beginning.take() {
            None | Some(FileBeginning::Empty) => None,
            Some(FileBeginning::Otherwise) => {
                Some((self.window.ahead().len(), BerError::NoFileHeader))
            }
            Some(FileBeginning::Header(FileHeader { says, octets, fault })) => {
                self.header = Some(says);
                match fault {
                    Some(fault) => Some((octets, BerError::FileHeader(fault))),
                    None => {
                        self.window.pass(octets);
                        self.header_octets = octets as u64;
                        None
                    }
                }
            }
        })
    }

    /// Passes the gap between records. Returns an error if the file ends within it.
    #[cold]
    fn pass_gap(&mut self) -> io::Result<Option<BerError>> {
        let filled_up = self.window.ahead().iter().all(|octet| is_filler(*octet));
        let passed = self.window.skip(self.gap)?;
        let is_cut = (1..self.gap).contains(&passed) && !filled_up;
        Ok(is_cut.then_some(BerError::GapCutOff { passed, gap: self.gap }))
    }

    #[inline(always)]
    fn read(&mut self, arena: &mut Arena) -> io::Result<Option<Read<'_>>> {
        if !self.begun {
            return self.read_first(arena);
        }
        if self.gap > 0
            && let Some(fault) = self.pass_gap()?
        {
            let offset = self.window.position();
            return Ok(Some(Read { offset, octets: &[], record: Err(fault.into()) }));
        }
        let BerFile { window, framing, decoder, blocks, batch, .. } = self;
        read_by(*framing, window, decoder, blocks, batch, arena)
    }

    /// Reads the first piece of the file: the header, if it has a fault, or a record.
    #[cold]
    fn read_first(&mut self, arena: &mut Arena) -> io::Result<Option<Read<'_>>> {
        let wrong = self.begin()?;
        let BerFile { window, framing, decoder, blocks, batch, .. } = self;
        let read = match wrong {
            Some((octets, fault)) => {
                let offset = window.position();
                Some(Read { offset, octets: window.pass(octets), record: Err(fault.into()) })
            }
            None => {
                self.begun = true;
                read_by(*framing, window, decoder, blocks, batch, arena)?
            }
        };
        self.first = self.first.or(read.as_ref().map(|read| (read.offset, blocks.passed)));
        Ok(read)
    }
}

#[inline(always)]
fn read_by<'w>(
    framing: Framing,
    window: &'w mut Window,
    decoder: &Decoder<'_>,
    blocks: &mut Blocks<'_>,
    batch: &'w mut Option<BatchFile>,
    arena: &mut Arena,
) -> io::Result<Option<Read<'w>>> {
    match framing {
        Framing::Records | Framing::Detect => records::next(window, decoder, blocks, arena),
        Framing::Length(octets) => {
            framed::next(window, framed::RecordHeader::Length(octets), decoder, arena)
        }
        Framing::Ts32297 => framed::next(window, framed::RecordHeader::Ts32297, decoder, arena),
        Framing::Batch => match batch {
            Some(batch) => batch.next(decoder, arena),
            None => Ok(None),
        },
    }
}
