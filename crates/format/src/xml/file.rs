//! The records of an XML file: one element each, within any number of enclosing elements.
//!
//! Damage does not affect other records: after mismatched tags, reading resumes at the next element with the records'
//! name. Other elements in the place of records are set aside, unless a setting excludes them.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use asn1::{Plan, jer};
use diagnostics::encoding::Named;
use diagnostics::{Diagnostic, Encoding};
use record::{Anatomy, Arena, Kind, Schema, Shape, TypeId};
use settings::Settings;

use super::declaration::{self, BEGINNING_OCTETS_MAX};
use super::error::MarkupError;
use super::markup::{Markup, Markups, Piece};
use super::read::record;
use super::{DEPTH_MAX, XmlOutput, tag};
use crate::again::{self, InMemory};
use crate::anatomy;
use crate::ber::RECORD_OCTETS_MAX;
use crate::coding::{Contents, Excerpt, Input, Output as _, PassedOver, Read, Reader};
use crate::error::EditError;
use crate::names::UnknownNames;
use crate::patience::Patience;
use crate::text::{self, EncodingError, LINE_OCTETS_MAX, TextError, Units, shown};
use crate::window::{CHUNK_OCTETS, Window};

pub(crate) struct XmlInput {
    plan: Arc<Plan>,
    ty: TypeId,
    /// Whether an element with the records' name may be within a record.
    nests: bool,
    /// Names of elements in the place of records that are not records.
    passed_over: Vec<String>,
    unknown: UnknownNames,
    /// The encoding of files that do not declare one.
    encoding: Option<Named>,
}

impl XmlInput {
    pub(crate) const KEYS: &'static [&'static str] = &["pass-over", "encoding"];

    pub(crate) fn new(
        plan: Arc<Plan>,
        ty: TypeId,
        decode: &Settings,
    ) -> Result<Self, Vec<Diagnostic>> {
        let schema = plan.schema();
        let name = tag(schema, ty);
        if let Some(setting) = decode.all("pass-over").find(|setting| setting.value == name) {
            let message = format!("\"{name}\" is the element of a record, it is not passed over");
            return Err(vec![decode.error(setting, message)]);
        }
        let passed_over = decode.all("pass-over").map(|setting| setting.value.clone()).collect();
        let nests = contains(schema, ty, name, &mut vec![false; schema.len()]);
        let (unknown, encoding) = (UnknownNames::default(), text::encoding(decode)?);
        Ok(XmlInput { plan, ty, nests, passed_over, unknown, encoding })
    }

    /// Opens a file from its beginning, or a piece that was set aside.
    fn file(&self, contents: &dyn Contents) -> io::Result<XmlFile<'_>> {
        let mut window = Window::open(contents)?;
        let beginning = window.look_at(BEGINNING_OCTETS_MAX)?;
        let found = declaration::find(beginning, self.encoding);
        let prolog_octets = found.as_ref().map_or(0, |found| found.prolog_octets);
        let context = beginning[..prolog_octets].to_vec();
        let (encoding, mark_octets) = found
            .as_ref()
            .map_or((Encoding::UTF_8, 0), |found| (found.encoding, found.mark_octets));
        window.pass(mark_octets);
        let mut file = XmlFile {
            input: self,
            tag: tag(self.plan.schema(), self.ty),
            window: Units::new(window, encoding.unit()),
            encoding,
            text: String::new(),
            context,
            refused: found.err().map(Arc::new),
            is_part: false,
            around: Vec::new(),
            lost: None,
            patience: Patience::WHOLE,
            has_begun: false,
            passed_over: BTreeMap::new(),
        };
        file.count(&format!("the mark of {}", encoding.name()), mark_octets);
        Ok(file)
    }

    /// Returns the encoding of a piece that was set aside.
    fn encoding_of(&self, piece: &Excerpt<'_>) -> Encoding {
        let beginning = piece.beginning(BEGINNING_OCTETS_MAX);
        declaration::find(beginning, self.encoding).map_or(Encoding::UTF_8, |found| found.encoding)
    }
}

impl Input for XmlInput {
    fn open(&self, contents: &dyn Contents) -> io::Result<Box<dyn Reader + '_>> {
        Ok(Box::new(self.file(contents)?))
    }

    fn reopen(&self, piece: &Excerpt<'_>) -> io::Result<Box<dyn Reader + '_>> {
        let mut file = self.file(&InMemory(piece.octets))?;
        file.is_part = true;
        if !piece.context.is_empty() {
            file.encoding = self.encoding_of(piece);
            file.window = file.window.of(file.encoding.unit());
            (file.context, file.refused) = (piece.context.to_vec(), None);
        }
        Ok(Box::new(file))
    }

    fn show(&self, piece: &Excerpt<'_>) -> Result<Vec<u8>, EditError> {
        let reader = self.reopen(piece)?;
        again::to_json(&self.plan, jer::Options::default(), reader)
    }

    fn take_apart(&self, piece: &Excerpt<'_>) -> Anatomy {
        let say = |text: &[u8]| anatomy::xml(self.plan.schema(), self.ty, text);
        text::text_of(self.encoding_of(piece), piece.octets, say)
    }

    fn unknown(&self, mark: u32) -> String {
        self.unknown.name(mark)
    }

    fn shape(&self) -> Option<Shape> {
        Some(again::shape(&self.plan, self.ty, jer::Options::default()))
    }

    fn correct(&self, piece: &Excerpt<'_>, json: &[u8]) -> Result<Vec<u8>, EditError> {
        let output = XmlOutput { plan: Arc::clone(&self.plan) };
        let options = jer::Options::default();
        again::from_json(&self.plan, self.ty, options, json, |memory, record, out| {
            let mut text = Vec::new();
            output.writer().write(memory, record, &mut text)?;
            text::put(self.encoding_of(piece), &text, out)
        })
    }
}

/// Returns whether elements with this name may be in a value of a type.
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
    window: Units,
    encoding: Encoding,
    /// Buffer for decoding a record.
    text: String,
    /// The bytes that declare the encoding.
    context: Vec<u8>,
    /// The reason why the whole file is set aside.
    refused: Option<Arc<EncodingError>>,
    /// Whether this is a piece that was set aside. Its outermost element then does not enclose all
    /// records.
    is_part: bool,
    /// Names of the elements around the records, outermost first.
    around: Vec<Vec<u8>>,
    /// The reason why the octets up to the next record are none.
    lost: Option<MarkupError>,
    /// The budget for missing ends. Beyond it, everything searched is damage.
    patience: Patience,
    /// Whether anything was returned yet.
    has_begun: bool,
    passed_over: BTreeMap<String, u64>,
}

/// What comes next in a file.
enum NextItem {
    /// An element around records begins.
    Entered { name: Range<usize>, end: usize },
    /// A record.
    Record(Range<usize>),
    /// Another element.
    Other { name: Range<usize>, place: Range<usize> },
    /// The innermost enclosing element ends here, or the outermost is empty.
    Left { name: Range<usize>, end: usize },
    /// Nothing but comments and blanks.
    Nothing,
    /// More bytes are needed to tell what begins there.
    More { from: usize },
    /// Octets from here on are no record.
    Wrong { from: usize, reason: MarkupError },
}

/// Where reading resumes after damage.
enum Next {
    /// At a record or the end of an enclosing element.
    At(usize),
    /// Not before this place; more bytes are needed to tell.
    Unclear(usize),
    Nowhere,
}

impl Reader for XmlFile<'_> {
    fn next(&mut self, arena: &mut Arena) -> io::Result<Option<Read<'_>>> {
        if let Some(reason) = &self.refused {
            let reason = TextError::Encoding(Arc::clone(reason));
            self.window.look_ahead(LINE_OCTETS_MAX)?;
            let (offset, octets) =
                (self.window.position(), self.window.ahead().len().min(LINE_OCTETS_MAX));
            let octets = self.window.pass(octets);
            let read = Read { offset, octets, record: Err(reason.into()) };
            return Ok((!octets.is_empty()).then_some(read));
        }
        let mut wanted = CHUNK_OCTETS;
        loop {
            self.window.look_ahead(wanted)?;
            let may_be_more = !self.window.is_all() && wanted < RECORD_OCTETS_MAX;
            if let Some(reason) = self.lost.take() {
                match self.begins(0, may_be_more) {
                    Next::At(0) => {}
                    Next::Unclear(0) => {
                        self.lost = Some(reason);
                        wanted *= 2;
                        continue;
                    }
                    _ if self.window.ahead().is_empty() => {}
                    next => return self.refuse(0, next, reason),
                }
            }
            let ahead = self.look();
            if matches!(ahead, NextItem::More { .. } | NextItem::Wrong { .. }) {
                self.patience.spend(self.window.ahead().len());
            }
            match ahead {
                NextItem::Entered { name, end } => {
                    let start = self.tag_start(&name);
                    let name = self.window.ahead()[name].to_vec();
                    self.pass(NOTHING, start);
                    let end = end - start;
                    self.pass(&format!("the beginning of the element \"{}\"", shown(&name)), end);
                    self.around.push(name);
                }
                NextItem::Left { name, end } => {
                    let start = self.tag_start(&name);
                    let name = shown(&self.window.ahead()[name]);
                    self.pass(NOTHING, start);
                    let end = end - start;
                    self.pass(&format!("the end of the element \"{name}\""), end);
                    self.around.pop();
                }
                NextItem::Nothing if self.window.is_all() => return self.last(),
                NextItem::Nothing => self.pass(NOTHING, self.window.ahead().len()),
                NextItem::Record(place) => {
                    self.pass(NOTHING, place.start);
                    self.has_begun = true;
                    let offset = self.window.position();
                    self.patience.earn(place.len());
                    let octets = self.window.pass(place.len());
                    let XmlInput { plan, ty, unknown, .. } = self.input;
                    let text = self.encoding.decode(octets, &mut self.text);
                    let text = text.map_err(|malformed| TextError::from(malformed).into());
                    let record = text.and_then(|text| Ok(record(plan, *ty, text, arena, unknown)?));
                    return Ok(Some(Read { offset, octets, record }));
                }
                NextItem::Other { name, place } => {
                    let name = &self.window.ahead()[name];
                    let is_named = |named: &String| named.as_bytes() == name;
                    if self.input.passed_over.iter().any(is_named) {
                        self.pass(NOTHING, place.start);
                        let octets = self.window.pass(place.len()).len();
                        *self.passed_over.entry(BY_SETTING.to_owned()).or_default() +=
                            octets as u64;
                        continue;
                    }
                    let (name, expected) = (shown(name), self.tag.to_owned());
                    let reason = MarkupError::Other { name, expected };
                    return self.refuse(place.start, Next::At(place.end), reason);
                }
                NextItem::More { .. } if may_be_more => wanted *= 2,
                NextItem::More { from } => {
                    let reason = match self.window.is_all() {
                        true => MarkupError::RecordCutOff,
                        false => MarkupError::TooLong,
                    };
                    return self.refuse(from, self.next_record(from), reason);
                }
                NextItem::Wrong { from, reason } => {
                    return self.refuse(from, self.next_record(from), reason);
                }
            }
        }
    }

    fn context(&self) -> &[u8] {
        &self.context
    }

    fn passed_over(&self) -> Vec<PassedOver> {
        let all = self.passed_over.iter();
        all.map(|(what, octets)| PassedOver { what: what.clone().into(), octets: *octets })
            .collect()
    }

    fn into_octets(self: Box<Self>) -> Vec<u8> {
        self.window.into_octets()
    }
}

/// Descriptions of what is skipped between elements.
const NOTHING: &str = "the XML declaration, comments and blanks";
const OTHERS: &str = "other elements around the records";

/// Maximum number of names to count skipped elements by.
const COUNTED_MAX: usize = 16;
const BY_SETTING: &str = "elements by \"pass-over\"";

impl XmlFile<'_> {
    /// Skips units that are not a record, and counts them.
    fn pass(&mut self, what: &str, units: usize) {
        let octets = self.window.pass(units).len();
        self.count(what, octets);
    }

    /// Returns where the tag with this name begins.
    fn tag_start(&self, name: &Range<usize>) -> usize {
        name.start - if self.window.ahead()[..name.start].ends_with(b"/") { 2 } else { 1 }
    }

    fn count(&mut self, what: &str, octets: usize) {
        if octets == 0 || self.has_begun {
            return;
        }
        // Element names come from outside: a file may have any number of them.
        let is_counted = self.passed_over.contains_key(what);
        let what = if is_counted || self.passed_over.len() < COUNTED_MAX { what } else { OTHERS };
        *self.passed_over.entry(what.to_owned()).or_default() += octets as u64;
    }

    fn look(&self) -> NextItem {
        let ahead = self.window.ahead();
        let mut markups = Markups::default();
        // The names of the open elements; where the first of them and its content begin.
        let mut open: Vec<Range<usize>> = Vec::new();
        let (mut first, mut content) = (0, 0);
        let (tag, mut end) = (self.tag.as_bytes(), 0);
        let named = |name: &Range<usize>| &ahead[name.clone()];
        loop {
            let start = end;
            // Whether the outermost element has not begun yet.
            let outside = open.is_empty() && self.around.is_empty();
            let from = if open.is_empty() { start } else { first };
            let wrong = |reason: MarkupError| NextItem::Wrong { from, reason };
            let Some((piece, piece_end)) = markups.piece(ahead, start) else {
                return if open.is_empty() { NextItem::Nothing } else { NextItem::More { from } };
            };
            end = piece_end;
            match piece {
                Piece::Nothing => {}
                Piece::Open => return NextItem::More { from },
                Piece::Broken => return wrong(MarkupError::TagCutOff),
                Piece::Text if open.is_empty() => {
                    return wrong(MarkupError::Text);
                }
                Piece::Text => {}
                Piece::Start(name) if open.is_empty() => {
                    // Records may also have no enclosing element.
                    let is_named = |known: &String| known.as_bytes() == named(&name);
                    let is_passed_over = self.input.passed_over.iter().any(is_named);
                    if outside && !self.is_part && named(&name) != tag && !is_passed_over {
                        return NextItem::Entered { name, end };
                    }
                    (first, content) = (start, end);
                    open.push(name);
                }
                Piece::Empty(name) if open.is_empty() => {
                    return match named(&name) == tag {
                        true => NextItem::Record(start..end),
                        false if outside && !self.is_part => NextItem::Left { name, end },
                        false => NextItem::Other { name, place: start..end },
                    };
                }
                Piece::Start(ref name) | Piece::Empty(ref name)
                    if named(name) == tag && named(&open[0]) != tag =>
                {
                    if self.around.len() == DEPTH_MAX {
                        return wrong(MarkupError::TooDeep);
                    }
                    return NextItem::Entered { name: open.swap_remove(0), end: content };
                }
                Piece::Start(name) => {
                    if named(&name) == tag && !self.input.nests {
                        return wrong(MarkupError::NotClosed(self.tag.to_owned()));
                    }
                    open.push(name);
                }
                Piece::Empty(_) => {}
                Piece::End(name) => {
                    let opened = open.pop();
                    let expected = opened.as_ref().map(named);
                    let expected = expected.or(self.around.last().map(Vec::as_slice));
                    let Some(expected) = expected else {
                        return wrong(MarkupError::NotOpen);
                    };
                    if named(&name) != expected {
                        let (name, open) = (shown(named(&name)), shown(expected));
                        return wrong(MarkupError::Crossed { name, open });
                    }
                    match (opened.is_some(), open.is_empty()) {
                        (false, _) => return NextItem::Left { name, end },
                        (true, true) if expected == tag => return NextItem::Record(first..end),
                        (true, true) => return NextItem::Other { name, place: first..end },
                        (true, false) => {}
                    }
                }
            }
        }
    }

    /// Handles the end of the file, after all records.
    fn last(&mut self) -> io::Result<Option<Read<'_>>> {
        self.pass(NOTHING, self.window.ahead().len());
        let Some(name) = self.around.drain(..).next() else { return Ok(None) };
        let reason = Box::new(MarkupError::CutOff(shown(&name)));
        Ok(Some(Read { offset: self.window.position(), octets: &[], record: Err(reason.into()) }))
    }

    /// Returns the next record or the end of an enclosing element after the markup at `from`. `Nowhere` if the budget
    /// is used up.
    fn next_record(&self, from: usize) -> Next {
        let ahead = self.window.ahead();
        if !self.is_patient() {
            return Next::Nowhere;
        }
        let behind = match Markups::default().at(ahead, from) {
            Markup::Closed(end) => end,
            Markup::Open | Markup::Tag => (from + 1).min(ahead.len()),
        };
        self.begins(behind, !self.window.is_all())
    }

    /// Returns the first record or end of an enclosing element from `from` on. Comments, CDATA and the like are
    /// skipped; if one does not end in memory, the answer is unclear.
    fn begins(&self, from: usize, may_be_more: bool) -> Next {
        let ahead = self.window.ahead();
        let is = |rest: &[u8], name: &[u8]| {
            let behind = rest.strip_prefix(name).and_then(|rest| rest.first());
            matches!(behind, Some(b'>' | b'/' | b' ' | b'\t' | b'\r' | b'\n'))
        };
        let (mut at, mut markups) = (from, Markups::default());
        while let Some(found) = ahead[at..].iter().position(|octet| *octet == b'<') {
            let place = at + found;
            match markups.at(ahead, place) {
                Markup::Closed(end) => {
                    at = end;
                    continue;
                }
                Markup::Open if may_be_more => return Next::Unclear(place),
                Markup::Open | Markup::Tag => {}
            }
            let rest = &ahead[place + 1..];
            let ends = |name: &Vec<u8>| rest.strip_prefix(b"/").is_some_and(|rest| is(rest, name));
            if is(rest, self.tag.as_bytes()) || self.around.iter().any(ends) {
                return Next::At(place);
            }
            at = place + 1;
        }
        Next::Nowhere
    }

    /// Returns whether the budget allows one more search of the octets in memory.
    fn is_patient(&self) -> bool {
        self.patience.octets() > self.window.ahead().len()
    }

    /// Returns octets that are no record, from `from` to the next one.
    fn refuse(
        &mut self,
        from: usize,
        next: Next,
        reason: MarkupError,
    ) -> io::Result<Option<Read<'_>>> {
        let in_memory = self.window.ahead().len();
        let end = match next {
            Next::At(next) => next,
            _ if self.window.is_all() => in_memory,
            Next::Unclear(next) => {
                self.lost = Some(reason.clone());
                next.max(from)
            }
            Next::Nowhere => {
                self.lost = Some(reason.clone());
                // The octets in memory may end within a tag name.
                let longest = self.around.iter().map(Vec::len).chain([self.tag.len()]).max();
                in_memory.saturating_sub(longest.unwrap_or(0) + 2).max(from)
            }
        };
        self.pass(NOTHING, from);
        self.has_begun = true;
        let offset = self.window.position();
        let record = Err(Box::new(reason).into());
        Ok(Some(Read { offset, octets: self.window.pass(end - from), record }))
    }
}
