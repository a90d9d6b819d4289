//! Files of 3GPP TS 32.435 (`measCollecFile`), and those of TS 28.532 (`measDataFile`), which name the network element
//! differently.

use memchr::memchr;

use super::{Counter, Dialect, Meaning, content, counter_number, length, results, time};
use crate::context::Context;
use crate::fault::Fault;
use crate::markup::{Attributes, Children, Element, Tag};
use crate::number::next_word;
use crate::row::Row;
use crate::text::Text;
use crate::wanted::Wanted;

pub(super) const DIALECT: Dialect = Dialect {
    root: "measCollecFile",
    section: "measData",
    entity: Some("managedElement"),
    info: "measInfo",
    row: Some("measValue"),
    row_end: Some("</measValue"),
    heads: &[],
    meaning: &Ts32435,
};

pub(super) const DIALECT_OF_28532: Dialect =
    Dialect { root: "measDataFile", entity: Some("measEntity"), ..DIALECT };

/// How an element of a counter begins in nearly all files.
const COUNTER: &[u8] = b"<measType p=\"";

/// Digits that always fit into 32 bits.
const NUMBER_DIGITS_MAX: usize = 9;

struct Ts32435;

impl Meaning for Ts32435 {
    fn header(&self, octets: &[u8], element: &Element, context: &mut Context) {
        if element.tag.local(octets) != b"fileHeader" {
            return;
        }
        for (name, place) in Attributes::of(octets, &element.tag) {
            let text = Some(Text::at(octets, place.start, place.end));
            match name {
                b"vendorName" => context.vendor = text,
                b"dnPrefix" => context.prefix = text,
                _ => {}
            }
        }
        for child in Children::of(octets, element) {
            if child.tag.local(octets) != b"fileSender" {
                continue;
            }
            for (name, place) in Attributes::of(octets, &child.tag) {
                let text = Some(Text::at(octets, place.start, place.end));
                match name {
                    b"localDn" | b"senderName" => context.sender = text,
                    b"elementType" | b"senderType" => context.sender_type = text,
                    _ => {}
                }
            }
        }
    }

    fn entity(&self, octets: &[u8], element: &Element, context: &mut Context) {
        // Senders mix the names of both standards.
        if !matches!(element.tag.local(octets), b"managedElement" | b"measEntity") {
            return;
        }
        context.has_entity = true;
        let mut local = None;
        for (name, place) in Attributes::of(octets, &element.tag) {
            let text = Some(Text::at(octets, place.start, place.end));
            match name {
                b"localDn" => local = text,
                b"userLabel" => context.element_label = text,
                b"swVersion" => context.software_version = text,
                _ => {}
            }
        }
        // A name that is left out is that of the sender (TS 32.435, 4.1), which may have none, too.
        let some = |text: &Text| !text.is_empty();
        context.element = local.filter(some).or(context.sender.filter(some));
    }

    fn info(&self, octets: &[u8], tag: &Tag, context: &mut Context) {
        let mut attributes = Attributes::of(octets, tag);
        let found = attributes.find(|(name, _)| *name == b"measInfoId");
        context.info = found.map(|(_, place)| Text::at(octets, place.start, place.end));
    }

    fn head(
        &self,
        octets: &[u8],
        element: &Element,
        context: &mut Context,
        wanted: &Wanted,
    ) -> Result<(), Fault> {
        match element.tag.local(octets) {
            b"measType" => {
                let mut attributes = Attributes::of(octets, &element.tag);
                let number = match attributes.find(|(name, _)| *name == b"p") {
                    None => 0,
                    Some((_, place)) => {
                        counter_number(octets, Text::at(octets, place.start, place.end))?
                    }
                };
                context.add(octets, content(octets, element), number, wanted)
            }
            b"measTypes" => {
                let names = &octets[..element.content.end];
                let mut at = element.content.start;
                // Words of a comment would be names.
                if memchr(b'<', &names[at..]).is_some() {
                    return Err(Fault::WithinNames);
                }
                while let Some((start, end)) = next_word(names, at) {
                    context.add(octets, Text::at(octets, start, end), 0, wanted)?;
                    at = end;
                }
                Ok(())
            }
            b"granPeriod" => {
                for (name, place) in Attributes::of(octets, &element.tag) {
                    let text = Text::at(octets, place.start, place.end);
                    match name {
                        b"duration" => {
                            context.seconds = Some(length(octets, "duration of granPeriod", text)?);
                        }
                        b"endTime" => {
                            context.end = Some(time(octets, "endTime of granPeriod", text)?);
                        }
                        _ => {}
                    }
                }
                Ok(())
            }
            b"job" => {
                let mut attributes = Attributes::of(octets, &element.tag);
                let found = attributes.find(|(name, _)| *name == b"jobId");
                context.job = found.map(|(_, place)| Text::at(octets, place.start, place.end));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn counter(&self, octets: &[u8], at: usize) -> Option<Counter> {
        let octet = |at: usize| octets.get(at).copied().unwrap_or_default();
        let begin = at + COUNTER.len();
        if !octets[at..].starts_with(COUNTER) {
            return None;
        }
        let (mut place, mut number) = (begin, 0);
        while octet(place).is_ascii_digit() && place - begin < NUMBER_DIGITS_MAX {
            number = number * 10 + u32::from(octet(place) - b'0');
            place += 1;
        }
        let is_usual = number > 0 && octet(place) == b'"' && octet(place + 1) == b'>';
        is_usual.then(|| Counter::between(octets, place + 2, b"</measType>", number)).flatten()
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
        row.object.map(|_| ()).ok_or(Fault::NoObject("measObjLdn"))
    }
}
