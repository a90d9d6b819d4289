//! Rows and values in bytes.

use std::borrow::Cow;
use std::ops::Range;

use reason::Coded;

/// The dialect of a CSV text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The separator between values. `None`: a row is one value, and quotes have no meaning.
    pub separator: Option<u8>,
    /// The line end. `None`: not known yet, so either kind ends a row.
    pub line_end: Option<LineEnd>,
    /// How blanks around a value are treated.
    pub blanks: Blanks,
}

/// The line end of a file, as its first row has it. The other kind is an ordinary character in that
/// file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// A line feed, with any carriage returns before it.
    LineFeed,
    /// A lone carriage return, as on classic Mac OS.
    CarriageReturn,
}

/// How blanks around a value are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blanks {
    /// Blanks belong to the value, as in RFC 4180.
    Preserved,
    /// Blanks are trimmed: people align their tables.
    CutOff,
}

/// The extent of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Offset of its line end.
    pub end: usize,
    /// Offset of the next row.
    pub next: usize,
    /// What is wrong with the row.
    pub fault: Option<Fault>,
}

/// What is wrong with a quoted value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Fault {
    /// Offset of the opening quote.
    pub quote: usize,
    /// Offset where the value becomes malformed.
    pub at: usize,
    /// What is wrong.
    pub what: What,
}

/// What can be wrong with a quoted value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("quote")]
pub enum What {
    /// The text ends before the closing quote.
    #[error("a quote is not closed")]
    NotClosed,
    /// Neither a separator nor a line end follows the closing quote.
    #[error("characters stand behind a closing quote")]
    BehindQuote,
}

/// A value in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// Its range in the row, with quotes and the blanks around it.
    pub place: Range<usize>,
    /// Its range without them.
    pub content: Range<usize>,
    /// Whether it contains doubled quotes.
    pub has_quotes: bool,
}

impl LineEnd {
    fn is(line_end: Option<LineEnd>, octet: u8) -> bool {
        match line_end {
            Some(LineEnd::LineFeed) => octet == b'\n',
            Some(LineEnd::CarriageReturn) => octet == b'\r',
            None => matches!(octet, b'\r' | b'\n'),
        }
    }

    /// The kind of the line end at `end` of a first row; `None` if there is no line end.
    fn at(octets: &[u8], end: usize) -> Option<LineEnd> {
        let returns = octets[end..].iter().take_while(|octet| **octet == b'\r').count();
        match (returns, octets.get(end + returns)) {
            (_, Some(b'\n')) => Some(LineEnd::LineFeed),
            (0, _) => None,
            _ => Some(LineEnd::CarriageReturn),
        }
    }
}

impl Rules {
    /// The first row of `octets`; `are_all` tells that no more follow. `None` if more bytes are
    /// needed, or there is no row.
    pub fn row(&self, octets: &[u8], are_all: bool) -> Option<Row> {
        let more = |found: usize| found == octets.len() && !are_all;
        let first_end = self.find_end(octets, 0);
        if more(first_end) {
            return None;
        }
        let (mut at, mut end) = (0, first_end);
        while let Some(quote) = self.opening(octets, at, end) {
            match self.closing(octets, quote) {
                Ok(behind) => at = behind,
                Err(fault) if more(fault.at) => return None,
                Err(fault) => return Some(self.up_to(octets, first_end, Some(fault))),
            }
            if at > end {
                // A quoted value contained the line end, so the row continues.
                end = self.find_end(octets, at);
            }
            if more(at) || more(end) {
                return None;
            }
        }
        Some(self.up_to(octets, end, None))
    }

    /// The kind of the first row's line end. `None` if the row has none, or more bytes are needed.
    pub fn find_line_end(&self, octets: &[u8], are_all: bool) -> Option<LineEnd> {
        let any = Rules { line_end: None, ..*self };
        let row = any.row(octets, are_all)?;
        let end = row.end;
        let is_open = !are_all && octets[end..].iter().all(|octet| *octet == b'\r');
        if is_open { None } else { LineEnd::at(octets, end) }
    }

    /// Splits a row, without its line end, into `values`. Returns the first fault; a malformed row
    /// is still split as a person would read it.
    pub fn values(&self, row: &[u8], values: &mut Vec<Value>) -> Option<Fault> {
        values.clear();
        let (mut at, mut fault) = (0, None);
        loop {
            let quote = self.quote_at(row, at);
            let (content, has_quotes, behind) = match quote {
                None => {
                    let end = self.find_separator(row, at);
                    (at..end, false, end)
                }
                Some(quote) => {
                    let closed = self.closing(row, quote);
                    let (content, doubled) = inner(row, quote);
                    let behind = match closed {
                        Ok(behind) => behind,
                        Err(found) => {
                            fault = fault.or(Some(found));
                            self.find_separator(row, content.end)
                        }
                    };
                    (content, doubled, self.find_separator(row, behind))
                }
            };
            let content = match (self.blanks, quote) {
                (Blanks::CutOff, None) => trimmed(row, content),
                _ => content,
            };
            values.push(Value { place: at..behind, content, has_quotes });
            if behind >= row.len() {
                return fault;
            }
            at = behind + 1;
        }
    }

    fn find_end(&self, octets: &[u8], from: usize) -> usize {
        let found = match self.line_end {
            Some(LineEnd::LineFeed) => memchr::memchr(b'\n', &octets[from..]),
            Some(LineEnd::CarriageReturn) => memchr::memchr(b'\r', &octets[from..]),
            None => memchr::memchr2(b'\r', b'\n', &octets[from..]),
        };
        found.map_or(octets.len(), |place| from + place)
    }

    fn find_separator(&self, row: &[u8], from: usize) -> usize {
        let Some(separator) = self.separator else { return row.len() };
        // Most values are too short for the setup of a vectorized search to pay off.
        let found = row[from..].iter().position(|octet| *octet == separator);
        found.map_or(row.len(), |place| from + place)
    }

    /// The opening quote of the value at `at`, if it has one.
    fn quote_at(&self, octets: &[u8], at: usize) -> Option<usize> {
        self.separator?;
        let quote = match self.blanks {
            Blanks::Preserved => at,
            Blanks::CutOff => {
                at + octets[at..].iter().take_while(|octet| is_blank(**octet)).count()
            }
        };
        (octets.get(quote) == Some(&b'"')).then_some(quote)
    }

    /// The opening quote of the next quoted value up to `end`. A quote inside an unquoted value is
    /// an ordinary character.
    fn opening(&self, octets: &[u8], mut at: usize, end: usize) -> Option<usize> {
        let separator = self.separator?;
        loop {
            let quote = at + memchr::memchr(b'"', octets[..end].get(at..)?)?;
            let blanks = octets[..quote].iter().rev().take_while(|octet| is_blank(**octet)).count();
            let start = match self.blanks {
                Blanks::Preserved => quote,
                Blanks::CutOff => quote - blanks,
            };
            if start == 0 || octets[start - 1] == separator {
                return Some(quote);
            }
            at = quote + 1;
        }
    }

    /// The end of a quoted value, after its closing quote and trimmed blanks.
    fn closing(&self, octets: &[u8], quote: usize) -> Result<usize, Fault> {
        let mut at = quote + 1;
        loop {
            let Some(found) = memchr::memchr(b'"', &octets[at..]) else {
                return Err(Fault { quote, at: octets.len(), what: What::NotClosed });
            };
            at += found + 1;
            if octets.get(at) == Some(&b'"') {
                at += 1;
                continue;
            }
            if self.blanks == Blanks::CutOff {
                at += octets[at..].iter().take_while(|octet| is_blank(**octet)).count();
            }
            let is_end = |octet: u8| {
                self.separator == Some(octet) || LineEnd::is(self.line_end, octet)
                    // Carriage returns that belong to a line feed.
                    || (octet == b'\r' && LineEnd::at(octets, at) == Some(LineEnd::LineFeed))
                    || (octet == b'\r' && octets[at..].iter().all(|octet| *octet == b'\r'))
            };
            return match octets.get(at) {
                Some(octet) if !is_end(*octet) => Err(Fault { quote, at, what: What::BehindQuote }),
                _ => Ok(at),
            };
        }
    }

    /// The row that ends at `end`.
    fn up_to(&self, octets: &[u8], end: usize, fault: Option<Fault>) -> Row {
        let next = (end + 1).min(octets.len());
        let is_fed = octets.get(end) == Some(&b'\n');
        let returns = match is_fed {
            true => octets[..end].iter().rev().take_while(|octet| **octet == b'\r').count(),
            false => 0,
        };
        Row { end: end - returns, next, fault }
    }
}

impl Value {
    /// The value's text, with doubled quotes replaced. `row` is the row it was found in.
    pub fn text<'r>(&self, row: &'r [u8]) -> Cow<'r, [u8]> {
        let content = &row[self.content.clone()];
        if !self.has_quotes {
            return Cow::Borrowed(content);
        }
        let mut text = Vec::with_capacity(content.len());
        let mut octets = content.iter();
        while let Some(octet) = octets.next() {
            text.push(*octet);
            if *octet == b'"' {
                octets.next();
            }
        }
        Cow::Owned(text)
    }
}

/// The range between an opening quote and its closing one or the end, and whether it contains
/// doubled quotes.
fn inner(row: &[u8], quote: usize) -> (Range<usize>, bool) {
    let (mut at, mut has_quotes) = (quote + 1, false);
    while let Some(octet) = row.get(at) {
        match (octet, row.get(at + 1)) {
            (b'"', Some(b'"')) => (at, has_quotes) = (at + 1, true),
            (b'"', _) => break,
            _ => {}
        }
        at += 1;
    }
    (quote + 1..at.min(row.len()), has_quotes)
}

fn is_blank(octet: u8) -> bool {
    matches!(octet, b' ' | b'\t')
}

fn trimmed(row: &[u8], content: Range<usize>) -> Range<usize> {
    let text = &row[content.clone()];
    let start = content.start + text.iter().take_while(|octet| is_blank(**octet)).count();
    let blanks = text.iter().rev().take_while(|octet| is_blank(**octet)).count();
    start..(content.end - blanks).max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMAS: Rules =
        Rules { separator: Some(b','), line_end: None, blanks: Blanks::Preserved };
    const ALIGNED: Rules = Rules { blanks: Blanks::CutOff, ..COMMAS };

    /// All rows of a text as their values or faults.
    fn rows(rules: Rules, text: &str) -> Vec<String> {
        let rules = Rules { line_end: rules.find_line_end(text.as_bytes(), true), ..rules };
        let (mut rest, mut found, mut values) = (text.as_bytes(), Vec::new(), Vec::new());
        while !rest.is_empty() {
            let row = rules.row(rest, true).expect("these are all");
            let fault = rules.values(&rest[..row.end], &mut values);
            assert_eq!(row.fault.is_some(), fault.is_some(), "{text:?}: {row:?} {fault:?}");
            let texts = values.iter().map(|value| value.text(&rest[..row.end]));
            let shown: Vec<String> =
                texts.map(|text| String::from_utf8_lossy(&text).into_owned()).collect();
            found.push(match row.fault {
                Some(Fault { quote, at, what }) => format!("{what} {quote} {at}"),
                None => shown.join("|"),
            });
            rest = &rest[row.next..];
        }
        found
    }

    fn check(rules: Rules, text: &str, expected: &[&str]) {
        assert_eq!(rows(rules, text), expected, "{text:?}");
    }

    #[test]
    fn values_stand_between_separators_or_in_quotes() {
        check(COMMAS, "a,bc\r\nd,", &["a|bc", "d|"]);
        check(COMMAS, "\"a,b\",\"c\"\"d\"\n\"\"\n", &["a,b|c\"d", ""]);
        check(COMMAS, "\"a\nb\",\"c\r\nd\"\r\ne\r\n", &["a\nb|c\r\nd", "e"]);
        check(COMMAS, " \"a\",b \"q\" c\n", &[" \"a\"|b \"q\" c"]);
        check(ALIGNED, " \"a, b\" , c d \n", &["a, b|c d"]);
        check(ALIGNED, "a \"b\", \"c\"\"\"\t\r\n", &["a \"b\"|c\""]);
    }

    #[test]
    fn a_quote_that_is_not_closed_costs_its_row_and_no_other() {
        let (open, behind) = ("a quote is not closed", "characters stand behind a closing quote");
        check(COMMAS, "a,\"b\nc,d\n", &[&format!("{open} 2 9"), "c|d"]);
        check(COMMAS, "a,\"b\nc,\"d\"\n", &[&format!("{behind} 2 8"), "c|d"]);
        check(COMMAS, "\"a\"b,c\nd\n", &[&format!("{behind} 0 3"), "d"]);
        check(ALIGNED, " \"a\" b\nd\n", &[&format!("{behind} 1 5"), "d"]);
        check(ALIGNED, " \"a\nd\n", &[&format!("{open} 1 6"), "d"]);
    }

    #[test]
    fn the_first_line_end_says_which_it_is() {
        check(COMMAS, "a\nb\rc\nd\r\n", &["a", "b\rc", "d"]);
        check(COMMAS, "a\r\nb\rc\nd", &["a", "b\rc", "d"]);
        check(COMMAS, "a\rb\nc\rd\r", &["a", "b\nc", "d"]);
        check(COMMAS, "a\r\r\nb\r\r\n\"c\"\r\r\n", &["a", "b", "c"]);
        check(COMMAS, "\"a\rb\"\nc\rd\n", &["a\rb", "c\rd"]);
    }

    /// A row does not depend on how much of the text is in memory; until enough is, it is not
    /// known.
    #[test]
    fn a_row_is_the_same_however_much_is_in_memory() {
        let texts = [
            "a,\"b\nc\"\"\",d\r\ne",
            "\"a\nb,c\n\"d\"",
            "a\rb\n",
            "\"a\"\r\r\nb",
            "\"a\" ,b\n",
            "a\n",
        ];
        for (text, rules) in texts.iter().flat_map(|text| [(text, COMMAS), (text, ALIGNED)]) {
            for line_end in [None, Some(LineEnd::LineFeed), Some(LineEnd::CarriageReturn)] {
                let rules = Rules { line_end, ..rules };
                let octets = text.as_bytes();
                let whole = rules.row(octets, true).expect("these are all");
                for known in 0..octets.len() {
                    let found = rules.row(&octets[..known], false);
                    assert!(found.is_none_or(|found| found == whole), "{text:?} {known} {found:?}");
                }
                let first = rules.find_line_end(octets, true);
                for known in 0..octets.len() {
                    let found = rules.find_line_end(&octets[..known], false);
                    assert!(found.is_none_or(|found| Some(found) == first), "{text:?} {known}");
                }
            }
        }
    }
}
