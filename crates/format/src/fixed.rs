//! Records as lines of columns of fixed width.
//!
//! `columns = ["callDuration width 8 right fill 0", "servedIMSI as tbcd width 16"]`: a column as in
//! [`column`](crate::column), then its width in characters, its alignment (default `left`) and the
//! fill character (default blank). A number filled with zeros corresponds to COBOL's `PIC 9`: the
//! sign comes first, leading blanks are accepted, and blanks alone mean no value.
//!
//! With `line-ends = false`, records follow each other without line ends
//! ([`unbroken`](crate::unbroken)).

use std::io;
use std::ops::Range;
use std::sync::Arc;

use asn1::{Plan, jer};
use diagnostics::Diagnostic;
use diagnostics::encoding::Named;
use record::{Anatomy, Arena, Memory, Opened, Record, Shape, TypeId};
use settings::Settings;

use crate::again::{self, InMemory};
use crate::anatomy;
use crate::codecs::flag;
use crate::coding::{
    Contents, Excerpt, Input, NextEnd, Output, PassedOver, Read, Reader, Stretch, Stretches, Writer,
};
use crate::column::{Column, collect};
use crate::error::{EditError, ReadError, TooWide, WriteError};
use crate::text::{self, LineSettings, Lines, TextError};
use crate::unbroken::{self, Unbroken, Unread};
use crate::window::Window;

/// Maximum width of a column.
const WIDTH_MAX: usize = 4096;

/// A column and its place.
#[derive(Clone, Debug)]
struct FixedColumn {
    column: Column,
    width: usize,
    right: bool,
    fill: u8,
}

fn columns(
    plan: &Plan,
    ty: TypeId,
    settings: &Settings,
) -> Result<Vec<FixedColumn>, Vec<Diagnostic>> {
    let mut named = settings.all("columns").peekable();
    if named.peek().is_none() {
        let message = "columns of fixed width must be named";
        let hint = "columns = [\"field width 10\", …]";
        return Err(vec![Diagnostic::error(&settings.source, settings.span, message).hint(hint)]);
    }
    collect(named.map(|setting| {
        parse(plan, ty, &setting.value)
            .map_err(|(message, hint)| settings.error(setting, message).hint_maybe(hint))
    }))
}

fn parse(plan: &Plan, ty: TypeId, text: &str) -> Result<FixedColumn, (String, Option<String>)> {
    let wrong =
        |message: &str| (message.to_owned(), Some("path width 8 [right] [fill 0]".to_owned()));
    let (column, place) = text.split_once(" width ").ok_or(wrong("the column has no width"))?;
    let mut words = place.split_whitespace();
    let width = words.next().and_then(|word| word.parse().ok());
    let width = width.filter(|width| (1..=WIDTH_MAX).contains(width));
    let mut fixed = FixedColumn {
        column: Column::parse(plan, ty, column)?,
        width: width
            .ok_or_else(|| wrong(&format!("the width is a number from 1 to {WIDTH_MAX}")))?,
        right: false,
        fill: b' ',
    };
    while let Some(word) = words.next() {
        match word {
            "left" => fixed.right = false,
            "right" => fixed.right = true,
            "fill" => match words.next().map(str::as_bytes) {
                Some([fill]) => fixed.fill = *fill,
                _ => return Err(wrong("\"fill\" is one character")),
            },
            other => return Err(wrong(&format!("\"{other}\" has no meaning in a column"))),
        }
    }
    let is_zeros_before = fixed.right && fixed.fill == b'0';
    if !fixed.column.is_text() && fixed.fill.is_ascii_digit() && !is_zeros_before {
        let message = format!(
            "\"{}\" could not be told from the digits that fill its column up",
            fixed.column.header
        );
        return Err((
            message,
            Some("a number is filled up with zeros before it: right fill 0".into()),
        ));
    }
    Ok(fixed)
}

pub(crate) struct FixedInput {
    plan: Arc<Plan>,
    ty: TypeId,
    columns: Vec<FixedColumn>,
    lines: LineSettings,
    has_line_ends: bool,
}

/// Returns whether records end with line ends. Without them, records cannot be told apart in encodings whose multi-byte
/// characters contain octets of other characters.
fn has_line_ends(settings: &Settings) -> Result<bool, Vec<Diagnostic>> {
    let has_line_ends = flag(settings, "line-ends", true)?;
    let refuse = |key: &str, message: String| {
        let place = settings.get(key).or(settings.get("line-ends"));
        Err(place.map(|setting| settings.error(setting, message)).into_iter().collect())
    };
    match text::encoding(settings)? {
        _ if has_line_ends => {}
        Some(Named::One(encoding)) if encoding.hides_ascii() => {
            let name = encoding.name();
            return refuse("encoding", format!("without line ends, no records in {name} are read"));
        }
        _ if settings.get("last-line-end").is_some() => {
            return refuse("last-line-end", "no line ends with \"line-ends\" = false".into());
        }
        _ => {}
    }
    Ok(has_line_ends)
}

impl FixedInput {
    pub(crate) const KEYS: &'static [&'static str] = &["columns", "line-ends"];

    pub(crate) fn new(
        plan: Arc<Plan>,
        ty: TypeId,
        decode: &Settings,
    ) -> Result<Self, Vec<Diagnostic>> {
        let columns = columns(&plan, ty, decode)?;
        let mut lines = LineSettings::new(decode)?;
        // COBOL's LOW-VALUES.
        lines.has_nuls = columns.iter().any(|column| column.fill == 0);
        Ok(FixedInput { plan, ty, columns, lines, has_line_ends: has_line_ends(decode)? })
    }

    fn file(&self, lines: Lines) -> FixedFile<'_> {
        FixedFile { input: self, lines, text: String::new() }
    }

    fn unbroken(&self, file: Unbroken) -> UnbrokenFile<'_> {
        UnbrokenFile { input: self, file }
    }

    /// Returns the number of characters in a record.
    fn width(&self) -> usize {
        self.columns.iter().map(|column| column.width).sum()
    }

    fn record(&self, line: &str, arena: &mut Arena) -> Result<Record, ReadError> {
        let width = self.width();
        let characters = if line.is_ascii() { line.len() } else { line.chars().count() };
        if characters != width {
            return Err(TextError::Characters { found: characters, expected: width }.into());
        }
        let mut memory = Memory::new(&[], arena);
        let record = memory.create(self.ty);
        let mut rest = line;
        for fixed in &self.columns {
            let (value, behind) = rest.split_at(fixed.end(rest));
            rest = behind;
            let value = &value.as_bytes()[fixed.content(value.as_bytes())];
            fixed.column.put(&self.plan, &mut memory, record, value)?;
        }
        Ok(record)
    }

    /// Describes a line. A line that is too short shows the columns it has; one that is too long also shows the rest.
    fn take_line_apart(&self, line: &[u8]) -> Anatomy {
        let (schema, mut at) = (self.plan.schema(), 0);
        let mut parts = Vec::new();
        for fixed in &self.columns {
            let rest = std::str::from_utf8(&line[at..]);
            let width = rest.map_or(fixed.width.min(line.len() - at), |rest| fixed.end(rest));
            let place = at..at + width;
            if place.is_empty() {
                break;
            }
            at = place.end;
            let inner = fixed.content(&line[place.clone()]);
            let content = place.start + inner.start..place.start + inner.end;
            let ty = schema.shown(fixed.column.ty());
            let text = &line[content.clone()];
            parts.push(anatomy::leaf(fixed.column.header.clone(), ty, (place, content), text));
        }
        if at < line.len() {
            let place = at..line.len();
            let behind = &line[place.clone()];
            parts.push(anatomy::leaf("?".into(), String::new(), (place.clone(), place), behind));
        }
        anatomy::flat(parts.into_iter())
    }
}

impl FixedColumn {
    /// Returns where this column ends in the rest of a line; the width counts characters.
    fn end(&self, rest: &str) -> usize {
        if rest.as_bytes().get(..self.width).is_some_and(<[u8]>::is_ascii) {
            return self.width;
        }
        rest.char_indices().nth(self.width).map_or(rest.len(), |(end, _)| end)
    }

    /// Returns the value without its fill characters.
    fn content(&self, value: &[u8]) -> Range<usize> {
        let is_fill = |octet: &&u8| **octet == self.fill;
        if !self.right {
            return 0..value.len() - value.iter().rev().take_while(is_fill).count();
        }
        if self.fill != b'0' {
            return value.iter().take_while(is_fill).count()..value.len();
        }
        let blanks = value.iter().take_while(|octet| **octet == b' ').count();
        if blanks == value.len() {
            return blanks..blanks;
        }
        let blanks = if self.column.is_text() { 0 } else { blanks };
        let zeros = value[blanks..].iter().take_while(is_fill).count();
        // All zeros is the number zero, not an absent value.
        (blanks + zeros).min(value.len() - 1)..value.len()
    }

    /// Appends a value, padded with `missing` fill characters.
    fn write(&self, value: &[u8], missing: usize, out: &mut Vec<u8>) {
        let is_zeros_before = self.right && self.fill == b'0';
        // Zeros alone would be the number zero.
        let fill = if is_zeros_before && value.is_empty() { b' ' } else { self.fill };
        let filling = std::iter::repeat_n(fill, missing);
        match value {
            [b'-', digits @ ..] if is_zeros_before && !self.column.is_text() => {
                out.push(b'-');
                out.extend(filling);
                out.extend_from_slice(digits);
            }
            _ if self.right => {
                out.extend(filling);
                out.extend_from_slice(value);
            }
            _ => {
                out.extend_from_slice(value);
                out.extend(filling);
            }
        }
    }
}

impl Input for FixedInput {
    fn open(&self, contents: &dyn Contents) -> io::Result<Box<dyn Reader + '_>> {
        if !self.has_line_ends {
            let file = Unbroken::new(contents, self.width(), &self.lines)?;
            return Ok(Box::new(self.unbroken(file)));
        }
        Ok(Box::new(self.file(Lines::new(Window::open(contents)?, None, &self.lines)?)))
    }

    fn reopen(&self, piece: &Excerpt<'_>) -> io::Result<Box<dyn Reader + '_>> {
        if !self.has_line_ends {
            let contents = InMemory(piece.octets);
            let file = Unbroken::set_aside(piece.context, &contents, self.width(), &self.lines)?;
            return Ok(Box::new(self.unbroken(file)));
        }
        let octets = InMemory(piece.octets).octets()?;
        Ok(Box::new(self.file(Lines::open_piece(piece.context, octets, None, &self.lines)?)))
    }

    fn stretches(&self) -> Option<&dyn Stretches> {
        Some(self)
    }

    fn show(&self, piece: &Excerpt<'_>) -> Result<Vec<u8>, EditError> {
        let reader = self.reopen(piece)?;
        again::to_json(&self.plan, jer::Options::default(), reader)
    }

    fn take_apart(&self, piece: &Excerpt<'_>) -> Anatomy {
        self.lines.text_of(piece, |line| self.take_line_apart(line))
    }

    fn shape(&self) -> Option<Shape> {
        Some(again::shape(&self.plan, self.ty, jer::Options::default()))
    }

    fn correct(&self, piece: &Excerpt<'_>, json: &[u8]) -> Result<Vec<u8>, EditError> {
        let output = FixedOutput {
            plan: Arc::clone(&self.plan),
            columns: self.columns.clone(),
            has_line_ends: self.has_line_ends,
        };
        let (options, encoding) = (jer::Options::default(), self.lines.encoding_of(piece));
        again::from_json(&self.plan, self.ty, options, json, |memory, record, out| {
            let mut text = Vec::new();
            output.writer().write(memory, record, &mut text)?;
            text::put(encoding, &text, out)
        })
    }
}

impl Stretches for FixedInput {
    fn next_end(&self, context: &[u8], octets: &[u8], from: usize) -> Option<NextEnd> {
        if !self.has_line_ends {
            let encoding = self.lines.encoding_of(&Excerpt { context, octets: &[] });
            return unbroken::next_end(encoding, self.width(), octets, from);
        }
        text::next_end(octets, from, false)
    }

    fn read_on(&self, context: &[u8], stretch: Stretch) -> io::Result<Box<dyn Reader + '_>> {
        if !self.has_line_ends {
            let file = Unbroken::over(context, stretch, self.width(), &self.lines);
            return Ok(Box::new(self.unbroken(file)));
        }
        Ok(Box::new(self.file(Lines::over(context, stretch, None, &self.lines))))
    }
}

struct FixedFile<'i> {
    input: &'i FixedInput,
    lines: Lines,
    /// Buffer for decoding a line.
    text: String,
}

impl Reader for FixedFile<'_> {
    fn next(&mut self, arena: &mut Arena) -> io::Result<Option<Read<'_>>> {
        let Some(line) = self.lines.next()? else { return Ok(None) };
        let text = line.text(&mut self.text).map_err(ReadError::from);
        let record = text.and_then(|text| self.input.record(text, arena));
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

/// A file of records without line ends.
struct UnbrokenFile<'i> {
    input: &'i FixedInput,
    file: Unbroken,
}

impl Reader for UnbrokenFile<'_> {
    fn next(&mut self, arena: &mut Arena) -> io::Result<Option<Read<'_>>> {
        let Some(Unread { offset, octets, text }) = self.file.next()? else { return Ok(None) };
        let record = text.map_err(ReadError::from).and_then(|text| self.input.record(text, arena));
        Ok(Some(Read { offset, octets, record }))
    }

    fn context(&self) -> &[u8] {
        self.file.context()
    }

    fn passed_over(&self) -> Vec<PassedOver> {
        self.file.passed_over()
    }

    fn position(&self) -> Option<u64> {
        self.file.position()
    }

    fn into_octets(self: Box<Self>) -> Vec<u8> {
        self.file.into_octets()
    }
}

pub(crate) struct FixedOutput {
    plan: Arc<Plan>,
    columns: Vec<FixedColumn>,
    has_line_ends: bool,
}

impl FixedOutput {
    pub(crate) const KEYS: &'static [&'static str] = FixedInput::KEYS;

    pub(crate) fn new(
        plan: Arc<Plan>,
        ty: TypeId,
        encode: &Settings,
    ) -> Result<Self, Vec<Diagnostic>> {
        let columns = columns(&plan, ty, encode)?;
        Ok(FixedOutput { plan, columns, has_line_ends: flag(encode, "line-ends", true)? })
    }
}

impl Output for FixedOutput {
    fn extension(&self) -> &str {
        "txt"
    }

    fn opened(&self) -> Opened {
        self.columns.iter().map(|column| &column.column).flat_map(Column::entered).collect()
    }

    fn writer(&self) -> Box<dyn Writer + '_> {
        Box::new(FixedWriter { output: self, value: Vec::new() })
    }
}

struct FixedWriter<'o> {
    output: &'o FixedOutput,
    value: Vec<u8>,
}

impl Writer for FixedWriter<'_> {
    fn write(
        &mut self,
        memory: &Memory<'_>,
        record: Record,
        out: &mut Vec<u8>,
    ) -> Result<(), WriteError> {
        for fixed in &self.output.columns {
            let FixedColumn { column, width, .. } = fixed;
            self.value.clear();
            column.read(&self.output.plan, memory, record, &mut self.value)?;
            let characters = characters(&self.value);
            let Some(missing) = width.checked_sub(characters) else {
                let (column, width) = (column.header.clone(), *width);
                let too_wide = TooWide { column, characters, width };
                return Err(WriteError::TooWide(Box::new(too_wide)));
            };
            if self.value.iter().any(|octet| matches!(octet, b'\n' | b'\r')) {
                return Err(WriteError::LineEnd(column.header.as_str().into()));
            }
            fixed.write(&self.value, missing, out);
        }
        if self.output.has_line_ends {
            out.push(b'\n');
        }
        Ok(())
    }
}

/// Returns the number of characters, or of octets if the text is not UTF-8.
fn characters(text: &[u8]) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    std::str::from_utf8(text).map_or(text.len(), |text| text.chars().count())
}
