//! The records of an XML file: one element each, within an outermost one.
//!
//! A damaged record costs no neighbour: where elements do not close as they opened, reading goes on at the
//! next element of the records' name.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use asn1::{Plan, jer};
use quick_xml::encoding::EncodingError;
use quick_xml::errors::IllFormedError;
use quick_xml::events::Event;
use record::{Anatomy, Arena, Kind, Schema, Shape, TypeId};

use super::read::record;
use super::{XmlOutput, tag};
use crate::again;
use crate::anatomy;
use crate::ber::RECORD_OCTETS_MAX;
use crate::coding::{Contents, Input, Kept, Output as _, Read, Reader};
use crate::window::{CHUNK_OCTETS, Window};

pub(crate) struct XmlInput {
    plan: Arc<Plan>,
    ty: TypeId,
    /// Whether an element of the records' name may stand within a record.
    nests: bool,
}

impl XmlInput {
    pub(crate) fn new(plan: Arc<Plan>, ty: TypeId) -> Self {
        let schema = plan.schema();
        let nests = contains(schema, ty, tag(schema, ty), &mut vec![false; schema.len()]);
        XmlInput { plan, ty, nests }
    }
}

impl Input for XmlInput {
    fn open(&self, contents: &dyn Contents) -> io::Result<Box<dyn Reader + '_>> {
        let mut window = Window::new(contents.octets()?);
        window.look_ahead(MARK.len())?;
        if window.ahead().starts_with(MARK) {
            window.pass(MARK.len());
        }
        Ok(Box::new(XmlFile {
            input: self,
            tag: tag(self.plan.schema(), self.ty),
            window,
            within: None,
            lost: None,
            patience: PATIENCE_OCTETS,
        }))
    }

    fn show(&self, kept: &Kept<'_>) -> Result<Vec<u8>, String> {
        let reader = self.reopen(kept).map_err(|error| error.to_string())?;
        again::to_json(&self.plan, jer::Options::default(), reader)
    }

    fn take_apart(&self, kept: &Kept<'_>) -> Anatomy {
        anatomy::xml(self.plan.schema(), self.ty, kept.octets)
    }

    fn shape(&self) -> Option<Shape> {
        Some(again::shape(&self.plan, self.ty, jer::Options::default()))
    }

    fn correct(&self, _: &Kept<'_>, json: &[u8]) -> Result<Vec<u8>, String> {
        let output = XmlOutput { plan: Arc::clone(&self.plan) };
        let options = jer::Options::default();
        again::from_json(&self.plan, self.ty, options, json, |memory, record, out| {
            output.writer().write(memory, record, out)
        })
    }
}

/// Whether elements of this name may stand in a value of a type.
fn contains(schema: &Schema, ty: TypeId, name: &str, passed: &mut [bool]) -> bool {
    if std::mem::replace(&mut passed[ty.0 as usize], true) {
        return false;
    }
    match schema.kind(ty) {
        Kind::Sequence(fields) | Kind::Set(fields) | Kind::Choice(fields) => fields
            .iter()
            .any(|field| field.name == name || contains(schema, field.ty, name, passed)),
        Kind::SequenceOf(element) | Kind::SetOf(element) => {
            tag(schema, *element) == name || contains(schema, *element, name, passed)
        }
        _ => false,
    }
}

struct XmlFile<'i> {
    input: &'i XmlInput,
    /// The name of the records' elements.
    tag: &'i str,
    window: Window,
    /// The name of the outermost element, when it was entered.
    within: Option<Vec<u8>>,
    /// Why what comes next, up to a record, is none.
    lost: Option<String>,
    /// Octets that may be looked at in vain.
    patience: usize,
}

/// Octets that may be looked at in vain, for ends that are not there; each octet that is passed adds to it
/// what it is worth. Beyond it, all that was looked at is damage. Otherwise hostile files would cost the
/// square of their size.
const PATIENCE_OCTETS: usize = 64 << 20;
const PATIENCE_PER_OCTET: usize = 16;

/// What lies ahead in a file.
enum Ahead {
    /// The outermost element begins, and is of this name.
    Entered { name: Range<usize>, end: usize },
    /// A record.
    Record(Range<usize>),
    /// The outermost element ends here.
    Left(usize),
    /// Nothing but comments and blanks.
    Nothing,
    /// The octets in memory end before it is known.
    More,
    /// From here on something is no record.
    Wrong { from: usize, reason: String },
}

impl Reader for XmlFile<'_> {
    fn next(&mut self, arena: &mut Arena) -> io::Result<Option<Read<'_>>> {
        let mut wanted = CHUNK_OCTETS;
        loop {
            self.window.look_ahead(wanted)?;
            if let Some(reason) = self.lost.take() {
                match self.begins(0) {
                    Some(0) => {}
                    _ if self.window.ahead().is_empty() => {}
                    next => return self.refuse(0, next, reason),
                }
            }
            let ahead = self.look();
            if matches!(ahead, Ahead::More | Ahead::Wrong { .. }) {
                self.patience = self.patience.saturating_sub(self.window.ahead().len());
            }
            match ahead {
                Ahead::Entered { name, end } => {
                    self.within = Some(self.window.ahead()[name].to_vec());
                    self.window.pass(end);
                }
                Ahead::Left(end) => {
                    self.within = None;
                    self.window.pass(end);
                }
                Ahead::Nothing if self.window.is_all() => return self.last(),
                Ahead::Nothing => {
                    self.window.pass(self.window.ahead().len());
                }
                Ahead::Record(place) => {
                    self.window.pass(place.start);
                    let offset = self.window.position();
                    self.patience =
                        (self.patience + place.len() * PATIENCE_PER_OCTET).min(PATIENCE_OCTETS);
                    let octets = self.window.pass(place.len());
                    let XmlInput { plan, ty, .. } = self.input;
                    let record = record(plan, *ty, octets, arena);
                    return Ok(Some(Read { offset, octets, record }));
                }
                Ahead::More if !self.window.is_all() && wanted < RECORD_OCTETS_MAX => wanted *= 2,
                Ahead::More if !self.window.is_all() => {
                    let next = self.next_record(0);
                    return self.refuse(0, next, "a record is too long, or does not end".into());
                }
                Ahead::More => {
                    let next = self.next_record(0);
                    return self.refuse(0, next, "the file ends within a record".into());
                }
                Ahead::Wrong { from, reason } => {
                    let next = self.next_record(from);
                    return self.refuse(from, next, reason);
                }
            }
        }
    }
}

impl XmlFile<'_> {
    fn look(&self) -> Ahead {
        let ahead = self.window.ahead();
        let mut reader = quick_xml::Reader::from_reader(ahead);
        reader.config_mut().check_end_names = false;
        reader.config_mut().allow_unmatched_ends = true;
        // The names of the elements that are open, and where the first of them began.
        let mut open: Vec<&[u8]> = Vec::new();
        let mut first = 0;
        let tag = self.tag.as_bytes();
        loop {
            let start = reader.buffer_position() as usize;
            // Whether the outermost element is still to come.
            let outside = open.is_empty() && self.within.is_none();
            let from = if open.is_empty() { start } else { first };
            let wrong = |reason: String| Ahead::Wrong { from, reason };
            let event = match reader.read_event() {
                Ok(event) => event,
                // An element that is cut off is one that goes on behind what is in memory.
                Err(quick_xml::Error::Syntax(_)) => return Ahead::More,
                // So may be a reference.
                Err(quick_xml::Error::IllFormed(IllFormedError::UnclosedReference))
                    if !self.window.is_all() =>
                {
                    return Ahead::More;
                }
                // And so may be a character.
                Err(quick_xml::Error::Encoding(EncodingError::Utf8(error)))
                    if error.error_len().is_none() && !self.window.is_all() =>
                {
                    return Ahead::More;
                }
                Err(error) => return wrong(format!("not XML: {error}")),
            };
            let end = reader.buffer_position() as usize;
            let name = |length: usize| start + 1..start + 1 + length;
            match event {
                // Records may also stand in nothing.
                Event::Start(element) if outside && element.name().as_ref() != self.tag => {
                    return Ahead::Entered { name: name(element.name().as_ref().len()), end };
                }
                Event::Empty(element) if outside && element.name().as_ref() != self.tag => {
                    return Ahead::Left(end);
                }
                Event::End(_) if outside => {
                    return wrong("an element ends that did not begin".into());
                }
                Event::Text(text) if open.is_empty() && !is_blank(&text) => {
                    return wrong("text stands where records are expected".into());
                }
                Event::CData(_) | Event::GeneralRef(_) if open.is_empty() => {
                    return wrong("text stands where records are expected".into());
                }
                Event::Start(element) => {
                    let name = &ahead[name(element.name().as_ref().len())];
                    if open.is_empty() {
                        first = start;
                    } else if name == tag && !self.input.nests {
                        let tag = self.tag;
                        return wrong(format!("the record does not end before the next \"{tag}\""));
                    }
                    open.push(name);
                }
                Event::Empty(_) if open.is_empty() => return Ahead::Record(start..end),
                Event::End(element) => {
                    let element = element.name();
                    let expected = open.pop().or(self.within.as_deref()).unwrap_or_default();
                    if element.as_ref().as_bytes() != expected {
                        let reason = format!(
                            "\"{}\" ends where \"{}\" is open",
                            element.as_ref(),
                            String::from_utf8_lossy(expected)
                        );
                        return wrong(reason);
                    }
                    match open.is_empty() {
                        true if from == start => return Ahead::Left(end),
                        true => return Ahead::Record(first..end),
                        false => {}
                    }
                }
                Event::Eof if open.is_empty() => return Ahead::Nothing,
                Event::Eof => return Ahead::More,
                _ => {}
            }
        }
    }

    /// The end of the file, behind all records.
    fn last(&mut self) -> io::Result<Option<Read<'_>>> {
        self.window.pass(self.window.ahead().len());
        let Some(name) = self.within.take() else { return Ok(None) };
        let reason = format!(
            "the file ends before \"{}\" does: it may be cut off",
            String::from_utf8_lossy(&name)
        );
        Ok(Some(Read { offset: self.window.position(), octets: &[], record: Err(reason) }))
    }

    /// Where the next record begins, or the outermost element ends, behind `from`. Nowhere, if too much was
    /// looked at in vain.
    fn next_record(&self, from: usize) -> Option<usize> {
        let behind = (from + 1).min(self.window.ahead().len());
        let place = if self.is_patient() { self.begins(behind) } else { None };
        place.map(|place| behind + place)
    }

    /// Where behind `from` a record begins or the outermost element ends.
    fn begins(&self, from: usize) -> Option<usize> {
        let ahead = &self.window.ahead()[from..];
        let is = |rest: &[u8], name: &[u8]| {
            let behind = rest.strip_prefix(name).and_then(|rest| rest.first());
            matches!(behind, Some(b'>' | b'/' | b' ' | b'\t' | b'\r' | b'\n'))
        };
        let mut at = 0;
        while let Some(found) = ahead[at..].iter().position(|octet| *octet == b'<') {
            at += found + 1;
            let rest = &ahead[at..];
            let ends = |name: &Vec<u8>| rest.strip_prefix(b"/").is_some_and(|rest| is(rest, name));
            if is(rest, self.tag.as_bytes()) || self.within.as_ref().is_some_and(ends) {
                return Some(at - 1);
            }
        }
        None
    }

    /// Whether what is in memory may be looked at in vain once more.
    fn is_patient(&self) -> bool {
        self.patience > self.window.ahead().len()
    }

    /// Hands on what is no record, from `from` to the next one.
    fn refuse(
        &mut self,
        from: usize,
        next: Option<usize>,
        reason: String,
    ) -> io::Result<Option<Read<'_>>> {
        let in_memory = self.window.ahead().len();
        let end = match next {
            Some(next) => next,
            None if self.window.is_all() => in_memory,
            None => {
                self.lost = Some(reason.clone());
                // What is in memory may end within the name of a record.
                in_memory.saturating_sub(self.tag.len() + 1).max(from)
            }
        };
        self.window.pass(from);
        let offset = self.window.position();
        Ok(Some(Read { offset, octets: self.window.pass(end - from), record: Err(reason) }))
    }
}

/// The mark of UTF-8 that some files begin with.
const MARK: &[u8] = "\u{feff}".as_bytes();

fn is_blank(text: &str) -> bool {
    text.trim_ascii().is_empty()
}
