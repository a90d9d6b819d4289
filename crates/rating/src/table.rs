//! Tables as spreadsheets write them (RFC 4180), each cell with its place, so that a mistake is shown where it is.
//!
//! The first line names the columns, in any order. The separator is a comma or, as in countries with a decimal
//! comma, a semicolon: the first of them in the first line. Lines with empty cells alone are passed over, and so are
//! lines that begin with `#`.

use std::borrow::Cow;
use std::sync::Arc;

use diagnostics::{Diagnostic, Source, Span, did_you_mean};

/// A cell, blanks around it cut off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cell<'t> {
    pub(crate) text: Cow<'t, str>,
    pub(crate) span: Span,
}

/// A table whose columns are known.
pub(crate) struct Table<'t, const N: usize> {
    source: &'t Arc<Source>,
    rest: Scanner<'t>,
    /// By column asked for: its place in the file.
    places: [Option<usize>; N],
    columns: usize,
}

/// A row: a cell for each column asked for, in the order asked; an empty one where the file has no such column.
pub(crate) struct Row<'t, const N: usize> {
    pub(crate) cells: [Cell<'t>; N],
    pub(crate) line: u32,
}

impl<'t, const N: usize> Table<'t, N> {
    /// Reads the first line. Columns whose names end with `?` may be left out.
    pub(crate) fn open(
        source: &'t Arc<Source>,
        columns: [&str; N],
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<Self> {
        let mut rest = Scanner::new(&source.text);
        let Some(header) = rest.row() else {
            let hint =
                format!("its first line is {}", columns.map(|c| c.trim_end_matches('?')).join(","));
            mistakes
                .push(Diagnostic::error(source, Span::default(), "this table is empty").hint(hint));
            return None;
        };
        let names = columns.map(|column| column.trim_end_matches('?'));
        let mistakes_before = mistakes.len();
        let mut places = [None; N];
        for (place, cell) in header.iter().enumerate() {
            match names.iter().position(|name| *name == cell.text) {
                Some(column) if places[column].is_none() => places[column] = Some(place),
                Some(_) => {
                    let message = format!("the column \"{}\" stands there twice", cell.text);
                    mistakes.push(Diagnostic::error(source, cell.span, message));
                }
                None => {
                    let message = format!("no column of this table is called \"{}\"", cell.text);
                    let hint = did_you_mean(&cell.text, names)
                        .unwrap_or_else(|| format!("its columns are {}", names.join(", ")));
                    mistakes.push(Diagnostic::error(source, cell.span, message).hint(hint));
                }
            }
        }
        let whole = Span { start: header[0].span.start, end: header[header.len() - 1].span.end };
        for (column, place) in columns.iter().zip(places) {
            if place.is_none() && !column.ends_with('?') {
                let message = format!("this table has no column \"{column}\"");
                mistakes.push(Diagnostic::error(source, whole, message));
            }
        }
        let columns = header.len();
        (mistakes.len() == mistakes_before).then_some(Table { source, rest, places, columns })
    }

    /// The next row that has as many cells as the first line. Others are mistakes.
    pub(crate) fn next(&mut self, mistakes: &mut Vec<Diagnostic>) -> Option<Row<'t, N>> {
        loop {
            let mut cells = self.rest.row()?;
            let span = Span { start: cells[0].span.start, end: cells[cells.len() - 1].span.end };
            if cells.len() != self.columns {
                let message = format!(
                    "this line has {}, the first line has {}",
                    diagnostics::counted(cells.len(), "cell"),
                    self.columns
                );
                mistakes.push(Diagnostic::error(self.source, span, message));
                continue;
            }
            let empty = Span { start: span.end, end: span.end };
            let mut take = |place: Option<usize>| match place {
                Some(place) => {
                    let span = cells[place].span;
                    Cell { text: std::mem::take(&mut cells[place].text), span }
                }
                None => Cell { text: Cow::Borrowed(""), span: empty },
            };
            let line = self.source.line_of(span.start) as u32;
            return Some(Row { cells: self.places.map(&mut take), line });
        }
    }
}

/// Cuts a text into rows and cells.
struct Scanner<'t> {
    text: &'t str,
    at: usize,
    separator: u8,
}

impl<'t> Scanner<'t> {
    fn new(text: &'t str) -> Self {
        // Excel marks UTF-8 so.
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let mut lines = text[at..].lines();
        let first_line =
            lines.find(|line| !line.starts_with('#') && !line.is_empty()).unwrap_or("");
        let found = first_line.bytes().find(|octet| matches!(octet, b',' | b';'));
        Scanner { text, at, separator: found.unwrap_or(b',') }
    }

    /// The next row that has something in it.
    fn row(&mut self) -> Option<Vec<Cell<'t>>> {
        while self.at < self.text.len() {
            if self.text[self.at..].starts_with('#') {
                self.at =
                    self.text[self.at..].find('\n').map_or(self.text.len(), |n| self.at + n + 1);
                continue;
            }
            let mut cells = Vec::new();
            while {
                let (cell, more) = self.cell();
                cells.push(cell);
                more
            } {}
            if cells.iter().any(|cell| !cell.text.is_empty()) {
                return Some(cells);
            }
        }
        None
    }

    /// The next cell, and whether another follows in its row.
    fn cell(&mut self) -> (Cell<'t>, bool) {
        let octets = self.text.as_bytes();
        while matches!(octets.get(self.at), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        let cell = match octets.get(self.at) {
            Some(b'"') => self.quoted(),
            _ => self.plain(),
        };
        let ended_by = octets.get(self.at);
        self.at = (self.at + 1).min(octets.len());
        (cell, ended_by == Some(&self.separator))
    }

    /// The place of the next separator or end of line.
    fn end(&self) -> usize {
        let is_end = |octet: &u8| *octet == self.separator || *octet == b'\n';
        self.text.as_bytes()[self.at..]
            .iter()
            .position(is_end)
            .map_or(self.text.len(), |n| self.at + n)
    }

    fn plain(&mut self) -> Cell<'t> {
        let (start, end) = (self.at, self.end());
        self.at = end;
        let text = self.text[start..end].trim_end();
        Cell { text: Cow::Borrowed(text), span: Span::new(start, start + text.len()) }
    }

    /// What is between quotes; a quote within stands there twice. What stands behind the quotes belongs to the cell.
    fn quoted(&mut self) -> Cell<'t> {
        let start = self.at;
        let mut text = String::new();
        self.at += 1;
        loop {
            let Some(length) = self.text[self.at..].find('"') else {
                text.push_str(&self.text[self.at..]);
                self.at = self.text.len();
                break;
            };
            text.push_str(&self.text[self.at..self.at + length]);
            self.at += length + 1;
            if !self.text[self.at..].starts_with('"') {
                break;
            }
            text.push('"');
            self.at += 1;
        }
        let end = self.end();
        text.push_str(self.text[self.at..end].trim_end());
        self.at = end;
        Cell { text: Cow::Owned(text.trim().to_owned()), span: Span::new(start, end) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<String>, Vec<String>) {
        let source = Source::new("t.csv", text);
        let mut mistakes = Vec::new();
        let mut rows = Vec::new();
        if let Some(mut table) = Table::open(&source, ["key", "value", "note?"], &mut mistakes) {
            while let Some(row) = table.next(&mut mistakes) {
                rows.push(format!("{}:{}", row.line, row.cells.map(|cell| cell.text).join("|")));
            }
        }
        (rows, mistakes.iter().map(|m| format!("{}:{}", m.place().column, m.message)).collect())
    }

    fn check(text: &str, rows: &[&str]) {
        let (found, mistakes) = read(text);
        assert_eq!(
            (found.as_slice(), mistakes.as_slice()),
            (rows.map_owned().as_slice(), &[][..]),
            "{text}"
        );
    }

    trait MapOwned {
        fn map_owned(&self) -> Vec<String>;
    }

    impl MapOwned for &[&str] {
        fn map_owned(&self) -> Vec<String> {
            self.iter().map(|text| (*text).to_owned()).collect()
        }
    }

    #[test]
    fn cells_are_read_as_spreadsheets_write_them() {
        check("key,value\n46,SE\n", &["2:46|SE|"]);
        check("\u{feff}value;key\r\nSE ; 46\r\n", &["2:46|SE|"]);
        check("# a note; about it\nkey,value\n46,SE\n", &["3:46|SE|"]);
        check("key,value\n\n,\n# note\n46,SE", &["5:46|SE|"]);
        check("key,value,note\n\"4\"\"6\",\"a,b\nc\",x\n1,2,3", &["2:4\"6|a,b\nc|x", "4:1|2|3"]);
    }

    #[test]
    fn what_is_no_table_is_told() {
        for (text, mistake) in [
            ("", "1:this table is empty"),
            ("key,vaule\n", "5:no column of this table is called \"vaule\""),
            ("key\n", "1:this table has no column \"value\""),
            ("key,value,key\n", "11:the column \"key\" stands there twice"),
            ("key,value\n1,2,3\n", "1:this line has 3 cells, the first line has 2"),
        ] {
            let (_, mistakes) = read(text);
            assert_eq!(mistakes.first().map(String::as_str), Some(mistake), "{text}");
        }
    }
}
