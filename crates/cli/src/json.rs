//! JSON output for programs: one value per line.

use std::io::{self, Write};

use serde::Serialize;

/// Writes a value and a line end.
pub(crate) fn line(out: &mut impl Write, what: &(impl Serialize + ?Sized)) -> io::Result<()> {
    serde_json::to_writer(&mut *out, what)?;
    writeln!(out)
}
