//! Lists of keys in CSV files, such as numbers of call centres.
//!
//! ```csv
//! key,from,until,source,who,because
//! 0701234567,,2026-12-31,support,anna,a call centre
//! 0709*,,,import,,test numbers of ours
//! ```

use std::path::{Path, PathBuf};

use cells::{Cell, Notes, Sheet};
use diagnostics::{Diagnostic, Source, plain};
use fraud::List;
use measures::Seconds;

/// The columns of a list. Only the first one must be there.
const COLUMNS: [&str; 6] = ["key", "from", "until", "source", "who", "because"];

/// Reads a list. `place` is where it is named.
pub(super) fn read(
    name: &str,
    path: &Path,
    place: &dyn Fn(String) -> Diagnostic,
) -> Result<List, Vec<Diagnostic>> {
    let shown = path.display().to_string();
    let octets = plain::read(path, plain::TABLE_OCTETS_MAX)
        .map_err(|error| vec![place(format!("could not read the list \"{shown}\": {error}"))])?;
    let source = Source::decoded(shown, octets).map_err(|mistake| vec![*mistake])?;
    let mut mistakes = Vec::new();
    let Some(mut sheet) = Sheet::open(&source, Notes::PassedOver, &mut mistakes) else {
        if mistakes.is_empty() {
            let message = format!("the list \"{}\" has no first line", path.display());
            mistakes.push(place(message).hint("write key,from,until,source,who,because"));
        }
        return Err(mistakes);
    };
    for Cell { text, span } in sheet.names() {
        if !COLUMNS.contains(&text.as_ref()) {
            let message = format!("a list has no column \"{text}\"");
            let mistake = Diagnostic::error(&source, *span, message);
            mistakes.push(mistake.hint(format!("its columns are {}", COLUMNS.join(","))));
        }
    }
    let place_of = |name: &str| sheet.names().iter().position(|known| known.text == name);
    let [key, from, until] = [COLUMNS[0], COLUMNS[1], COLUMNS[2]].map(place_of);
    let Some(key) = key else {
        let message = "the column \"key\" is missing";
        mistakes.push(Diagnostic::error(&source, sheet.header(), message));
        return Err(mistakes);
    };
    let mut list = List::new(name.to_owned());
    while let Some(row) = sheet.next(&mut mistakes) {
        let mut time = |column: Option<usize>, otherwise| {
            let Some(cell) = column.map(|place| &row[place]) else { return Some(otherwise) };
            let read = time_of(cell, otherwise);
            if read.is_none() {
                let message = format!("\"{}\" is no day", cell.text);
                let mistake = Diagnostic::error(&source, cell.span, message);
                mistakes.push(mistake.hint("write 2026-12-31 or 2026-12-31T22:00:00Z"));
            }
            read
        };
        let holds = (time(from, 0), time(until, Seconds::MAX));
        if row[key].text.is_empty() {
            mistakes.push(Diagnostic::error(&source, row[key].span, "an entry has a key"));
        }
        if let (Some(from), Some(until)) = holds {
            list.add(&row[key].text, from..until);
        }
    }
    if mistakes.is_empty() { Ok(list) } else { Err(mistakes) }
}

/// Returns the time of a cell: a day, which begins in UTC, or a time with a zone.
fn time_of(cell: &Cell<'_>, otherwise: Seconds) -> Option<Seconds> {
    if cell.text.is_empty() {
        return Some(otherwise);
    }
    let text = cell.text.as_ref();
    let day = || rating::moment(&format!("{text} UTC")).ok();
    let moment = rating::moment(text).ok().or_else(day)?;
    Seconds::try_from(moment).ok()
}

/// Returns the file of a list in a folder.
pub(super) fn path(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.csv"))
}

#[cfg(test)]
mod tests {
    use diagnostics::Span;

    use super::*;

    fn whole(message: String) -> Diagnostic {
        Diagnostic::error(&Source::new("flow.toml", ""), Span::default(), message)
    }

    fn read_text(text: &str) -> Result<List, Vec<String>> {
        let folder = tempfile::tempdir().unwrap();
        let path = path(folder.path(), "known");
        std::fs::write(&path, text).unwrap();
        let read = read("known", &path, &whole);
        read.map_err(|mistakes| mistakes.iter().map(|mistake| mistake.line()).collect())
    }

    #[test]
    fn an_entry_holds_from_a_day_until_another_one() {
        let list = read_text(
            "# ours\nkey,from,until,who\n0701,2026-01-01,2026-01-02T12:00:00Z,anna\n09*,,,\n",
        );
        let list = list.unwrap();
        let begin = 1_767_225_600;
        assert_eq!(list.find(b"0701", begin - 1), None);
        assert!(
            list.find(b"0701", begin).is_some() && list.find(b"0701", begin + 129_599).is_some()
        );
        assert_eq!(list.find(b"0701", begin + 129_600), None);
        assert_eq!(list.find(b"0911", 5).as_deref(), Some("09*"));
    }

    #[test]
    fn mistakes_of_a_list_have_their_places() {
        let text = read_text("key,til\n,1\n").unwrap_err().join("\n");
        assert!(text.contains("no column \"til\"") && text.contains("has a key"), "{text}");
        let text = read_text("key,until\n0701,soon\n").unwrap_err().join("\n");
        assert!(text.contains("known.csv:2") && text.contains("\"soon\" is no day"), "{text}");
        assert!(read_text("number\n1\n").unwrap_err().join("\n").contains("\"key\" is missing"));
    }
}
