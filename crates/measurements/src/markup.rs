//! Tags, comments and elements of XML in octets that may be damaged, or end anywhere.

use std::ops::Range;

use memchr::{memchr, memchr2, memmem};

use crate::fault::{Fault, shown};

/// Maximum nesting of elements.
pub(crate) const DEPTH_MAX: usize = 64;

/// What begins at a `<`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Markup {
    Start(Tag),
    /// An element without content.
    Empty(Tag),
    End(Tag),
    /// A comment, a processing instruction or a document type, which ends before this place.
    Nothing(usize),
    CharacterData {
        content: Range<usize>,
        end: usize,
    },
    /// It does not end in these octets.
    Open,
    /// A tag with a `<` in it, or without a name.
    Broken,
}

/// A tag, as places in the octets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    /// The name with its prefix.
    pub(crate) name: Range<usize>,
    /// What is between the name and the end.
    pub(crate) attributes: Range<usize>,
    /// The place after the tag.
    pub(crate) end: usize,
}

impl Tag {
    /// Returns the tag in other octets, which have at `to` what is at `from` here.
    pub(crate) fn moved(self, from: usize, to: usize) -> Self {
        let Tag { name, attributes, end } = self;
        let moved = |place: usize| place - from + to;
        Tag {
            name: moved(name.start)..moved(name.end),
            attributes: moved(attributes.start)..moved(attributes.end),
            end: moved(end),
        }
    }

    /// Returns the name without its prefix.
    pub(crate) fn local<'o>(&self, octets: &'o [u8]) -> &'o [u8] {
        local(&octets[self.name.clone()])
    }
}

/// Returns a name without its prefix.
pub(crate) fn local(name: &[u8]) -> &[u8] {
    memchr(b':', name).map_or(name, |colon| &name[colon + 1..])
}

pub(crate) fn is_blank(octet: u8) -> bool {
    matches!(octet, b' ' | b'\t' | b'\r' | b'\n')
}

/// Returns the first place from `at` on that has no blank.
#[inline]
pub(crate) fn behind_blanks(octets: &[u8], mut at: usize) -> usize {
    loop {
        // Most blanks are the indentation of lines.
        if octets.get(at..).is_some_and(|rest| rest.starts_with(&[b' '; 8])) {
            at += 8;
        } else if octets.get(at).is_some_and(|octet| is_blank(*octet)) {
            at += 1;
        } else {
            return at;
        }
    }
}

/// Returns a place without the blanks around it.
pub(crate) fn trimmed(octets: &[u8], start: usize, mut end: usize) -> (usize, usize) {
    let start = behind_blanks(&octets[..end], start);
    while end > start && is_blank(octets[end - 1]) {
        end -= 1;
    }
    (start, end)
}

/// Returns what begins at `at`, where a `<` is.
pub(crate) fn markup(octets: &[u8], at: usize) -> Markup {
    match octets.get(at + 1) {
        None => Markup::Open,
        Some(b'!' | b'?') => other(octets, at),
        Some(b'/') => tag(octets, at, at + 2),
        Some(_) => tag(octets, at, at + 1),
    }
}

fn tag(octets: &[u8], at: usize, name: usize) -> Markup {
    let is_of_name = |octet: &u8| !is_blank(*octet) && !matches!(octet, b'>' | b'/' | b'<');
    let mut place = name;
    while octets.get(place).is_some_and(is_of_name) {
        place += 1;
    }
    let attributes = place;
    loop {
        // A search for the end alone would go through all tags that have none.
        let is_mark = |octet: &u8| matches!(octet, b'>' | b'"' | b'\'' | b'<');
        let Some(found) = octets[place.min(octets.len())..].iter().position(is_mark) else {
            return Markup::Open;
        };
        place += found;
        let quote = octets[place];
        match quote {
            b'>' => break,
            b'<' => return Markup::Broken,
            _ => {}
        }
        // Values of attributes have no `<` (XML 1.0, 3.1), so a quote that is not closed does not take other tags along.
        match memchr2(quote, b'<', &octets[place + 1..]) {
            None => return Markup::Open,
            Some(found) if octets[place + 1 + found] == b'<' => return Markup::Broken,
            Some(found) => place += found + 2,
        }
    }
    if attributes == name {
        return Markup::Broken;
    }
    let is_empty = octets[place - 1] == b'/';
    let tag = Tag {
        name: name..attributes,
        attributes: attributes..place - usize::from(is_empty && place > attributes),
        end: place + 1,
    };
    match (octets[at + 1], is_empty) {
        (b'/', _) => Markup::End(tag),
        (_, true) => Markup::Empty(tag),
        (_, false) => Markup::Start(tag),
    }
}

/// What has no tags in it, up to its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unparsed {
    begin: &'static [u8],
    pub(crate) end: &'static [u8],
    is_character_data: bool,
}

/// All kinds of it, besides document types.
static UNPARSED: [Unparsed; 3] = [
    Unparsed { begin: b"<?", end: b"?>", is_character_data: false },
    Unparsed { begin: b"<!--", end: b"-->", is_character_data: false },
    Unparsed { begin: b"<![CDATA[", end: b"]]>", is_character_data: true },
];

impl Unparsed {
    /// Returns the kind of what begins at a place.
    pub(crate) fn at(octets: &[u8], at: usize) -> Option<&'static Self> {
        UNPARSED.iter().find(|kind| octets[at..].starts_with(kind.begin))
    }

    /// Returns the place after its end, which is searched for from a place on.
    pub(crate) fn end(&self, octets: &[u8], from: usize) -> Option<usize> {
        Some(from + memmem::find(&octets[from..], self.end)? + self.end.len())
    }
}

/// What a search for a tag comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Search {
    /// It begins here.
    Found(usize),
    /// It is not there. The last comment, or the like, ends before this place.
    Nothing(usize),
    /// It is not there before this place, where a comment, or the like, begins that does not end.
    Open(usize, &'static Unparsed),
}

/// Searches for a tag that is not within a comment, or the like. `is_it` is handed what follows each `<`.
pub(crate) fn search(octets: &[u8], from: usize, is_it: impl Fn(&[u8]) -> bool) -> Search {
    let (mut at, mut behind) = (from.min(octets.len()), 0);
    while let Some(found) = memchr(b'<', &octets[at..]) {
        at += found;
        match Unparsed::at(octets, at) {
            Some(kind) => match kind.end(octets, at + kind.begin.len()) {
                Some(end) => (at, behind) = (end, end),
                None => return Search::Open(at, kind),
            },
            None if is_it(&octets[at + 1..]) => return Search::Found(at),
            None => at += 1,
        }
    }
    Search::Nothing(behind)
}

const DOCUMENT_TYPE: &[u8] = b"<!DOCTYPE";

/// Maximum octets of a document type: those of measurements name a DTD.
const DOCUMENT_TYPE_OCTETS_MAX: usize = 4096;

fn other(octets: &[u8], at: usize) -> Markup {
    let here = &octets[at..];
    if let Some(kind) = Unparsed::at(octets, at) {
        let begin = at + kind.begin.len();
        let Some(end) = kind.end(octets, begin) else { return Markup::Open };
        return match kind.is_character_data {
            true => Markup::CharacterData { content: begin..end - kind.end.len(), end },
            false => Markup::Nothing(end),
        };
    }
    if here.starts_with(DOCUMENT_TYPE) {
        let whole = here.len() > DOCUMENT_TYPE_OCTETS_MAX;
        let here = &here[..here.len().min(DOCUMENT_TYPE_OCTETS_MAX)];
        return match end_of_document_type(here) {
            Some(length) => Markup::Nothing(at + length),
            None if whole => Markup::Broken,
            None => Markup::Open,
        };
    }
    let mut begins = UNPARSED.iter().map(|kind| kind.begin).chain([DOCUMENT_TYPE]);
    if begins.any(|begin| begin.starts_with(here)) { Markup::Open } else { Markup::Broken }
}

/// Returns the length of a document type. Its declarations are in brackets, values in quotes.
fn end_of_document_type(octets: &[u8]) -> Option<usize> {
    let (mut at, mut brackets) = (0, 0_usize);
    loop {
        let rest = octets.get(at..)?;
        match rest.first()? {
            b'<' if rest.starts_with(b"<!--") => at += 4 + memmem::find(&rest[4..], b"-->")? + 3,
            quote @ (b'"' | b'\'') => at += 2 + memchr(*quote, &rest[1..])?,
            b'>' if brackets == 0 => return Some(at + 1),
            octet => {
                brackets += usize::from(*octet == b'[');
                brackets = brackets.saturating_sub(usize::from(*octet == b']'));
                at += 1;
            }
        }
    }
}

/// Returns whether a declaration of XML begins with these octets.
pub(crate) fn is_declaration(octets: &[u8]) -> bool {
    octets
        .strip_prefix(b"<?xml")
        .is_some_and(|rest| rest.first().is_some_and(|next| is_blank(*next)))
}

/// Returns where the declaration of XML begins in the beginning of a file. Only comments, instructions and the like may stand
/// before it: what looks like one within them, or behind the root, is none.
pub fn declaration(beginning: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at = behind_blanks(beginning, at);
        if is_declaration(&beginning[at..]) {
            return Some(at);
        }
        beginning.get(at).filter(|first| **first == b'<')?;
        let Markup::Nothing(end) = markup(beginning, at) else { return None };
        at = end;
    }
}

/// Attributes of a tag: the local name and the place of the value.
pub(crate) struct Attributes<'o> {
    octets: &'o [u8],
    at: usize,
    end: usize,
}

impl<'o> Attributes<'o> {
    pub(crate) fn of(octets: &'o [u8], tag: &Tag) -> Self {
        Attributes { octets, at: tag.attributes.start, end: tag.attributes.end }
    }
}

impl<'o> Iterator for Attributes<'o> {
    type Item = (&'o [u8], Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        let octets = &self.octets[..self.end];
        let name = behind_blanks(octets, self.at);
        let equals = name + memchr(b'=', &octets[name..])?;
        let (_, name_end) = trimmed(octets, name, equals);
        let quote = behind_blanks(octets, equals + 1);
        let mark = *octets.get(quote).filter(|octet| matches!(octet, b'"' | b'\''))?;
        let end = quote + 1 + memchr(mark, &octets[quote + 1..])?;
        self.at = end + 1;
        Some((local(&octets[name..name_end]), quote + 1..end))
    }
}

/// An element, as places in the octets.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub(crate) tag: Tag,
    pub(crate) content: Range<usize>,
    /// The place after it.
    pub(crate) end: usize,
}

impl Element {
    /// Returns the element in other octets, which have at `to` what is at `from` here.
    pub(crate) fn moved(self, from: usize, to: usize) -> Self {
        let Element { tag, content, end } = self;
        let moved = |place: usize| place - from + to;
        let content = moved(content.start)..moved(content.end);
        Element { tag: tag.moved(from, to), content, end: moved(end) }
    }
}

/// Where an element ends.
pub(crate) enum Extent {
    Whole(Element),
    /// It does not end in these octets.
    Open,
    Wrong(Fault),
}

/// Returns the element whose start tag is `tag`. An element for whose local name `cannot_be_within` holds ends the search.
pub(crate) fn element(octets: &[u8], tag: Tag, cannot_be_within: impl Fn(&[u8]) -> bool) -> Extent {
    let name = |tag: &Tag| &octets[tag.name.clone()];
    let mut open: Vec<Range<usize>> = Vec::new();
    let mut at = tag.end;
    loop {
        let Some(found) = memchr(b'<', &octets[at..]) else { return Extent::Open };
        at += found;
        match markup(octets, at) {
            Markup::Open => return Extent::Open,
            Markup::Broken => return Extent::Wrong(Fault::TagCutOff),
            Markup::Nothing(end) | Markup::CharacterData { end, .. } => at = end,
            Markup::Start(inner) | Markup::Empty(inner)
                if cannot_be_within(inner.local(octets)) =>
            {
                let (name, next) = (shown(name(&tag)), shown(name(&inner)));
                return Extent::Wrong(Fault::NotClosed { name, next });
            }
            Markup::Empty(inner) => at = inner.end,
            Markup::Start(_) if open.len() + 1 >= DEPTH_MAX => {
                return Extent::Wrong(Fault::TooDeep);
            }
            Markup::Start(inner) => {
                at = inner.end;
                open.push(inner.name);
            }
            Markup::End(end) => {
                let innermost = open.pop();
                let expected = innermost.as_ref().map_or(name(&tag), |open| &octets[open.clone()]);
                if name(&end) != expected {
                    let (name, open) = (shown(name(&end)), shown(expected));
                    return Extent::Wrong(Fault::Crossed { name, open });
                }
                if innermost.is_none() {
                    let content = tag.end..at;
                    return Extent::Whole(Element { tag, content, end: end.end });
                }
                at = end.end;
            }
        }
    }
}

/// The elements directly within a place, whose tags are known to match.
pub(crate) struct Children<'o> {
    octets: &'o [u8],
    at: usize,
}

impl<'o> Children<'o> {
    pub(crate) fn of(octets: &'o [u8], element: &Element) -> Self {
        Children { octets: &octets[..element.content.end], at: element.content.start }
    }
}

impl Iterator for Children<'_> {
    type Item = Element;

    fn next(&mut self) -> Option<Element> {
        loop {
            self.at += memchr(b'<', &self.octets[self.at..])?;
            match markup(self.octets, self.at) {
                Markup::Nothing(end) | Markup::CharacterData { end, .. } => self.at = end,
                Markup::Empty(tag) => {
                    self.at = tag.end;
                    return Some(Element { content: tag.end..tag.end, end: tag.end, tag });
                }
                Markup::Start(tag) => match element(self.octets, tag, |_| false) {
                    Extent::Whole(found) => {
                        self.at = found.end;
                        return Some(found);
                    }
                    Extent::Open | Extent::Wrong(_) => return None,
                },
                Markup::End(_) | Markup::Open | Markup::Broken => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_at_a_place_is_known_to_its_end() {
        let kind = |text: &str| match markup(text.as_bytes(), 0) {
            Markup::Start(tag) => format!("+{} {}", &text[tag.name], &text[tag.attributes]),
            Markup::Empty(tag) => format!("={} {}", &text[tag.name], &text[tag.attributes]),
            Markup::End(tag) => format!("-{}", &text[tag.name]),
            other => format!("{other:?}"),
        };
        for (text, expected) in [
            ("<a>b", "+a "),
            ("<n:a b='/>' c=\"'\">", "+n:a  b='/>' c=\"'\""),
            ("<a/>", "=a "),
            ("<a b='c'/>", "=a  b='c'"),
            ("</a >", "-a"),
            ("<!-- <a> -- -->b", "Nothing(15)"),
            ("<?a ?>", "Nothing(6)"),
            ("<!DOCTYPE a [<!ENTITY b \"]>\"><!-- ' -->]>", "Nothing(41)"),
            ("<![CDATA[<a>]]>", "CharacterData { content: 9..12, end: 15 }"),
            ("<", "Open"),
            ("<a", "Open"),
            ("<a b='", "Open"),
            ("<!-", "Open"),
            ("<![CDATA[a]]", "Open"),
            ("<a <b>", "Broken"),
            ("<a b='<b>'>", "Broken"),
            ("<>", "Broken"),
            ("</>", "Broken"),
            ("<!a>", "Broken"),
        ] {
            assert_eq!(kind(text), expected, "{text}");
        }
    }

    #[test]
    fn a_declaration_may_stand_behind_what_has_no_tags() {
        for (text, expected) in [
            ("<?xml version='1.0'?><a/>", Some(0)),
            (" <?a <?xml ?><!-- <?xml ?> -->\n<!DOCTYPE a>\n<?xml version='1.0'?>", Some(44)),
            ("<?xml-stylesheet ?>", None),
            ("<!-- <?xml version='1.0'?> -->", None),
            ("<!-- <?xml version='1.0'?>", None),
            ("<a><?xml version='1.0'?>", None),
            ("<![CDATA[<?xml ?>]]><?xml ?>", None),
            ("a<?xml ?>", None),
            ("\u{feff}<?xml ?>", None),
            ("", None),
        ] {
            assert_eq!(declaration(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn a_tag_is_found_outside_of_comments_and_the_like() {
        let found = |text: &str| search(text.as_bytes(), 0, |behind| behind.starts_with(b"x"));
        for (text, expected) in [
            ("a<x>", Search::Found(1)),
            ("<y><!--<x>--><![CDATA[<x>]]><?<x>?></x><x>", Search::Found(39)),
            ("<y><!--<x>-->y", Search::Nothing(13)),
            ("<y>y", Search::Nothing(0)),
            ("", Search::Nothing(0)),
            ("<y><!-- <x> <!-- --", Search::Open(3, &UNPARSED[1])),
            ("<![CDATA[<x>]]", Search::Open(0, &UNPARSED[2])),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn attributes_have_names_and_places() {
        let text = "<a b = 'c' n:d=\"\" e>";
        let Markup::Start(tag) = markup(text.as_bytes(), 0) else { panic!("it is a start tag") };
        let found: Vec<_> = Attributes::of(text.as_bytes(), &tag)
            .map(|(name, place)| format!("{}={}", String::from_utf8_lossy(name), &text[place]))
            .collect();
        assert_eq!(found, ["b=c", "d="]);
    }

    #[test]
    fn an_element_ends_with_its_own_end_tag() {
        let extent = |text: &str| {
            let Markup::Start(tag) = markup(text.as_bytes(), 0) else { panic!("{text}") };
            match element(text.as_bytes(), tag, |name| name == b"stop") {
                Extent::Whole(found) => text[found.content].to_owned(),
                Extent::Open => "open".into(),
                Extent::Wrong(fault) => fault.to_string(),
            }
        };
        let deep = "<a>".repeat(DEPTH_MAX + 1);
        for (text, expected) in [
            ("<a></a>b", ""),
            (
                "<a><a/><b>c</b><!-- </a> --><![CDATA[</a>]]></a>",
                "<a/><b>c</b><!-- </a> --><![CDATA[</a>]]>",
            ),
            ("<a><b></b>", "open"),
            ("<a><b></a>", "\"a\" ends where \"b\" is open"),
            ("<a><stop></a>", "\"a\" does not end before the next \"stop\""),
            (&deep, "elements lie more than 64 deep within each other"),
        ] {
            assert_eq!(extent(text), expected, "{text}");
        }
    }
}
