//! Files of BER: how records lie in them ([`Framing`]), and writing them one after another.

mod batch;
mod detect;
mod file;
mod framed;
mod implicit;
mod records;
mod ts32297;

use std::io;
use std::sync::Arc;

use asn1::ber::{Decoder, Encoder};
use asn1::{Outline, Plan};
use record::{Memory, Opened, Record, TypeId};

use crate::coding::{Contents, Input, Output, Reader, Writer};
use crate::window::Window;
use batch::Batch;
pub use file::BerFile;
pub use implicit::ImplicitReading;

/// Largest record of a file of records: a length beyond this is damage.
pub const RECORD_OCTETS_MAX: usize = 16 * 1024 * 1024;

/// How records lie in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// The framing that the beginning of each file looks like.
    Detect,
    /// One after another, 00 or FF between them passed over.
    Records,
    /// A big-endian length of so many octets before each record.
    Length(usize),
    /// 3GPP TS 32.297: a file header, and a header before each record.
    Ts32297,
    /// One structure as the file, its list's elements as the records.
    Batch,
}

impl Framing {
    /// By the names of flow files and options.
    pub const NAMES: [(&str, Framing); 6] = [
        ("detect", Framing::Detect),
        ("records", Framing::Records),
        ("length-2", Framing::Length(2)),
        ("length-4", Framing::Length(4)),
        ("ts-32.297", Framing::Ts32297),
        ("batch", Framing::Batch),
    ];
}

/// How the BER files of a network element are read.
#[derive(Clone, Debug)]
pub struct BerInput {
    plan: Arc<Plan>,
    ty: TypeId,
    /// How records lie in the files.
    pub framing: Framing,
    /// Octets before the first record that are not part of it.
    pub skip: u64,
    /// Octets between records that are not part of them.
    pub gap: u64,
    /// What may explain records that cannot be decoded.
    pub implicit: Option<Arc<ImplicitReading>>,
    batch: Option<Batch>,
    /// The plan of those who look into some values only.
    outline: Option<Arc<Outline>>,
}

impl BerInput {
    /// For records of a type. `list` names the component of a batch whose elements are the records,
    /// where the type is that of the whole batch.
    pub fn new(
        plan: Arc<Plan>,
        ty: TypeId,
        framing: Framing,
        list: Option<&str>,
    ) -> Result<Self, String> {
        let batch = match framing {
            Framing::Batch => Some(Batch::new(&plan, ty, list)?),
            _ => None,
        };
        Ok(BerInput { plan, ty, framing, skip: 0, gap: 0, implicit: None, batch, outline: None })
    }

    /// Says that only these values are looked into. Of a batch all are.
    pub(crate) fn look_into(&mut self, opened: &Opened) {
        if let (Opened::Only(types), None) = (opened, &self.batch) {
            self.outline = Some(Arc::new(self.plan.outline(types)));
        }
    }

    /// Opens one file.
    pub fn read(&self, contents: &dyn Contents) -> io::Result<BerFile<'_>> {
        let mut window = Window::new(contents.octets()?);
        window.skip(self.skip)?;
        let framing = match self.framing {
            Framing::Detect => {
                detect::detect(&mut window, contents.size()?, &Decoder::new(&self.plan, self.ty))?
            }
            framing => framing,
        };
        let decoder = match &self.outline {
            Some(outline) if framing != Framing::Batch => {
                Decoder::outlined(&self.plan, outline, self.ty)
            }
            _ => Decoder::new(&self.plan, self.ty),
        };
        let mut file = BerFile::new(decoder, window, framing, self.gap);
        file.implicit = self.implicit.as_deref();
        if let Some(batch) = &self.batch {
            file.batch = Some(batch.open(contents, self.skip)?);
        } else if framing == Framing::Batch {
            let batch = Batch::new(&self.plan, self.ty, None).map_err(io::Error::other)?;
            file.batch = Some(batch.open(contents, self.skip)?);
        }
        Ok(file)
    }
}

impl Input for BerInput {
    fn open(&self, contents: &dyn Contents) -> io::Result<Box<dyn Reader + '_>> {
        Ok(Box::new(self.read(contents)?))
    }

    fn may_have_header(&self) -> bool {
        matches!(self.framing, Framing::Ts32297 | Framing::Detect)
    }
}

/// Records written one after another.
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
    ) -> Result<(), String> {
        self.0.encode(memory, record, out).map_err(|error| error.to_string())
    }
}

/// Octets that blocks are padded with; no record begins with one.
fn is_filler(octet: u8) -> bool {
    matches!(octet, 0x00 | 0xFF)
}
