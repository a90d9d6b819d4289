//! Files of one vendor: `OMeS`, `PMSetup` with the period, `PMMOResult` with the measured object and an element for each
//! group of counters. The counters are elements too, each with its own name, so a row has its own names.

use std::ops::Range;

use memchr::memchr;

use super::{Dialect, Meaning, content, time};
use crate::context::Context;
use crate::fault::{Fault, shown};
use crate::markup::{
    Attributes, Children, Element, Extent, Markup, Tag, behind_blanks, element, markup,
};
use crate::number::result;
use crate::row::{Row, Value};
use crate::text::Text;
use crate::wanted::Wanted;

pub(super) const DIALECT: Dialect = Dialect {
    root: "OMeS",
    section: "PMSetup",
    entity: None,
    info: "PMMOResult",
    row: None,
    row_end: None,
    heads: &["MO"],
    meaning: &Omes,
};

struct Omes;

impl Meaning for Omes {
    fn section(&self, octets: &[u8], tag: &Tag, context: &mut Context) -> Result<(), Fault> {
        for (name, place) in Attributes::of(octets, tag) {
            let text = Text::at(octets, place.start, place.end);
            match name {
                b"startTime" => context.begin = Some(time(octets, "startTime", text)?),
                b"interval" => {
                    let written = std::str::from_utf8(text.of(octets)).ok();
                    let minutes: Option<u32> = written.and_then(|text| text.parse().ok());
                    let seconds = minutes.and_then(|minutes| minutes.checked_mul(60));
                    context.seconds = Some(seconds.ok_or_else(|| Fault::Seconds {
                        name: "interval",
                        text: shown(text.of(octets)),
                    })?);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads `MO`. The object has a `localMoid` below the `baseId` of its network element, or one `DN`. Of several, such as of
    /// a relation between cells, all together are the object.
    fn head(
        &self,
        octets: &[u8],
        element: &Element,
        context: &mut Context,
        _: &Wanted,
    ) -> Result<(), Fault> {
        for child in Children::of(octets, element) {
            let text = content(octets, &child);
            match child.tag.local(octets) {
                b"baseId" => context.element = Some(text),
                b"localMoid" | b"DN" => context.objects.push(text),
                _ => {}
            }
        }
        Ok(())
    }

    fn row(
        &self,
        octets: &[u8],
        start: usize,
        context: &mut Context,
        row: &mut Row,
        wanted: &Wanted,
    ) -> Result<(), Fault> {
        context.leave_names();
        row.values.clear();
        let (Markup::Start(tag) | Markup::Empty(tag)) = markup(octets, start) else {
            return Err(Fault::TagCutOff);
        };
        let mut attributes = Attributes::of(octets, &tag);
        context.info = match attributes.find(|(name, _)| *name == b"measurementType") {
            Some((_, place)) => Some(Text::at(octets, place.start, place.end)),
            None => Some(Text::at(octets, tag.name.start, tag.name.end)),
        };
        let mut at = tag.end;
        while let Some(found) = memchr(b'<', &octets[at..]) {
            if behind_blanks(octets, at) < at + found {
                return Err(Fault::Text);
            }
            match markup(octets, at + found) {
                Markup::Start(tag) => at = self.counter(octets, tag, context, row, wanted)?,
                Markup::Empty(tag) => {
                    at = tag.end;
                    self.add(octets, &tag, context, wanted)?;
                }
                Markup::Nothing(end) => at = end,
                Markup::End(_) => break,
                Markup::CharacterData { .. } => return Err(Fault::Text),
                Markup::Open | Markup::Broken => return Err(Fault::TagCutOff),
            }
        }
        row.values.resize(context.names.len(), Value::Absent);
        row.object = context.objects.first().copied();
        row.object.map(|_| ()).ok_or(Fault::NoObject("MO"))
    }

    fn places(
        &self,
        octets: &[u8],
        row: &Element,
        context: &Context,
    ) -> Vec<(usize, Range<usize>)> {
        let children = Children::of(octets, row).enumerate();
        let column = |position| context.columns.column(position);
        children.filter_map(|(position, child)| Some((column(position)?, child.content))).collect()
    }
}

impl Omes {
    /// Reads a counter. Returns the place after it.
    fn counter(
        &self,
        octets: &[u8],
        tag: Tag,
        context: &mut Context,
        row: &mut Row,
        wanted: &Wanted,
    ) -> Result<usize, Fault> {
        let is_read = self.add(octets, &tag, context, wanted)?;
        let found = match element(octets, tag, |_| true) {
            Extent::Whole(found) => found,
            Extent::Open => return Err(Fault::TagCutOff),
            Extent::Wrong(Fault::NotClosed { .. }) => return Err(Fault::WithinResult),
            Extent::Wrong(fault) => return Err(fault),
        };
        if is_read {
            let content = &octets[..found.content.end];
            let (value, end) = result(content, found.content.start, &mut row.elements);
            if end != content.len() {
                return Err(Fault::WithinResult);
            }
            row.values.resize(context.names.len() - 1, Value::Absent);
            row.values.push(value);
        }
        Ok(found.end)
    }

    /// Adds the name of a counter, if it is read.
    fn add(
        &self,
        octets: &[u8],
        tag: &Tag,
        context: &mut Context,
        wanted: &Wanted,
    ) -> Result<bool, Fault> {
        let before = context.names.len();
        let name = Text::at(octets, tag.name.start, tag.name.end);
        context.add(octets, name, 0, wanted)?;
        Ok(context.names.len() > before)
    }
}
