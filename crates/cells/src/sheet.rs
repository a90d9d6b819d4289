//! Tables written with a spreadsheet or by hand. Each cell has its position, so that errors can
//! point to it.
//!
//! The first row names the columns. The separator is the first comma or semicolon in that row;
//! spreadsheets use semicolons in countries with a decimal comma. Blanks around cells are trimmed.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use diagnostics::{Diagnostic, Source, Span};

use crate::rules::{Blanks, Fault, Row, Rules, Value, What};

/// A cell, trimmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell<'t> {
    /// Its text.
    pub text: Cow<'t, str>,
    /// Its position in the source.
    pub span: Span,
}

/// Whether a table may contain notes between its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notes {
    /// Lines that begin with `#` and rows of empty cells are skipped.
    PassedOver,
    /// Every row counts; `#` may begin a key.
    None,
}

/// Where a row stands in the source, in octets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowPlace {
    /// Its cells, without the line end.
    pub content: Range<usize>,
    /// Where the next line begins.
    pub next: usize,
}

/// A table being read.
#[derive(Debug)]
pub struct Sheet<'t> {
    source: &'t Arc<Source>,
    rules: Rules,
    notes: Notes,
    at: usize,
    row: Range<usize>,
    names: Vec<Cell<'t>>,
    values: Vec<Value>,
}

impl<'t> Sheet<'t> {
    /// Reads the first row, which names the columns. `None` if it is missing or malformed.
    pub fn open(
        source: &'t Arc<Source>,
        notes: Notes,
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<Self> {
        let mistakes_before = mistakes.len();
        let unknown = Rules { separator: Some(b','), line_end: None, blanks: Blanks::CutOff };
        let mut sheet = Sheet {
            source,
            rules: unknown,
            notes,
            at: 0,
            row: 0..0,
            names: Vec::new(),
            values: Vec::new(),
        };
        sheet.pass_notes();
        let octets = &source.text.as_bytes()[sheet.at..];
        let first_line = octets.split(|octet| matches!(octet, b'\r' | b'\n')).next().unwrap_or(b"");
        let separator = first_line.iter().copied().find(|octet| matches!(octet, b',' | b';'));
        sheet.rules.separator = separator.or(Some(b','));
        sheet.rules.line_end = sheet.rules.find_line_end(octets, true);
        sheet.names = sheet.next_row(mistakes)?;
        for (place, name) in sheet.names.iter().enumerate() {
            let is_named = !name.text.is_empty();
            if is_named && sheet.names[..place].iter().any(|before| before.text == name.text) {
                let message = format!("the column \"{}\" stands there twice", name.text);
                mistakes.push(Diagnostic::error(source, name.span, message));
            }
        }
        (mistakes.len() == mistakes_before).then_some(sheet)
    }

    /// The names of the columns.
    pub fn names(&self) -> &[Cell<'t>] {
        &self.names
    }

    /// The span of the first row.
    pub fn header(&self) -> Span {
        whole(&self.names)
    }

    /// The separator of its cells.
    pub fn separator(&self) -> u8 {
        self.rules.separator.unwrap_or(b',')
    }

    /// Where the row stands that was read last; at first, the first row.
    pub fn row(&self) -> RowPlace {
        RowPlace { content: self.row.clone(), next: self.at }
    }

    /// The next row with as many cells as the first. Other rows are reported in `mistakes`.
    pub fn next(&mut self, mistakes: &mut Vec<Diagnostic>) -> Option<Vec<Cell<'t>>> {
        loop {
            let cells = self.next_row(mistakes)?;
            if cells.len() == self.names.len() {
                return Some(cells);
            }
            let message = format!(
                "this line has {}, the first line has {}",
                diagnostics::counted(cells.len(), "cell"),
                self.names.len()
            );
            mistakes.push(Diagnostic::error(self.source, whole(&cells), message));
        }
    }

    /// The next row that is not empty and has no quoting errors.
    fn next_row(&mut self, mistakes: &mut Vec<Diagnostic>) -> Option<Vec<Cell<'t>>> {
        let (source, text) = (self.source, self.source.text.as_str());
        loop {
            self.pass_notes();
            let start = self.at;
            let rest = &text.as_bytes()[start..];
            if rest.is_empty() {
                return None;
            }
            let Row { end, next, fault } = self.rules.row(rest, true)?;
            self.at += next;
            self.row = start..start + end;
            if let Some(fault) = fault {
                mistakes.push(mistake(source, start, fault));
                continue;
            }
            if end == 0 {
                continue;
            }
            self.rules.values(&rest[..end], &mut self.values);
            let cells: Vec<Cell<'t>> =
                self.values.iter().map(|value| cell(text, start, end, value)).collect();
            if self.notes == Notes::PassedOver && cells.iter().all(|cell| cell.text.is_empty()) {
                continue;
            }
            if let Some(found) = cells.iter().find(|cell| cell.text.contains('\0')) {
                let message = "this cell has NULs in it, which no text has";
                mistakes.push(Diagnostic::error(source, found.span, message));
                continue;
            }
            return Some(cells);
        }
    }

    /// Skips notes and empty lines.
    fn pass_notes(&mut self) {
        let octets = self.source.text.as_bytes();
        while let Some(first) = octets.get(self.at) {
            match first {
                b'\r' | b'\n' => self.at += 1,
                b'#' if self.notes == Notes::PassedOver => {
                    let rest = &octets[self.at..];
                    let length = rest.iter().position(|octet| matches!(octet, b'\r' | b'\n'));
                    self.at += length.unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }
}

/// The cell of a value in the row from `start` to `end`.
fn cell<'t>(text: &'t str, start: usize, end: usize, value: &Value) -> Cell<'t> {
    // Separators and quotes are ASCII, so the ranges between them are whole characters.
    let found = match value.text(&text.as_bytes()[start..start + end]) {
        Cow::Borrowed(_) => {
            let content = &value.content;
            Cow::Borrowed(text[start + content.start..start + content.end].trim())
        }
        Cow::Owned(octets) => Cow::Owned(String::from_utf8_lossy(&octets).trim().to_owned()),
    };
    let place = &text[start + value.place.start..start + value.place.end];
    let from = start + value.place.start + (place.len() - place.trim_start().len());
    let to = from + place.trim().len();
    Cell { text: found, span: Span::new(from, to) }
}

fn whole(cells: &[Cell<'_>]) -> Span {
    match cells {
        [first, .., last] => Span { start: first.span.start, end: last.span.end },
        [only] => only.span,
        [] => Span::default(),
    }
}

#[cold]
fn mistake(source: &Arc<Source>, start: usize, Fault { quote, at, what }: Fault) -> Diagnostic {
    let quote = Span::new(start + quote, start + quote + 1);
    let (opens, goes_on) = (source.line_of(quote.start), source.line_of((start + at) as u32));
    let message = match what {
        What::NotClosed => "this quote is not closed".to_owned(),
        What::BehindQuote if opens == goes_on => {
            "characters stand behind the quote that closes this one".to_owned()
        }
        What::BehindQuote => format!(
            "this quote is not closed before line {goes_on}, and characters stand behind it there"
        ),
    };
    Diagnostic::error(source, quote, message).hint("a quote within a value is written twice: \"\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, notes: Notes) -> (Vec<String>, Vec<String>) {
        let source = Source::new("t.csv", text);
        let (mut mistakes, mut rows) = (Vec::new(), Vec::new());
        if let Some(mut sheet) = Sheet::open(&source, notes, &mut mistakes) {
            let shown = |cells: &[Cell<'_>]| {
                let line = cells.first().map_or(0, |cell| source.line_of(cell.span.start));
                let texts: Vec<&str> = cells.iter().map(|cell| &*cell.text).collect();
                format!("{line}:{}", texts.join("|"))
            };
            rows.push(shown(sheet.names()));
            while let Some(row) = sheet.next(&mut mistakes) {
                rows.push(shown(&row));
            }
        }
        let line = |mistake: &Diagnostic| mistake.line().replace("t.csv:", "");
        (rows, mistakes.iter().map(line).collect())
    }

    fn check(text: &str, expected: &[&str]) {
        let (rows, mistakes) = read(text, Notes::PassedOver);
        assert_eq!(mistakes, [] as [&str; 0], "{text:?}");
        assert_eq!(rows, expected, "{text:?}");
    }

    #[test]
    fn cells_are_read_as_spreadsheets_write_them() {
        check("key,value\n46,SE\n", &["1:key|value", "2:46|SE"]);
        check("value;key\r\nSE ; 46\r\n", &["1:value|key", "2:SE|46"]);
        check("key,value\r46,SE\r", &["1:key|value", "1:46|SE"]);
        check("# a note; about \"it\nkey,value\n46,SE\n", &["2:key|value", "3:46|SE"]);
        check("key,value\n\n,\n# note\n46,SE", &["1:key|value", "5:46|SE"]);
        check("k,v\n\"4\"\"6\" , \"a,b\nc\"\n1,2", &["1:k|v", "2:4\"6|a,b\nc", "4:1|2"]);
        let (rows, _) = read("key,value\n#31#,a\n,\n", Notes::None);
        assert_eq!(rows, ["1:key|value", "2:#31#|a", "3:|"]);
    }

    #[test]
    fn what_is_wrong_with_a_row_is_told_at_it_and_costs_no_other() {
        for (row, expected) in [
            ("3,\"x", "3:3: this quote is not closed"),
            ("3,\"x\"y", "3:3: characters stand behind the quote that closes this one"),
            ("3", "3:1: this line has 1 cell, the first line has 2"),
            ("3,4,5", "3:1: this line has 3 cells, the first line has 2"),
            ("3,4\0", "3:3: this cell has NULs in it, which no text has"),
        ] {
            let (rows, mistakes) =
                read(&format!("key,value\n1,2\n{row}\n5,6\n"), Notes::PassedOver);
            assert_eq!(mistakes, [expected], "{row:?}");
            assert_eq!(rows, ["1:key|value", "2:1|2", "4:5|6"], "{row:?}");
        }
        let (_, mistakes) = read("key,value\n1,\"x\n2,\"y\"\n", Notes::PassedOver);
        let expected =
            "2:3: this quote is not closed before line 3, and characters stand behind it there";
        assert_eq!(mistakes, [expected]);
        for (text, expected) in [
            ("key,value,key\n1,2,3\n", "1:11: the column \"key\" stands there twice"),
            ("key,\"value\n1,2\n", "1:5: this quote is not closed"),
        ] {
            assert_eq!(read(text, Notes::None).1, [expected], "{text:?}");
        }
    }
}
