//! Records as lines of separated values (RFC 4180), after a line with the columns' names.
//!
//! | key | meaning |
//! |---|---|
//! | `columns` | which values, in which order; see [`column`](crate::column) |
//! | `separator` | the character between values, `,` |
//! | `header` | whether there is a first line with names, `true`; read, it says the order of the columns |

use std::io;
use std::sync::Arc;

use asn1::{Plan, jer};
use csv_core::ReadRecordResult;
use diagnostics::Diagnostic;
use node::Settings;
use record::{Anatomy, Arena, Memory, Opened, Record, Shape, TypeId};

use crate::again::{self, InMemory};
use crate::anatomy::{self, cells};
use crate::codecs::{character, flag};
use crate::coding::{
    Contents, Input, Kept, NextEnd, Output, Read, Reader, Stretch, Stretches, Writer,
};
use crate::column::Column;
use crate::quoted::{self, QuotedLines};

/// Most values of a line.
const VALUES_MAX: usize = 10_000;

pub(crate) struct CsvInput {
    plan: Arc<Plan>,
    ty: TypeId,
    columns: Vec<Column>,
    separator: u8,
    header: bool,
}

impl CsvInput {
    pub(crate) const KEYS: &'static [&'static str] = &["columns", "separator", "header"];

    pub(crate) fn new(
        plan: Arc<Plan>,
        ty: TypeId,
        decode: &Settings,
    ) -> Result<Self, Vec<Diagnostic>> {
        let columns = Column::all(&plan, ty, decode)?;
        let (separator, header) =
            (character(decode, "separator", b',')?, flag(decode, "header", true)?);
        Ok(CsvInput { plan, ty, columns, separator, header })
    }
}

impl Input for CsvInput {
    fn open(&self, contents: &dyn Contents) -> io::Result<Box<dyn Reader + '_>> {
        let mut file = self.begin(contents)?;
        if self.header {
            file.read_header(None)?;
        }
        Ok(Box::new(file))
    }

    fn stretches(&self) -> Option<&dyn Stretches> {
        Some(self)
    }

    fn reopen(&self, kept: &Kept<'_>) -> io::Result<Box<dyn Reader + '_>> {
        Ok(Box::new(self.line(kept)?))
    }

    fn show(&self, kept: &Kept<'_>) -> Result<Vec<u8>, String> {
        let reader = self.reopen(kept).map_err(|error| error.to_string())?;
        again::to_json(&self.plan, jer::Options::default(), reader)
    }

    fn take_apart(&self, kept: &Kept<'_>) -> Anatomy {
        let schema = self.plan.schema();
        let names: Vec<String> = match self.header {
            true => { cells(kept.context, self.separator).into_iter() }
                .map(|cell| {
                    let name = String::from_utf8_lossy(&cell.text);
                    name.trim_start_matches('\u{feff}').to_owned()
                })
                .collect(),
            false => self.columns.iter().map(|column| column.header.clone()).collect(),
        };
        let parts =
            cells(kept.octets, self.separator).into_iter().enumerate().map(|(place, cell)| {
                let name = names.get(place).cloned().unwrap_or_else(|| "?".into());
                let column = self.columns.iter().find(|column| column.header == name);
                let ty = column.map_or(String::new(), |column| schema.shown(column.ty()));
                anatomy::leaf(name, ty, (cell.place, cell.content), &cell.text)
            });
        anatomy::flat(parts)
    }

    fn shape(&self) -> Option<Shape> {
        Some(again::shape(&self.plan, self.ty, jer::Options::default()))
    }

    /// What stands in columns that nobody named stays.
    fn correct(&self, kept: &Kept<'_>, json: &[u8]) -> Result<Vec<u8>, String> {
        let mut file = self.line(kept).map_err(|error| error.to_string())?;
        if let Some(fault) = file.fault {
            return Err(fault);
        }
        let known = values(&mut file.reader, kept.octets, &mut file.text, &mut file.ends);
        let has_all = known == Ok(file.order.len());
        let options = jer::Options::default();
        again::from_json(&self.plan, self.ty, options, json, |memory, record, out| {
            let mut written = Vec::new();
            for (place, column) in file.order.iter().enumerate() {
                written.clear();
                match column {
                    Some(column) => {
                        self.columns[*column].read(&self.plan, memory, record, &mut written)?;
                    }
                    None if has_all => {
                        written.extend_from_slice(value(&file.text, &file.ends, place));
                    }
                    None => {}
                }
                if place > 0 {
                    out.push(self.separator);
                }
                put(&written, self.separator, out);
            }
            out.extend_from_slice(b"\r\n");
            Ok(())
        })
    }
}

impl Stretches for CsvInput {
    fn next_end(&self, _: &[u8], octets: &[u8], from: usize) -> Option<NextEnd> {
        quoted::next_end(octets, from)
    }

    fn read_on(&self, context: &[u8], stretch: Stretch) -> io::Result<Box<dyn Reader + '_>> {
        let mut file = self.through(QuotedLines::over(stretch, self.separator));
        if self.header {
            file.read_kept_header(context)?;
        }
        Ok(Box::new(file))
    }
}

impl CsvInput {
    fn begin(&self, contents: &dyn Contents) -> io::Result<CsvFile<'_>> {
        Ok(self.through(QuotedLines::new(contents.octets()?, self.separator)))
    }

    fn through(&self, lines: QuotedLines) -> CsvFile<'_> {
        CsvFile {
            input: self,
            lines,
            reader: csv_core::ReaderBuilder::new().delimiter(self.separator).build(),
            text: vec![0; 4096],
            ends: vec![0; 64],
            order: (0..self.columns.len()).map(Some).collect(),
            header: Vec::new(),
            fault: None,
        }
    }

    /// A line that was set aside, with the names that stood above it.
    fn line(&self, kept: &Kept<'_>) -> io::Result<CsvFile<'_>> {
        let mut file = self.begin(&InMemory(kept.octets))?;
        if self.header && kept.context.is_empty() {
            file.fault = Some("the line of names of its file is not known".into());
        } else if self.header {
            file.read_kept_header(kept.context)?;
        }
        Ok(file)
    }
}

struct CsvFile<'i> {
    input: &'i CsvInput,
    lines: QuotedLines,
    reader: csv_core::Reader,
    /// The values of a line, one behind the other.
    text: Vec<u8>,
    /// Where each value ends.
    ends: Vec<usize>,
    /// By place in the line: the column.
    order: Vec<Option<usize>>,
    /// The line of names.
    header: Vec<u8>,
    /// What is wrong with the whole file; said of every line.
    fault: Option<String>,
}

impl CsvFile<'_> {
    fn read_kept_header(&mut self, names: &[u8]) -> io::Result<()> {
        let names = QuotedLines::new(InMemory(names).octets()?, self.input.separator);
        self.read_header(Some(names))
    }

    /// Reads the line of names, from where it was kept or from the file itself.
    fn read_header(&mut self, mut kept: Option<QuotedLines>) -> io::Result<()> {
        let lines = kept.as_mut().unwrap_or(&mut self.lines);
        let Some(line) = lines.next()? else { return Ok(()) };
        self.header.extend_from_slice(line.octets);
        let values = match line.fault {
            None => values(&mut self.reader, line.octets, &mut self.text, &mut self.ends),
            Some(fault) => Err(fault),
        };
        let values = match values {
            Ok(values) => values,
            Err(fault) => {
                self.fault = Some(format!("the line of names: {fault}"));
                return Ok(());
            }
        };
        let names: Vec<String> = (0..values)
            .map(|place| {
                let name = value(&self.text, &self.ends, place);
                String::from_utf8_lossy(name).trim_start_matches('\u{feff}').to_owned()
            })
            .collect();
        let columns = &self.input.columns;
        self.order = names
            .iter()
            .map(|name| columns.iter().position(|column| column.header == *name))
            .collect();
        self.fault = columns.iter().find_map(|Column { header, .. }| {
            match names.iter().filter(|name| *name == header).count() {
                0 => Some(format!("the file has no column \"{header}\"")),
                1 => None,
                _ => Some(format!("the file has the column \"{header}\" twice")),
            }
        });
        Ok(())
    }
}

/// A value of the line that was read last.
fn value<'t>(text: &'t [u8], ends: &[usize], place: usize) -> &'t [u8] {
    let start = if place == 0 { 0 } else { ends[place - 1] };
    &text[start..ends[place]]
}

/// Takes a whole line apart; returns how many values it has.
fn values(
    reader: &mut csv_core::Reader,
    line: &[u8],
    text: &mut Vec<u8>,
    ends: &mut Vec<usize>,
) -> Result<usize, &'static str> {
    let (mut taken, mut written, mut values) = (0, 0, 0);
    reader.reset();
    loop {
        // Without its line end, a line ends where there is nothing more.
        let (result, read, wrote, ended) =
            reader.read_record(&line[taken..], &mut text[written..], &mut ends[values..]);
        taken += read;
        written += wrote;
        values += ended;
        match result {
            ReadRecordResult::Record => return Ok(values),
            ReadRecordResult::End => return Ok(0),
            ReadRecordResult::InputEmpty => {}
            ReadRecordResult::OutputFull => text.resize(text.len() * 2, 0),
            ReadRecordResult::OutputEndsFull if values > VALUES_MAX => {
                return Err("too many values");
            }
            ReadRecordResult::OutputEndsFull => ends.resize(ends.len() * 2, 0),
        }
    }
}

impl Reader for CsvFile<'_> {
    fn next(&mut self, arena: &mut Arena) -> io::Result<Option<Read<'_>>> {
        let CsvFile { input, lines, reader, text, ends, order, fault, .. } = self;
        let Some(line) = lines.next()? else { return Ok(None) };
        let sound = match (line.fault, fault) {
            (Some(fault), _) => Err(fault.to_owned()),
            (None, Some(fault)) => Err(fault.clone()),
            (None, None) => Ok(()),
        };
        let record = sound
            .and_then(|()| Ok(values(reader, line.octets, text, ends)?))
            .and_then(|values| match (values, order.len()) {
                (values, expected) if values != expected => {
                    Err(format!("the line has {values} values, {expected} are expected"))
                }
                _ => Ok(()),
            })
            .and_then(|()| {
                let mut memory = Memory::new(&[], arena);
                let record = memory.create(input.ty);
                for (place, column) in order.iter().enumerate() {
                    if let Some(column) = column {
                        let value = value(text, ends, place);
                        input.columns[*column].put(&input.plan, &mut memory, record, value)?;
                    }
                }
                Ok(record)
            });
        Ok(Some(Read { offset: line.offset, octets: line.octets, record }))
    }

    fn context(&self) -> &[u8] {
        &self.header
    }

    fn position(&self) -> Option<u64> {
        self.lines.position().filter(|_| self.fault.is_none())
    }

    fn into_octets(self: Box<Self>) -> Vec<u8> {
        self.lines.into_octets()
    }
}

pub(crate) struct CsvOutput {
    plan: Arc<Plan>,
    columns: Vec<Column>,
    /// By column: whether a value of it may need quotes.
    quoted: Vec<bool>,
    separator: u8,
    header: bool,
}

impl CsvOutput {
    pub(crate) const KEYS: &'static [&'static str] = CsvInput::KEYS;

    pub(crate) fn new(
        plan: Arc<Plan>,
        ty: TypeId,
        encode: &Settings,
    ) -> Result<Self, Vec<Diagnostic>> {
        let columns = Column::all(&plan, ty, encode)?;
        let (separator, header) =
            (character(encode, "separator", b',')?, flag(encode, "header", true)?);
        // An empty line would be none, so a single column has quotes where there is no value.
        let may_be_quoted =
            |column: &Column| columns.len() == 1 || !column.is_never_quoted(separator);
        let quoted = columns.iter().map(may_be_quoted).collect();
        Ok(CsvOutput { plan, columns, quoted, separator, header })
    }
}

impl Output for CsvOutput {
    fn extension(&self) -> &str {
        "csv"
    }

    fn opened(&self) -> Opened {
        self.columns.iter().flat_map(Column::entered).collect()
    }

    fn writer(&self) -> Box<dyn Writer + '_> {
        Box::new(CsvWriter { output: self, value: Vec::new() })
    }
}

struct CsvWriter<'o> {
    output: &'o CsvOutput,
    /// One value, before it is known whether it needs quotes.
    value: Vec<u8>,
}

impl CsvWriter<'_> {
    fn separate(&self, place: usize, out: &mut Vec<u8>) {
        if place > 0 {
            out.push(self.output.separator);
        }
    }
}

impl Writer for CsvWriter<'_> {
    fn begin(&mut self, out: &mut Vec<u8>) {
        if !self.output.header {
            return;
        }
        for (place, column) in self.output.columns.iter().enumerate() {
            self.separate(place, out);
            put(column.header.as_bytes(), self.output.separator, out);
        }
        out.extend_from_slice(b"\r\n");
    }

    fn write(
        &mut self,
        memory: &Memory<'_>,
        record: Record,
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        let output = self.output;
        for (place, (column, quoted)) in output.columns.iter().zip(&output.quoted).enumerate() {
            if !quoted {
                self.separate(place, out);
                column.read(&output.plan, memory, record, out)?;
                continue;
            }
            self.value.clear();
            column.read(&output.plan, memory, record, &mut self.value)?;
            if self.value.is_empty() && output.columns.len() == 1 {
                out.extend_from_slice(b"\"\"");
            }
            self.separate(place, out);
            put(&self.value, output.separator, out);
        }
        out.extend_from_slice(b"\r\n");
        Ok(())
    }
}

/// Appends a value, in quotes where it has separators, quotes or line ends in it.
fn put(value: &[u8], separator: u8, out: &mut Vec<u8>) {
    if !value.iter().any(|octet| *octet == separator || matches!(octet, b'"' | b'\r' | b'\n')) {
        out.extend_from_slice(value);
        return;
    }
    out.push(b'"');
    for octet in value {
        if *octet == b'"' {
            out.push(b'"');
        }
        out.push(*octet);
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::put;

    #[test]
    fn a_value_with_separators_quotes_or_line_ends_is_quoted() {
        for (value, written) in
            [("plain", "plain"), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""), ("a\nb", "\"a\nb\"")]
        {
            let mut out = Vec::new();
            put(value.as_bytes(), b',', &mut out);
            assert_eq!(out, written.as_bytes());
        }
    }
}
