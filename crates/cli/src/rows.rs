//! Rows of lists: JSON for programs, one value a line, or the rows of a table.

use std::io::{self, BufWriter, Stdout, Write as _};

use serde::Serialize;

use crate::json;
use crate::output::{self, Standard, Visible};
use crate::progress::Aside;
use crate::table::{Cell, Column, Table};

/// The rows of a list on standard output. Call [`end`](Self::end) after the last row.
pub(crate) enum Rows {
    Json(Visible<BufWriter<Standard>>),
    Text(Table<BufWriter<Aside<Stdout>>>),
}

impl Rows {
    /// Begins a list.
    pub(crate) fn begin(is_json: bool, columns: &[Column]) -> Self {
        match is_json {
            true => Rows::Json(output::list()),
            false => Rows::Text(Table::list(BufWriter::new(Aside(io::stdout())), columns)),
        }
    }

    /// Adds a value: as JSON, or as the row that `cells` makes of it.
    pub(crate) fn row<T: Serialize, const N: usize>(
        &mut self,
        of: &T,
        cells: impl FnOnce(&T) -> [Cell; N],
    ) -> io::Result<()> {
        match self {
            Rows::Json(out) => json::line(out, of),
            Rows::Text(table) => table.row(cells(of)),
        }
    }

    /// Adds a line that says more of the row above. JSON has it in the value.
    pub(crate) fn line(&mut self, text: impl FnOnce() -> String) -> io::Result<()> {
        match self {
            Rows::Json(_) => Ok(()),
            Rows::Text(table) => table.line(&text()),
        }
    }

    /// Writes what is left.
    pub(crate) fn end(self) -> io::Result<()> {
        match self {
            Rows::Json(mut out) => out.flush(),
            Rows::Text(table) => table.end(),
        }
    }
}
