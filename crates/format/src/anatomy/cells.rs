//! The values of a line, which may stand in quotes.

use std::ops::Range;

/// A value of a line.
pub(crate) struct Cell {
    /// With its quotes.
    pub(crate) place: Range<usize>,
    /// Without.
    pub(crate) content: Range<usize>,
    /// What it says: two quotes are one.
    pub(crate) text: Vec<u8>,
}

/// The values of a line, whose end may be with it.
pub(crate) fn cells(line: &[u8], separator: u8) -> Vec<Cell> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let (mut cells, mut at) = (Vec::new(), 0);
    loop {
        let (content, text) = match line.get(at) {
            Some(b'"') => quoted(line, at + 1),
            _ => (at..at, Vec::new()),
        };
        // Behind a closing quote nothing should stand but the separator.
        let behind = content.end;
        let end = line[behind..].iter().position(|octet| *octet == separator);
        let end = end.map_or(line.len(), |length| behind + length);
        cells.push(match line.get(at) {
            Some(b'"') => Cell { place: at..end, content, text },
            _ => Cell { place: at..end, content: at..end, text: line[at..end].to_vec() },
        });
        if end == line.len() {
            return cells;
        }
        at = end + 1;
    }
}

/// What stands from behind a quote up to the one that closes it.
fn quoted(line: &[u8], start: usize) -> (Range<usize>, Vec<u8>) {
    let (mut at, mut text) = (start, Vec::new());
    while let Some(octet) = line.get(at) {
        match (octet, line.get(at + 1)) {
            (b'"', Some(b'"')) => at += 1,
            (b'"', _) => break,
            _ => {}
        }
        text.push(*octet);
        at += 1;
    }
    (start..at, text)
}

#[cfg(test)]
mod tests {
    use super::cells;

    #[test]
    fn a_value_has_its_octets_with_and_without_quotes() {
        let check = |line: &str, expected: &[(&str, &str, &str)]| {
            let cells = cells(line.as_bytes(), b',');
            let found: Vec<_> = cells
                .iter()
                .map(|cell| {
                    let text = std::str::from_utf8(&cell.text).unwrap();
                    (&line[cell.place.clone()], &line[cell.content.clone()], text)
                })
                .collect();
            assert_eq!(found, expected, "{line:?}");
        };
        check("a,bc\r\n", &[("a", "a", "a"), ("bc", "bc", "bc")]);
        check(
            "\"a,b\",\"c\"\"d\"\n",
            &[("\"a,b\"", "a,b", "a,b"), ("\"c\"\"d\"", "c\"\"d", "c\"d")],
        );
        check("a,,", &[("a", "a", "a"), ("", "", ""), ("", "", "")]);
        check("", &[("", "", "")]);
        check("\"open,b", &[("\"open,b", "open,b", "open,b")]);
        check("\"a\"x,b", &[("\"a\"x", "a", "a"), ("b", "b", "b")]);
    }
}
