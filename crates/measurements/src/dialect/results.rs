//! The results of a measured object: `r` with a number or in the order of the counters, or `measResults` with all.

use std::ops::Range;

use memchr::memchr;

use crate::context::Columns;
use crate::fault::{Fault, shown};
use crate::markup::{
    Attributes, Children, Element, Extent, Markup, Tag, behind_blanks, element, markup,
};
use crate::number::{digits, next_word, result};
use crate::row::{Row, Value};
use crate::text::Text;

/// Results that are being read.
struct Results<'a> {
    octets: &'a [u8],
    columns: &'a Columns,
    row: &'a mut Row,
    /// The position after the last result.
    next: usize,
    /// The number of results without a number.
    unnumbered: usize,
    /// Whether there are results with a number.
    has_numbered: bool,
    /// Whether the results are suspect, if the row says it.
    suspect: Option<bool>,
}

/// Reads the element from `start` to the end of the octets.
pub(super) fn read(
    octets: &[u8],
    start: usize,
    columns: &Columns,
    row: &mut Row,
) -> Result<(), Fault> {
    let (tag, is_empty) = match markup(octets, start) {
        Markup::Start(tag) => (tag, false),
        Markup::Empty(tag) => (tag, true),
        _ => return Err(Fault::TagCutOff),
    };
    let mut attributes = Attributes::of(octets, &tag);
    let object = attributes.find(|(name, _)| *name == b"measObjLdn");
    row.object = object.map(|(_, place)| Text::at(octets, place.start, place.end));
    let (next, unnumbered, has_numbered, suspect) = (0, 0, false, None);
    let mut results = Results { octets, columns, row, next, unnumbered, has_numbered, suspect };
    if !is_empty {
        results.all(&tag)?;
    }
    results.row.is_suspect = results.suspect.unwrap_or_default();
    match results.unnumbered {
        0 => Ok(()),
        _ if results.has_numbered => Err(Fault::Mixed),
        found if found == columns.count() => Ok(()),
        results => Err(Fault::Count { results, counters: columns.count() }),
    }
}

/// Returns the places of the results in an element, each with the index of its counter.
pub(super) fn places(
    octets: &[u8],
    row: &Element,
    columns: &Columns,
) -> Vec<(usize, Range<usize>)> {
    let (mut places, mut next) = (Vec::new(), 0);
    for child in Children::of(octets, row) {
        let number = Attributes::of(octets, &child.tag).find(|(name, _)| *name == b"p");
        match child.tag.local(octets) {
            b"r" => {
                if let Some((_, place)) = number {
                    let text = Text::at(octets, place.start, place.end);
                    let number = super::counter_number(octets, text);
                    next = number.and_then(|number| columns.position(number, next)).unwrap_or(next);
                }
                places.extend(columns.column(next).map(|column| (column, child.content)));
                next += 1;
            }
            b"measResults" => {
                let words = &octets[..child.content.end];
                let mut at = child.content.start;
                while let Some((start, end)) = next_word(words, at) {
                    places.extend(columns.column(next).map(|column| (column, start..end)));
                    (next, at) = (next + 1, end);
                }
            }
            _ => {}
        }
    }
    places
}

impl Results<'_> {
    fn all(&mut self, outer: &Tag) -> Result<(), Fault> {
        let octets = self.octets;
        let mut at = outer.end;
        loop {
            at = behind_blanks(octets, at);
            if let Some(end) = self.usual(at)? {
                at = end;
                continue;
            }
            if octets.get(at).is_some_and(|octet| *octet != b'<') {
                return Err(Fault::Text);
            }
            match markup(octets, at) {
                Markup::Nothing(end) => at = end,
                Markup::Start(tag) => at = self.element(tag, outer)?,
                Markup::Empty(tag) => {
                    at = tag.end;
                    let content = tag.end..tag.end;
                    self.child(&Element { content, end: tag.end, tag })?;
                }
                Markup::End(end) if octets[end.name.clone()] == octets[outer.name.clone()] => {
                    return if end.end == octets.len() { Ok(()) } else { Err(Fault::Text) };
                }
                Markup::End(end) => {
                    let (name, open) =
                        (shown(&octets[end.name]), shown(&octets[outer.name.clone()]));
                    return Err(Fault::Crossed { name, open });
                }
                Markup::CharacterData { .. } => return Err(Fault::Text),
                Markup::Open | Markup::Broken => return Err(Fault::TagCutOff),
            }
        }
    }

    /// Reads `<r p="3">345</r>` as nearly all files write it, and returns the place after it. `None` if something else is
    /// there.
    #[inline]
    fn usual(&mut self, at: usize) -> Result<Option<usize>, Fault> {
        const BEGIN: &[u8] = b"<r p=\"";
        const END: &[u8] = b"</r>";
        let octets = self.octets;
        if !octets[at..].starts_with(BEGIN) {
            return Ok(None);
        }
        let begin = at + BEGIN.len();
        let (number, place) = digits(octets, begin);
        let number = match u32::try_from(number) {
            Ok(number) if number > 0 && octets[place..].starts_with(b"\">") => number,
            _ => return Ok(None),
        };
        let place = place + 2;
        let position = self.columns.position(number, self.next)?;
        let end = match self.columns.column(position) {
            None => match memchr(b'<', &octets[place..]) {
                Some(found) => place + found,
                None => return Ok(None),
            },
            Some(column) => {
                let elements = self.row.elements.len();
                let (whole, end) = digits(octets, place);
                if end > place && octets.get(end) == Some(&b'<') {
                    if octets[end..].starts_with(END) {
                        self.set(column, Value::Integer(whole), number)?;
                    }
                    end
                } else {
                    let (value, end) = result(octets, place, &mut self.row.elements);
                    if octets[end..].starts_with(END) {
                        self.set(column, value, number)?;
                    } else {
                        self.row.elements.truncate(elements);
                    }
                    end
                }
            }
        };
        if !octets[end..].starts_with(END) {
            return Ok(None);
        }
        (self.next, self.has_numbered) = (position + 1, true);
        Ok(Some(end + END.len()))
    }

    #[inline]
    fn set(&mut self, column: usize, value: Value, number: u32) -> Result<(), Fault> {
        match self.row.values.get_mut(column) {
            Some(known @ Value::Absent) => *known = value,
            _ => return Err(Fault::ResultTwice(number)),
        }
        Ok(())
    }

    /// Reads any other element. Returns the place after it.
    fn element(&mut self, tag: Tag, outer: &Tag) -> Result<usize, Fault> {
        let octets = self.octets;
        let around = outer.local(octets);
        if tag.local(octets) == around {
            let (name, next) = (shown(around), shown(around));
            return Err(Fault::NotClosed { name, next });
        }
        match element(octets, tag, |name| name == around) {
            Extent::Whole(element) => {
                self.child(&element)?;
                Ok(element.end)
            }
            Extent::Open => Err(Fault::TagCutOff),
            Extent::Wrong(fault) => Err(fault),
        }
    }

    fn child(&mut self, child: &Element) -> Result<(), Fault> {
        let octets = self.octets;
        let text = Text::at(octets, child.content.start, child.content.end);
        match child.tag.local(octets) {
            b"r" => self.result(child),
            b"measResults" => self.words(child),
            b"moid" => match self.row.object.replace(text) {
                Some(other) if other.of(octets) != text.of(octets) => {
                    Err(Fault::Contradiction("moid"))
                }
                _ => Ok(()),
            },
            b"suspect" => self.flag("suspect", text.of(octets)),
            b"sf" => self.flag("sf", text.of(octets)),
            _ => Ok(()),
        }
    }

    fn result(&mut self, child: &Element) -> Result<(), Fault> {
        let octets = self.octets;
        let mut attributes = Attributes::of(octets, &child.tag);
        let (number, position) = match attributes.find(|(name, _)| *name == b"p") {
            Some((_, place)) => {
                let text = Text::at(octets, place.start, place.end);
                let number = super::counter_number(octets, text)?;
                self.has_numbered = true;
                (number, self.columns.position(number, self.next)?)
            }
            None => {
                self.unnumbered += 1;
                (self.next as u32 + 1, self.next)
            }
        };
        self.next = position + 1;
        if let Some(column) = self.columns.column(position) {
            let content = &octets[..child.content.end];
            let (value, end) = result(content, child.content.start, &mut self.row.elements);
            if end != content.len() {
                return Err(Fault::WithinResult);
            }
            self.set(column, value, number)?;
        }
        Ok(())
    }

    /// Reads results that are separated by blanks.
    fn words(&mut self, child: &Element) -> Result<(), Fault> {
        let words = &self.octets[..child.content.end];
        let mut at = child.content.start;
        // Words of a comment would be results.
        if memchr(b'<', &words[at..]).is_some() {
            return Err(Fault::WithinResult);
        }
        while let Some((start, end)) = next_word(words, at) {
            if let Some(column) = self.columns.column(self.next) {
                let (value, _) = result(&words[..end], start, &mut self.row.elements);
                self.set(column, value, self.next as u32 + 1)?;
            }
            self.next += 1;
            self.unnumbered += 1;
            at = end;
        }
        Ok(())
    }

    /// Reads whether the results are suspect. The flag of the older form may be an empty element.
    fn flag(&mut self, name: &'static str, text: &[u8]) -> Result<(), Fault> {
        let is_suspect = match text.to_ascii_lowercase().as_slice() {
            b"true" | b"1" | b"" => true,
            b"false" | b"0" => false,
            _ => return Err(Fault::Flag { name, text: shown(text) }),
        };
        match self.suspect.replace(is_suspect) {
            Some(other) if other != is_suspect => Err(Fault::Contradiction(name)),
            _ => Ok(()),
        }
    }
}
