//! Cells of tables: parses their texts, and reports a mistake at the cell if that fails.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use diagnostics::{Diagnostic, Source, Span, did_you_mean, plain};

use super::settings;
use crate::digits::Digits;
use crate::money::decimal;
use crate::plan::{Names, Unit};
use crate::time::Moment;
use crate::written::moment;
use ::cells::Cell;

/// The text for all values of a column.
pub(super) const ANY: &str = "*";

/// The folder of a plan, and the files that were read from it.
pub(super) struct Folder {
    path: PathBuf,
    /// The files, if they are not in the folder, which then only names them in messages.
    given: Option<BTreeMap<String, Vec<u8>>>,
    pub(super) files: Vec<PathBuf>,
    /// The files that must exist and not be empty.
    pub(super) required: Vec<String>,
}

impl Folder {
    pub(super) fn new(path: &Path) -> Self {
        Folder { path: path.to_owned(), given: None, files: Vec::new(), required: Vec::new() }
    }

    pub(super) fn of_files(path: &Path, files: BTreeMap<String, Vec<u8>>) -> Self {
        Folder { given: Some(files), ..Folder::new(path) }
    }

    fn octets(&mut self, name: &str, path: &Path) -> std::io::Result<Vec<u8>> {
        match &mut self.given {
            Some(given) => given.remove(name).ok_or(std::io::ErrorKind::NotFound.into()),
            None => plain::read(path, plain::TABLE_OCTETS_MAX),
        }
    }

    /// Returns the text of a file; `None` if there is no such file.
    pub(super) fn read(
        &mut self,
        name: &str,
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<Arc<Source>> {
        let path = self.path.join(name);
        // A missing file counts too: if it appears later, the plan changes.
        self.files.push(path.clone());
        let is_required = self.required.iter().any(|required| required == name);
        match self.octets(name, &path) {
            Ok(octets) => {
                let source = match Source::decoded(path.display().to_string(), octets) {
                    Ok(source) => source,
                    Err(mistake) => {
                        mistakes.push(*mistake);
                        return None;
                    }
                };
                if is_required && source.text.lines().filter(|line| !line.is_empty()).count() < 2 {
                    let message =
                        "this file has no lines, and tariff.toml says that the plan has it";
                    mistakes.push(self.error(name, message));
                }
                Some(source)
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                if is_required {
                    let message = "this file is missing, and tariff.toml says that the plan has it";
                    mistakes.push(self.error(name, message));
                }
                None
            }
            Err(error) => {
                mistakes.push(self.error(name, format!("could not read this file: {error}")));
                None
            }
        }
    }

    /// Like [`read`](Self::read), for a file that must exist.
    pub(super) fn require(
        &mut self,
        name: &str,
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<Arc<Source>> {
        let mistakes_before = mistakes.len();
        let found = self.read(name, mistakes);
        if found.is_none() && mistakes.len() == mistakes_before {
            mistakes.push(self.error(name, "this file is missing; a plan has one"));
        }
        found
    }

    /// Reports files that look like tables of the plan but are none. Without this, a table with a misspelt name would
    /// be ignored silently.
    pub(super) fn refuse_strangers(&self, mistakes: &mut Vec<Diagnostic>) {
        // These files are only those of the plan: no notes lie beside them.
        if let Some(left) = &self.given {
            let strangers = left.keys().filter_map(|name| Some((name, settings::no_file(name)?)));
            let error = |(name, (message, hint)): (&String, (String, String))| {
                self.error(name, message).hint(hint)
            };
            mistakes.extend(strangers.map(error));
            return;
        }
        let entries = std::fs::read_dir(&self.path).and_then(Iterator::collect);
        let entries: Vec<std::fs::DirEntry> = entries.unwrap_or_else(|error| {
            mistakes.push(self.error("", format!("could not read this folder: {error}")));
            Vec::new()
        });
        let names = entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.collect();
        names.sort();
        for name in names {
            if let Some((message, hint)) = settings::stranger(&name) {
                mistakes.push(self.error(&name, message).hint(hint));
            }
        }
    }

    fn error(&self, name: &str, message: impl Into<String>) -> Diagnostic {
        let source = Source::new(self.path.join(name).display().to_string(), "");
        Diagnostic::error(&source, Span::default(), message)
    }
}

/// The text of a table, and the list for its mistakes.
pub(super) struct Sheet<'s> {
    pub(super) source: &'s Arc<Source>,
    pub(super) mistakes: &'s mut Vec<Diagnostic>,
}

impl Sheet<'_> {
    pub(super) fn error(&mut self, cell: &Cell<'_>, message: impl Into<String>) {
        self.mistakes.push(Diagnostic::error(self.source, cell.span, message));
    }

    pub(super) fn error_with(
        &mut self,
        cell: &Cell<'_>,
        message: impl Into<String>,
        hint: Option<String>,
    ) {
        self.mistakes.push(Diagnostic::error(self.source, cell.span, message).hint_maybe(hint));
    }

    /// Returns a name, which must not be empty.
    pub(super) fn name<'c>(&mut self, cell: &'c Cell<'_>, what: &str) -> Option<&'c str> {
        if cell.text.is_empty() {
            self.error(cell, format!("this line has no {what}"));
            return None;
        }
        Some(&cell.text)
    }

    /// Returns the number of a known name.
    pub(super) fn known(&mut self, cell: &Cell<'_>, what: &str, names: &Names) -> Option<u16> {
        let name = self.name(cell, what)?;
        let found = names.find(name);
        if found.is_none() {
            let hint = did_you_mean(name, names.iter());
            self.error_with(cell, format!("there is no {what} \"{name}\""), hint);
        }
        found
    }

    /// Like [`known`](Self::known), for several names in a cell, separated by blanks; [`ANY`] means all.
    pub(super) fn known_list(
        &mut self,
        cell: &Cell<'_>,
        what: &str,
        names: &Names,
    ) -> Option<Vec<u16>> {
        if cell.text == ANY {
            return Some((0..names.len() as u16).collect());
        }
        self.name(cell, what)?;
        let words = cell.text.split_whitespace().map(|word| {
            let start =
                cell.span.start as usize + (word.as_ptr() as usize - cell.text.as_ptr() as usize);
            let span = Span::new(start, start + word.len());
            Cell { text: word.to_owned().into(), span }
        });
        words.collect::<Vec<_>>().iter().map(|word| self.known(word, what, names)).collect()
    }

    /// Returns the value of one of several words.
    pub(super) fn choice<T: Copy>(
        &mut self,
        cell: &Cell<'_>,
        what: &str,
        choices: &[(&'static str, T)],
    ) -> Option<T> {
        let found = choices.iter().find(|(name, _)| *name == cell.text).map(|(_, value)| *value);
        if found.is_none() {
            let names = choices.iter().map(|(name, _)| *name);
            let hint = did_you_mean(&cell.text, names.clone())
                .unwrap_or_else(|| format!("write {}", names.collect::<Vec<_>>().join(", ")));
            self.error_with(cell, format!("\"{}\" is no {what}", cell.text), Some(hint));
        }
        found
    }

    /// Returns a price, in billionths.
    pub(super) fn decimal(&mut self, cell: &Cell<'_>) -> Option<i128> {
        decimal(&cell.text).map_err(|fault| self.error(cell, fault.to_string())).ok()
    }

    /// Like [`decimal`](Self::decimal); `None` for an empty cell.
    pub(super) fn decimal_maybe(&mut self, cell: &Cell<'_>) -> Option<i128> {
        if cell.text.is_empty() { None } else { self.decimal(cell) }
    }

    pub(super) fn moment(&mut self, cell: &Cell<'_>) -> Option<Moment> {
        moment(&cell.text).map_err(|fault| self.error(cell, fault.to_string())).ok()
    }

    /// Returns a period. Without an end, it never ends.
    pub(super) fn validity(
        &mut self,
        from: &Cell<'_>,
        to: &Cell<'_>,
    ) -> Option<std::ops::Range<Moment>> {
        let start = self.moment(from)?;
        if to.text.is_empty() {
            return Some(start..Moment::MAX);
        }
        let end = self.moment(to)?;
        if end <= start {
            self.error(to, "the dates are in the wrong order: this ends before it begins");
            return None;
        }
        Some(start..end)
    }

    pub(super) fn digits(&mut self, cell: &Cell<'_>) -> Option<Digits> {
        let text = cell.text.strip_prefix('+').unwrap_or(&cell.text);
        Digits::parse(text.as_bytes())
            .map_err(|fault| {
                let message = format!("\"{}\" is no number: {fault}", cell.text);
                // As in 4.67012E+10.
                let mangled = cell.text.contains(['E', '.']);
                let hint = mangled
                    .then(|| "a spreadsheet made this of it; format the column as text".into());
                self.error_with(cell, message, hint);
            })
            .ok()
    }

    /// Returns a number of units: `60`, `3 min`, `1 MB`.
    pub(super) fn quantity(&mut self, cell: &Cell<'_>, unit: Unit) -> Option<u64> {
        let found = quantity(&cell.text, unit);
        if found.is_none() {
            let message = format!("\"{}\" is no number of {}", cell.text, unit.name());
            self.error_with(cell, message, Some(format!("write {}", examples(unit))));
        }
        found
    }
}

/// Words for multiples of units.
const WORDS: [(Unit, &str, u64); 15] = [
    (Unit::Seconds, "s", 1),
    (Unit::Seconds, "second", 1),
    (Unit::Seconds, "min", 60),
    (Unit::Seconds, "minute", 60),
    (Unit::Seconds, "h", 3_600),
    (Unit::Seconds, "hour", 3_600),
    (Unit::Octets, "octet", 1),
    (Unit::Octets, "kB", 1_000),
    (Unit::Octets, "MB", 1_000_000),
    (Unit::Octets, "GB", 1_000_000_000),
    (Unit::Octets, "KiB", 1 << 10),
    (Unit::Octets, "MiB", 1 << 20),
    (Unit::Octets, "GiB", 1 << 30),
    (Unit::Events, "event", 1),
    (Unit::Events, "message", 1),
];

fn examples(unit: Unit) -> &'static str {
    match unit {
        Unit::Seconds => "60, \"min\" or \"3 min\"",
        Unit::Octets => "1000, \"kB\" or \"100 MB\" (1000 kB), \"MiB\" (1024 KiB)",
        Unit::Events => "1 or \"event\"",
    }
}

/// Maximum units of a quantity in a plan.
const QUANTITY_MAX: u64 = 1 << 50;

/// Parses a number of units: `60`, `min`, `3 min`, `1 MB`.
pub fn quantity(text: &str, unit: Unit) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, word) = text.split_at(digits);
    let number: u64 = if number.is_empty() { 1 } else { number.parse().ok()? };
    let word = word.trim();
    let singular = word.strip_suffix('s').filter(|word| word.len() > 1).unwrap_or(word);
    let factor = match word {
        "" if digits > 0 => 1,
        _ => {
            WORDS
                .iter()
                .find(|(of, name, _)| *of == unit && (*name == word || *name == singular))?
                .2
        }
    };
    number.checked_mul(factor).filter(|quantity| *quantity <= QUANTITY_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_numbers_of_words_or_both() {
        use Unit::*;
        for (text, unit, expected) in [
            ("60", Seconds, Some(60)),
            ("min", Seconds, Some(60)),
            ("3 minutes", Seconds, Some(180)),
            ("2h", Seconds, Some(7_200)),
            ("s", Seconds, Some(1)),
            ("100 MB", Octets, Some(100_000_000)),
            ("MiB", Octets, Some(1_048_576)),
            ("event", Events, Some(1)),
            ("MB", Seconds, None),
            ("", Seconds, None),
            ("1.5 min", Seconds, None),
            ("-1", Seconds, None),
            ("99999999999999999999", Seconds, None),
        ] {
            assert_eq!(quantity(text, unit), expected, "{text}");
        }
    }
}
