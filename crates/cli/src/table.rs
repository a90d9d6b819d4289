//! Tables of text: a header, and rows whose columns are aligned by the width that a terminal gives their characters.
//!
//! A list is a table for a terminal: it has a header and fits into a line, so the longest free text is cut where there is no
//! room. In a pipe or a file it is made for programs, as with `gh`: no header, a tab between cells, and nothing is cut, so
//! `cut -f1` and `grep` work, and rows can come as they are found. A report is read as it is, also in a mail or a log, so it
//! has its header everywhere.

use std::io::{self, Write};

use diagnostics::visible;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::terminal::{Look, Stream, width};

/// The rows whose widths decide about the columns. Later rows are written as they come, so that a list of any length takes
/// little memory.
const MEASURED: usize = 1_000;

/// The columns between two cells.
const GAP: &str = "  ";

/// What a free text is not cut below, since less says nothing.
const CUT_MIN: usize = 12;

/// What stands at the end of a text that is cut.
const ELLIPSIS: char = '…';

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    name: &'static str,
    kind: Kind,
    is_extra: bool,
}

impl Column {
    /// Leaves the column out where a terminal has no room for it.
    pub(crate) const fn extra(self) -> Self {
        Column { is_extra: true, ..self }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Number,
    Text,
    Free,
}

/// A column of numbers, which is aligned on the right.
pub(crate) const fn number(name: &'static str) -> Column {
    Column { name, kind: Kind::Number, is_extra: false }
}

/// A column of names and times, which are never cut.
pub(crate) const fn text(name: &'static str) -> Column {
    Column { name, kind: Kind::Text, is_extra: false }
}

/// A column of texts of any length.
pub(crate) const fn free(name: &'static str) -> Column {
    Column { name, kind: Kind::Free, is_extra: false }
}

/// A cell of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    text: String,
    look: Look,
}

impl Cell {
    /// Returns the cell with a colour.
    pub(crate) fn look(self, look: Look) -> Self {
        Cell { look, ..self }
    }
}

/// Returns a cell with a text, in which control characters are escaped.
pub(crate) fn cell(of: impl ToString) -> Cell {
    Cell { text: visible(&of.to_string()).into_owned(), look: Look::Plain }
}

/// Returns a cell that is empty if there is nothing to show.
pub(crate) fn cell_of(of: Option<impl ToString>) -> Cell {
    cell(of.map_or(String::new(), |of| of.to_string()))
}

/// How a table is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// Aligned, with a header, and with lines of this width at most, if there is room for what must not be cut.
    Fitted(usize),
    /// Aligned, with a header.
    Whole,
    /// A tab between cells, and no header.
    Tabs,
}

/// A row, or a line between rows.
enum Line {
    Row(Vec<Cell>),
    Text(String),
}

/// A table that is written row by row. Call [`end`](Self::end) after the last one.
pub(crate) struct Table<W: Write> {
    out: W,
    columns: Vec<Column>,
    layout: Layout,
    is_colored: bool,
    /// The widths of the columns, once enough rows are measured. Those of width 0 are left out.
    widths: Option<Vec<usize>>,
    /// The rows until then.
    first: Vec<Line>,
}

impl<W: Write> Table<W> {
    /// Returns a list for standard output, which `out` writes to.
    pub(crate) fn list(out: W, columns: &[Column]) -> Self {
        Table::new(out, columns, width().map_or(Layout::Tabs, Layout::Fitted))
    }

    /// Returns a report for standard output, which `out` writes to.
    pub(crate) fn report(out: W, columns: &[Column]) -> Self {
        Table::new(out, columns, width().map_or(Layout::Whole, Layout::Fitted))
    }

    fn new(out: W, columns: &[Column], layout: Layout) -> Self {
        let (columns, is_colored) = (columns.to_vec(), Stream::Output.is_colored());
        Table { out, columns, layout, is_colored, widths: None, first: Vec::new() }
    }

    /// Adds a row, which has a cell for each column.
    pub(crate) fn row(&mut self, cells: impl Into<Vec<Cell>>) -> io::Result<()> {
        let cells = cells.into();
        debug_assert_eq!(cells.len(), self.columns.len());
        self.add(Line::Row(cells))
    }

    /// Adds a line that is no row: it says more of the row above.
    pub(crate) fn line(&mut self, text: &str) -> io::Result<()> {
        self.add(Line::Text(visible(text).into_owned()))
    }

    /// Writes what is left.
    pub(crate) fn end(mut self) -> io::Result<()> {
        self.write_first()?;
        self.out.flush()
    }

    fn add(&mut self, line: Line) -> io::Result<()> {
        if self.layout == Layout::Tabs || self.widths.is_some() {
            return self.write(&line);
        }
        self.first.push(line);
        match self.first.len() < MEASURED {
            true => Ok(()),
            false => self.write_first(),
        }
    }

    /// Decides about the widths, and writes the header and the rows so far.
    fn write_first(&mut self) -> io::Result<()> {
        let first = std::mem::take(&mut self.first);
        if first.is_empty() {
            return Ok(());
        }
        self.widths = Some(self.fitted(&first));
        let header = |column: &Column| cell(column.name.to_uppercase()).look(Look::Header);
        let header = self.columns.iter().map(header).collect();
        self.write(&Line::Row(header))?;
        first.iter().try_for_each(|line| self.write(line))
    }

    /// Returns the widths of the columns for these rows.
    fn fitted(&self, lines: &[Line]) -> Vec<usize> {
        let mut widths: Vec<usize> =
            self.columns.iter().map(|column| column.name.width()).collect();
        for line in lines {
            let Line::Row(cells) = line else { continue };
            for (width, cell) in widths.iter_mut().zip(cells) {
                *width = cell.text.width().max(*width);
            }
        }
        if let Layout::Fitted(line) = self.layout {
            self.fit(&mut widths, line);
        }
        widths
    }

    /// Makes the widest free texts narrower, and then leaves columns out, until a line fits.
    fn fit(&self, widths: &mut [usize], line: usize) {
        let all: usize = widths.iter().map(|width| width + GAP.len()).sum();
        let mut excess = all.saturating_sub(GAP.len() + line);
        while excess > 0 {
            let free = widths.iter_mut().zip(&self.columns);
            let free = free.filter(|(width, of)| of.kind == Kind::Free && **width > CUT_MIN);
            if let Some((widest, _)) = free.max_by_key(|(width, _)| **width) {
                *widest -= 1;
                excess -= 1;
                continue;
            }
            let mut extra = widths.iter_mut().zip(&self.columns).rev();
            let extra = extra.find(|(width, of)| of.is_extra && **width > 0);
            let Some((width, _)) = extra else { return };
            excess = excess.saturating_sub(*width + GAP.len());
            *width = 0;
        }
    }

    fn write(&mut self, line: &Line) -> io::Result<()> {
        let text = match (line, &self.widths) {
            (Line::Text(text), _) => text.clone(),
            (Line::Row(cells), None) => {
                let cells: Vec<String> =
                    cells.iter().map(|cell| self.paint(&cell.text, cell.look)).collect();
                cells.join("\t")
            }
            (Line::Row(cells), Some(widths)) => self.aligned(cells, widths),
        };
        writeln!(self.out, "{text}")
    }

    fn aligned(&self, cells: &[Cell], widths: &[usize]) -> String {
        let mut line = String::new();
        // Blanks are written before the next cell that is not empty, so that no line ends with them.
        let (mut blanks, mut used) = (0, 0);
        let is_fitted = matches!(self.layout, Layout::Fitted(_));
        for (place, (Cell { text, look }, column)) in cells.iter().zip(&self.columns).enumerate() {
            let width = widths[place];
            if width == 0 {
                continue;
            }
            let is_last = place + 1 == widths.len();
            let most = match self.layout {
                Layout::Fitted(all) if is_last => width.max(all.saturating_sub(used)),
                _ => width,
            };
            let text = match is_fitted && column.kind == Kind::Free {
                true => cut(text, most),
                false => text.clone(),
            };
            let padding = width.saturating_sub(text.width());
            let (before, after) = match column.kind {
                Kind::Number => (padding, 0),
                Kind::Text | Kind::Free => (0, padding),
            };
            if text.is_empty() {
                blanks += padding;
            } else {
                line.push_str(&" ".repeat(blanks + before));
                line.push_str(&self.paint(&text, *look));
                blanks = after;
            }
            blanks += GAP.len();
            used += width + GAP.len();
        }
        line
    }

    fn paint(&self, text: &str, look: Look) -> String {
        match self.is_colored && look != Look::Plain && !text.is_empty() {
            true => look.paint(text),
            false => text.to_owned(),
        }
    }
}

/// The rows so far are written even if the next ones cannot be read.
impl<W: Write> Drop for Table<W> {
    fn drop(&mut self) {
        let _ = self.write_first();
    }
}

/// Cuts a text, so that it takes no more than so many columns of a terminal.
fn cut(text: &str, most: usize) -> String {
    if text.width() <= most {
        return text.to_owned();
    }
    let (mut short, mut used) = (String::new(), 0);
    for character in text.chars() {
        let width = character.width().unwrap_or(0);
        // The last column is for the ellipsis.
        if used + width >= most {
            break;
        }
        used += width;
        short.push(character);
    }
    format!("{}{ELLIPSIS}", short.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [Column; 3] = [number("number"), text("file").extra(), free("problem")];

    fn written(layout: Layout, rows: &[[&str; 3]]) -> String {
        let mut out = Vec::new();
        let mut table = Table::new(&mut out, &COLUMNS, layout);
        table.is_colored = false;
        rows.iter().for_each(|row| table.row(row.map(cell)).unwrap());
        table.end().unwrap();
        String::from_utf8(out).unwrap()
    }

    fn lines(lines: &[&str]) -> String {
        lines.join("\n") + "\n"
    }

    const ROWS: [[&str; 3]; 3] = [
        ["7", "boston/a.ber", "the connection was refused by the machine"],
        ["1234567", "東京/b.ber", ""],
        ["8", "c", "a\u{1b}[31m\tb"],
    ];

    #[test]
    fn columns_are_aligned_by_the_width_of_characters_and_no_line_ends_with_blanks() {
        let expected = lines(&[
            " NUMBER  FILE          PROBLEM",
            "      7  boston/a.ber  the connection was refused by the machine",
            "1234567  東京/b.ber",
            "      8  c             a\\u001b[31m\\tb",
        ]);
        assert_eq!(written(Layout::Whole, &ROWS), expected);
    }

    #[test]
    fn a_table_fits_into_the_terminal_and_only_free_text_is_cut() {
        let expected = lines(&[
            " NUMBER  FILE          PROBLEM",
            "      7  boston/a.ber  the connection w…",
            "1234567  東京/b.ber",
            "      8  c             a\\u001b[31m\\tb",
        ]);
        assert_eq!(written(Layout::Fitted(40), &ROWS), expected);
        assert_eq!(written(Layout::Fitted(65), &ROWS), written(Layout::Whole, &ROWS));
    }

    #[test]
    fn where_there_is_no_room_extra_columns_are_left_out() {
        let expected = lines(&[
            " NUMBER  PROBLEM",
            "      7  the connect…",
            "1234567",
            "      8  a\\u001b[31m…",
        ]);
        assert_eq!(written(Layout::Fitted(21), &ROWS), expected);
        assert_eq!(written(Layout::Fitted(3), &ROWS), expected, "less says nothing");
    }

    #[test]
    fn in_a_pipe_there_are_tabs_and_no_header_and_nothing_is_cut() {
        let expected = "7\tboston/a.ber\tthe connection was refused by the machine\n\
                        1234567\t東京/b.ber\t\n8\tc\ta\\u001b[31m\\tb\n";
        assert_eq!(written(Layout::Tabs, &ROWS), expected);
    }

    #[test]
    fn a_table_without_rows_has_no_header() {
        assert_eq!(written(Layout::Whole, &[]), "");
    }

    #[test]
    fn rows_after_the_measured_ones_are_cut_to_the_rest_of_the_line() {
        let mut rows = vec![["1", "a", "b"]; MEASURED];
        rows.push(["2", "a", "this text is longer than the others were"]);
        let out = written(Layout::Fitted(30), &rows);
        assert_eq!(out.lines().last().unwrap(), "     2  a     this text is lo…");
        assert_eq!(out.lines().count(), MEASURED + 2);
    }

    #[test]
    fn a_cell_is_coloured_and_its_blanks_are_not() {
        let mut out = Vec::new();
        let mut table = Table::new(&mut out, &COLUMNS, Layout::Whole);
        table.is_colored = true;
        table.row([cell(1), cell("dead").look(Look::Bad), cell("x")]).unwrap();
        table.end().unwrap();
        let out = String::from_utf8(out).unwrap();
        assert_eq!(out.lines().last().unwrap(), "     1  \u{1b}[31mdead\u{1b}[0m  x");
        assert!(out.starts_with("\u{1b}[1mNUMBER\u{1b}[0m  "), "{out:?}");
    }
}
