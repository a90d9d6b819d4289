//! BER files: the framing of records ([`Framing`]), and writing consecutive records.

mod batch;
mod blocks;
mod detect;
mod error;
mod file;
mod framed;
mod implicit;
mod keeping;
mod layout;
mod records;
mod stretches;
mod ts32297;

use std::io::{self, Read as _};
use std::sync::Arc;

use asn1::ber::{Decoder, Encoder, TagText, extent, take_apart};
use asn1::{Outline, Plan, jer};
use record::{Anatomy, Arena, Memory, Opened, Record, Shape, TypeId};

use crate::again::{self, InMemory};
use crate::coding::{Contents, Deeper, Excerpt, Input, Output, Reader, Stretches, Writer};
use crate::window::Window;
use crate::{EditError, WriteError};
use batch::Batch;
use blocks::Blocks;
pub use blocks::{BlockPattern, PatternError};
pub use error::{
    BatchError, BerError, FileHeaderError, FileLength, HeaderLength, ListError, RecordHeaderError,
};
pub use file::BerFile;
pub use implicit::ImplicitReading;
pub(crate) use keeping::BerKeeping;

/// Maximum length of a record in a file; a greater length is damage.
pub const RECORD_OCTETS_MAX: usize = 16 * 1024 * 1024;

/// The framing of records in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// The framing that the beginning of each file has.
    Detect,
    /// Consecutive records; 00 or FF between them is skipped.
    Records,
    /// A big-endian length of so many octets before each record.
    Length(usize),
    /// 3GPP TS 32.297: a file header, and a header before each record.
    Ts32297,
    /// One structure as the file, its list's elements as the records.
    Batch,
}

impl Framing {
    /// The framings by their names in flow files and options.
    pub const NAMES: [(&str, Framing); 6] = [
        ("detect", Framing::Detect),
        ("records", Framing::Records),
        ("length-2", Framing::Length(2)),
        ("length-4", Framing::Length(4)),
        ("ts-32.297", Framing::Ts32297),
        ("batch", Framing::Batch),
    ];

    /// Returns the name of a framing.
    fn name(self) -> &'static str {
        let found = Framing::NAMES.iter().find(|(_, framing)| *framing == self);
        found.map_or("", |(name, _)| name)
    }

    fn named(name: &[u8]) -> Option<Self> {
        let found = Framing::NAMES.iter().find(|(known, _)| known.as_bytes() == name);
        found.map(|(_, framing)| *framing)
    }
}

/// How the BER files of a network element are read.
#[derive(Clone, Debug)]
pub struct BerInput {
    plan: Arc<Plan>,
    ty: TypeId,
    /// The framing of records in the files.
    pub framing: Framing,
    /// Octets before the first record that are not part of it.
    pub skip: u64,
    /// Octets between records that are not part of them.
    pub gap: u64,
    /// Blocks between concatenated records.
    pub blocks: Vec<BlockPattern>,
    /// A possible explanation of records that cannot be decoded.
    pub implicit: Option<Arc<ImplicitReading>>,
    batch: Option<Batch>,
    /// The plan for consumers that read only some values, and these values.
    outline: Option<(Arc<Outline>, Opened)>,
}

impl BerInput {
    pub(crate) const KEYS: &'static [&'static str] =
        &["framing", "skip", "gap", "list", "pass-over"];

    /// Creates a reader for records of a type. If the type is that of a whole batch, `list` names the component whose
    /// elements are the records.
    pub fn new(
        plan: Arc<Plan>,
        ty: TypeId,
        framing: Framing,
        list: Option<&str>,
    ) -> Result<Self, ListError> {
        let batch = match framing {
            Framing::Batch => Some(Batch::new(&plan, ty, list)?),
            _ => None,
        };
        Ok(BerInput { framing, batch, ..BerInput::of_records(plan, ty) })
    }

    /// Creates a reader for consecutive records of a type.
    pub(crate) fn of_records(plan: Arc<Plan>, ty: TypeId) -> Self {
        let (framing, skip, gap) = (Framing::Records, 0, 0);
        let (blocks, implicit) = (Vec::new(), None);
        BerInput { plan, ty, framing, skip, gap, blocks, implicit, batch: None, outline: None }
    }

    /// Restricts decoding to these values. A batch is always decoded completely.
    pub(crate) fn look_into(&mut self, opened: &Opened) {
        if let (Opened::Only(types), None) = (opened, &self.batch) {
            self.outline = Some((Arc::new(self.plan.outline(types)), opened.clone()));
        }
    }

    /// Opens one file.
    pub fn read(&self, contents: &dyn Contents) -> io::Result<BerFile<'_>> {
        let mut window = Window::open(contents)?;
        let octets = contents.size()?;
        if (1..self.skip).contains(&octets) {
            let mut file = self.begin(contents, window, Framing::Records, 0)?;
            file.fault = Some(BerError::ShorterThanSkip { octets, skip: self.skip });
            return Ok(file);
        }
        window.skip(self.skip)?;
        let octets = octets.saturating_sub(self.skip);
        let framing = match self.framing {
            Framing::Detect => {
                detect::detect(&mut window, octets, &Decoder::new(&self.plan, self.ty))?
            }
            framing => framing,
        };
        let mut file = self.begin(contents, window, framing, self.skip)?;
        if framing == Framing::Ts32297 {
            file.beginning =
                Some(file.header_ahead(octets, |from| self.is_filled_up(contents, from))?);
        }
        Ok(file)
    }

    /// Returns whether the file contains only filler from an offset on, counted after the skipped octets.
    fn is_filled_up(&self, contents: &dyn Contents, from: u64) -> io::Result<bool> {
        let mut rest = Vec::new();
        let from = contents.octets_from(self.skip.saturating_add(from))?;
        from.take(BLOCK_OCTETS).read_to_end(&mut rest)?;
        Ok((rest.len() as u64) < BLOCK_OCTETS && rest.iter().all(|octet| is_filler(*octet)))
    }

    fn begin(
        &self,
        contents: &dyn Contents,
        window: Window,
        framing: Framing,
        skip: u64,
    ) -> io::Result<BerFile<'_>> {
        let mut file = BerFile::new(self.decoder(framing), window, framing, self.gap);
        file.implicit = self.implicit.as_deref();
        (file.blocks, file.skipped) = (Blocks::of(&self.blocks), skip);
        if framing == Framing::Batch {
            let found = Batch::new(&self.plan, self.ty, None).map_err(io::Error::other)?;
            let batch = self.batch.as_ref().unwrap_or(&found);
            file.batch = Some(batch.open(contents, skip, &file.decoder)?);
        }
        Ok(file)
    }

    fn decoder(&self, framing: Framing) -> Decoder<'_> {
        match &self.outline {
            Some((outline, _)) if framing != Framing::Batch => {
                Decoder::outlined(&self.plan, outline, self.ty)
            }
            _ => Decoder::new(&self.plan, self.ty),
        }
    }

    /// Returns the framing to read a piece with. A record was stored without what is around it; octets that are none
    /// were stored with all of it.
    fn framing_of(&self, piece: &Excerpt<'_>) -> Framing {
        let framing = match self.framing {
            Framing::Detect => Framing::named(piece.context).unwrap_or(Framing::Records),
            framing => framing,
        };
        let is_record = || self.decoder(framing).decode(piece.octets, &mut Arena::new()).is_ok();
        // Of a longer batch only the beginning was stored: reading that as a batch would lose the rest.
        let is_whole = || extent(piece.octets, 0).is_ok_and(|end| end == piece.octets.len());
        let takes_batches = self.batch.as_ref().is_some_and(Batch::is_whole);
        match framing {
            Framing::Batch if takes_batches && is_whole() => Framing::Batch,
            _ if is_record() => Framing::Records,
            Framing::Batch if !is_whole() => Framing::Records,
            framing => framing,
        }
    }
}

/// Decodes single records with another outline.
struct BerDeeper {
    plan: Arc<Plan>,
    outline: Outline,
    ty: TypeId,
}

impl Deeper for BerDeeper {
    fn decode(&self, octets: &[u8], arena: &mut Arena) -> Option<Record> {
        Decoder::outlined(&self.plan, &self.outline, self.ty).decode(octets, arena).ok()
    }
}

impl Input for BerInput {
    fn open(&self, contents: &dyn Contents) -> io::Result<Box<dyn Reader + '_>> {
        Ok(Box::new(self.read(contents)?))
    }

    fn may_have_header(&self) -> bool {
        matches!(self.framing, Framing::Ts32297 | Framing::Detect)
    }

    fn stretches(&self) -> Option<&dyn Stretches> {
        Some(self)
    }

    fn deeper(&self, opened: &Opened) -> Option<Box<dyn Deeper>> {
        let (_, known) = self.outline.as_ref()?;
        let Opened::Only(types) = opened else { return None };
        let deeper = BerDeeper {
            plan: Arc::clone(&self.plan),
            outline: self.plan.outline(types),
            ty: self.ty,
        };
        (!known.has(opened)).then(|| Box::new(deeper) as Box<dyn Deeper>)
    }

    fn unknown(&self, mark: u32) -> String {
        TagText(mark).to_string()
    }

    fn reopen(&self, piece: &Excerpt<'_>) -> io::Result<Box<dyn Reader + '_>> {
        let contents = InMemory(piece.octets);
        let window = Window::new(contents.octets()?);
        Ok(Box::new(self.begin(&contents, window, self.framing_of(piece), 0)?))
    }

    fn show(&self, piece: &Excerpt<'_>) -> Result<Vec<u8>, EditError> {
        let whole = BerInput { outline: None, ..self.clone() };
        let reader = whole.reopen(piece)?;
        again::to_json(&self.plan, jer::Options::default(), reader)
    }

    fn take_apart(&self, piece: &Excerpt<'_>) -> Anatomy {
        take_apart(&self.plan, self.ty, piece.octets)
    }

    fn shape(&self) -> Option<Shape> {
        Some(again::shape(&self.plan, self.ty, jer::Options::default()))
    }

    /// Corrects a record. What JSON cannot represent stays unchanged, with unknown elements.
    fn correct(&self, piece: &Excerpt<'_>, json: &[u8]) -> Result<Vec<u8>, EditError> {
        let mut encoder = Encoder::new(&self.plan, self.ty);
        let options = jer::Options::default();
        let mut write = |memory: &Memory<'_>, record: Record, out: &mut Vec<u8>| {
            encoder.encode(memory, record, out).map_err(WriteError::from)
        };
        let whole = BerInput { outline: None, ..self.clone() };
        let reader = whole.reopen(piece)?;
        let octets = match again::corrected(&self.plan, self.ty, options, reader, json, &mut write)?
        {
            Some(octets) => octets,
            None => again::from_json(&self.plan, self.ty, options, json, write)?,
        };
        // A batch may be left without its list, or with an unknown element that is a record by itself.
        self.show(&Excerpt { context: piece.context, octets: &octets })?;
        Ok(octets)
    }
}

/// Writes consecutive records.
pub(crate) struct BerOutput {
    pub(crate) plan: Arc<Plan>,
    pub(crate) ty: TypeId,
}

impl Output for BerOutput {
    fn extension(&self) -> &str {
        "ber"
    }

    fn opened(&self) -> Opened {
        Opened::none()
    }

    fn writer(&self) -> Box<dyn Writer + '_> {
        Box::new(BerWriter(Encoder::new(&self.plan, self.ty)))
    }
}

struct BerWriter<'p>(Encoder<'p>);

impl Writer for BerWriter<'_> {
    fn write(
        &mut self,
        memory: &Memory<'_>,
        record: Record,
        out: &mut Vec<u8>,
    ) -> Result<(), WriteError> {
        self.0.encode(memory, record, out).map_err(WriteError::from)
    }
}

/// Maximum size of the blocks that files are padded to.
const BLOCK_OCTETS: u64 = 64 * 1024;

/// Returns whether an octet is padding; no record begins with one.
fn is_filler(octet: u8) -> bool {
    matches!(octet, 0x00 | 0xFF)
}
