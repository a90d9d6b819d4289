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
                    read.mistakes.push(SubscriberMistake { line, why });
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

/// Returns whether the first line names the columns.
fn is_header(text: &str) -> bool {
    !text.contains(|letter: char| letter.is_ascii_digit())
}

/// Reads a line. `None` for the first one if it names the columns.
fn read_line(
    line: u64,
    text: &str,
    columns: &mut Vec<&'static str>,
) -> Result<Option<NewSubscriber>, String> {
    let cells = cells(text)?;
    if line == 1 && is_header(text) {
        *columns = named(&cells)?;
        return Ok(None);
    }
    subscriber(line, &cells, columns).map(Some)
}

/// Returns the cells of a line, without the quotation marks around them.
fn cells(line: &str) -> Result<Vec<&str>, String> {
    if line.len() > LINE_OCTETS_MAX {
        return Err(format!(
            "it has {} octets; {LINE_OCTETS_MAX} at most are possible",
            line.len()
        ));
    }
    line.split(',').map(plain).collect()
}

fn plain(cell: &str) -> Result<&str, String> {
    let cell = cell.trim();
    let inner = cell.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(cell);
    match inner.contains('"') {
        false => Ok(inner.trim()),
        true => Err(format!("a quotation mark in {} has no other one", shown(cell))),
    }
}

/// Returns the columns that the first line names.
fn named(cells: &[&str]) -> Result<Vec<&'static str>, String> {
    let name = |cell: &&str| {
        let known = COLUMNS.into_iter().find(|name| name.eq_ignore_ascii_case(cell));
        known.ok_or_else(|| {
            format!("there is no column {}; number, amount and type are possible", shown(cell))
        })
    };
    let columns = cells.iter().map(name).collect::<Result<Vec<_>, _>>()?;
    for name in COLUMNS {
        match columns.iter().filter(|column| **column == name).count() {
            1 => {}
            0 if name == "type" => {}
            0 => return Err(format!("there is no column \"{name}\"")),
            _ => return Err(format!("there are two columns \"{name}\"")),
        }
    }
    Ok(columns)
}

fn subscriber(line: u64, cells: &[&str], columns: &[&str]) -> Result<NewSubscriber, String> {
    // A type at the end may be left out.
    let least = columns.len() - usize::from(columns.last() == Some(&"type"));
    if !(least..=columns.len()).contains(&cells.len()) {
        let expected = columns.join(",");
        let line = shown(&cells.join(","));
        let hint =
            if line.contains([';', '\t']) { "; its cells have commas between them" } else { "" };
        return Err(format!("{line} is no line of \"{expected}\"{hint}"));
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

/// Returns the beginning of a text in quotation marks.
fn shown(text: &str) -> String {
    format!("\"{}\"", &text[..text.floor_char_boundary(SHOWN_MAX)])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the subscribers, or the first mistake.
    fn read(text: &str) -> Result<Vec<String>, String> {
        let Subscribers { new, mistakes, .. } = Subscribers::read(text);
        let mistake =
            |SubscriberMistake { line, why }: &SubscriberMistake| format!("{line}: {why}");
        match mistakes.first() {
            Some(first) => Err(mistake(first)),
            None => {
                let of = |of: NewSubscriber| [of.number, of.amount, of.subscriber_type].join("|");
                Ok(new.into_iter().map(of).collect())
            }
        }
    }

    #[test]
    fn columns_are_in_the_order_of_the_first_line() {
        assert_eq!(read("46,10\n\n47,5,plus\r\n").unwrap(), ["46|10|", "47|5|plus"]);
        assert_eq!(read("number,amount\n\"46\", 10 \n").unwrap(), ["46|10|"]);
        assert_eq!(read("number,amount,type\n46,10\n").unwrap(), ["46|10|"]);
        assert_eq!(read("\u{feff}46,10\n").unwrap(), ["46|10|"]);
        assert_eq!(read("Type,Amount,Number\nplus,10,46\n").unwrap(), ["46|10|plus"]);
        assert_eq!(read("").unwrap(), [""; 0]);
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
            let why = read(text).unwrap_err();
            assert!(why.starts_with(expected), "{why}");
        }
        let long = format!("46,10\n46,{}\n", "1".repeat(2_000));
        assert_eq!(read(&long).unwrap_err(), "2: it has 2003 octets; 1000 at most are possible");
    }
}
