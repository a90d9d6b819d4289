//! Tables whose columns are known by name and may be in any order. Empty rows and lines that begin with `#` are skipped.

use std::borrow::Cow;
use std::sync::Arc;

use diagnostics::{Diagnostic, Source, Span, did_you_mean};

use crate::sheet::{Cell, Notes, Sheet};

/// A table with known columns.
#[derive(Debug)]
pub struct Table<'t, const N: usize> {
    source: &'t Arc<Source>,
    sheet: Sheet<'t>,
    /// The place of each requested column in the file.
    places: [Option<usize>; N],
}

/// A row: a cell for each requested column, in that order; an empty one if the file has no such column.
#[derive(Clone, Debug)]
pub struct TableRow<'t, const N: usize> {
    /// The cells.
    pub cells: [Cell<'t>; N],
    /// Its line, from 1.
    pub line: u32,
}

impl<'t, const N: usize> Table<'t, N> {
    /// Reads the first line. Columns whose names end with `?` are optional. `None` if it has mistakes, which go to `mistakes`.
    pub fn open(
        source: &'t Arc<Source>,
        columns: [&str; N],
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<Self> {
        let mistakes_before = mistakes.len();
        let Some(sheet) = Sheet::open(source, Notes::PassedOver, mistakes) else {
            if mistakes.len() == mistakes_before {
                let names = columns.map(|column| column.trim_end_matches('?')).join(",");
                let mistake = Diagnostic::error(source, Span::default(), "this table is empty");
                mistakes.push(mistake.hint(format!("its first line is {names}")));
            }
            return None;
        };
        let names = columns.map(|column| column.trim_end_matches('?'));
        let mut places = [None; N];
        for (place, cell) in sheet.names().iter().enumerate() {
            match names.iter().position(|name| *name == cell.text) {
                Some(column) => places[column] = Some(place),
                None => {
                    let message = format!("no column of this table is called \"{}\"", cell.text);
                    let hint = did_you_mean(&cell.text, names)
                        .unwrap_or_else(|| format!("its columns are {}", names.join(", ")));
                    mistakes.push(Diagnostic::error(source, cell.span, message).hint(hint));
                }
            }
        }
        for (column, place) in columns.iter().zip(places) {
            if place.is_none() && !column.ends_with('?') {
                let message = format!("this table has no column \"{column}\"");
                mistakes.push(Diagnostic::error(source, sheet.header(), message));
            }
        }
        (mistakes.len() == mistakes_before).then_some(Table { source, sheet, places })
    }

    /// Returns the next row that has as many cells as the first line. Other rows are mistakes.
    pub fn next(&mut self, mistakes: &mut Vec<Diagnostic>) -> Option<TableRow<'t, N>> {
        let mut cells = self.sheet.next(mistakes)?;
        let (start, end) = (cells[0].span.start, cells[cells.len() - 1].span.end);
        let empty = Span { start: end, end };
        let mut take = |place: Option<usize>| match place {
            Some(place) => {
                let span = cells[place].span;
                Cell { text: std::mem::take(&mut cells[place].text), span }
            }
            None => Cell { text: Cow::Borrowed(""), span: empty },
        };
        let line = self.source.line_of(start) as u32;
        Some(TableRow { cells: self.places.map(&mut take), line })
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
    fn columns_stand_in_any_order() {
        check("key,value\n46,SE\n", &["2:46|SE|"]);
        check("value;key\r\nSE ; 46\r\n", &["2:46|SE|"]);
        check("# a note; about it\nkey,value\n,\n46,SE\n", &["4:46|SE|"]);
        check("note,key,value\nx,\"4\"\"6\",\"a,b\nc\"\n3,1,2", &["2:4\"6|a,b\nc|x", "4:1|2|3"]);
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
