//! A format in which each octet is a record, except that 255 is none, and 250 begins a record of several octets.

use std::io::{self, Read as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};
use std::thread::{self, ThreadId};

use diagnostics::Diagnostic;
use format::{
    Codecs, Contents, Formats, Input, Keeping, Loaded, ModuleTable, NextEnd, Output, Read,
    ReadError, Reader, Stretch, Stretches, Types, WriteError, Writer,
};
use node::{Codec, StateError};
use reason::Fixed;
use record::{
    Arena, Kind, Memory, Opened, Record, Schema, Slot, SlotIndex, Type, TypeFault, TypeId,
};
use settings::Settings;

use crate::common;

pub(crate) struct Octets;
struct OctetTypes(Schema);
struct OctetCodecs(Schema);
/// Reads records of a type, and whether that is a SEQUENCE.
struct OctetInput(TypeId, bool);
struct OctetReader {
    ty: TypeId,
    is_sequence: bool,
    octets: Vec<u8>,
    at: usize,
    /// Their offset in the file.
    offset: u64,
}
struct OctetOutput(Schema);

impl Formats for Octets {
    fn load(&self, _: &ModuleTable, _: &mut Vec<Diagnostic>) -> Box<dyn Loaded> {
        Box::new(Octets)
    }
}

impl Loaded for Octets {
    fn types(&self, _: &[&Settings], _: &mut Vec<Diagnostic>) -> Box<dyn Types + '_> {
        Box::new(OctetTypes(common::schema()))
    }
}

impl record::Types for OctetTypes {
    fn schema(&self) -> &Schema {
        &self.0
    }

    fn find(&mut self, name: &str) -> Result<TypeId, TypeFault> {
        record::Types::find(&mut self.0, name)
    }

    fn add(&mut self, ty: Type) -> TypeId {
        self.0.add(ty)
    }

    fn names(&self) -> Vec<String> {
        record::Types::names(&self.0)
    }
}

impl Types for OctetTypes {
    fn finish(self: Box<Self>) -> Box<dyn Codecs> {
        Box::new(OctetCodecs(self.0))
    }
}

impl Codecs for OctetCodecs {
    fn input(
        &self,
        _: &Settings,
        ty: TypeId,
        _: &Opened,
    ) -> Result<Box<dyn Input>, Vec<Diagnostic>> {
        Ok(Box::new(OctetInput(ty, true)))
    }

    fn output(&self, _: &Settings, _: TypeId) -> Result<Box<dyn Output>, Vec<Diagnostic>> {
        Ok(Box::new(OctetOutput(self.0.clone())))
    }

    fn keeping(&self, ty: TypeId) -> Option<Box<dyn Keeping>> {
        let is_sequence = matches!(self.0.kind(ty), Kind::Sequence(_));
        let input = OctetInput(ty, is_sequence);
        Some(Box::new(OctetKeeping { schema: self.0.clone(), input }))
    }
}

/// Keeps records as they are written.
struct OctetKeeping {
    schema: Schema,
    input: OctetInput,
}

impl Keeping for OctetKeeping {
    fn codec(&self) -> Box<dyn Codec> {
        Box::new(OctetCodec(self.schema.clone()))
    }

    fn input(&self) -> &dyn Input {
        &self.input
    }

    fn layout(&self) -> String {
        "a number\n".into()
    }
}

struct OctetCodec(Schema);

impl Codec for OctetCodec {
    fn write(
        &mut self,
        memory: &Memory<'_>,
        record: Record,
        to: &mut Vec<u8>,
    ) -> Result<(), StateError> {
        let number = number(&self.0, memory, record).map_err(StateError::octets)?;
        to.push(u8::try_from(number).map_err(StateError::octets)?);
        Ok(())
    }

    fn read(&mut self, _: &[u8], _: &mut Arena) -> Result<Record, StateError> {
        unreachable!("no node of these tests holds records")
    }
}

impl OctetInput {
    fn reader(&self, offset: u64, mut from: impl io::Read) -> io::Result<Box<dyn Reader + '_>> {
        let mut octets = Vec::new();
        from.read_to_end(&mut octets)?;
        let OctetInput(ty, is_sequence) = *self;
        Ok(Box::new(OctetReader { ty, is_sequence, octets, at: 0, offset }))
    }
}

impl Input for OctetInput {
    fn open(&self, contents: &dyn Contents) -> io::Result<Box<dyn Reader + '_>> {
        self.reader(0, contents.octets()?)
    }

    fn stretches(&self) -> Option<&dyn Stretches> {
        Some(self)
    }
}

impl Stretches for OctetInput {
    /// Often wrong: the end may be within a long record.
    fn next_end(&self, _: &[u8], octets: &[u8], from: usize) -> Option<NextEnd> {
        let next = NextEnd { octets: from, records: from as u64 };
        (octets[0] > 30).then_some(next)
    }

    fn read_on(&self, _: &[u8], stretch: Stretch) -> io::Result<Box<dyn Reader + '_>> {
        let Stretch { offset, octets, begin, end, behind } = stretch;
        self.reader(offset, octets[begin..end].chain(behind))
    }
}

/// Returns the length of the record that begins with this octet.
fn length(octet: u8) -> usize {
    if octet == LONG { LONG_OCTETS } else { 1 }
}

impl Reader for OctetReader {
    fn next(&mut self, arena: &mut Arena) -> io::Result<Option<Read<'_>>> {
        let at = self.at;
        let Some(octet) = self.octets.get(at) else { return Ok(None) };
        self.at = (at + length(*octet)).min(self.octets.len());
        let mut memory = Memory::new(&[], arena);
        let call = memory.create(self.ty);
        match self.is_sequence {
            true => {
                let frame = memory.make_structure(call.root, 1);
                *arena.slot_mut(SlotIndex(frame.0)) = Slot::number(i64::from(*octet));
            }
            false => memory.set_number(call.root, i64::from(*octet)),
        }
        let record = if *octet == 255 {
            Err(ReadError::other(Fixed("refused", "255 is no record")))
        } else {
            Ok(call)
        };
        let offset = self.offset + at as u64;
        Ok(Some(Read { offset, octets: &self.octets[at..self.at], record }))
    }

    fn position(&self) -> Option<u64> {
        Some(self.offset + self.at as u64)
    }
}

impl Output for OctetOutput {
    fn extension(&self) -> &str {
        "out"
    }

    fn writer(&self) -> Box<dyn Writer + '_> {
        Box::new(OctetWriter(&self.0))
    }
}

struct OctetWriter<'s>(&'s Schema);

impl Writer for OctetWriter<'_> {
    fn begin(&mut self, out: &mut Vec<u8>) {
        out.push(b'<');
    }

    fn write(
        &mut self,
        memory: &Memory<'_>,
        record: Record,
        out: &mut Vec<u8>,
    ) -> Result<(), WriteError> {
        let number = number(self.0, memory, record)?;
        WRITERS.lock().unwrap_or_else(PoisonError::into_inner).push(thread::current().id());
        assert!(number != POISON || IS_MENDED.load(Ordering::Relaxed), "no process survives it");
        out.push(0); // Taken back if the next line refuses.
        *out.last_mut().expect("pushed") =
            u8::try_from(number).map_err(|_| WriteError::other(Fixed("refused", "no octet")))?;
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        out.push(b'>');
    }
}

fn number(schema: &Schema, memory: &Memory<'_>, record: Record) -> Result<i64, WriteError> {
    let at = match schema.kind(record.ty) {
        Kind::Sequence(_) => memory
            .component(record.root, 0)
            .ok_or_else(|| WriteError::other(Fixed("refused", "no number")))?,
        _ => record.root,
    };
    Ok(memory.number(at)?)
}

/// A number that makes every writer panic, until [`IS_MENDED`] is set.
const POISON: i64 = 66;
pub(crate) static IS_MENDED: AtomicBool = AtomicBool::new(false);

/// Locks [`IS_MENDED`] and [`WRITERS`], which all tests share: a test that changes or counts them must run alone.
pub(crate) static ALONE: RwLock<()> = RwLock::new(());

/// The threads that have written a record.
pub(crate) static WRITERS: Mutex<Vec<ThreadId>> = Mutex::new(Vec::new());

/// The first octet of a record that has more of them.
const LONG: u8 = 250;
const LONG_OCTETS: usize = 7;
