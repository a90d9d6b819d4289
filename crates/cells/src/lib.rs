//! CSV (RFC 4180): row boundaries, values and errors. Records, tariffs and script tables share this
//! reader, so they all agree on what a row is.
//!
//! [`Rules`] find rows and values in bytes that may arrive in parts. A [`Sheet`] is a table written
//! by people, and a [`Table`] is one with known columns; their errors carry source positions.
//!
//! A value that starts with a quote ends with one; a quote inside is doubled. A row that breaks
//! this rule ends at its first line end, so an unclosed quote never swallows the rows after it.
#![forbid(unsafe_code)]

mod rules;
mod sheet;
mod table;

pub use rules::{Blanks, Fault, LineEnd, Row, Rules, Value, What};
pub use sheet::{Cell, Notes, RowPlace, Sheet};
pub use table::{Table, TableRow};

/// Returns the codes of the errors of this crate, for the index of all codes.
pub fn codes() -> Vec<reason::Code> {
    use reason::Coded as _;

    What::codes()
}
