//! The tables of scripts: CSV files. The first line has the names of the columns; the first column is the key.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use cells::{Cell, Notes, Sheet};
use diagnostics::{Diagnostic, Source, plain};

use crate::value::{Area, Octets};

/// A table in memory.
#[derive(Debug, Default)]
pub(crate) struct Table {
    path: PathBuf,
    /// The names of all columns except the key.
    columns: Vec<String>,
    /// By row, then column: the offset and the length of the cell.
    cells: Vec<(u32, u32)>,
    /// The text of the cells, until it is [moved](Self::move_cells).
    text: Vec<u8>,
    rows: HashMap<Box<[u8]>, u32>,
    /// Created if a script looks up prefixes.
    prefixes: Option<Prefixes>,
}

/// The reason why a table cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TableError {
    #[error("could not read the table \"{}\": {cause}", path.display())]
    Read { path: PathBuf, cause: std::io::Error },
    #[error("the table has a mistake: {first}{}", others(*count))]
    Mistakes { first: String, count: usize },
    #[error("table \"{}\": line {line}: the key \"{key}\" stands there twice", path.display())]
    Twice { path: PathBuf, line: usize, key: String },
    #[error("table \"{}\" needs a first line with the names of two columns or more", path.display())]
    NoColumns { path: PathBuf },
}

fn others(count: usize) -> String {
    match count.saturating_sub(1) {
        0 => String::new(),
        others => format!(" (and {} more)", diagnostics::counted(others, "mistake")),
    }
}

impl Table {
    /// Reads a table from a file.
    pub(crate) fn read(path: &Path) -> Result<Table, TableError> {
        let could_not = |cause| TableError::Read { path: path.to_owned(), cause };
        let octets = plain::read(path, plain::TABLE_OCTETS_MAX).map_err(could_not)?;
        let wrong = |mistakes: &[Diagnostic]| TableError::Mistakes {
            first: mistakes.first().map(Diagnostic::line).unwrap_or_default(),
            count: mistakes.len(),
        };
        let source = Source::decoded(path.display().to_string(), octets);
        let source = source.map_err(|mistake| wrong(&[*mistake]))?;
        let mut mistakes = Vec::new();
        let Some(mut sheet) = Sheet::open(&source, Notes::None, &mut mistakes) else {
            return Err(match mistakes.is_empty() {
                true => TableError::NoColumns { path: path.to_owned() },
                false => wrong(&mistakes),
            });
        };
        let columns: Vec<String> =
            sheet.names().iter().skip(1).map(|name| name.text.clone().into_owned()).collect();
        if columns.is_empty() {
            return Err(TableError::NoColumns { path: path.to_owned() });
        }
        let mut table = Table { path: path.to_owned(), columns, ..Table::default() };
        while let Some(row) = sheet.next(&mut mistakes) {
            if table.add(&row).is_err() {
                let line = source.line_of(row[0].span.start);
                let key = row[0].text.clone().into_owned();
                return Err(TableError::Twice { path: path.to_owned(), line, key });
            }
        }
        if mistakes.is_empty() { Ok(table) } else { Err(wrong(&mistakes)) }
    }

    /// Adds a row. Fails if its key exists already.
    fn add(&mut self, row: &[Cell<'_>]) -> Result<(), ()> {
        let place = (self.cells.len() / self.columns.len()) as u32;
        for cell in &row[1..] {
            self.cells.push((self.text.len() as u32, cell.text.len() as u32));
            self.text.extend_from_slice(cell.text.as_bytes());
        }
        match self.rows.insert(row[0].text.as_bytes().into(), place) {
            None => Ok(()),
            Some(_) => Err(()),
        }
    }

    /// Returns its file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the names of the columns after the key.
    pub(crate) fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Returns the row with exactly this key.
    pub(crate) fn exact(&self, key: &[u8]) -> Option<u32> {
        self.rows.get(key).copied()
    }

    /// Returns the row with the longest key that the digits begin with.
    pub(crate) fn longest_prefix(&self, digits: &[u8]) -> Option<u32> {
        self.prefixes.as_ref().and_then(|prefixes| prefixes.longest(digits))
    }

    /// Moves the cells to the constants of a program, so that a cell is a string like any other.
    pub(crate) fn move_cells(&mut self, constants: &mut Vec<u8>) {
        let base = constants.len() as u32;
        constants.append(&mut std::mem::take(&mut self.text));
        self.cells.iter_mut().for_each(|(offset, _)| *offset += base);
    }

    /// Returns a cell.
    pub(crate) fn cell(&self, row: u32, column: usize) -> Octets {
        let (offset, length) = self.cells[row as usize * self.columns.len() + column];
        Octets::new(Area::Constants, offset, length)
    }

    /// Prepares the table for [`longest_prefix`](Self::longest_prefix). Returns a key that does not consist of digits,
    /// if there is one.
    pub(crate) fn index_prefixes(&mut self) -> Option<String> {
        let mut prefixes = Prefixes { nodes: vec![EMPTY] };
        for (key, row) in &self.rows {
            if prefixes.insert(key, *row).is_none() {
                return Some(String::from_utf8_lossy(key).into_owned());
            }
        }
        self.prefixes = Some(prefixes);
        None
    }
}

/// A tree by digits: the number of digits bounds a search, not the number of keys.
#[derive(Debug)]
struct Prefixes {
    nodes: Vec<PrefixNode>,
}

#[derive(Clone, Debug)]
struct PrefixNode {
    /// The next node for each digit; 0 for none.
    next: [u32; 16],
    /// The row whose key ends here, counted from 1; 0 for none.
    row: u32,
}

const EMPTY: PrefixNode = PrefixNode { next: [0; 16], row: 0 };

impl Prefixes {
    fn insert(&mut self, key: &[u8], row: u32) -> Option<()> {
        let mut at = 0;
        for character in key {
            let digit = digit(*character)?;
            if self.nodes[at].next[digit] == 0 {
                self.nodes[at].next[digit] = self.nodes.len() as u32;
                self.nodes.push(EMPTY);
            }
            at = self.nodes[at].next[digit] as usize;
        }
        self.nodes[at].row = row + 1;
        Some(())
    }

    fn longest(&self, digits: &[u8]) -> Option<u32> {
        let mut at = &self.nodes[0];
        let mut found = at.row;
        for character in digits {
            let Some(digit) = digit(*character) else { break };
            match at.next[digit] {
                0 => break,
                next => at = &self.nodes[next as usize],
            }
            if at.row != 0 {
                found = at.row;
            }
        }
        found.checked_sub(1)
    }
}

/// Returns the TBCD value of a digit (3GPP TS 29.002, 17.7.8).
fn digit(character: u8) -> Option<usize> {
    match character {
        b'0'..=b'9' => Some(usize::from(character - b'0')),
        b'*' => Some(10),
        b'#' => Some(11),
        b'a'..=b'c' => Some(usize::from(character - b'a') + 12),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use diagnostics::Span;

    use super::*;

    fn table(rows: &str) -> Table {
        let mut table = Table { columns: vec!["value".into()], ..Table::default() };
        for row in rows.split(' ') {
            let cell = |text| Cell { text: Cow::Borrowed(text), span: Span::default() };
            let cells: Vec<Cell<'_>> = row.split('=').map(cell).collect();
            table.add(&cells).expect("no key twice");
        }
        table
    }

    fn cell(table: &Table, row: u32) -> &[u8] {
        let cell = table.cell(row, 0);
        &table.text[cell.offset() as usize..cell.offset() as usize + cell.length() as usize]
    }

    #[test]
    fn the_longest_prefix_wins() {
        let mut table = table("46=SE 4670=SE-mobile 1=US =any");
        assert_eq!(table.index_prefixes(), None);
        for (digits, found) in
            [("46701234", "SE-mobile"), ("4681", "SE"), ("49", "any"), ("", "any")]
        {
            let row = table.longest_prefix(digits.as_bytes()).expect("there is a row for all");
            assert_eq!(cell(&table, row), found.as_bytes(), "{digits}");
        }
    }

    #[test]
    fn prefixes_are_made_of_digits() {
        assert_eq!(table("46=SE x=no").index_prefixes(), Some("x".into()));
    }
}
