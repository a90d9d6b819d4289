//! Records as JSON, one per line (JER, X.697).

use std::io;
use std::sync::Arc;

use asn1::{Plan, jer};
use reason::{Code, Coded, Description};
use record::{Anatomy, Arena, Memory, Record, Shape, TypeId};

use crate::again::{self, InMemory};
use crate::anatomy;
use crate::coding::{
    Contents, Excerpt, Input, NextEnd, Output, PassedOver, Read, Reader, Stretch, Stretches, Writer,
};
use crate::error::{EditError, ReadError, WriteError};
use crate::names::UnknownNames;
use crate::text::{self, LineSettings, Lines};
use crate::window::Window;

/// How a network element's files of JSON lines are read.
#[derive(Clone, Debug)]
pub struct JsonInput {
    /// The types.
    pub plan: Arc<Plan>,
    /// The type of the records.
    pub ty: TypeId,
    /// The options they were written with.
    pub options: jer::Options,
    pub(crate) lines: LineSettings,
    /// Collects unknown names in extensible types. `None`: unknown names are errors.
    pub(crate) unknown: Option<Arc<UnknownNames>>,
}

impl JsonInput {
    pub(crate) const KEYS: &'static [&'static str] = &["tbcd-as-digits"];

    /// Creates a reader of one record type, for files in UTF-8 or with a byte order mark.
    pub fn new(plan: Arc<Plan>, ty: TypeId, options: jer::Options) -> Self {
        JsonInput { plan, ty, options, lines: LineSettings::default(), unknown: None }
    }

    /// Opens one file.
    pub fn read(&self, contents: &dyn Contents) -> io::Result<JsonFile<'_>> {
        Ok(self.file(Lines::new(Window::open(contents)?, None, &self.lines)?))
    }

    fn file(&self, lines: Lines) -> JsonFile<'_> {
        JsonFile { input: self, lines, text: String::new() }
    }
}

impl Input for JsonInput {
    fn open(&self, contents: &dyn Contents) -> io::Result<Box<dyn Reader + '_>> {
        Ok(Box::new(self.read(contents)?))
    }

    fn stretches(&self) -> Option<&dyn Stretches> {
        Some(self)
    }

    fn reopen(&self, piece: &Excerpt<'_>) -> io::Result<Box<dyn Reader + '_>> {
        let octets = InMemory(piece.octets).octets()?;
        Ok(Box::new(self.file(Lines::open_piece(piece.context, octets, None, &self.lines)?)))
    }

    fn show(&self, piece: &Excerpt<'_>) -> Result<Vec<u8>, EditError> {
        let reader = self.reopen(piece)?;
        again::to_json(&self.plan, self.options, reader)
    }

    fn take_apart(&self, piece: &Excerpt<'_>) -> Anatomy {
        self.lines.text_of(piece, |text| anatomy::json(self.plan.schema(), self.ty, text))
    }

    fn unknown(&self, mark: u32) -> String {
        self.unknown.as_ref().map_or_else(|| mark.to_string(), |unknown| unknown.name(mark))
    }

    fn shape(&self) -> Option<Shape> {
        Some(again::shape(&self.plan, self.ty, self.options))
    }

    fn correct(&self, piece: &Excerpt<'_>, json: &[u8]) -> Result<Vec<u8>, EditError> {
        let encoding = self.lines.encoding_of(piece);
        again::from_json(&self.plan, self.ty, self.options, json, |memory, record, out| {
            let mut text = Vec::new();
            jer::write(&self.plan, memory, record, self.options, &mut text)?;
            text::put(encoding, &text, out)
        })
    }
}

impl Stretches for JsonInput {
    fn next_end(&self, _: &[u8], octets: &[u8], from: usize) -> Option<NextEnd> {
        text::next_end(octets, from, false)
    }

    fn read_on(&self, context: &[u8], stretch: Stretch) -> io::Result<Box<dyn Reader + '_>> {
        Ok(Box::new(self.file(Lines::over(context, stretch, None, &self.lines))))
    }
}

/// A file being read.
pub struct JsonFile<'i> {
    input: &'i JsonInput,
    lines: Lines,
    /// Buffer for decoding a line.
    text: String,
}

impl JsonFile<'_> {
    /// Returns the number of the last line, from 1.
    pub fn line(&self) -> u64 {
        self.lines.number
    }
}

impl Reader for JsonFile<'_> {
    fn next(&mut self, arena: &mut Arena) -> io::Result<Option<Read<'_>>> {
        let JsonInput { plan, ty, options, unknown, .. } = self.input;
        let Some(line) = self.lines.next()? else { return Ok(None) };
        let text = line.text(&mut self.text).map_err(ReadError::from);
        let record = text.and_then(|text| {
            // All values are created in the arena, so there is no source.
            let (mut memory, mut marks) = (Memory::new(&[], arena), Vec::new());
            let Some(unknown) = unknown else {
                return Ok(jer::read_as(plan, &mut memory, *ty, *options, text.as_bytes())?);
            };
            let mut note = |ty: TypeId, name: &str| {
                marks.push(unknown.mark(&plan.schema().shown(ty), name));
            };
            let read =
                jer::read_extensible(plan, &mut memory, *ty, *options, text.as_bytes(), &mut note);
            marks.into_iter().for_each(|mark| arena.note_unknown(mark));
            Ok(read?)
        });
        Ok(Some(Read { offset: line.offset, octets: line.content(), record }))
    }

    fn context(&self) -> &[u8] {
        self.lines.context()
    }

    fn passed_over(&self) -> Vec<PassedOver> {
        self.lines.passed_over()
    }

    fn position(&self) -> Option<u64> {
        self.lines.position()
    }

    fn into_octets(self: Box<Self>) -> Vec<u8> {
        self.lines.into_octets()
    }
}

/// JSON that is not a record, with the position of the fault. A file's reader parses one line at a time, so the
/// position is a column.
#[derive(Debug, thiserror::Error)]
#[error("{}", described(.0))]
pub struct JsonError(jer::ReadError);

impl From<jer::ReadError> for JsonError {
    fn from(error: jer::ReadError) -> Self {
        JsonError(error)
    }
}

impl Coded for JsonError {
    fn describe(&self, description: &mut Description) {
        match &self.0 {
            error @ jer::ReadError::Json(cause) => {
                let (line, column, message) = (cause.line(), cause.column(), cause.to_string());
                error.describe(description);
                description.text(": ");
                description.value("fault", message.split(" at line ").next().unwrap_or_default());
                description.text(" at ");
                if line > 1 {
                    description.text("line ");
                    description.value("line", line);
                    description.text(", ");
                }
                description.text("column ");
                description.value("column", column);
            }
            error => error.describe(description),
        }
    }

    fn codes() -> Vec<Code> {
        Vec::new()
    }
}

fn described(error: &jer::ReadError) -> String {
    let text = match error {
        jer::ReadError::Json(cause) => {
            let (line, column, message) = (cause.line(), cause.column(), cause.to_string());
            let what = message.split(" at line ").next().unwrap_or_default();
            match line {
                0 | 1 => format!("{error}: {what} at column {column}"),
                line => format!("{error}: {what} at line {line}, column {column}"),
            }
        }
        _ => error.to_string(),
    };
    // The message may contain a name from the file.
    diagnostics::visible(&text).into_owned()
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
    ) -> Result<(), WriteError> {
        jer::write(&self.0.plan, memory, record, self.0.options, out)?;
        out.push(b'\n');
        Ok(())
    }
}
