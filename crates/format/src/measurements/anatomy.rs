//! Describes a measurement: each value with its place in the row, or in the heads before it.

use ::measurements::{Found, Parser, Rest, Step, Text, Time};
use diagnostics::Encoding;
use record::part::PARTS_MAX;
use record::{Anatomy, Part};

use crate::anatomy::leaf;

/// Describes a row with its heads, or octets that are none.
pub(super) fn of(mut parser: Parser, encoding: Encoding, octets: &[u8]) -> Anatomy {
    let Step::Found(Found { offset, result, .. }) = parser.next(octets, 0, Rest::Nothing) else {
        return Anatomy::default();
    };
    // The parser has the heads without what is between them.
    let shift = Shift { row: parser.row_start(), in_file: offset as usize };
    let describe = Describe { parser: &parser, encoding, shift };
    let mut anatomy = Anatomy { parts: describe.head(), ..Anatomy::default() };
    match result {
        Ok(()) => {
            let (counters, is_cut) = describe.counters();
            anatomy.parts.push(counters);
            anatomy.is_cut = is_cut;
        }
        Err(fault) => anatomy.damage = Some((offset as usize, fault.to_string())),
    }
    anatomy
}

/// Where the row is in the parser's octets, and in those that are described.
struct Shift {
    row: usize,
    in_file: usize,
}

struct Describe<'p> {
    parser: &'p Parser,
    encoding: Encoding,
    shift: Shift,
}

impl Describe<'_> {
    /// Returns a place in the octets that are described. The heads of a piece are as the parser has them.
    fn place(&self, place: usize) -> usize {
        match place.checked_sub(self.shift.row) {
            Some(within) => self.shift.in_file + within,
            None => place,
        }
    }

    fn shown(&self, octets: &[u8], is_escaped: bool) -> String {
        let mut buffer = String::new();
        let text = match self.encoding.decode(octets, &mut buffer) {
            Ok(text) => text.to_owned(),
            Err(_) => String::from_utf8_lossy(octets).into_owned(),
        };
        if is_escaped { ::measurements::plain(&text) } else { text }
    }

    fn part(&self, name: &str, ty: &str, text: Text) -> Part {
        let shown = self.shown(text.of(self.parser.octets()), text.is_escaped);
        let place = self.place(text.start as usize)..self.place(text.end as usize);
        leaf(name.to_owned(), ty.to_owned(), (place.clone(), place), shown.as_bytes())
    }

    /// Returns a part that has no place of its own.
    fn made(&self, name: &str, ty: &str, shown: &[u8]) -> Part {
        leaf(name.to_owned(), ty.to_owned(), (0..0, 0..0), shown)
    }

    fn head(&self) -> Vec<Part> {
        let (context, row) = (self.parser.context(), self.parser.row());
        let mut parts = Vec::new();
        for (name, text) in [
            ("vendor", context.vendor),
            ("sender", context.sender),
            ("senderType", context.sender_type),
            ("prefix", context.prefix),
            ("element", context.element),
            ("elementLabel", context.element_label),
            ("softwareVersion", context.software_version),
            ("info", context.info),
            ("job", context.job),
        ] {
            parts.extend(text.map(|text| self.part(name, "UTF8String", text)));
        }
        for (name, time) in [("begin", context.begin), ("end", context.end)] {
            let written = |time: Time| {
                let mut written = Vec::new();
                time.write(&mut written);
                written
            };
            parts.extend(time.map(|time| self.made(name, "GeneralizedTime", &written(time))));
        }
        if let Some(seconds) = context.seconds {
            parts.push(self.made("seconds", "INTEGER", seconds.to_string().as_bytes()));
        }
        parts.extend(row.object.map(|object| self.part("object", "UTF8String", object)));
        let suspect: &[u8] = if row.is_suspect { b"TRUE" } else { b"FALSE" };
        parts.push(self.made("suspect", "BOOLEAN", suspect));
        parts
    }

    fn counters(&self) -> (Part, bool) {
        let (octets, names) = (self.parser.octets(), &self.parser.context().names);
        let end = self.place(octets.len());
        let mut counters = Part {
            name: "counters".into(),
            ty: "SEQUENCE OF Measurements.Counter".into(),
            place: self.shift.in_file..end,
            content: self.shift.in_file..end,
            ..Part::default()
        };
        let places = self.parser.places();
        let is_cut = places.len() > PARTS_MAX;
        for (column, place) in places.into_iter().take(PARTS_MAX) {
            let Some(name) = names.get(column) else { continue };
            let name = self.shown(name.of(octets), name.is_escaped);
            let shown = self.shown(octets.get(place.clone()).unwrap_or_default(), true);
            let place = self.place(place.start)..self.place(place.end);
            let places = (place.clone(), place);
            counters.parts.push(leaf(
                name,
                "Measurements.Value".into(),
                places,
                shown.trim().as_bytes(),
            ));
        }
        (counters, is_cut)
    }
}
