//! Rows and values of octets.

use std::borrow::Cow;
use std::ops::Range;

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// What stands between values; none where a row is one value, which has no quotes.
    pub separator: Option<u8>,
    /// What ends a row. Where it is not known, each of them does.
    pub line_end: Option<LineEnd>,
    /// What blanks around a value are.
    pub blanks: Blanks,
}

/// What ends a row: the first row of a file says which it is, and the other is a character like others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// A line feed. Carriage returns before it belong to it.
    LineFeed,
    /// A carriage return, as old Macintoshes wrote it.
    CarriageReturn,
}

/// What blanks around a value are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blanks {
    /// A part of the value, as RFC 4180 has it.
    Kept,
    /// None: people align their tables.
    CutOff,
}

/// How far a row goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Where its end begins.
    pub end: usize,
    /// Where the next row begins.
    pub next: usize,
    /// What is wrong with it.
    pub fault: Option<Fault>,
}

/// What is wrong with a value in quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Fault {
    /// Where its quote opens.
    pub quote: usize,
    /// Where it is no value any more.
    pub at: usize,
    /// What is wrong.
    pub what: What,
}

/// What may be wrong with a value in quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum What {
    /// The text ends before it does.
    #[error("a quote is not closed")]
    NotClosed,
    /// Something else than a separator or the end of the row.
    #[error("characters stand behind a closing quote")]
    BehindQuote,
}

/// A value of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// With its quotes, and the blanks around it.
    pub place: Range<usize>,
    /// Without.
    pub content: Range<usize>,
    /// Whether quotes within it stand there twice.
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

    /// What ends rows, by that of a first one, which begins at `end` of these octets.
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
    /// The first row of octets; none where more of them have to be known, which there are unless these are all.
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
                // The value went on behind a line end: so does the row.
                end = self.find_end(octets, at);
            }
            if more(at) || more(end) {
                return None;
            }
        }
        Some(self.up_to(octets, end, None))
    }

    /// What ends rows, as the first row of a text says it; none where it has no end, or more octets have to be known.
    pub fn find_line_end(&self, octets: &[u8], are_all: bool) -> Option<LineEnd> {
        let any = Rules { line_end: None, ..*self };
        let row = any.row(octets, are_all)?;
        let end = row.end;
        let is_open = !are_all && octets[end..].iter().all(|octet| *octet == b'\r');
        if is_open { None } else { LineEnd::at(octets, end) }
    }

    /// The values of a row without its end, put into `values`; and what is wrong with the first that is wrong. Of such a
    /// row the values are what a person would take for them.
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
        // Most values are shorter than it takes to set out for a fast search.
        let found = row[from..].iter().position(|octet| *octet == separator);
        found.map_or(row.len(), |place| from + place)
    }

    /// The quote of a value that begins at a place, if it begins with one.
    fn quote_at(&self, octets: &[u8], at: usize) -> Option<usize> {
        self.separator?;
        let quote = match self.blanks {
            Blanks::Kept => at,
            Blanks::CutOff => {
                at + octets[at..].iter().take_while(|octet| is_blank(**octet)).count()
            }
        };
        (octets.get(quote) == Some(&b'"')).then_some(quote)
    }

    /// Where the next value in quotes begins on a stretch of the row. A quote within a value that does not begin with
    /// one is a character like others.
    fn opening(&self, octets: &[u8], mut at: usize, end: usize) -> Option<usize> {
        let separator = self.separator?;
        loop {
            let quote = at + memchr::memchr(b'"', octets[..end].get(at..)?)?;
            let blanks = octets[..quote].iter().rev().take_while(|octet| is_blank(**octet)).count();
            let start = match self.blanks {
                Blanks::Kept => quote,
                Blanks::CutOff => quote - blanks,
            };
            if start == 0 || octets[start - 1] == separator {
                return Some(quote);
            }
            at = quote + 1;
        }
    }

    /// Where a value ends whose quote opens at a place, behind its closing one and blanks that are cut off.
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
                    // The carriage returns that belong to a line feed.
                    || (octet == b'\r' && LineEnd::at(octets, at) == Some(LineEnd::LineFeed))
                    || (octet == b'\r' && octets[at..].iter().all(|octet| *octet == b'\r'))
            };
            return match octets.get(at) {
                Some(octet) if !is_end(*octet) => Err(Fault { quote, at, what: What::BehindQuote }),
                _ => Ok(at),
            };
        }
    }

    /// The row up to a line end.
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
    /// What it says, of the row it is of.
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

/// What stands between a quote and the one that closes it, or the end; and whether quotes are in it.
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

    const COMMAS: Rules = Rules { separator: Some(b','), line_end: None, blanks: Blanks::Kept };
    const ALIGNED: Rules = Rules { blanks: Blanks::CutOff, ..COMMAS };

    /// All rows of a text as their values, or what is wrong with them.
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

    /// However much of a text is known, a row of it is the same, or it is not known yet.
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
