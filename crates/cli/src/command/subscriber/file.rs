//! A CSV file of subscribers: the columns "number" and "amount", and perhaps "type". A first line without digits names them,
//! in any order.

use operate::prepaid::calls::NewSubscriber;

/// The most octets of a line.
const LINE_OCTETS_MAX: usize = 1_000;

/// The most octets of a line that an error shows.
const SHOWN_MAX: usize = 80;

/// The columns of a file without names.
const COLUMNS: [&str; 3] = ["number", "amount", "type"];

/// A line cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LineMistake {
    /// Its number, from 1.
    pub(super) line: u64,
    /// What is wrong with it.
    pub(super) what: String,
}

/// Returns the subscribers of a text, line by line.
pub(super) fn subscribers(text: &str) -> impl Iterator<Item = Result<NewSubscriber, LineMistake>> {
    let mut columns = COLUMNS.to_vec();
    // Spreadsheets write a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    (1..).zip(text.lines()).filter_map(move |(line, text)| {
        if text.trim().is_empty() {
            return None;
        }
        let read = cells(text).and_then(|cells| {
            if line == 1 && !text.contains(|letter: char| letter.is_ascii_digit()) {
                columns = named(&cells)?;
                return Ok(None);
            }
            subscriber(line, &cells, &columns).map(Some)
        });
        read.map_err(|what| LineMistake { line, what }).transpose()
    })
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
        return Err(format!("{} is no line of \"{expected}\"", shown(&cells.join(","))));
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

    fn read(text: &str) -> Result<Vec<String>, String> {
        let of = |found: Result<NewSubscriber, LineMistake>| {
            found
                .map(|of| [of.number, of.amount, of.subscriber_type].join("|"))
                .map_err(|LineMistake { line, what }| format!("{line}: {what}"))
        };
        subscribers(text).map(of).collect()
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
            ("46;10\n", "1: \"46;10\" is no line of \"number,amount,type\""),
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
