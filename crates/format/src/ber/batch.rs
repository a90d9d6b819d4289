//! A file that is one structure, with the elements of its list as the records: TAP's batch (GSMA TD.57), or any outer
//! SEQUENCE OF.
//!
//! If the given type is that of an element, a record is an element. If it is that of the whole batch, a record is the
//! batch with one element in its list, so that the fields before and after the list are available for every call. The
//! list is read element by element, so memory does not grow with it; the fields around it are stored and bounded.

use std::io;

use asn1::ber::{Decoder, extent};
use asn1::{Encoding, Plan, Tag};
use record::{Arena, Kind, TypeId};

use super::blocks::Blocks;
use super::{BatchError, BerError, ListError, RECORD_OCTETS_MAX, records};
use crate::coding::{Contents, Read};
use crate::window::{CHUNK_OCTETS, Window};

/// Maximum octets around the list, which are copied with each record.
pub(crate) const BATCH_FIELDS_OCTETS_MAX: usize = 64 * 1024;

/// Maximum elements to search for the list.
const ELEMENTS_LOOKED_AT_MAX: usize = 1_000;

/// Maximum octets of an identifier and a length.
const HEADER_OCTETS_MAX: usize = 32;

/// The kind of a batch's records.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    /// The identifier octets of the list, if a record is the whole batch.
    list: Option<Vec<u8>>,
}

impl Batch {
    /// Creates the settings for records of a type. `list` names its component that is the list.
    pub(super) fn new(plan: &Plan, ty: TypeId, list: Option<&str>) -> Result<Self, ListError> {
        let schema = plan.schema();
        let name = || schema.get(ty).name.clone();
        let kind = schema.kind(ty);
        let (Kind::Sequence(fields) | Kind::Set(fields)) = kind else {
            return match list {
                Some(_) => Err(ListError::NoComponents(name())),
                None => Ok(Batch { list: None }),
            };
        };
        let Some(list) = list else { return Ok(Batch { list: None }) };
        let Some(place) = fields.iter().position(|field| field.name == list) else {
            return Err(ListError::NoComponent { ty: name(), list: list.into() });
        };
        if schema.kind(fields[place].ty).element().is_none() {
            return Err(ListError::NotList(list.into()));
        }
        match &plan.specification().encodings[ty.0 as usize] {
            Encoding::Structure { tags, .. } => match tags[place].as_slice() {
                [tag] => Ok(Batch { list: Some(identifier(*tag)) }),
                _ => Err(ListError::SeveralTags(list.into())),
            },
            _ => Err(ListError::NotStructure(name())),
        }
    }

    /// Returns whether a record is the batch with one element.
    pub(super) fn is_whole(&self) -> bool {
        self.list.is_some()
    }

    /// Opens a file: finds the list and the fields around it.
    pub(super) fn open(
        &self,
        contents: &dyn Contents,
        skip: u64,
        decoder: &Decoder<'_>,
    ) -> io::Result<BatchFile> {
        let begin = |octets| -> io::Result<Window> {
            let mut window = Window::new(octets);
            window.skip(skip)?;
            Ok(window)
        };
        let mut file = BatchFile {
            window: begin(contents.octets()?)?,
            whole: self.list.is_some(),
            around: Vec::new(),
            before: Vec::new(),
            behind: Vec::new(),
            made: Vec::new(),
            offset: skip,
            left: Left::Unknown,
            was_damage: false,
            fault: None,
        };
        file.window.look_ahead(BATCH_FIELDS_OCTETS_MAX)?;
        let beginning = file.window.ahead().len().min(BATCH_FIELDS_OCTETS_MAX);
        file.made.extend_from_slice(&file.window.ahead()[..beginning]);
        let found = match &self.list {
            Some(list) => {
                let mut window = begin(contents.octets_from(0)?)?;
                file.find_list(&mut window, list)?
            }
            None => file.enter(decoder, &mut Arena::new())?,
        };
        match found {
            Ok(end) => file.begin_list(end),
            Err(fault) => file.fault = Some(fault),
        }
        Ok(file)
    }
}

/// The rest of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    /// The list was not found.
    Unknown,
    /// It ends at a file offset, which is also the end of the window.
    Definite(u64),
    /// It ends with end-of-contents octets.
    Indefinite,
    /// The start of the next element is unknown.
    Lost,
    /// Nothing is left; what follows the list comes next.
    Behind,
    /// Nothing is left, and what follows the list has been checked.
    Nothing,
}

/// Where a structure ends; `None` if it has an indefinite length.
type End = Option<u64>;

/// A batch being read.
pub(super) struct BatchFile {
    window: Window,
    whole: bool,
    /// Ends of the structures that enclose the list, outermost first.
    around: Vec<End>,
    /// The outer identifier and the fields before the list's elements, with the list's identifier. Lengths are
    /// indefinite.
    before: Vec<u8>,
    /// The fields after the list, with ends of contents.
    behind: Vec<u8>,
    /// The current record; before the first, the beginning of the file.
    made: Vec<u8>,
    /// The offset of that in the file.
    offset: u64,
    left: Left,
    /// Whether the last piece read was not a record.
    was_damage: bool,
    fault: Option<BatchError>,
}

/// Length of the octets ahead that are not a record, and the reason.
type NoRecord = (usize, Box<BerError>);

impl BatchFile {
    /// Reads the batch's components once, keeping all but the list. Leaves the window at the first element of the list
    /// and returns where the list ends.
    fn find_list(
        &mut self,
        window: &mut Window,
        list: &[u8],
    ) -> io::Result<Result<End, BatchError>> {
        window.look_ahead(CHUNK_OCTETS)?;
        let Some((identifier, content, outer_end)) = opened(window) else {
            return Ok(Err(BatchError::NoStructure));
        };
        self.before.extend_from_slice(&identifier);
        self.before.push(0x80);
        window.pass(content);
        self.around.push(outer_end);
        let mut found = None;
        loop {
            window.look_ahead(HEADER_OCTETS_MAX)?;
            if outer_end.is_some_and(|end| window.position() >= end) || window.ahead().is_empty() {
                break;
            }
            if window.ahead().starts_with(&[0, 0]) {
                break;
            }
            if found.is_none() && window.ahead().starts_with(list) {
                let Some((identifier, content, end)) = opened(window) else {
                    return Ok(Err(BatchError::PrimitiveList));
                };
                self.before.extend_from_slice(&identifier);
                self.before.push(0x80);
                found = Some(end);
                let first = window.position() + content as u64;
                let passed = self.window.position();
                self.window.skip(first - passed)?;
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
                return Ok(Err(BatchError::Component));
            };
            if self.before.len() + self.behind.len() + end > BATCH_FIELDS_OCTETS_MAX {
                return Ok(Err(BatchError::TooMuchAround));
            }
            let to = if found.is_some() { &mut self.behind } else { &mut self.before };
            to.extend_from_slice(window.pass(end));
        }
        self.behind.splice(0..0, [0, 0]);
        self.behind.extend_from_slice(&[0, 0]);
        Ok(found.ok_or(BatchError::NoList))
    }

    /// Begins the list's elements. Damage in the last of them must not extend into the fields after the list.
    fn begin_list(&mut self, end: End) {
        self.left = match end {
            Some(end) => {
                self.window.end_at(end);
                Left::Definite(end)
            }
            None => Left::Indefinite,
        };
    }

    /// Enters structures until a record is next, or a damaged record next to intact ones. Returns the end of the list
    /// that contains them.
    fn enter(
        &mut self,
        decoder: &Decoder<'_>,
        arena: &mut Arena,
    ) -> io::Result<Result<End, BatchError>> {
        for element in 0..ELEMENTS_LOOKED_AT_MAX {
            self.window.look_ahead(CHUNK_OCTETS)?;
            self.leave_structures();
            if element > 0 && self.around.is_empty() {
                break;
            }
            let ahead = self.window.ahead();
            let mut is_record = |at: usize| {
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
            if is_record(content) || is_list(ahead, &mut is_record) {
                self.window.pass(content);
                return Ok(Ok(end));
            }
            // The outermost structure is always entered: its list may begin far behind.
            if element == 0 || first_inside(ahead, &mut is_record) {
                self.window.pass(content);
                self.around.push(end);
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
        Ok(Err(BatchError::NoRecords))
    }

    /// Removes the enclosing structures that end here. Returns whether any ended earlier.
    fn leave_structures(&mut self) -> bool {
        let mut is_beyond = false;
        while let Some(end) = self.around.last() {
            match end {
                Some(end) if self.window.position() >= *end => {
                    is_beyond |= self.window.position() > *end;
                }
                None if self.window.ahead().starts_with(&[0, 0]) => {
                    self.window.pass(2);
                }
                _ => break,
            }
            self.around.pop();
        }
        is_beyond
    }

    pub(super) fn next(
        &mut self,
        decoder: &Decoder<'_>,
        arena: &mut Arena,
    ) -> io::Result<Option<Read<'_>>> {
        if let Some(fault) = self.fault.take() {
            return Ok(self.refuse(fault));
        }
        self.window.look_ahead(2)?;
        if self.list_ends() {
            let is_cut = self.end_list();
            if let Some((octets, error)) = self.behind(is_cut, decoder, arena)? {
                let offset = self.window.position();
                let octets = self.window.pass(octets);
                return Ok(Some(Read { offset, octets, record: Err(error.into()) }));
            }
            return Ok(None);
        }
        match (self.left, self.whole) {
            (Left::Lost, _) => self.lost(),
            (_, false) => {
                let read = records::next(&mut self.window, decoder, &mut Blocks::default(), arena)?;
                self.was_damage = read.as_ref().is_some_and(|read| read.record.is_err());
                Ok(read)
            }
            (_, true) => self.whole_record(decoder, arena),
        }
    }

    pub(super) fn position(&self) -> u64 {
        self.window.position()
    }

    fn list_ends(&self) -> bool {
        let ahead = self.window.ahead();
        match self.left {
            Left::Unknown | Left::Behind | Left::Nothing => true,
            Left::Definite(_) | Left::Lost => ahead.is_empty(),
            Left::Indefinite => ahead.starts_with(&[0, 0]) || ahead.is_empty(),
        }
    }

    /// Moves past the list unless that is done already. Returns whether the file ends within the list.
    fn end_list(&mut self) -> bool {
        let is_cut = match self.left {
            // Damage that reaches the end of the file has been reported.
            _ if self.was_damage => false,
            Left::Definite(end) => self.window.position() < end,
            Left::Indefinite => self.window.ahead().is_empty(),
            _ => false,
        };
        match self.left {
            Left::Unknown | Left::Nothing => self.left = Left::Nothing,
            Left::Indefinite if self.window.ahead().starts_with(&[0, 0]) => {
                self.window.pass(2);
                self.left = Left::Behind;
            }
            Left::Definite(_) | Left::Indefinite | Left::Lost => self.left = Left::Behind,
            Left::Behind => {}
        }
        self.window.go_on();
        is_cut
    }

    /// Checks what follows the list. Returns an error if records or structure ends are in the wrong place or missing:
    /// trusting contradictory lengths would lose records.
    fn behind(
        &mut self,
        is_cut: bool,
        decoder: &Decoder<'_>,
        arena: &mut Arena,
    ) -> io::Result<Option<NoRecord>> {
        if self.left == Left::Nothing {
            return Ok(None);
        }
        if is_cut {
            self.left = Left::Nothing;
            return Ok(Some((0, boxed(BatchError::ListCutOff))));
        }
        loop {
            self.window.look_ahead(HEADER_OCTETS_MAX)?;
            if self.leave_structures() {
                return Ok(Some((0, boxed(BatchError::LongList))));
            }
            if self.around.is_empty() {
                self.left = Left::Nothing;
                return self.behind_batch();
            }
            if self.window.ahead().is_empty() {
                self.left = Left::Nothing;
                return Ok(Some((0, boxed(BatchError::CutOff))));
            }
            let length = match records::element(&mut self.window)? {
                Ok(length) => length,
                Err(no_record) => return Ok(Some(no_record)),
            };
            if self.has_records(length, decoder, arena) {
                return Ok(Some((length, boxed(BatchError::RecordsBehind))));
            }
            self.window.pass(length);
        }
    }

    /// Returns whether an element is a record or starts with one.
    fn has_records(&mut self, length: usize, decoder: &Decoder<'_>, arena: &mut Arena) -> bool {
        let element = &self.window.ahead()[..length];
        let mut is_record = |at: usize| {
            let Ok(end) = extent(element, at) else { return false };
            arena.reset();
            if !self.whole {
                return decoder.decode(&element[at..end], arena).is_ok();
            }
            self.made.clear();
            self.made.extend_from_slice(&self.before);
            self.made.extend_from_slice(&element[at..end]);
            self.made.extend_from_slice(&self.behind);
            decoder.decode(&self.made, arena).is_ok()
        };
        is_record(0) || outer(element).is_some_and(|outer| is_record(outer.content))
    }

    /// Reports octets after the batch; only filler is allowed there.
    fn behind_batch(&mut self) -> io::Result<Option<NoRecord>> {
        records::skip_filler(&mut self.window)?;
        self.window.look_ahead(BATCH_FIELDS_OCTETS_MAX)?;
        let octets = self.window.ahead().len().min(BATCH_FIELDS_OCTETS_MAX);
        Ok((octets > 0).then(|| (octets, boxed(BatchError::OctetsBehind))))
    }

    /// Returns the rest of a list in which no further element could be found.
    fn lost(&mut self) -> io::Result<Option<Read<'_>>> {
        self.window.look_ahead(RECORD_OCTETS_MAX)?;
        let (offset, octets) = (self.window.position(), self.window.ahead().len());
        let record = Err(boxed(BatchError::NoEnd).into());
        Ok(Some(Read { offset, octets: self.window.pass(octets), record }))
    }

    /// Returns the batch with the next element alone in its list.
    fn whole_record(
        &mut self,
        decoder: &Decoder<'_>,
        arena: &mut Arena,
    ) -> io::Result<Option<Read<'_>>> {
        let offset = self.window.position();
        let element = records::element(&mut self.window)?;
        let (octets, fault) = match element {
            Ok(length) => (self.window.pass(length), None),
            Err((length, error)) => (self.window.pass(length), Some(error)),
        };
        self.made.clear();
        if let Some(error) = fault {
            self.made.extend_from_slice(octets);
            self.left = Left::Lost;
            return Ok(Some(Read { offset, octets: &self.made, record: Err(error.into()) }));
        }
        self.made.extend_from_slice(&self.before);
        self.made.extend_from_slice(octets);
        self.made.extend_from_slice(&self.behind);
        let decoded = decoder.decode(&self.made, arena);
        let record = decoded.map_err(|error| BerError::decode(decoder, &self.made, error).into());
        Ok(Some(Read { offset, octets: &self.made, record }))
    }

    /// Refuses a file without a list. Returns as much of its beginning as can be shown.
    fn refuse(&mut self, fault: BatchError) -> Option<Read<'_>> {
        self.left = Left::Nothing;
        let (offset, octets, is_empty) = (self.offset, &self.made, self.made.is_empty());
        (!is_empty).then(|| Read { offset, octets, record: Err(boxed(fault).into()) })
    }
}

#[cold]
fn boxed(error: BatchError) -> Box<BerError> {
    Box::new(BerError::Batch(error))
}

/// Returns the identifier of the structure ahead, where its content begins, and its end offset in the file.
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
    /// The octets of the content; `None` if only end-of-contents octets show them.
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

/// Passes elements through the end-of-contents octets.
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

/// Returns whether the structure at the start of `ahead` directly contains records, possibly after a damaged one, and
/// contains no list at a deeper level.
fn is_list(ahead: &[u8], is_record: &mut dyn FnMut(usize) -> bool) -> bool {
    let (records, others): (Vec<usize>, Vec<usize>) =
        elements(ahead, 0).into_iter().partition(|at| is_record(*at));
    !records.is_empty() && !others.into_iter().any(|at| has_inside(ahead, at, 1, is_record))
}

/// Returns whether one of the elements within the structure at the start of `ahead`, or within the first of those that
/// are structures, is a record.
pub(super) fn first_inside(ahead: &[u8], is_record: &mut dyn FnMut(usize) -> bool) -> bool {
    has_inside(ahead, 0, 0, is_record)
}

fn has_inside(
    ahead: &[u8],
    at: usize,
    level: usize,
    is_record: &mut dyn FnMut(usize) -> bool,
) -> bool {
    const LEVELS_MAX: usize = 4;
    level <= LEVELS_MAX
        && elements(ahead, at)
            .into_iter()
            .any(|at| is_record(at) || has_inside(ahead, at, level + 1, is_record))
}

/// Returns the places of the first elements of a structure; empty if it is not one.
fn elements(ahead: &[u8], at: usize) -> Vec<usize> {
    const ELEMENTS_MAX: usize = 64;
    let Some(found) = ahead.get(at..).and_then(outer) else { return Vec::new() };
    let start = at + found.content;
    let end = found.length.map_or(u64::MAX, |length| (start as u64).saturating_add(length));
    let is_within =
        |at: &usize| *at < ahead.len() && (*at as u64) < end && !ahead[*at..].starts_with(&[0, 0]);
    let next = |at: &usize| extent(ahead, *at).ok().filter(is_within);
    std::iter::successors(Some(start).filter(is_within), next).take(ELEMENTS_MAX).collect()
}

/// Returns the identifier octets of a constructed element (X.690, 8.1.2).
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
