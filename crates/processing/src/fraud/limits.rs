//! Limits of measures by destination, day and hour: a table with a row for each prefix of numbers.
//!
//! ```csv
//! prefix,days,hours,calls-warning,calls-critical
//! 882,,,5,20
//! 882,sat-sun,22-6,3,10
//! ```

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use cells::{Cell, Notes, Sheet};
use diagnostics::{Diagnostic, Source, Span, plain};

const PREFIX: &str = "prefix";
const DAYS: &str = "days";
const HOURS: &str = "hours";

/// The names of the days, from Monday on.
const DAY_NAMES: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// 1 January 1970 was a Thursday.
const FIRST_DAY: u32 = 3;

/// How bad it is to reach a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Band {
    Warning,
    Critical,
}

impl Band {
    const ALL: [(Band, &'static str); 2] =
        [(Band::Warning, "-warning"), (Band::Critical, "-critical")];
}

/// A table of limits.
#[derive(Debug)]
pub(super) struct LimitTable {
    pub(super) path: PathBuf,
    /// A digest of its text.
    pub(super) version: [u8; 16],
    /// The limits of a row: of which measure, and in which band.
    pub(super) limits: Vec<(String, Band)>,
    rows: HashMap<Box<[u8]>, Vec<Row>>,
}

#[derive(Debug)]
struct Row {
    /// A bit for each day, from Monday on, and for each hour.
    days: u8,
    hours: u32,
    /// In the order of the columns; a cell without a number is no limit.
    limits: Vec<Option<i64>>,
}

impl LimitTable {
    /// Reads a table. `place` is where it is named.
    pub(super) fn read(
        path: &Path,
        place: &dyn Fn(String) -> Diagnostic,
    ) -> Result<Self, Vec<Diagnostic>> {
        let shown = path.display().to_string();
        let octets = plain::read(path, plain::TABLE_OCTETS_MAX).map_err(|error| {
            vec![place(format!("could not read the table \"{shown}\": {error}"))]
        })?;
        let digest = blake3::hash(&octets);
        let source = Source::decoded(shown, octets).map_err(|mistake| vec![*mistake])?;
        let mut mistakes = Vec::new();
        let Some(mut sheet) = Sheet::open(&source, Notes::PassedOver, &mut mistakes) else {
            if mistakes.is_empty() {
                mistakes.push(place(format!("the table \"{}\" has no first line", path.display())));
            }
            return Err(mistakes);
        };
        let mut reading = Reading { source: &source, mistakes: Vec::new() };
        let columns = reading.columns(sheet.names(), sheet.header());
        let limits = columns.iter().filter_map(|column| match column {
            Column::Limit(measure, band) => Some((measure.clone(), *band)),
            _ => None,
        });
        let mut table = LimitTable {
            path: path.to_owned(),
            version: *digest.as_bytes().first_chunk().expect("a digest has 32 octets"),
            limits: limits.collect(),
            rows: HashMap::new(),
        };
        while let Some(cells) = sheet.next(&mut mistakes) {
            if let Some((prefix, row)) = reading.row(&columns, &cells) {
                table.rows.entry(prefix.as_bytes().into()).or_default().push(row);
            }
        }
        mistakes.extend(reading.mistakes);
        if mistakes.is_empty() { Ok(table) } else { Err(mistakes) }
    }

    /// Returns the limits of a number at a local time, in seconds since 1970: those of the longest prefix that has a row for the day
    /// and the hour, and of its rows the last one.
    pub(super) fn find(&self, number: &[u8], local: u32) -> Option<&[Option<i64>]> {
        let day = (local / 86_400 + FIRST_DAY) % 7;
        let hour = local / 3_600 % 24;
        let holds = |row: &&Row| row.days >> day & 1 == 1 && row.hours >> hour & 1 == 1;
        let of = |length: usize| self.rows.get(&number[..length])?.iter().rev().find(holds);
        (0..=number.len()).rev().find_map(of).map(|row| row.limits.as_slice())
    }
}

enum Column {
    Prefix,
    Days,
    Hours,
    Limit(String, Band),
    Unknown,
}

struct Reading<'s> {
    source: &'s std::sync::Arc<Source>,
    mistakes: Vec<Diagnostic>,
}

impl Reading<'_> {
    fn mistake(&mut self, span: Span, message: String, hint: &str) {
        self.mistakes.push(Diagnostic::error(self.source, span, message).hint(hint));
    }

    fn columns(&mut self, names: &[Cell<'_>], header: Span) -> Vec<Column> {
        let mut columns = Vec::new();
        for Cell { text, span } in names {
            let band = Band::ALL.into_iter().find_map(|(band, ending)| {
                Some(Column::Limit(text.strip_suffix(ending)?.to_owned(), band))
            });
            columns.push(match (text.as_ref(), band) {
                (PREFIX, _) => Column::Prefix,
                (DAYS, _) => Column::Days,
                (HOURS, _) => Column::Hours,
                (_, Some(limit)) => limit,
                _ => {
                    let message = format!("there is no column \"{text}\" in a table of limits");
                    let hint = "it has prefix, days, hours, and for each measure \
                                NAME-warning and NAME-critical";
                    self.mistake(*span, message, hint);
                    Column::Unknown
                }
            });
        }
        if !columns.iter().any(|column| matches!(column, Column::Prefix)) {
            let hint = "the limits of a row are for the numbers that begin with it";
            self.mistake(header, format!("the column \"{PREFIX}\" is missing"), hint);
        }
        columns
    }

    fn row<'c>(&mut self, columns: &[Column], cells: &'c [Cell<'_>]) -> Option<(&'c str, Row)> {
        let before = self.mistakes.len();
        let (mut days, mut hours, mut prefix) = (u8::MAX >> 1, u32::MAX >> 8, "");
        let mut limits = Vec::new();
        for (column, Cell { text, span }) in columns.iter().zip(cells) {
            match column {
                Column::Prefix => prefix = text,
                Column::Days => match days_of(text) {
                    Some(all) => days = all,
                    None => {
                        let hint = "write mon-fri, or sat sun; an empty cell is every day";
                        self.mistake(*span, format!("\"{text}\" says no days"), hint);
                    }
                },
                Column::Hours => match hours_of(text) {
                    Some(all) => hours = all,
                    None => {
                        let hint = "write 22-6 for the hours from 22:00 until 06:00";
                        self.mistake(*span, format!("\"{text}\" says no hours"), hint);
                    }
                },
                Column::Limit(..) if text.is_empty() => limits.push(None),
                Column::Limit(..) => match text.parse() {
                    Ok(limit) => limits.push(Some(limit)),
                    Err(_) => {
                        let hint = "a limit is a whole number; an empty cell is none";
                        self.mistake(*span, format!("\"{text}\" is no limit"), hint);
                    }
                },
                Column::Unknown => {}
            }
        }
        (self.mistakes.len() == before).then_some((prefix, Row { days, hours, limits }))
    }
}

/// Returns the bits of days: `mon-fri`, `sat sun`, or nothing for all.
fn days_of(text: &str) -> Option<u8> {
    let day = |name: &str| DAY_NAMES.iter().position(|known| *known == name.trim());
    let parts = text.split_whitespace().map(|part| match part.split_once('-') {
        None => Some(1_u8 << day(part)?),
        Some((first, last)) => Some(bits(day(first)?, day(last)?, 7) as u8),
    });
    let days = parts.collect::<Option<Vec<u8>>>()?.into_iter().reduce(|all, days| all | days);
    Some(days.unwrap_or(u8::MAX >> 1))
}

/// Returns the bits of hours: `22-6`, `9`, or nothing for all.
fn hours_of(text: &str) -> Option<u32> {
    if text.is_empty() {
        return Some(u32::MAX >> 8);
    }
    let hour = |text: &str| text.trim().parse::<usize>().ok().filter(|hour| *hour <= 24);
    match text.split_once('-') {
        None => Some(1_u32 << hour(text).filter(|hour| *hour < 24)?),
        Some((first, end)) => {
            let (first, end) = (hour(first)? % 24, hour(end)?);
            Some(bits(first, (end + 23) % 24, 24))
        }
    }
}

/// Returns the bits from a first to a last one, which may be before it: then they go around.
fn bits(first: usize, last: usize, count: usize) -> u32 {
    let length = (last + count - first) % count;
    (0..=length).map(|after| 1_u32 << ((first + after) % count)).fold(0, |all, bit| all | bit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<LimitTable, Vec<String>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("limits.csv");
        std::fs::write(&path, text).unwrap();
        let place =
            |message: String| Diagnostic::error(&Source::new("rule", ""), Span::default(), message);
        LimitTable::read(&path, &place)
            .map_err(|mistakes| mistakes.iter().map(|mistake| mistake.line()).collect())
    }

    /// 2026-06-01 was a Monday.
    const MONDAY: u32 = 1_780_272_000;

    #[test]
    fn a_number_has_the_limits_of_its_longest_prefix_on_that_day_at_that_hour() {
        let table = read(
            "prefix,days,hours,calls-warning,calls-critical\n\
             ,,,100,\n88,,,5,20\n882,sat-sun,22-6,3,10\n882,,12,4,\n",
        )
        .unwrap();
        let found = |number: &str, day: u32, hour: u32| {
            table.find(number.as_bytes(), MONDAY + day * 86_400 + hour * 3_600).unwrap().to_vec()
        };
        assert_eq!(found("46701", 0, 3), [Some(100), None]);
        assert_eq!(found("8821", 0, 3), [Some(5), Some(20)], "on Monday");
        for (day, hour) in [(5, 22), (6, 5), (5, 0)] {
            assert_eq!(found("8821", day, hour), [Some(3), Some(10)], "{day} {hour}");
        }
        assert_eq!(found("8821", 6, 6), [Some(5), Some(20)], "in the morning");
        assert_eq!(found("8821", 2, 12), [Some(4), None]);
        assert!(read("prefix,calls-warning\n88,1\n").unwrap().find(b"46", 0).is_none());
    }

    #[test]
    fn mistakes_of_a_table_have_their_places() {
        let mistakes =
            read("prefix,days,hours,calls-warning,calls\n88,monday,,1,\n88,,25,2,\n88,,,many,\n")
                .unwrap_err();
        let text = mistakes.join("\n");
        for expected in [
            "no column \"calls\"",
            "\"monday\" says no days",
            "\"25\" says no hours",
            "\"many\" is no limit",
        ] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
        assert!(read("days,calls-warning\n,1\n").unwrap_err()[0].contains("\"prefix\" is missing"));
    }
}
