//! Records as lines of separated values (RFC 4180), after a line with the columns' names.
//!
//! | key | meaning |
//! |---|---|
//! | `columns` | which values, in which order; see [`column`](crate::column) |
//! | `separator` | the character between values, `,` |
//! | `header` | whether there is a first line with names, `true`; read, it says the order of the columns |

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use asn1::Plan;
use csv_core::ReadRecordResult;
use diagnostics::Diagnostic;
use node::Settings;
use record::{Arena, Memory, Record, TypeId};

use crate::codecs::{character, flag};
use crate::coding::{Input, Output, Read, Reader, Writer};
use crate::column::Column;
use crate::window::{CHUNK_OCTETS, Window};

/// Longest line of a file; a longer one is damage.
const LINE_OCTETS_MAX: usize = 1 << 20;

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
    fn open(&self, path: &Path) -> io::Result<Box<dyn Reader + '_>> {
        let mut file = CsvFile {
            input: self,
            window: Window::new(File::open(path)?),
            reader: csv_core::ReaderBuilder::new().delimiter(self.separator).build(),
            text: vec![0; 4096],
            ends: vec![0; 64],
            order: (0..self.columns.len()).map(Some).collect(),
            fault: None,
        };
        if self.header {
            file.read_header()?;
        }
        Ok(Box::new(file))
    }
}

struct CsvFile<'i> {
    input: &'i CsvInput,
    window: Window,
    reader: csv_core::Reader,
    /// The values of a line, one behind the other.
    text: Vec<u8>,
    /// Where each value ends.
    ends: Vec<usize>,
    /// By place in the line: the column.
    order: Vec<Option<usize>>,
    /// What is wrong with the whole file; said of every line.
    fault: Option<String>,
}

/// A line as it was read.
struct CsvLine {
    offset: u64,
    octets: usize,
    values: usize,
    fault: Option<&'static str>,
}

impl CsvFile<'_> {
    fn read_header(&mut self) -> io::Result<()> {
        let Some(line) = self.line()? else { return Ok(()) };
        let names: Vec<String> = (0..line.values)
            .map(|place| {
                String::from_utf8_lossy(self.value(place)).trim_start_matches('\u{feff}').to_owned()
            })
            .collect();
        self.window.pass(line.octets);
        let columns = &self.input.columns;
        self.order = names
            .iter()
            .map(|name| columns.iter().position(|column| column.header == *name))
            .collect();
        let missing = columns.iter().find(|column| !names.contains(&column.header));
        self.fault = missing.map(|column| format!("the file has no column \"{}\"", column.header));
        Ok(())
    }

    fn value(&self, place: usize) -> &[u8] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.text[start..self.ends[place]]
    }

    /// Reads a line; the window stays before it.
    fn line(&mut self) -> io::Result<Option<CsvLine>> {
        let (mut taken, mut written, mut values) = (0, 0, 0);
        self.window.look_ahead(CHUNK_OCTETS / 2)?;
        loop {
            if taken == self.window.ahead().len() && !self.window.is_all() {
                self.window.look_ahead(taken + CHUNK_OCTETS)?;
            }
            let ahead = &self.window.ahead()[taken..];
            let text = &mut self.text[written..];
            let ends = &mut self.ends[values..];
            let (result, read, wrote, ended) = self.reader.read_record(ahead, text, ends);
            taken += read;
            written += wrote;
            values += ended;
            match result {
                ReadRecordResult::Record => {
                    let offset = self.window.position();
                    return Ok(Some(CsvLine { offset, octets: taken, values, fault: None }));
                }
                ReadRecordResult::End => return Ok(None),
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => self.text.resize(self.text.len() * 2, 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(self.ends.len() * 2, 0),
            }
            if taken > LINE_OCTETS_MAX || values > VALUES_MAX {
                let fault = Some("a line that is too long, or a quote that is not closed");
                let offset = self.window.position();
                self.reader.reset();
                return Ok(Some(CsvLine { offset, octets: taken, values: 0, fault }));
            }
        }
    }

    fn record(&self, line: &CsvLine, arena: &mut Arena) -> Result<Record, String> {
        if let Some(fault) = line.fault.map(str::to_owned).or_else(|| self.fault.clone()) {
            return Err(fault);
        }
        if line.values != self.order.len() {
            let wanted = self.order.len();
            return Err(format!("the line has {} values, {wanted} are expected", line.values));
        }
        let mut memory = Memory::new(&[], arena);
        let record = memory.create(self.input.ty);
        for (place, column) in self.order.iter().enumerate() {
            if let Some(column) = column {
                let column = &self.input.columns[*column];
                column.put(&self.input.plan, &mut memory, record, self.value(place))?;
            }
        }
        Ok(record)
    }
}

impl Reader for CsvFile<'_> {
    fn next(&mut self, arena: &mut Arena) -> io::Result<Option<Read<'_>>> {
        let Some(line) = self.line()? else { return Ok(None) };
        let record = self.record(&line, arena);
        Ok(Some(Read { offset: line.offset, octets: self.window.pass(line.octets), record }))
    }
}

pub(crate) struct CsvOutput {
    plan: Arc<Plan>,
    columns: Vec<Column>,
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
        Ok(CsvOutput { plan, columns, separator, header })
    }
}

impl Output for CsvOutput {
    fn extension(&self) -> &str {
        "csv"
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
        for (place, column) in output.columns.iter().enumerate() {
            self.value.clear();
            column.read(&output.plan, memory, record, &mut self.value)?;
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
