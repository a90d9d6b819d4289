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
use record::{Arena, Memory, Opened, Record, TypeId};

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
            started: false,
        };
        if self.header {
            file.read_header()?;
        }
        file.started = true;
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
    /// Whether the line with names is passed, so that it is known how many values a line has.
    started: bool,
}

/// A line as it was read.
struct CsvLine {
    offset: u64,
    octets: usize,
    values: usize,
    fault: Option<String>,
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
                ReadRecordResult::Record => return Ok(Some(self.judge(taken, values))),
                ReadRecordResult::End => return Ok(None),
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => self.text.resize(self.text.len() * 2, 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(self.ends.len() * 2, 0),
            }
            if taken > LINE_OCTETS_MAX || values > VALUES_MAX {
                let fault = "a line that is too long, or a quote that is not closed";
                return Ok(Some(self.first_line(taken, fault.to_owned())));
            }
        }
    }

    /// Says what is wrong with a line that was read. Where a quote is not closed, what was read are
    /// several lines, of which only the first is damaged.
    fn judge(&mut self, octets: usize, values: usize) -> CsvLine {
        let read = &self.window.ahead()[..octets];
        if let Some(fault) = wrong_quotes(read, self.input.separator) {
            return self.first_line(octets, fault.to_owned());
        }
        let expected = self.order.len();
        if self.started && values != expected {
            let fault = format!("the line has {values} values, {expected} are expected");
            return self.first_line(octets, fault);
        }
        CsvLine { offset: self.window.position(), octets, values, fault: None }
    }

    /// The first line of what was read, as one that is damaged; reading goes on behind it.
    fn first_line(&mut self, octets: usize, fault: String) -> CsvLine {
        let read = &self.window.ahead()[..octets];
        let blank = read.iter().take_while(|octet| matches!(octet, b'\r' | b'\n')).count();
        let end = read[blank..].iter().position(|octet| *octet == b'\n');
        let octets = end.map_or(octets, |end| blank + end + 1);
        self.reader.reset();
        let offset = self.window.position();
        CsvLine { offset, octets, values: 0, fault: Some(fault) }
    }

    fn record(&self, line: &CsvLine, arena: &mut Arena) -> Result<Record, String> {
        if let Some(fault) = line.fault.as_ref().or(self.fault.as_ref()) {
            return Err(fault.clone());
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

/// What is wrong with the quotes of a line. Those within a value that does not begin with one are
/// characters like others.
fn wrong_quotes(line: &[u8], separator: u8) -> Option<&'static str> {
    let line = line.trim_ascii_start();
    let mut at = 0;
    // Most lines have none.
    while let Some(found) = line[at..].iter().position(|octet| *octet == b'"') {
        let quote = at + found;
        at = quote + 1;
        if quote > 0 && line[quote - 1] != separator {
            continue;
        }
        loop {
            let Some(closing) = line[at..].iter().position(|octet| *octet == b'"') else {
                return Some("a quote is not closed");
            };
            at += closing + 1;
            match line.get(at) {
                Some(b'"') => at += 1,
                None | Some(b'\r' | b'\n') => break,
                Some(behind) if *behind == separator => break,
                Some(_) => return Some("characters stand behind a closing quote"),
            }
        }
    }
    None
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
    use super::{put, wrong_quotes};

    #[test]
    fn quotes_open_and_close_a_value() {
        for (line, whole) in [
            ("plain;5\" disk;x", true),
            ("\"a;\"\"b\"\"\";c\r\n", true),
            ("a;\"b\nc\"\n", true),
            ("a;\"\"", true),
            ("a;\"b;c", false),
            ("a;\"b\"c;d", false),
            ("\"a\" ;b", false),
        ] {
            assert_eq!(wrong_quotes(line.as_bytes(), b';').is_none(), whole, "{line}");
        }
    }

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
