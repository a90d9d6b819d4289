//! Files of performance measurements (3GPP TS 32.435, TS 28.532, TS 32.401, and `OMeS`) as records of a built-in ASN.1 module.
//!
//! A record is one measured object in one granularity period. Its octets are a file with this row alone: the heads of its
//! file, section and info, then the row. So a record in suspense, or in a trace, is read without the rest of its file; the
//! reader's context cannot do that, since it is one for the whole file, and each info has its own names. The offset is that of
//! the row in the file.
//!
//! A counter costs four slots and no copy. Its name is a place in the head of the info. A whole number is in its slot, so that
//! scripts and formulas use it without parsing; text would have to be parsed by each of them. A decimal is a REAL in the
//! decimal form of X.690, 8.5.8: its own digits, nothing is rounded. Each record of an info has all its counters in the same
//! places, also those that were not measured. So a consumer looks a name up once for an info, and then only checks that the same
//! octets are in the same place.
//!
//! Times are GeneralizedTimes with the offset of the file, which is what times of modules are, so that scripts and rating know
//! them.

mod anatomy;
mod slots;

use std::io;
use std::sync::Arc;

use ::measurements::{Fault, Found, Parser, Rest, Step, Wanted};
use asn1::{Plan, jer};
use diagnostics::encoding::{Named, NotRead, Unit};
use diagnostics::{Diagnostic, Encoding, Source};
use record::{Anatomy, Arena, TypeId};
use settings::{Setting, Settings};

use crate::again;
use crate::coding::{Contents, Excerpt, Input, PassedOver, Read, Reader};
use crate::error::EditError;
use crate::patience::Patience;
use crate::text::{self, EncodingError};
use crate::window::{CHUNK_OCTETS, Window};
use crate::xml::declaration::{self, BEGINNING_OCTETS_MAX, DetectedEncoding};
use slots::Slots;

/// The name of the codec.
pub(crate) const CODEC: &str = "measurements";

/// The type of its records.
pub(crate) const TYPE: &str = "Measurements.Measurement";

/// Maximum octets of one element: several times those of the largest rows. Each octet of a list may be an element of 32 octets
/// in memory.
const ELEMENT_OCTETS_MAX: usize = 4 << 20;

/// Returns the module of the records.
pub(crate) fn module() -> Arc<Source> {
    Source::new("the module of the codec \"measurements\"", include_str!("measurements.asn1"))
}

/// Returns the module that codecs of these `decode` tables bring beside those of the operator. It is there only where it is used:
/// elsewhere, a name that an operator uses too is no mistake.
pub fn own_module<'s>(tables: impl IntoIterator<Item = &'s Settings>) -> Option<Arc<Source>> {
    let is_used = |table: &Settings| table.get("codec").is_some_and(|codec| codec.value == CODEC);
    tables.into_iter().any(is_used).then(module)
}

/// Adds the type to a `decode` table with this codec that does not name it.
pub fn complete(decode: &mut Settings) {
    let codec = decode.get("codec").filter(|codec| codec.value == CODEC);
    let span = codec.map(|codec| codec.span);
    if let (Some(span), None) = (span, decode.get("type")) {
        decode.values.push(Setting { key: "type".into(), value: TYPE.into(), span });
    }
}

pub(crate) struct MeasurementsInput {
    plan: Arc<Plan>,
    ty: TypeId,
    wanted: Wanted,
    /// The encoding of files that do not declare one.
    encoding: Option<Named>,
}

impl MeasurementsInput {
    pub(crate) const KEYS: &'static [&'static str] = &["counters", "encoding"];

    pub(crate) fn new(
        plan: Arc<Plan>,
        ty: TypeId,
        decode: &Settings,
    ) -> Result<Self, Vec<Diagnostic>> {
        let name = &plan.schema().get(ty).name;
        if name != TYPE {
            let message = format!("the codec \"{CODEC}\" reads records of {TYPE}, not of {name}");
            let setting = decode.get("type").or(decode.get("codec"));
            return Err(setting.map_or_else(Vec::new, |setting| {
                vec![decode.error(setting, message).hint("leave \"type\" out")]
            }));
        }
        let stars = |name: &str| name.strip_suffix('*').unwrap_or(name).contains('*');
        if let Some(setting) = decode.all("counters").find(|name| stars(&name.value)) {
            let message = "a \"*\" stands at the end of the name of a counter, or nowhere";
            return Err(vec![decode.error(setting, message)]);
        }
        let wanted = Wanted::new(decode.all("counters").map(|name| name.value.as_str()));
        let encoding = text::encoding(decode)?;
        Ok(MeasurementsInput { plan, ty, wanted, encoding })
    }

    fn file(&self, contents: &dyn Contents) -> io::Result<MeasurementsFile> {
        let mut window = Window::open(contents)?;
        let found = self.encoding_of(window.look_at(BEGINNING_OCTETS_MAX)?);
        let encoding = found.as_ref().copied().unwrap_or(Encoding::UTF_8);
        Ok(MeasurementsFile {
            window,
            parser: Parser::new(self.wanted.of_file_in(encoding)),
            refused: found.err(),
            slots: Slots::new(self.ty, encoding),
            wanted: 1,
            patience: Patience::WHOLE,
            first: None,
        })
    }

    /// Returns the encoding of a file that begins so. A declaration of XML may stand behind other instructions.
    fn encoding_of(&self, beginning: &[u8]) -> Result<Encoding, Fault> {
        let begin = ::measurements::declaration(beginning).unwrap_or(0);
        let found = declaration::find(&beginning[begin..], self.encoding);
        match found {
            Ok(found) if found.encoding.unit() == Unit::One => Ok(found.encoding),
            Ok(DetectedEncoding { encoding, .. })
            | Err(EncodingError::NotRead(NotRead::Unmarked(encoding))) => {
                Err(Fault::Encoding(encoding.name().to_owned()))
            }
            Err(fault) => Err(Fault::Encoding(fault.to_string())),
        }
    }
}

impl Input for MeasurementsInput {
    fn open(&self, contents: &dyn Contents) -> io::Result<Box<dyn Reader + '_>> {
        Ok(Box::new(self.file(contents)?))
    }

    fn show(&self, piece: &Excerpt<'_>) -> Result<Vec<u8>, EditError> {
        let reader = self.reopen(piece)?;
        again::to_json(&self.plan, jer::Options::default(), reader)
    }

    fn take_apart(&self, piece: &Excerpt<'_>) -> Anatomy {
        let encoding = self.encoding_of(piece.beginning(BEGINNING_OCTETS_MAX));
        let encoding = encoding.unwrap_or(Encoding::UTF_8);
        anatomy::of(Parser::new(self.wanted.of_file_in(encoding)), encoding, piece.octets)
    }
}

struct MeasurementsFile {
    window: Window,
    parser: Parser,
    /// Why the whole file is set aside.
    refused: Option<Fault>,
    slots: Slots,
    /// The octets that the parser needs.
    wanted: usize,
    /// The budget for ends that are missing.
    patience: Patience,
    /// The offset of what was returned first.
    first: Option<u64>,
}

impl MeasurementsFile {
    fn rest(&self) -> Rest {
        let ahead = self.window.ahead().len();
        let is_too_much =
            ahead >= ELEMENT_OCTETS_MAX || (ahead >= CHUNK_OCTETS && self.patience.octets() == 0);
        match (self.window.is_all(), is_too_much) {
            (true, _) => Rest::Nothing,
            (false, true) => Rest::TooMuch,
            (false, false) => Rest::More,
        }
    }
}

impl Reader for MeasurementsFile {
    fn next(&mut self, arena: &mut Arena) -> io::Result<Option<Read<'_>>> {
        if let Some(fault) = &self.refused {
            self.window.look_ahead(CHUNK_OCTETS)?;
            let (offset, length) = (self.window.position(), self.window.ahead().len());
            let fault = Box::new(fault.clone());
            self.first.get_or_insert(offset);
            let octets = self.window.pass(length);
            let read = Read { offset, octets, record: Err(fault.into()) };
            return Ok((!octets.is_empty()).then_some(read));
        }
        loop {
            self.window.look_ahead(self.wanted)?;
            let (ahead, offset) = (self.window.ahead(), self.window.position());
            match self.parser.next(ahead, offset, self.rest()) {
                Step::End => {
                    self.window.pass(self.window.ahead().len());
                    return Ok(None);
                }
                Step::More { passed } => {
                    let left = ahead.len() - passed;
                    self.patience.spend(left);
                    self.patience.earn(passed);
                    self.window.pass(passed);
                    self.wanted = (2 * left).clamp(left + 1, ELEMENT_OCTETS_MAX.max(left + 1));
                }
                Step::Found(Found { offset, passed, result }) => {
                    self.patience.earn(passed);
                    self.window.pass(passed);
                    (self.wanted, _) = (1, self.first.get_or_insert(offset));
                    let record = result.map_err(|fault| Box::new(fault).into());
                    let record = record.and_then(|()| self.slots.record(&self.parser, arena));
                    return Ok(Some(Read { offset, octets: self.parser.octets(), record }));
                }
            }
        }
    }

    fn passed_over(&self) -> Vec<PassedOver> {
        let misplaced = self.parser.misplaced_octets();
        let before = self.first.unwrap_or(self.window.position());
        let octets = [
            ("an XML declaration that is not at the beginning", misplaced),
            ("the heads of the file and of its first counters", before.saturating_sub(misplaced)),
        ];
        let some = octets.into_iter().filter(|(_, octets)| *octets > 0);
        some.map(|(what, octets)| PassedOver { what: what.into(), octets }).collect()
    }

    fn into_octets(self: Box<Self>) -> Vec<u8> {
        self.window.into_octets()
    }
}
