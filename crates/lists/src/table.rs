//! The text of a list, read once: its entries, and where they stand.

use std::ops::Range;
use std::sync::Arc;

use cells::{Cell, Notes, RowPlace, Sheet};
use diagnostics::{Diagnostic, Source};

use crate::entry::{Column, Entry, time};

/// The text of a list. All its entries can be read.
#[derive(Clone, Debug)]
pub struct Table {
    pub(crate) source: Arc<Source>,
    pub(crate) columns: Vec<Column>,
    pub(crate) separator: char,
    pub(crate) header: RowPlace,
    rows: Vec<Row>,
}

/// An entry, and where it stands.
#[derive(Clone, Debug)]
pub struct Row {
    /// The entry.
    pub entry: Entry,
    /// The times at which it holds, in seconds since 1970. Empty if it ends before it begins.
    pub holds: Range<u32>,
    /// Its line, from 1.
    pub line: usize,
    pub(crate) place: RowPlace,
}

impl Table {
    /// Returns a list without entries.
    pub fn empty(name: &str) -> Self {
        let header = Column::ALL.map(Column::name).join(",") + "\n";
        Self::read(Source::new(name, header)).expect("it has all columns")
    }

    /// Reads the text of a list.
    ///
    /// # Errors
    ///
    /// It has mistakes, each with its place.
    pub fn read(source: Arc<Source>) -> Result<Self, Vec<Diagnostic>> {
        let mut mistakes = Vec::new();
        let Some(mut sheet) = Sheet::open(&source, Notes::PassedOver, &mut mistakes) else {
            if mistakes.is_empty() {
                let message = "the list has no first line";
                let mistake = Diagnostic::error(&source, diagnostics::Span::default(), message);
                mistakes.push(mistake.hint(format!("write {}", names().join(","))));
            }
            return Err(mistakes);
        };
        let (separator, header) = (char::from(sheet.separator()), sheet.row());
        let mut columns = Vec::new();
        for Cell { text, span } in sheet.names() {
            columns.extend(Column::named(text));
            if Column::named(text).is_none() {
                let message = format!("a list has no column \"{text}\"");
                let mistake = Diagnostic::error(&source, *span, message);
                mistakes.push(mistake.hint(format!("its columns are {}", names().join(","))));
            }
        }
        if !columns.contains(&Column::Key) {
            let message = "the column \"key\" is missing";
            mistakes.push(Diagnostic::error(&source, sheet.header(), message));
        }
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let mut rows = Vec::new();
        while let Some(cells) = sheet.next(&mut mistakes) {
            let place = sheet.row();
            let line = source.line_of(place.content.start as u32);
            rows.extend(row(&source, &columns, &cells, &mut mistakes).map(|(entry, holds)| Row {
                entry,
                holds,
                line,
                place,
            }));
        }
        match mistakes.is_empty() {
            true => Ok(Table { source, columns, separator, header, rows }),
            false => Err(mistakes),
        }
    }

    /// Returns its entries, in the order of the file.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Returns its columns, in the order of the file.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Returns an entry without who has added it and why, unless the list has columns for these. A list that its people write without
    /// them stays as it is; the audit trail has both.
    pub fn fitted(&self, mut entry: Entry) -> Entry {
        for column in [Column::Who, Column::Because] {
            if !self.columns.contains(&column) {
                entry.cell_mut(column).clear();
            }
        }
        entry
    }

    /// Returns its text.
    pub fn text(&self) -> &str {
        &self.source.text
    }
}

fn names() -> [&'static str; 6] {
    Column::ALL.map(Column::name)
}

/// Returns the entry of a row and when it holds. `None` if it has mistakes.
fn row(
    source: &Arc<Source>,
    columns: &[Column],
    cells: &[Cell<'_>],
    mistakes: &mut Vec<Diagnostic>,
) -> Option<(Entry, Range<u32>)> {
    let (mut entry, mut holds) = (Entry::default(), 0..u32::MAX);
    let before = mistakes.len();
    for (column, cell) in columns.iter().zip(cells) {
        *entry.cell_mut(*column) = cell.text.clone().into_owned();
        let bound = match column {
            Column::From => &mut holds.start,
            Column::Until => &mut holds.end,
            Column::Key if cell.text.is_empty() => {
                mistakes.push(Diagnostic::error(source, cell.span, "an entry has a key"));
                continue;
            }
            _ => continue,
        };
        match time(&cell.text) {
            Some(second) => *bound = second,
            None if cell.text.is_empty() => {}
            None => {
                let message = format!("\"{}\" is no day", cell.text);
                let mistake = Diagnostic::error(source, cell.span, message);
                mistakes.push(mistake.hint("write 2026-12-31 or 2026-12-31T22:00:00Z"));
            }
        }
    }
    (mistakes.len() == before).then_some((entry, holds))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn table(text: &str) -> Table {
        Table::read(Source::new("known.csv", text)).expect("a list")
    }

    fn mistakes(text: &str) -> String {
        let mistakes = Table::read(Source::new("known.csv", text)).expect_err("mistakes");
        mistakes.iter().map(Diagnostic::line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn an_entry_has_its_line_and_holds_from_a_time_until_another_one() {
        let list = table(
            "# ours\nkey,from,until,who\n0701,2026-01-01,2026-01-02T12:00:00Z,anna\n\n09*,,,\n",
        );
        let [first, second] = list.rows() else { panic!("{list:?}") };
        assert_eq!((first.line, second.line), (3, 5));
        assert_eq!(first.holds, 1_767_225_600..1_767_225_600 + 129_600);
        assert_eq!(second.holds, 0..u32::MAX);
        assert_eq!((first.entry.who.as_str(), second.entry.key.as_str()), ("anna", "09*"));
    }

    #[test]
    fn mistakes_have_their_places() {
        for (text, expected) in [
            ("", "1:1: the list has no first line"),
            ("number\n1\n", "1:1: a list has no column \"number\""),
            ("until\n1\n", "1:1: the column \"key\" is missing"),
            ("key,key\n1,1\n", "1:5: the column \"key\" stands there twice"),
            ("key,until\n0701,soon\n", "2:6: \"soon\" is no day"),
            ("key,until\n,2026-01-01\n", "2:1: an entry has a key"),
            ("key\n1,2\n", "2:1: this line has 2 cells, the first line has 1"),
            ("key\n\"1\n", "2:1: this quote is not closed"),
            ("key\n1\0\n", "2:1: this cell has NULs in it"),
        ] {
            let found = mistakes(text);
            assert!(found.contains(&format!("known.csv:{expected}")), "{text:?}: {found}");
        }
    }
}
