//! Records as lines of separated values (RFC 4180), after a line with the columns' names.
//!
//! | key | meaning |
//! |---|---|
//! | `columns` | which values, in which order; see [`column`](crate::column) |
//! | `separator` | the character between values, `,` |
//! | `header` | whether there is a header line, `true`; on input, it determines the column order |
//!
//! If the header lacks a column, the whole file is set aside in pieces, with that one reason.

use std::io;
use std::sync::Arc;

use asn1::{Plan, jer};
use cells::{Blanks, Rules, Value};
use diagnostics::Diagnostic;
use reason::Coded;
use record::{Anatomy, Arena, Memory, Opened, Record, Shape, TypeId};
use settings::Settings;

use crate::again::{self, InMemory};
use crate::anatomy;
use crate::codecs::{character, flag};
use crate::coding::{
    Contents, Excerpt, Input, NextEnd, Output, PassedOver, Read, Reader, Stretch, Stretches, Writer,
};
use crate::column::Column;
use crate::error::{EditError, ReadError, WriteError};
use crate::text::{self, LINE_OCTETS_MAX, LineSettings, Lines, TextError, shown};
use crate::window::Window;

pub(crate) struct CsvInput {
    plan: Arc<Plan>,
    ty: TypeId,
    columns: Vec<Column>,
    separator: u8,
    header: bool,
    lines: LineSettings,
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
        text::refuse_hidden(decode, separator)?;
        let lines = LineSettings::new(decode)?;
        Ok(CsvInput { plan, ty, columns, separator, header, lines })
    }
}

impl Input for CsvInput {
    fn open(&self, contents: &dyn Contents) -> io::Result<Box<dyn Reader + '_>> {
        Ok(Box::new(self.begin(contents)?))
    }

    fn stretches(&self) -> Option<&dyn Stretches> {
        Some(self)
    }

    fn reopen(&self, piece: &Excerpt<'_>) -> io::Result<Box<dyn Reader + '_>> {
        Ok(Box::new(self.open_piece(piece)?))
    }

    fn show(&self, piece: &Excerpt<'_>) -> Result<Vec<u8>, EditError> {
        let reader = self.reopen(piece)?;
        again::to_json(&self.plan, jer::Options::default(), reader)
    }

    fn take_apart(&self, piece: &Excerpt<'_>) -> Anatomy {
        let names = self.names(piece);
        self.lines.text_of(piece, |text| self.take_line_apart(&names, text))
    }

    fn shape(&self) -> Option<Shape> {
        Some(again::shape(&self.plan, self.ty, jer::Options::default()))
    }

    /// Values in columns without a setting stay unchanged.
    fn correct(&self, piece: &Excerpt<'_>, json: &[u8]) -> Result<Vec<u8>, EditError> {
        let mut file = self.open_piece(piece)?;
        if let Some(refused) = file.refused {
            return Err(ReadError::Header(refused.reason).into());
        }
        let known = match file.lines.next()? {
            Some(line) => line.text(&mut file.text).unwrap_or_default().to_owned(),
            None => String::new(),
        };
        let is_sound = self.rules().values(known.as_bytes(), &mut file.values).is_none();
        let has_all = is_sound && file.values.len() == file.order.len();
        let (options, encoding) = (jer::Options::default(), self.lines.encoding_of(piece));
        again::from_json(&self.plan, self.ty, options, json, |memory, record, out| {
            let (mut line, mut written) = (Vec::new(), Vec::new());
            for (place, column) in file.order.iter().enumerate() {
                written.clear();
                match column {
                    Some(column) => {
                        self.columns[*column].read(&self.plan, memory, record, &mut written)?;
                    }
                    None if has_all => {
                        written.extend_from_slice(&file.values[place].text(known.as_bytes()));
                    }
                    None => {}
                }
                if place > 0 {
                    line.push(self.separator);
                }
                put(&written, self.separator, &mut line);
            }
            line.extend_from_slice(b"\r\n");
            text::put(encoding, &line, out)
        })
    }
}

impl Stretches for CsvInput {
    fn next_end(&self, _: &[u8], octets: &[u8], from: usize) -> Option<NextEnd> {
        text::next_end(octets, from, true)
    }

    fn read_on(&self, context: &[u8], stretch: Stretch) -> io::Result<Box<dyn Reader + '_>> {
        let lines = Lines::over(context, stretch, Some(self.separator), &self.lines);
        let mut file = self.through(lines);
        file.read_stored_header(context)?;
        Ok(Box::new(file))
    }
}

impl CsvInput {
    fn rules(&self) -> Rules {
        Rules { separator: Some(self.separator), line_end: None, blanks: Blanks::Preserved }
    }

    fn begin(&self, contents: &dyn Contents) -> io::Result<CsvFile<'_>> {
        let lines = Lines::new(Window::open(contents)?, Some(self.separator), &self.lines)?;
        let mut file = self.through(lines);
        if self.header {
            file.lines.record_beginning();
            file.read_own_header()?;
        } else {
            file.context = file.lines.context().into();
        }
        Ok(file)
    }

    fn through(&self, lines: Lines) -> CsvFile<'_> {
        CsvFile {
            input: self,
            lines,
            text: String::new(),
            values: Vec::new(),
            names: Vec::new(),
            order: (0..self.columns.len()).map(Some).collect(),
            context: Vec::new(),
            header_octets: 0,
            nuls: None,
            refused: None,
            piece: Vec::new(),
        }
    }

    /// Reads lines that were set aside, with the header of their file; or the beginning of a file.
    fn open_piece(&self, piece: &Excerpt<'_>) -> io::Result<CsvFile<'_>> {
        if self.header && piece.octets.starts_with(piece.context) {
            return self.begin(&InMemory(piece.octets));
        }
        let octets = InMemory(piece.octets).octets()?;
        let lines = Lines::open_piece(piece.context, octets, Some(self.separator), &self.lines)?;
        let mut file = self.through(lines);
        file.read_stored_header(piece.context)?;
        Ok(file)
    }

    /// Returns the column names for lines that were set aside.
    fn names(&self, piece: &Excerpt<'_>) -> Vec<String> {
        let own = || self.columns.iter().map(|column| column.header.clone()).collect();
        if !self.header {
            return own();
        }
        self.begin(&InMemory(piece.context)).map_or_else(|_| own(), |file| file.names)
    }

    fn take_line_apart(&self, names: &[String], text: &[u8]) -> Anatomy {
        let schema = self.plan.schema();
        let line = text.strip_suffix(b"\n").unwrap_or(text);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let mut values = Vec::new();
        self.rules().values(line, &mut values);
        let parts = values.into_iter().enumerate().map(|(place, value)| {
            let name = names.get(place).cloned().unwrap_or_else(|| "?".into());
            let column = self.columns.iter().find(|column| column.header == name);
            let ty = column.map_or(String::new(), |column| schema.shown(column.ty()));
            let content = value.text(line);
            anatomy::leaf(name, ty, (value.place.clone(), value.content.clone()), &content)
        });
        anatomy::flat(parts)
    }
}

struct CsvFile<'i> {
    input: &'i CsvInput,
    lines: Lines,
    /// Buffer for decoding a line.
    text: String,
    values: Vec<Value>,
    /// The column names in the header.
    names: Vec<String>,
    /// The column of each place in a line.
    order: Vec<Option<usize>>,
    /// The part of the file that is needed to read a line alone: everything before the first record.
    context: Vec<u8>,
    /// Length of the header line.
    header_octets: u64,
    /// A run of NULs before the header, which is set aside first.
    nuls: Option<(u64, Vec<u8>, TextError)>,
    refused: Option<Refused>,
    /// Buffer for the pieces of a refused file.
    piece: Vec<u8>,
}

/// The reason why the whole file is set aside.
struct Refused {
    reason: Arc<HeaderError>,
    /// The part of the file that was already read, and its offset.
    beginning: Option<(u64, Vec<u8>)>,
}

/// The reason why a file has no header that fits its columns.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("header")]
pub enum HeaderError {
    /// A line was set aside without the header of its file.
    #[error("the line of names of its file is not known")]
    Unknown,
    /// The file begins with a declaration of another separator.
    #[error(
        "the file says that its separator is \"{stated}\"; expected \"{expected}\"", stated = shown(&[*stated]), expected = shown(&[*expected])
    )]
    Separator {
        /// The separator that is declared.
        stated: u8,
        /// The separator of the settings.
        expected: u8,
    },
    /// The line is not text.
    #[error("the line of names: {0}")]
    Text(#[coded] TextError),
    /// A quoted name does not end correctly.
    #[error("the line of names is \"{line}\": {fault}")]
    Quote {
        /// The beginning of the line.
        line: String,
        /// What is wrong with the name.
        #[coded]
        fault: cells::What,
    },
    /// A column is not named.
    #[error("the file has no column \"{column}\"; its line of names is \"{line}\"")]
    NoColumn {
        /// The column.
        column: String,
        /// The beginning of the line.
        line: String,
    },
    /// A column is named more than once.
    #[error("the file has the column \"{column}\" twice; its line of names is \"{line}\"")]
    Twice {
        /// The column.
        column: String,
        /// The beginning of the line.
        line: String,
    },
}

/// Maximum context stored with each job that sets lines of the file aside.
const CONTEXT_OCTETS_MAX: usize = 64 << 10;

impl CsvFile<'_> {
    /// Reads the header from stored context.
    fn read_stored_header(&mut self, context: &[u8]) -> io::Result<()> {
        self.context = context.into();
        if !self.input.header {
            return Ok(());
        }
        let names = self.input.begin(&InMemory(context))?;
        (self.names, self.order) = (names.names, names.order);
        let reason = match context.is_empty() {
            true => Some(Arc::new(HeaderError::Unknown)),
            false => names.refused.map(|refused| refused.reason),
        };
        self.refused = reason.map(|reason| Refused { reason, beginning: None });
        Ok(())
    }

    /// Reads the header of the file.
    fn read_own_header(&mut self) -> io::Result<()> {
        if self.lines.is_refused() {
            return Ok(());
        }
        let found = self.find_names()?;
        let end = self.lines.offset();
        let beginning = self.lines.take_beginning();
        let names = match found {
            None => Ok(Vec::new()),
            Some(Ok(text)) => self.input.split(&text, &mut self.values),
            Some(Err(fault)) => Err(fault),
        };
        let order = names.and_then(|names| {
            self.names = names;
            match self.header_octets {
                0 => Ok(Vec::new()),
                _ => self.input.order(&self.names),
            }
        });
        match order {
            Ok(order) => (self.order, self.context) = (order, beginning),
            Err(fault) => {
                if beginning.len() <= CONTEXT_OCTETS_MAX {
                    self.context.clone_from(&beginning);
                }
                let start = end.saturating_sub(beginning.len() as u64);
                let (reason, beginning) = (Arc::new(fault), Some((start, beginning)));
                self.refused = Some(Refused { reason, beginning });
            }
        }
        Ok(())
    }

    /// Returns the text of the header, or why it cannot be read. `None` if the file ends before it.
    fn find_names(&mut self) -> io::Result<Option<Result<String, HeaderError>>> {
        let separator = self.input.separator;
        loop {
            let Some(line) = self.lines.next()? else { return Ok(None) };
            if let Some(fault) = line.nuls() {
                self.nuls = Some((line.offset, line.octets.into(), fault.clone()));
                continue;
            }
            let text = line.text(&mut self.text).map(str::to_owned);
            let octets = line.octets.len() as u64;
            self.header_octets += octets;
            // A separator declaration as written by Excel.
            match text.as_deref().map(|text| text.strip_prefix("sep=").map(str::as_bytes)) {
                Ok(Some([stated])) if *stated == separator => {}
                Ok(Some([stated])) => {
                    let (stated, expected) = (*stated, separator);
                    return Ok(Some(Err(HeaderError::Separator { stated, expected })));
                }
                _ => return Ok(Some(text.map_err(HeaderError::Text))),
            }
        }
    }

    /// Returns the next piece of a refused file.
    #[cold]
    fn next_piece(&mut self) -> io::Result<Option<Read<'_>>> {
        let Some(Refused { reason, beginning }) = &mut self.refused else { return Ok(None) };
        let record = Err(ReadError::Header(Arc::clone(reason)));
        let Some((offset, beginning)) = beginning.take() else {
            let Some(piece) = self.lines.piece()? else { return Ok(None) };
            return Ok(Some(Read { offset: piece.offset, octets: piece.octets, record }));
        };
        self.piece = beginning;
        if self.piece.len() < LINE_OCTETS_MAX
            && let Some(more) = self.lines.piece()?
        {
            self.piece.extend_from_slice(more.octets);
        }
        Ok(Some(Read { offset, octets: &self.piece, record }))
    }
}

impl CsvInput {
    /// Splits a header line into names.
    fn split(&self, line: &str, values: &mut Vec<Value>) -> Result<Vec<String>, HeaderError> {
        if let Some(fault) = self.rules().values(line.as_bytes(), values) {
            let line = shown(line.as_bytes());
            return Err(HeaderError::Quote { line, fault: fault.what });
        }
        let text =
            |value: &Value| String::from_utf8_lossy(&value.text(line.as_bytes())).into_owned();
        Ok(values.iter().map(text).collect())
    }

    /// Maps positions in a line to columns, from the names in the header.
    fn order(&self, names: &[String]) -> Result<Vec<Option<usize>>, HeaderError> {
        let place = |name: &String| self.columns.iter().position(|column| column.header == *name);
        let separator = char::from(self.separator).to_string();
        let line = || shown(names.join(&separator).as_bytes());
        for Column { header, .. } in &self.columns {
            let column = || header.clone();
            match names.iter().filter(|name| *name == header).count() {
                0 => return Err(HeaderError::NoColumn { column: column(), line: line() }),
                1 => {}
                _ => return Err(HeaderError::Twice { column: column(), line: line() }),
            }
        }
        Ok(names.iter().map(place).collect())
    }
}

impl Reader for CsvFile<'_> {
    fn next(&mut self, arena: &mut Arena) -> io::Result<Option<Read<'_>>> {
        if let Some((offset, octets, fault)) = self.nuls.take() {
            self.piece = octets;
            return Ok(Some(Read { offset, octets: &self.piece, record: Err(fault.into()) }));
        }
        if self.refused.is_some() {
            return self.next_piece();
        }
        let CsvFile { input, lines, text, values, order, .. } = self;
        let Some(line) = lines.next()? else { return Ok(None) };
        let text = line.text(text).map_err(ReadError::from);
        let record = text.and_then(|text| {
            let text = text.as_bytes();
            if let Some(fault) = input.rules().values(text, values) {
                return Err(TextError::Quote(fault.what).into());
            }
            if values.len() != order.len() {
                let (found, expected) = (values.len(), order.len());
                return Err(TextError::Values { found, expected }.into());
            }
            let mut memory = Memory::new(&[], arena);
            let record = memory.create(input.ty);
            for (value, column) in values.iter().zip(order.iter()) {
                if let Some(column) = column {
                    let value = value.text(text);
                    input.columns[*column].put(&input.plan, &mut memory, record, &value)?;
                }
            }
            Ok(record)
        });
        Ok(Some(Read { offset: line.offset, octets: line.octets, record }))
    }

    fn context(&self) -> &[u8] {
        &self.context
    }

    fn passed_over(&self) -> Vec<PassedOver> {
        let mut passed = self.lines.passed_over();
        // A piece set aside includes everything before it.
        match &self.refused {
            Some(_) => passed.retain(|passed| passed.octets == 0),
            None if self.header_octets > 0 => {
                passed.push(PassedOver {
                    what: "the line of names".into(),
                    octets: self.header_octets,
                });
            }
            None => {}
        }
        passed
    }

    fn position(&self) -> Option<u64> {
        self.lines.position().filter(|_| self.refused.is_none() && self.nuls.is_none())
    }

    fn into_octets(self: Box<Self>) -> Vec<u8> {
        self.lines.into_octets()
    }
}

pub(crate) struct CsvOutput {
    plan: Arc<Plan>,
    columns: Vec<Column>,
    /// Whether a value of each column may need quotes.
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
        // An empty line would be no record, so a single column has quotes if it has no value.
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
    /// A value, before it is known whether it needs quotes.
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
    ) -> Result<(), WriteError> {
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

/// Appends a value, in quotes if it contains separators, quotes or line ends.
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
