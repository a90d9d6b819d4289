//! JSON output for programs: one value per line.

use std::io::{self, Write};

use diagnostics::visible;
use serde::Serialize;

/// Writes a row of a list: as JSON, or as a text, in which control characters are escaped.
pub(crate) fn row<T: Serialize>(
    out: &mut impl Write,
    is_json: bool,
    of: &T,
    text: impl FnOnce(&T) -> String,
) -> io::Result<()> {
    match is_json {
        true => line(out, of),
        false => writeln!(out, "{}", visible(&text(of))),
    }
}

/// Writes a value and a line end.
pub(crate) fn line(out: &mut impl Write, what: &(impl Serialize + ?Sized)) -> io::Result<()> {
    serde_json::to_writer(&mut *out, what)?;
    writeln!(out)
}
