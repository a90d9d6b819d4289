//! Tokens of an XML file: which bytes are tags, and which only look like tags.
//!
//! Record boundaries are found from these tokens alone, even in damaged data: comments, CDATA
//! sections, processing instructions and document types may contain text that looks like tags. The
//! record reader then parses the content as strict XML.

use std::ops::Range;

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A start tag with this name.
    Start(Range<usize>),
    /// An empty-element tag with this name.
    Empty(Range<usize>),
    /// An end tag with this name.
    End(Range<usize>),
    /// Character data, including CDATA sections.
    Text,
    /// Blanks, a comment, a processing instruction or a document type.
    Nothing,
    /// A tag that contains another `<` or has no name.
    Broken,
    /// The token does not end in these bytes.
    Open,
}

/// The kind of markup at a `<`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Markup {
    /// A tag, or something unknown.
    Tag,
    /// Markup with arbitrary content; ends before this place.
    Closed(usize),
    /// Such markup, or the beginning of it, that does not end in these bytes.
    Open,
}

/// Start and end delimiters of markup.
const PAIRS: [(&[u8], &[u8]); 3] = [(b"<!--", b"-->"), (CDATA, b"]]>"), (b"<?", b"?>")];

const CDATA: &[u8] = b"<![CDATA[";

const DOCUMENT_TYPE: &[u8] = b"<!DOCTYPE";

/// Finds markup. Remembers which end delimiters are missing; otherwise input full of start
/// delimiters would cost quadratic time.
#[derive(Debug, Default)]
pub(super) struct Markups {
    is_missing: [bool; PAIRS.len() + 1],
}

impl Markups {
    /// Returns the token at `at` and where it ends. `None` at the end of the octets.
    pub(super) fn piece(&mut self, octets: &[u8], at: usize) -> Option<(Piece, usize)> {
        if *octets.get(at)? != b'<' {
            let text = octets[at..].split(|octet| *octet == b'<').next().unwrap_or_default();
            let piece = if text.trim_ascii().is_empty() { Piece::Nothing } else { Piece::Text };
            return Some((piece, at + text.len()));
        }
        Some(match self.at(octets, at) {
            Markup::Closed(end) if octets[at..].starts_with(CDATA) => (Piece::Text, end),
            Markup::Closed(end) => (Piece::Nothing, end),
            Markup::Open => (Piece::Open, octets.len()),
            Markup::Tag => tag(octets, at),
        })
    }

    /// Returns the markup at the `<` at `place`. Places must be passed in ascending order.
    pub(super) fn at(&mut self, octets: &[u8], place: usize) -> Markup {
        let here = &octets[place..];
        let begins = |with: &[u8]| here.starts_with(with) || with.starts_with(here);
        for (pair, (begin, end)) in PAIRS.iter().enumerate() {
            if begins(begin) {
                let found = self.find(pair, || behind(here.get(begin.len()..)?, end));
                return found
                    .map_or(Markup::Open, |length| Markup::Closed(place + begin.len() + length));
            }
        }
        if begins(DOCUMENT_TYPE) {
            let found = self.find(PAIRS.len(), || end_of_document_type(here));
            return found.map_or(Markup::Open, |length| Markup::Closed(place + length));
        }
        Markup::Tag
    }

    fn find(&mut self, kind: usize, end: impl FnOnce() -> Option<usize>) -> Option<usize> {
        let found = if self.is_missing[kind] { None } else { end() };
        self.is_missing[kind] = found.is_none();
        found
    }
}

/// Returns the tag at `at` and where it ends. Attribute values are quoted and contain no `<` (XML 1.0, 3.1).
fn tag(octets: &[u8], at: usize) -> (Piece, usize) {
    let is_end = octets.get(at + 1) == Some(&b'/');
    let name_at = at + 1 + usize::from(is_end);
    let (mut place, mut quote) = (name_at, None);
    loop {
        let Some(octet) = octets.get(place) else { return (Piece::Open, octets.len()) };
        match (quote, octet) {
            (_, b'<') => return (Piece::Broken, place),
            (Some(open), _) if *octet == open => quote = None,
            (None, b'"' | b'\'') => quote = Some(*octet),
            (None, b'>') => break,
            _ => {}
        }
        place += 1;
    }
    let is_of_name = |octet: &&u8| !octet.is_ascii_whitespace() && !matches!(octet, b'/' | b'>');
    let name = name_at..name_at + octets[name_at..place].iter().take_while(is_of_name).count();
    let piece = match (is_end, octets[place - 1]) {
        _ if name.is_empty() => Piece::Broken,
        (true, _) => Piece::End(name),
        (false, b'/') => Piece::Empty(name),
        (false, _) => Piece::Start(name),
    };
    (piece, place + 1)
}

/// Returns the place after the first occurrence of `wanted`.
fn behind(octets: &[u8], wanted: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += octets.get(at..)?.iter().position(|octet| *octet == wanted[0])?;
        if octets[at..].starts_with(wanted) {
            return Some(at + wanted.len());
        }
        at += 1;
    }
}

/// Returns the length of a document type; its declarations are in brackets, values in quotes.
fn end_of_document_type(octets: &[u8]) -> Option<usize> {
    let (mut at, mut brackets) = (0, 0_usize);
    loop {
        let rest = octets.get(at..)?;
        match rest.first()? {
            b'<' if rest.starts_with(b"<!--") => at += 4 + behind(&rest[4..], b"-->")?,
            b'<' if rest.starts_with(b"<?") => at += 2 + behind(&rest[2..], b"?>")?,
            quote @ (b'"' | b'\'') => at += 1 + behind(&rest[1..], &[*quote])?,
            b'>' if brackets == 0 => return Some(at + 1),
            octet => {
                brackets += usize::from(*octet == b'[');
                brackets = brackets.saturating_sub(usize::from(*octet == b']'));
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_cut_into_pieces() {
        let check = |text: &str, expected: &[&str]| {
            let (mut found, mut at, mut markups) = (Vec::new(), 0, Markups::default());
            while let Some((piece, end)) = markups.piece(text.as_bytes(), at) {
                found.push(match piece {
                    Piece::Start(name) => format!("+{}", &text[name]),
                    Piece::Empty(name) => format!("={}", &text[name]),
                    Piece::End(name) => format!("-{}", &text[name]),
                    other => format!("{other:?}"),
                });
                at = end;
            }
            assert_eq!(found, expected, "{text}");
        };
        check(
            "<a b='>' ><c/ ><d e=\"/\"/> \n<!-- <f> -->x<![CDATA[<g>]]></a\t>",
            &["+a", "+c", "=d", "Nothing", "Nothing", "Text", "Text", "-a"],
        );
        check("<a <b><c d=\"><e>", &["Broken", "+b", "Broken", "+e"]);
        check("< a></><a b=\"", &["Broken", "Broken", "Open"]);
    }

    #[test]
    fn markup_ends_where_xml_says_whatever_is_in_it() {
        let check = |text: &str, expected: Markup| {
            assert_eq!(Markups::default().at(text.as_bytes(), 0), expected, "{text}");
        };
        for whole in [
            "<!-- <a> - -- > -->",
            "<!---->",
            "<![CDATA[<a>]] >]]>",
            "<?a <b> ? ?>",
            "<!DOCTYPE a>",
            "<!DOCTYPE a [<!ENTITY b \"<c> ]>\"><!-- ' --><?d ]>?>]>",
            "<!DOCTYPE a SYSTEM '>'>",
        ] {
            check(&format!("{whole}<a>"), Markup::Closed(whole.len()));
            for end in 1..whole.len() {
                check(&whole[..end], Markup::Open);
            }
        }
        for tag in ["<a>", "</a>", "<a/", "<!a>", "<!-a>", "<![CDATE["] {
            check(tag, Markup::Tag);
        }
    }
}
