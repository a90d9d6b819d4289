//! Records as JSON, one a line (JER, X.697).

use std::io;
use std::sync::Arc;

use asn1::{Plan, jer};
use record::{Anatomy, Arena, Memory, Record, Shape, TypeId};

use crate::again;
use crate::anatomy;
use crate::coding::{
    Contents, Input, Kept, NextEnd, Output, Read, Reader, Stretch, Stretches, Writer,
};
use crate::lines::{self, Lines};

/// How the files of JSON lines of a network element are read.
#[derive(Clone, Debug)]
pub struct JsonInput {
    /// The types.
    pub plan: Arc<Plan>,
    /// The type of the records.
    pub ty: TypeId,
    /// How they were written.
    pub options: jer::Options,
}

impl JsonInput {
    /// Opens one file.
    pub fn read(&self, contents: &dyn Contents) -> io::Result<JsonFile<'_>> {
        Ok(JsonFile { input: self, lines: Lines::new(contents.octets()?) })
    }
}

impl Input for JsonInput {
    fn open(&self, contents: &dyn Contents) -> io::Result<Box<dyn Reader + '_>> {
        Ok(Box::new(self.read(contents)?))
    }

    fn stretches(&self) -> Option<&dyn Stretches> {
        Some(self)
    }

    fn show(&self, kept: &Kept<'_>) -> Result<Vec<u8>, String> {
        let reader = self.reopen(kept).map_err(|error| error.to_string())?;
        again::to_json(&self.plan, self.options, reader)
    }

    fn take_apart(&self, kept: &Kept<'_>) -> Anatomy {
        anatomy::json(self.plan.schema(), self.ty, kept.octets)
    }

    fn shape(&self) -> Option<Shape> {
        Some(again::shape(&self.plan, self.ty, self.options))
    }

    fn correct(&self, _: &Kept<'_>, json: &[u8]) -> Result<Vec<u8>, String> {
        again::from_json(&self.plan, self.ty, self.options, json, |memory, record, out| {
            jer::write(&self.plan, memory, record, self.options, out)
                .map_err(|error| error.to_string())
        })
    }
}

impl Stretches for JsonInput {
    fn next_end(&self, _: &[u8], octets: &[u8], from: usize) -> Option<NextEnd> {
        lines::next_end(octets, from)
    }

    fn read_on(&self, _: &[u8], stretch: Stretch) -> io::Result<Box<dyn Reader + '_>> {
        Ok(Box::new(JsonFile { input: self, lines: Lines::over(stretch) }))
    }
}

/// A file being read.
pub struct JsonFile<'i> {
    input: &'i JsonInput,
    lines: Lines,
}

impl JsonFile<'_> {
    /// The number of the line that was read last, from 1.
    pub fn line(&self) -> u64 {
        self.lines.number
    }
}

impl Reader for JsonFile<'_> {
    fn next(&mut self, arena: &mut Arena) -> io::Result<Option<Read<'_>>> {
        let JsonInput { plan, ty, options } = self.input;
        let Some(line) = self.lines.next()? else { return Ok(None) };
        let record = line.whole.and_then(|()| {
            // All values are made in the arena, so there is no source.
            jer::read_as(plan, &mut Memory::new(&[], arena), *ty, *options, line.octets)
                .map_err(chain)
        });
        Ok(Some(Read { offset: line.offset, octets: line.octets, record }))
    }

    fn position(&self) -> Option<u64> {
        self.lines.position()
    }

    fn into_octets(self: Box<Self>) -> Vec<u8> {
        self.lines.into_octets()
    }
}

/// An error with its causes.
pub(crate) fn chain(error: jer::ReadError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(next) = cause {
        text.push_str(&format!(": {next}"));
        cause = next.source();
    }
    text
}

pub(crate) struct JsonOutput {
    pub(crate) plan: Arc<Plan>,
    pub(crate) options: jer::Options,
}

impl Output for JsonOutput {
    fn extension(&self) -> &str {
        "json"
    }

    fn writer(&self) -> Box<dyn Writer + '_> {
        Box::new(JsonWriter(self))
    }
}

struct JsonWriter<'o>(&'o JsonOutput);

impl Writer for JsonWriter<'_> {
    fn write(
        &mut self,
        memory: &Memory<'_>,
        record: Record,
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        jer::write(&self.0.plan, memory, record, self.0.options, out)
            .map_err(|error| error.to_string())?;
        out.push(b'\n');
        Ok(())
    }
}
