//! Files of 3GPP TS 32.401, annex A: the form with a DTD that came before TS 32.435. Its elements have short names, and no
//! attributes.

use super::{Counter, Dialect, Meaning, content, counter_number, length, results, time};
use crate::context::Context;
use crate::fault::Fault;
use crate::markup::{Attributes, Children, Element};
use crate::row::Row;
use crate::text::Text;
use crate::wanted::Wanted;

pub(super) const DIALECT: Dialect = Dialect {
    root: "mdc",
    section: "md",
    entity: Some("neid"),
    info: "mi",
    row: Some("mv"),
    row_end: Some("</mv"),
    heads: &[],
    meaning: &Ts32401,
};

struct Ts32401;

impl Meaning for Ts32401 {
    fn header(&self, octets: &[u8], element: &Element, context: &mut Context) {
        if element.tag.local(octets) != b"mfh" {
            return;
        }
        for child in Children::of(octets, element) {
            let text = Some(content(octets, &child));
            match child.tag.local(octets) {
                b"sn" => context.sender = text,
                b"st" => context.sender_type = text,
                b"vn" => context.vendor = text,
                _ => {}
            }
        }
    }

    fn entity(&self, octets: &[u8], element: &Element, context: &mut Context) {
        if element.tag.local(octets) != b"neid" {
            return;
        }
        context.has_entity = true;
        for child in Children::of(octets, element) {
            let text = Some(content(octets, &child));
            match child.tag.local(octets) {
                b"nedn" => context.element = text.filter(|text| !text.is_empty()),
                b"neun" => context.element_label = text,
                b"nesw" => context.software_version = text,
                _ => {}
            }
        }
    }

    fn head(
        &self,
        octets: &[u8],
        element: &Element,
        context: &mut Context,
        wanted: &Wanted,
    ) -> Result<(), Fault> {
        let text = content(octets, element);
        match element.tag.local(octets) {
            b"mts" => context.end = Some(time(octets, "mts", text)?),
            b"gp" => context.seconds = Some(length(octets, "gp", text)?),
            b"mt" => {
                let mut attributes = Attributes::of(octets, &element.tag);
                let number = match attributes.find(|(name, _)| *name == b"p") {
                    None => 0,
                    Some((_, place)) => {
                        counter_number(octets, Text::at(octets, place.start, place.end))?
                    }
                };
                context.add(octets, text, number, wanted)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn counter(&self, octets: &[u8], at: usize) -> Option<Counter> {
        let is_usual = octets[at..].starts_with(b"<mt>");
        is_usual.then(|| Counter::between(octets, at + 4, b"</mt>", 0)).flatten()
    }

    fn row(
        &self,
        octets: &[u8],
        start: usize,
        context: &mut Context,
        row: &mut Row,
        _: &Wanted,
    ) -> Result<(), Fault> {
        results::read(octets, start, &context.columns, row)?;
        row.object.map(|_| ()).ok_or(Fault::NoObject("moid"))
    }
}
