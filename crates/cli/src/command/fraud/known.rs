//! Frauds that are known: a table with a row for each of their keys, as `tollgate simulate` writes it.

use std::path::Path;

use cells::{Cell, Notes, Sheet};
use diagnostics::{Diagnostic, Source, Span, plain};
use operate::fraud::score::KnownKey;

use crate::outcome::CommandError;

/// The columns that the table must have.
const COLUMNS: [&str; 6] = ["fraud", "type", "subject", "key", "from", "to"];

/// The most octets of a table: some millions of rows.
const OCTETS_MAX: u64 = 1 << 28;

/// Reads the table.
pub(super) fn read(path: &Path) -> Result<Vec<KnownKey>, CommandError> {
    let octets = plain::read(path, OCTETS_MAX)
        .map_err(|cause| CommandError::Read { path: path.to_owned(), cause })?;
    rows(path, octets).map_err(|mistakes| {
        let texts: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
        CommandError::Mistakes(texts.join("\n\n"))
    })
}

fn rows(path: &Path, octets: Vec<u8>) -> Result<Vec<KnownKey>, Vec<Diagnostic>> {
    let source = Source::decoded(path.display().to_string(), octets).map_err(|of| vec![*of])?;
    let mut mistakes = Vec::new();
    let Some(mut sheet) = Sheet::open(&source, Notes::None, &mut mistakes) else {
        if mistakes.is_empty() {
            let message = format!("expected the columns {}", COLUMNS.join(", "));
            mistakes.push(Diagnostic::error(&source, Span::default(), message));
        }
        return Err(mistakes);
    };
    let place = |name: &str| sheet.names().iter().position(|cell| cell.text == name);
    let places = COLUMNS.map(place);
    for (name, _) in COLUMNS.iter().zip(places).filter(|(_, place)| place.is_none()) {
        let message = format!("there is no column \"{name}\"");
        mistakes.push(Diagnostic::error(&source, sheet.header(), message));
    }
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    let places = places.map(Option::unwrap_or_default);
    let mut known = Vec::new();
    while let Some(row) = sheet.next(&mut mistakes) {
        let [fraud, of, subject, key, from, to] = places.map(|place| &row[place]);
        let [from_s, to_s] = [from, to].map(|cell| second(cell).ok_or(cell));
        let (Ok(from_s), Ok(to_s)) = (from_s, to_s) else {
            for cell in [from_s.err(), to_s.err()].into_iter().flatten() {
                let message = format!("\"{}\" is no number of seconds since 1970", cell.text);
                mistakes.push(Diagnostic::error(&source, cell.span, message));
            }
            continue;
        };
        let [fraud, of, subject, key] =
            [fraud, of, subject, key].map(|cell| cell.text.clone().into_owned());
        known.push(KnownKey { fraud, of, subject, key, from_s, to_s });
    }
    if mistakes.is_empty() { Ok(known) } else { Err(mistakes) }
}

fn second(cell: &Cell<'_>) -> Option<i64> {
    cell.text.parse().ok()
}
