//! One structure as the file, its list's elements as the records: TAP's batch (GSMA TD.57), or any outer
//! SEQUENCE OF.
//!
//! Where the type asked for is that of an element, a record is an element. Where it is that of the whole
//! batch, a record is the batch with one element in its list: what stands before and behind the list is
//! at hand for every call. The list is read element by element, so memory does not grow with it; what
//! stands around it is kept, and bounded.

use std::io::{self, Read as _};

use asn1::ber::{Decoder, extent};
use asn1::{Encoding, Plan, Tag};
use record::{Arena, Kind, TypeId};

use super::{is_filler, records};
use crate::coding::{Contents, Read};
use crate::window::{CHUNK_OCTETS, Window};

/// Most octets around the list: what is copied beside each record.
pub(crate) const BATCH_FIELDS_OCTETS_MAX: usize = 64 * 1024;

/// Elements looked at in search of the list.
const ELEMENTS_LOOKED_AT_MAX: usize = 1_000;

/// Most octets of an identifier and a length.
const HEADER_OCTETS_MAX: usize = 32;

/// What of a batch a record is.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    /// The identifier octets of the list, where the record is the whole batch.
    list: Option<Vec<u8>>,
}

impl Batch {
    /// For records of a type, and the component of it that is the list.
    pub(super) fn new(plan: &Plan, ty: TypeId, list: Option<&str>) -> Result<Self, String> {
        let schema = plan.schema();
        let kind = schema.kind(ty);
        let (Kind::Sequence(fields) | Kind::Set(fields)) = kind else {
            return match list {
                Some(_) => Err(format!("\"{}\" has no components", schema.get(ty).name)),
                None => Ok(Batch { list: None }),
            };
        };
        let Some(list) = list else { return Ok(Batch { list: None }) };
        let Some(place) = fields.iter().position(|field| field.name == list) else {
            return Err(format!("\"{}\" has no component \"{list}\"", schema.get(ty).name));
        };
        if schema.kind(fields[place].ty).element().is_none() {
            return Err(format!("\"{list}\" is not a list"));
        }
        match &plan.specification().encodings[ty.0 as usize] {
            Encoding::Structure { tags, .. } => match tags[place].as_slice() {
                [tag] => Ok(Batch { list: Some(identifier(*tag)) }),
                _ => Err(format!("\"{list}\" has more than one tag")),
            },
            _ => Err(format!("\"{}\" is not a structure", schema.get(ty).name)),
        }
    }

    /// Whether a record is the batch with one element.
    pub(super) fn is_whole(&self) -> bool {
        self.list.is_some()
    }

    /// Opens a file: finds the list and what stands around it.
    pub(super) fn open(&self, contents: &dyn Contents, skip: u64) -> io::Result<BatchFile> {
        let begin = |octets| -> io::Result<Window> {
            let mut window = Window::new(octets);
            window.skip(skip)?;
            Ok(window)
        };
        let mut window = begin(contents.octets_from(0)?)?;
        let mut file = BatchFile {
            window: begin(contents.octets()?)?,
            whole: self.list.is_some(),
            before: Vec::new(),
            behind: Vec::new(),
            made: Vec::new(),
            offset: 0,
            left: Left::Unknown,
            fault: None,
            rest: Vec::new(),
            rest_offset: 0,
        };
        window.look_ahead(HEADER_OCTETS_MAX)?;
        if let Some((_, _, Some(end))) = opened(&window) {
            file.note_rest(contents, end)?;
        }
        if let Some(list) = &self.list {
            file.fault = file.find_list(&mut window, list)?.err();
        }
        Ok(file)
    }
}

/// How much of the list is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    /// The list was not reached yet.
    Unknown,
    /// It ends with the window.
    Definite,
    /// It ends with end-of-contents octets.
    Indefinite,
    Nothing,
}

/// A batch being read.
pub(super) struct BatchFile {
    window: Window,
    whole: bool,
    /// The outer identifier and what stands before the list's elements, the list's identifier included;
    /// lengths are indefinite.
    before: Vec<u8>,
    /// What stands behind the list, ends of contents included.
    behind: Vec<u8>,
    /// The record in hand; before the first, the beginning of the file.
    made: Vec<u8>,
    /// Where in the file that begins.
    offset: u64,
    left: Left,
    fault: Option<String>,
    /// The beginning of what stands behind the batch in its file, where nothing should.
    rest: Vec<u8>,
    rest_offset: u64,
}

impl BatchFile {
    /// Remembers what stands behind the batch, filler left out.
    fn note_rest(&mut self, contents: &dyn Contents, end: u64) -> io::Result<()> {
        if end >= contents.size()? {
            return Ok(());
        }
        contents
            .octets_from(end)?
            .take(BATCH_FIELDS_OCTETS_MAX as u64)
            .read_to_end(&mut self.rest)?;
        let filler = self.rest.iter().take_while(|octet| is_filler(**octet)).count();
        self.rest.drain(..filler);
        self.rest_offset = end + filler as u64;
        Ok(())
    }

    /// Goes through the batch's components once, keeping all but the list.
    fn find_list(&mut self, window: &mut Window, list: &[u8]) -> io::Result<Result<(), String>> {
        window.look_ahead(CHUNK_OCTETS)?;
        let Some((identifier, content, outer_end)) = opened(window) else {
            return Ok(Err("the file does not begin with a structure".into()));
        };
        self.before.extend_from_slice(&identifier);
        self.before.push(0x80);
        window.pass(content);
        let mut found = false;
        loop {
            window.look_ahead(HEADER_OCTETS_MAX)?;
            if outer_end.is_some_and(|end| window.position() >= end) || window.ahead().is_empty() {
                break;
            }
            if window.ahead().starts_with(&[0, 0]) {
                break;
            }
            if !found && window.ahead().starts_with(list) {
                found = true;
                let Some((identifier, content, end)) = opened(window) else {
                    return Ok(Err("the list is not a structure".into()));
                };
                self.before.extend_from_slice(&identifier);
                self.before.push(0x80);
                // The reading window stands where the list's elements begin.
                let first = window.position() + content as u64;
                let passed = self.window.position();
                self.window.skip(first - passed)?;
                self.begin_list(end);
                window.pass(content);
                match end {
                    Some(end) => {
                        window.skip(end - first)?;
                    }
                    None => skip_elements(window)?,
                }
                continue;
            }
            window.look_ahead(BATCH_FIELDS_OCTETS_MAX)?;
            let Ok(end) = extent(window.ahead(), 0) else {
                return Ok(Err("a component of the batch cannot be read".into()));
            };
            if self.before.len() + self.behind.len() + end > BATCH_FIELDS_OCTETS_MAX {
                let fault =
                    format!("more than {BATCH_FIELDS_OCTETS_MAX} octets stand around the list");
                return Ok(Err(fault));
            }
            let to = if found { &mut self.behind } else { &mut self.before };
            to.extend_from_slice(window.pass(end));
        }
        if !found {
            return Ok(Err("the batch has no list".into()));
        }
        self.behind.splice(0..0, [0, 0]);
        self.behind.extend_from_slice(&[0, 0]);
        Ok(Ok(()))
    }

    /// The reading window stands at the list's elements. Damage in the last of them must not reach into
    /// what stands behind the list.
    fn begin_list(&mut self, end: Option<u64>) {
        self.left = match end {
            Some(end) => {
                self.window.end_at(end);
                Left::Definite
            }
            None => Left::Indefinite,
        };
    }

    /// Enters structures until a record lies ahead.
    fn enter(
        &mut self,
        decoder: &Decoder<'_>,
        arena: &mut Arena,
    ) -> io::Result<Result<(), String>> {
        for element in 0..ELEMENTS_LOOKED_AT_MAX {
            self.window.look_ahead(CHUNK_OCTETS)?;
            let ahead = self.window.ahead();
            let mut starts = |at: usize| {
                arena.reset();
                extent(ahead, at).is_ok_and(|end| decoder.decode(&ahead[at..end], arena).is_ok())
            };
            let Some((_, content, end)) = opened(&self.window) else {
                match records::element(&mut self.window)? {
                    Ok(length) if element > 0 => self.window.pass(length),
                    _ => break,
                };
                continue;
            };
            if starts(content) {
                self.window.pass(content);
                self.begin_list(end);
                return Ok(Ok(()));
            }
            // The outermost structure is entered in any case: its list may begin far behind.
            if element == 0 || first_inside(ahead, &mut starts) {
                self.window.pass(content);
                continue;
            }
            match end {
                Some(end) => {
                    self.window.skip(end - self.window.position())?;
                }
                None => {
                    self.window.pass(content);
                    skip_elements(&mut self.window)?;
                }
            }
        }
        Ok(Err("the file has no list of such records".into()))
    }

    pub(super) fn next(
        &mut self,
        decoder: &Decoder<'_>,
        arena: &mut Arena,
    ) -> io::Result<Option<Read<'_>>> {
        if self.left == Left::Unknown {
            self.window.look_ahead(BATCH_FIELDS_OCTETS_MAX)?;
            let beginning = self.window.ahead().len().min(BATCH_FIELDS_OCTETS_MAX);
            self.made.extend_from_slice(&self.window.ahead()[..beginning]);
            self.offset = self.window.position();
            if self.fault.is_none() && !self.whole {
                self.fault = self.enter(decoder, arena)?.err();
            }
            if let Some(fault) = self.fault.take() {
                return Ok(self.refuse(fault));
            }
        }
        self.window.look_ahead(2)?;
        let ended = match self.left {
            Left::Unknown | Left::Nothing => true,
            Left::Definite => self.window.ahead().is_empty(),
            Left::Indefinite => {
                self.window.ahead().starts_with(&[0, 0]) || self.window.ahead().is_empty()
            }
        };
        if ended {
            self.left = Left::Nothing;
            if self.rest.is_empty() {
                return Ok(None);
            }
            self.made = std::mem::take(&mut self.rest);
            let fault = "octets stand behind the batch; they are not read".to_owned();
            return Ok(Some(Read {
                offset: self.rest_offset,
                octets: &self.made,
                record: Err(fault),
            }));
        }
        if !self.whole {
            return records::next(&mut self.window, decoder, arena);
        }
        self.whole_record(decoder, arena)
    }

    /// The batch with the next element alone in its list.
    fn whole_record(
        &mut self,
        decoder: &Decoder<'_>,
        arena: &mut Arena,
    ) -> io::Result<Option<Read<'_>>> {
        let offset = self.window.position();
        let element = records::element(&mut self.window)?;
        let (octets, fault) = match element {
            Ok(length) => (self.window.pass(length), None),
            Err((length, reason)) => (self.window.pass(length), Some(reason)),
        };
        self.made.clear();
        if let Some(reason) = fault {
            self.made.extend_from_slice(octets);
            self.left = Left::Nothing;
            return Ok(Some(Read { offset, octets: &self.made, record: Err(reason) }));
        }
        self.made.extend_from_slice(&self.before);
        self.made.extend_from_slice(octets);
        self.made.extend_from_slice(&self.behind);
        let decoded = decoder.decode(&self.made, arena);
        let record = decoded.map_err(|error| decoder.explain(&self.made, error));
        Ok(Some(Read { offset, octets: &self.made, record }))
    }

    /// A file in which no list was found is no record, as much of its beginning as can be shown.
    fn refuse(&mut self, fault: String) -> Option<Read<'_>> {
        self.left = Left::Nothing;
        let is_empty = self.made.is_empty();
        (!is_empty).then_some(Read { offset: self.offset, octets: &self.made, record: Err(fault) })
    }
}

/// The identifier of the structure ahead, where its content begins, and where in the file that ends.
fn opened(window: &Window) -> Option<(Vec<u8>, usize, Option<u64>)> {
    let Outer { identifier, content, length } = outer(window.ahead())?;
    let start = window.position() + content as u64;
    let end = match length {
        Some(length) => Some(start.checked_add(length)?),
        None => None,
    };
    Some((window.ahead()[..identifier].to_vec(), content, end))
}

/// The beginning of a structure, whose content may be longer than what is in memory.
pub(super) struct Outer {
    /// Octets of the identifier.
    identifier: usize,
    /// Where the content begins.
    pub(super) content: usize,
    /// Octets of the content; none where only end-of-contents octets will tell.
    pub(super) length: Option<u64>,
}

pub(super) fn outer(octets: &[u8]) -> Option<Outer> {
    let first = *octets.first()?;
    if first & 0x20 == 0 {
        return None;
    }
    let mut identifier = 1;
    if first & 0x1F == 0x1F {
        let more = octets[1..].iter().take(HEADER_OCTETS_MAX).take_while(|o| **o & 0x80 != 0);
        identifier += more.count() + 1;
    }
    let short = *octets.get(identifier)?;
    let content = identifier + 1;
    if short <= 0x80 {
        let length = (short < 0x80).then_some(u64::from(short));
        return Some(Outer { identifier, content, length });
    }
    let long = octets.get(content..content + usize::from(short & 0x7F))?;
    if long.iter().rev().skip(8).any(|octet| *octet != 0) {
        return None;
    }
    let length = long.iter().fold(0, |length, octet| length << 8 | u64::from(*octet));
    Some(Outer { identifier, content: content + long.len(), length: Some(length) })
}

/// Passes elements up to and with the end-of-contents octets.
fn skip_elements(window: &mut Window) -> io::Result<()> {
    loop {
        window.look_ahead(2)?;
        if window.ahead().is_empty() {
            return Ok(());
        }
        if window.ahead().starts_with(&[0, 0]) {
            window.pass(2);
            return Ok(());
        }
        match records::element(window)? {
            Ok(length) | Err((length, _)) => {
                window.pass(length);
            }
        }
    }
}

/// Whether one of the elements within the structure at the start of `ahead`, or within the first of
/// those that are structures, is a record.
pub(super) fn first_inside(ahead: &[u8], starts: &mut dyn FnMut(usize) -> bool) -> bool {
    const ELEMENTS_MAX: usize = 64;
    const LEVELS_MAX: usize = 4;
    fn look(ahead: &[u8], at: usize, level: usize, starts: &mut dyn FnMut(usize) -> bool) -> bool {
        let Some(found) = ahead.get(at..).and_then(outer).filter(|_| level <= LEVELS_MAX) else {
            return false;
        };
        let start = at + found.content;
        let end = found.length.map_or(u64::MAX, |length| (start as u64).saturating_add(length));
        let mut at = start;
        for _ in 0..ELEMENTS_MAX {
            if at >= ahead.len() || at as u64 >= end || ahead[at..].starts_with(&[0, 0]) {
                return false;
            }
            if starts(at) || look(ahead, at, level + 1, starts) {
                return true;
            }
            match extent(ahead, at) {
                Ok(end) => at = end,
                Err(_) => return false,
            }
        }
        false
    }
    look(ahead, 0, 0, starts)
}

/// The identifier octets of a constructed element (X.690, 8.1.2).
fn identifier(tag: Tag) -> Vec<u8> {
    let first = (tag.class as u8) << 6 | 0x20;
    if tag.number < 31 {
        return vec![first | tag.number as u8];
    }
    let mut octets = vec![first | 0x1F];
    let groups = (0..5).rev().map(|group| (tag.number >> (7 * group) & 0x7F) as u8);
    let mut groups: Vec<u8> = groups.skip_while(|group| *group == 0).collect();
    let last = groups.len() - 1;
    groups[..last].iter_mut().for_each(|group| *group |= 0x80);
    octets.extend(groups);
    octets
}
