//! A CSV file of subscribers: the columns "number" and "amount", and perhaps "type". A first line without digits names them,
//! in any order.

use std::collections::HashSet;

use operate::prepaid::calls::{NewSubscriber, SubscriberMistake};
use prepaid::Number;

/// The most octets of a line.
const LINE_OCTETS_MAX: usize = 1_000;

/// The most octets of a line that an error shows.
const SHOWN_MAX: usize = 80;

/// The columns of a file without names.
const COLUMNS: [&str; 3] = ["number", "amount", "type"];

/// The subscribers of a file.
#[derive(Debug, Default)]
pub(super) struct Subscribers {
    /// Those whose numbers come for the first time.
    pub(super) new: Vec<NewSubscriber>,
    /// The lines with a number of a line before.
    pub(super) repeated: Vec<u64>,
    /// What is wrong with the other lines.
    pub(super) mistakes: Vec<SubscriberMistake>,
}

impl Subscribers {
    /// Reads a text.
    pub(super) fn read(text: &str) -> Self {
        let mut read = Subscribers::default();
        let mut known = HashSet::new();
        let mut columns = COLUMNS.to_vec();
        // Spreadsheets write a byte order mark.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
            match read_line(line, text, &mut columns) {
                Ok(None) => {}
                // The charging system refuses what is no number.
                Ok(Some(of)) if Number::read(&of.number).map_or(true, |of| known.insert(of)) => {
                    read.new.push(of);
                }
                Ok(Some(_)) => read.repeated.push(line),
                Err(why) => {
                    read.mistakes.push(SubscriberMistake { line, why: why.to_string() });
                    if line == 1 && is_header(text) {
                        // The columns of the other lines are not known.
                        break;
                    }
                }
            }
        }
        read
    }
}

/// Why a line cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum LineError {
    #[error("it has {octets} octets; {LINE_OCTETS_MAX} at most are possible")]
    Long { octets: usize },
    #[error("a quotation mark in \"{cell}\" has no other one")]
    Quotation { cell: String },
    #[error("there is no column \"{name}\"; number, amount and type are possible")]
    ColumnUnknown { name: String },
    #[error("there is no column \"{name}\"")]
    ColumnMissing { name: &'static str },
    #[error("there are two columns \"{name}\"")]
    ColumnTwice { name: &'static str },
    #[error("\"{line}\" is no line of \"{columns}\"{}", hint(*.has_other_separators))]
    Cells { line: String, columns: String, has_other_separators: bool },
}

fn hint(has_other_separators: bool) -> &'static str {
    if has_other_separators { "; its cells have commas between them" } else { "" }
}

/// Returns whether the first line names the columns.
fn is_header(text: &str) -> bool {
    !text.contains(|letter: char| letter.is_ascii_digit())
}

/// Reads a line. `None` for the first one if it names the columns.
fn read_line(
    line: u64,
    text: &str,
    columns: &mut Vec<&'static str>,
) -> Result<Option<NewSubscriber>, LineError> {
    let cells = cells(text)?;
    if line == 1 && is_header(text) {
        *columns = named(&cells)?;
        return Ok(None);
    }
    subscriber(line, &cells, columns).map(Some)
}

/// Returns the cells of a line, without the quotation marks around them.
fn cells(line: &str) -> Result<Vec<&str>, LineError> {
    if line.len() > LINE_OCTETS_MAX {
        return Err(LineError::Long { octets: line.len() });
    }
    line.split(',').map(plain).collect()
}

fn plain(cell: &str) -> Result<&str, LineError> {
    let cell = cell.trim();
    let inner = cell.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(cell);
    match inner.contains('"') {
        false => Ok(inner.trim()),
        true => Err(LineError::Quotation { cell: shown(cell) }),
    }
}

/// Returns the columns that the first line names.
fn named(cells: &[&str]) -> Result<Vec<&'static str>, LineError> {
    let name = |cell: &&str| {
        let known = COLUMNS.into_iter().find(|name| name.eq_ignore_ascii_case(cell));
        known.ok_or_else(|| LineError::ColumnUnknown { name: shown(cell) })
    };
    let columns = cells.iter().map(name).collect::<Result<Vec<_>, _>>()?;
    for name in COLUMNS {
        match columns.iter().filter(|column| **column == name).count() {
            1 => {}
            0 if name == "type" => {}
            0 => return Err(LineError::ColumnMissing { name }),
            _ => return Err(LineError::ColumnTwice { name }),
        }
    }
    Ok(columns)
}

fn subscriber(line: u64, cells: &[&str], columns: &[&str]) -> Result<NewSubscriber, LineError> {
    // A type at the end may be left out.
    let least = columns.len() - usize::from(columns.last() == Some(&"type"));
    if !(least..=columns.len()).contains(&cells.len()) {
        let line = shown(&cells.join(","));
        let has_other_separators = line.contains([';', '\t']);
        return Err(LineError::Cells { line, columns: columns.join(","), has_other_separators });
    }
    let cell = |name| {
        let place = columns.iter().position(|column| *column == name);
        place.and_then(|place| cells.get(place)).copied().unwrap_or_default().to_owned()
    };
    Ok(NewSubscriber {
        number: cell("number"),
        amount: cell("amount"),
        subscriber_type: cell("type"),
        line: Some(line),
    })
}

/// Returns the beginning of a text.
fn shown(text: &str) -> String {
    text[..text.floor_char_boundary(SHOWN_MAX)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the subscribers of a text without mistakes.
    fn read(text: &str) -> Vec<String> {
        let Subscribers { new, mistakes, .. } = Subscribers::read(text);
        assert_eq!(mistakes, [], "{text}");
        let of = |of: NewSubscriber| [of.number, of.amount, of.subscriber_type].join("|");
        new.into_iter().map(of).collect()
    }

    fn first_mistake(text: &str) -> String {
        let SubscriberMistake { line, why } = Subscribers::read(text).mistakes.remove(0);
        format!("{line}: {why}")
    }

    #[test]
    fn columns_are_in_the_order_of_the_first_line() {
        assert_eq!(read("46,10\n\n47,5,plus\r\n"), ["46|10|", "47|5|plus"]);
        assert_eq!(read("number,amount\n\"46\", 10 \n"), ["46|10|"]);
        assert_eq!(read("number,amount,type\n46,10\n"), ["46|10|"]);
        assert_eq!(read("\u{feff}46,10\n"), ["46|10|"]);
        assert_eq!(read("Type,Amount,Number\nplus,10,46\n"), ["46|10|plus"]);
        assert_eq!(read(""), [""; 0]);
    }

    #[test]
    fn what_is_no_line_of_subscribers_is_named() {
        for (text, expected) in [
            ("msisdn,balance\n46,10\n", "1: there is no column \"msisdn\""),
            ("number\n46\n", "1: there is no column \"amount\""),
            ("number,amount,number\n", "1: there are two columns \"number\""),
            ("number,amount\n46,10,plus\n", "2: \"46,10,plus\" is no line of \"number,amount\""),
            ("46;10\n", "1: \"46;10\" is no line of \"number,amount,type\"; its cells have commas"),
            ("46\n", "1: \"46\" is no line of \"number,amount,type\""),
            ("46,10\n46,\"1,000\"\n", "2: a quotation mark in \"\"1\" has no other one"),
            ("46,\"10\n47,10\n", "1: a quotation mark in \"\"10\" has no other one"),
        ] {
            let why = first_mistake(text);
            assert!(why.starts_with(expected), "{why}");
        }
        let long = format!("46,10\n46,{}\n", "1".repeat(2_000));
        assert_eq!(first_mistake(&long), "2: it has 2003 octets; 1000 at most are possible");
    }
}
