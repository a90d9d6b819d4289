//! Records as lines of columns of fixed width.
//!
//! `columns = ["callDuration width 8 right fill 0", "servedIMSI as tbcd width 16"]`: a column as in
//! [`column`](crate::column), then its width, the side it stands at (`left` if nothing is said) and the
//! character that fills it up (a blank if nothing is said).

use std::io;
use std::ops::Range;
use std::sync::Arc;

use asn1::{Plan, jer};
use diagnostics::Diagnostic;
use node::Settings;
use record::{Anatomy, Arena, Memory, Opened, Record, Shape, TypeId};

use crate::again::{self, InMemory};
use crate::anatomy;
use crate::coding::{
    Contents, Input, Kept, NextEnd, Output, PassedOver, Read, Reader, Stretch, Stretches, Writer,
};
use crate::column::{Column, collect};
use crate::text::{self, LineSettings, Lines};

/// Widest column.
const WIDTH_MAX: usize = 4096;

/// A column and the place it fills.
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
    Ok(fixed)
}

pub(crate) struct FixedInput {
    plan: Arc<Plan>,
    ty: TypeId,
    columns: Vec<FixedColumn>,
    lines: LineSettings,
}

impl FixedInput {
    pub(crate) const KEYS: &'static [&'static str] = &["columns"];

    pub(crate) fn new(
        plan: Arc<Plan>,
        ty: TypeId,
        decode: &Settings,
    ) -> Result<Self, Vec<Diagnostic>> {
        let columns = columns(&plan, ty, decode)?;
        let mut lines = LineSettings::new(decode)?;
        // LOW-VALUES, as COBOL has them.
        lines.has_nuls = columns.iter().any(|column| column.fill == 0);
        Ok(FixedInput { plan, ty, columns, lines })
    }

    fn file(&self, lines: Lines) -> FixedFile<'_> {
        FixedFile { input: self, lines, text: String::new() }
    }

    fn record(&self, line: &[u8], arena: &mut Arena) -> Result<Record, String> {
        let width: usize = self.columns.iter().map(|column| column.width).sum();
        if line.len() != width {
            return Err(format!("the line has {} characters, {width} are expected", line.len()));
        }
        let mut memory = Memory::new(&[], arena);
        let record = memory.create(self.ty);
        let mut rest = line;
        for fixed in &self.columns {
            let (value, behind) = rest.split_at(fixed.width);
            rest = behind;
            fixed.column.put(&self.plan, &mut memory, record, &value[fixed.content(value)])?;
        }
        Ok(record)
    }

    /// Of a line that is too short, what there is of the columns; of one that is too long, what is behind them too.
    fn take_line_apart(&self, line: &[u8]) -> Anatomy {
        let (schema, mut at) = (self.plan.schema(), 0);
        let mut parts = Vec::new();
        for fixed in &self.columns {
            let place = at..(at + fixed.width).min(line.len());
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
    /// What of its characters does not only fill it up.
    fn content(&self, value: &[u8]) -> Range<usize> {
        let is_fill = |octet: &&u8| **octet == self.fill;
        match self.right {
            true => {
                let filled = value.iter().take_while(is_fill).count();
                // A number that is all zeros is zero, not absent.
                let zero = value.len().saturating_sub(1);
                (if self.fill == b'0' { filled.min(zero) } else { filled })..value.len()
            }
            false => 0..value.len() - value.iter().rev().take_while(is_fill).count(),
        }
    }
}

impl Input for FixedInput {
    fn open(&self, contents: &dyn Contents) -> io::Result<Box<dyn Reader + '_>> {
        Ok(Box::new(self.file(Lines::new(contents.octets()?, None, &self.lines)?)))
    }

    fn reopen(&self, kept: &Kept<'_>) -> io::Result<Box<dyn Reader + '_>> {
        let octets = InMemory(kept.octets).octets()?;
        Ok(Box::new(self.file(Lines::kept(kept.context, octets, None, &self.lines)?)))
    }

    fn stretches(&self) -> Option<&dyn Stretches> {
        Some(self)
    }

    fn show(&self, kept: &Kept<'_>) -> Result<Vec<u8>, String> {
        let reader = self.reopen(kept).map_err(|error| error.to_string())?;
        again::to_json(&self.plan, jer::Options::default(), reader)
    }

    fn take_apart(&self, kept: &Kept<'_>) -> Anatomy {
        self.lines.text_of(kept, |line| self.take_line_apart(line))
    }

    fn shape(&self) -> Option<Shape> {
        Some(again::shape(&self.plan, self.ty, jer::Options::default()))
    }

    fn correct(&self, kept: &Kept<'_>, json: &[u8]) -> Result<Vec<u8>, String> {
        let output = FixedOutput { plan: Arc::clone(&self.plan), columns: self.columns.clone() };
        let (options, encoding) = (jer::Options::default(), self.lines.encoding_of(kept));
        again::from_json(&self.plan, self.ty, options, json, |memory, record, out| {
            let mut text = Vec::new();
            output.writer().write(memory, record, &mut text)?;
            text::put(encoding, &text, out)
        })
    }
}

impl Stretches for FixedInput {
    fn next_end(&self, _: &[u8], octets: &[u8], from: usize) -> Option<NextEnd> {
        text::next_end(octets, from, false)
    }

    fn read_on(&self, context: &[u8], stretch: Stretch) -> io::Result<Box<dyn Reader + '_>> {
        Ok(Box::new(self.file(Lines::over(context, stretch, None, &self.lines))))
    }
}

struct FixedFile<'i> {
    input: &'i FixedInput,
    lines: Lines,
    /// The text of a line in another encoding.
    text: String,
}

impl Reader for FixedFile<'_> {
    fn next(&mut self, arena: &mut Arena) -> io::Result<Option<Read<'_>>> {
        let Some(line) = self.lines.next()? else { return Ok(None) };
        let text = line.text(&mut self.text);
        let record = text.and_then(|text| self.input.record(text.as_bytes(), arena));
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

pub(crate) struct FixedOutput {
    plan: Arc<Plan>,
    columns: Vec<FixedColumn>,
}

impl FixedOutput {
    pub(crate) const KEYS: &'static [&'static str] = &["columns"];

    pub(crate) fn new(
        plan: Arc<Plan>,
        ty: TypeId,
        encode: &Settings,
    ) -> Result<Self, Vec<Diagnostic>> {
        let columns = columns(&plan, ty, encode)?;
        Ok(FixedOutput { plan, columns })
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
    ) -> Result<(), String> {
        for FixedColumn { column, width, right, fill } in &self.output.columns {
            self.value.clear();
            column.read(&self.output.plan, memory, record, &mut self.value)?;
            let Some(missing) = width.checked_sub(self.value.len()) else {
                return Err(format!(
                    "the value of \"{}\" has {} characters, the column has {width}",
                    column.header,
                    self.value.len()
                ));
            };
            if self.value.contains(&b'\n') {
                return Err(format!("the value of \"{}\" has a line end in it", column.header));
            }
            let filling = std::iter::repeat_n(*fill, missing);
            match right {
                true => {
                    out.extend(filling);
                    out.extend_from_slice(&self.value);
                }
                false => {
                    out.extend_from_slice(&self.value);
                    out.extend(filling);
                }
            }
        }
        out.push(b'\n');
        Ok(())
    }
}
