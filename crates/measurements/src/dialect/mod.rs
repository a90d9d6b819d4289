//! The forms of files: their elements, and what these mean.

mod omes;
mod results;
mod ts32401;
mod ts32435;

use std::ops::Range;

use memchr::memchr2;

use crate::context::{Context, Format};
use crate::fault::{Fault, shown};
use crate::markup::{Element, Tag};
use crate::row::Row;
use crate::text::Text;
use crate::time::{Time, seconds};
use crate::wanted::Wanted;

/// The elements of a form.
pub(crate) struct Dialect {
    /// The root.
    root: &'static str,
    /// The element of a network element's measurements.
    pub(crate) section: &'static str,
    /// The element in a section that names the network element, if a section must have it.
    pub(crate) entity: Option<&'static str>,
    /// The element of a group of counters.
    pub(crate) info: &'static str,
    /// The element of a row. `None`: any that is not one of `heads`.
    pub(crate) row: Option<&'static str>,
    /// The beginning of its end tag.
    pub(crate) row_end: Option<&'static str>,
    /// The elements of an info beside rows, if rows may have any name.
    heads: &'static [&'static str],
    /// What the elements mean.
    pub(crate) meaning: &'static dyn Meaning,
}

/// The forms.
const DIALECTS: [(Format, Dialect); 4] = [
    (Format::Ts32435, ts32435::DIALECT),
    (Format::Ts28532, ts32435::DIALECT_OF_28532),
    (Format::Ts32401, ts32401::DIALECT),
    (Format::Omes, omes::DIALECT),
];

/// What the elements of a form mean.
pub(crate) trait Meaning: Sync {
    /// Reads an element directly within the root: a header.
    fn header(&self, _octets: &[u8], _element: &Element, _context: &mut Context) {}

    /// Reads the start tag of a section.
    fn section(&self, _octets: &[u8], _tag: &Tag, _context: &mut Context) -> Result<(), Fault> {
        Ok(())
    }

    /// Reads an element of a section: the network element.
    fn entity(&self, _octets: &[u8], _element: &Element, _context: &mut Context) {}

    /// Reads the start tag of an info.
    fn info(&self, _octets: &[u8], _tag: &Tag, _context: &mut Context) {}

    /// Reads an element of an info before its rows: the period, or counters.
    fn head(
        &self,
        octets: &[u8],
        element: &Element,
        context: &mut Context,
        wanted: &Wanted,
    ) -> Result<(), Fault>;

    /// Returns the counter that a head names at a place, if it does so as nearly all files do. It is only faster than
    /// [`head`](Self::head).
    fn counter(&self, _octets: &[u8], _at: usize) -> Option<Counter> {
        None
    }

    /// Reads the row that begins at `start` and ends with the octets.
    fn row(
        &self,
        octets: &[u8],
        start: usize,
        context: &mut Context,
        row: &mut Row,
        wanted: &Wanted,
    ) -> Result<(), Fault>;

    /// Returns the places of the results of a row, each with the index of its counter.
    fn places(
        &self,
        octets: &[u8],
        row: &Element,
        context: &Context,
    ) -> Vec<(usize, Range<usize>)> {
        results::places(octets, row, &context.columns)
    }
}

/// The element that names a counter.
pub(crate) struct Counter {
    /// Its number; 0 if it has none.
    pub(crate) number: u32,
    /// Its name, which is not escaped.
    pub(crate) name: Range<usize>,
    /// The place after the element.
    pub(crate) end: usize,
}

impl Counter {
    /// Reads an element between these tags at a place. `number` is the one in the start tag.
    fn between(octets: &[u8], start: usize, end_tag: &[u8], number: u32) -> Option<Self> {
        let end = start + memchr2(b'<', b'&', octets.get(start..)?)?;
        let is_whole = octets[end..].starts_with(end_tag);
        is_whole.then(|| Counter { number, name: start..end, end: end + end_tag.len() })
    }
}

impl Dialect {
    /// Returns the form with this root element.
    pub(crate) fn of(root: &[u8]) -> Option<(Format, &'static Dialect)> {
        let found = DIALECTS.iter().find(|(_, dialect)| dialect.root.as_bytes() == root);
        found.map(|(format, dialect)| (*format, dialect))
    }

    /// Returns whether an element of an info is a row.
    pub(crate) fn is_row(&self, name: &[u8]) -> bool {
        match self.row {
            Some(row) => row.as_bytes() == name,
            None => !self.heads.iter().any(|head| head.as_bytes() == name),
        }
    }

    /// Returns whether an element is that of a section.
    pub(crate) fn is_section(&self, name: &[u8]) -> bool {
        self.section.as_bytes() == name
    }

    /// Returns whether an element is that of an info.
    pub(crate) fn is_info(&self, name: &[u8]) -> bool {
        self.info.as_bytes() == name
    }

    /// Returns whether an element is one that rows are in, or a row by its name alone.
    pub(crate) fn is_outer(&self, name: &[u8]) -> bool {
        self.is_section(name)
            || self.is_info(name)
            || self.row.is_some_and(|row| row.as_bytes() == name)
    }

    /// Returns whether an end tag with this name ends an element that rows are in.
    pub(crate) fn is_around(&self, name: &[u8]) -> bool {
        self.is_section(name) || self.is_info(name) || self.root.as_bytes() == name
    }
}

/// Returns the text of an element's content.
fn content(octets: &[u8], element: &Element) -> Text {
    Text::at(octets, element.content.start, element.content.end)
}

fn time(octets: &[u8], name: &'static str, text: Text) -> Result<Time, Fault> {
    let text = text.of(octets);
    Time::read(text).ok_or_else(|| Fault::Time { name, text: shown(text) })
}

fn length(octets: &[u8], name: &'static str, text: Text) -> Result<u32, Fault> {
    let text = text.of(octets);
    seconds(text).ok_or_else(|| Fault::Seconds { name, text: shown(text) })
}

/// Returns the number of a counter.
fn counter_number(octets: &[u8], text: Text) -> Result<u32, Fault> {
    let text = text.of(octets);
    let number = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
    number.filter(|number| *number > 0).ok_or_else(|| Fault::NoNumber(shown(text)))
}
