//! Finds the rows of a file in octets that arrive in parts.

use std::ops::Range;

use memchr::memmem;

use crate::context::Context;
use crate::dialect::Dialect;
use crate::fault::{Fault, shown};
use crate::markup::{Element, Extent, Markup, Tag, behind_blanks, element, local, markup};
use crate::row::Row;
use crate::wanted::Wanted;

/// Octets at the end of a part that may be the beginning of a tag, when the next row is searched for.
const TAG_BEGINNING_OCTETS: usize = 32;

/// What follows the octets that a parser is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// Nothing: the file ends.
    Nothing,
    /// More, which the parser may ask for.
    More,
    /// More, but one element may not have as many octets as there are already.
    TooMuch,
}

/// What a parser found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A row, or octets that are none.
    Found(Found),
    /// Nothing whole is in the octets after `passed`. The parser needs more of them.
    More {
        /// The number of octets that are done.
        passed: usize,
    },
    /// The file ends, and all of it is read.
    End,
}

/// A row, or octets that are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The offset in the file of its first octet.
    pub offset: u64,
    /// The number of octets that are done.
    pub passed: usize,
    /// Whether [`Parser::row`] is a row, or why these octets are none.
    pub result: Result<(), Fault>,
}

/// A parser of one file.
///
/// ```
/// use measurements::{Found, Parser, Rest, Step, Value, Wanted};
///
/// let file = br#"<measCollecFile><measData><managedElement localDn="Node=1"/><measInfo>
///     <measType p="1">attempts</measType>
///     <measValue measObjLdn="Cell=7"><r p="1">345</r></measValue></measInfo></measData></measCollecFile>"#;
/// let mut parser = Parser::new(Wanted::default());
/// let Step::Found(Found { passed, result: Ok(()), .. }) = parser.next(file, 0, Rest::Nothing) else { panic!() };
/// let object = parser.row().object.unwrap();
/// assert_eq!(object.of(parser.octets()), b"Cell=7");
/// assert_eq!(parser.row().values, [Value::Integer(345)]);
/// assert_eq!(parser.next(&file[passed..], passed as u64, Rest::Nothing), Step::End);
/// ```
pub struct Parser {
    wanted: Wanted,
    dialect: Option<&'static Dialect>,
    context: Context,
    row: Row,
    /// The heads of what is open, and the current row with the ends of these.
    octets: Vec<u8>,
    /// The number of octets of the heads.
    heads: usize,
    /// The open elements that rows are in, outermost first.
    levels: Vec<Level>,
    /// Why the innermost open element is refused, all of it.
    refused: Option<Refused>,
    /// Searches for the end tag of a row.
    row_end: Option<memmem::Finder<'static>>,
    /// Why the octets up to the next row are none.
    lost: Option<Fault>,
    /// Whether the last octets were refused, so that an element that does not end is no news.
    was_damaged: bool,
    /// The offset up to which no row ends.
    no_end_before: u64,
    /// The octets of declarations of XML that are not at the beginning.
    misplaced: u64,
}

/// An open element that rows are in.
#[derive(Clone, Copy, Debug)]
struct Level {
    kind: Kind,
    /// The offset of the element in the file.
    offset: u64,
    /// The number of octets of the heads before it.
    before: usize,
    /// The end of its name in the heads; it begins after a `<`.
    name_end: usize,
    /// The end of its start tag in the heads.
    tag_end: usize,
}

/// Why an element is refused.
#[derive(Clone, Debug)]
struct Refused {
    fault: Fault,
    /// Whether a part of it was returned.
    is_begun: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Root,
    Section,
    Info,
}

impl Parser {
    /// Creates a parser of one file that reads these counters.
    pub fn new(wanted: Wanted) -> Self {
        Parser {
            wanted,
            dialect: None,
            context: Context::default(),
            row: Row::default(),
            octets: Vec::new(),
            heads: 0,
            levels: Vec::new(),
            refused: None,
            row_end: None,
            lost: None,
            was_damaged: false,
            no_end_before: 0,
            misplaced: 0,
        }
    }

    /// Returns what was found last as a file with that alone: the heads of its file, section and info, then the row or the
    /// octets that are none, then the ends of what is open.
    pub fn octets(&self) -> &[u8] {
        &self.octets
    }

    /// Returns the row that was found last. Its places are in [`octets`](Self::octets).
    pub fn row(&self) -> &Row {
        &self.row
    }

    /// Returns what is known around the row that was found last. Its places are in [`octets`](Self::octets).
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Returns the octets so far of declarations of XML that did not stand at the beginning, where they have no meaning (XML
    /// 1.0, 2.8).
    pub fn misplaced_octets(&self) -> u64 {
        self.misplaced
    }

    /// Returns where the row, or what was found in the place of one, begins in [`octets`](Self::octets).
    pub fn row_start(&self) -> usize {
        self.heads.min(self.octets.len())
    }

    /// Returns the places of the results of the row that was found last: the index of the counter, and the octets of its
    /// result. It reads the row again, for people.
    pub fn places(&self) -> Vec<(usize, Range<usize>)> {
        let Some(dialect) = self.dialect else { return Vec::new() };
        let Markup::Start(tag) = markup(&self.octets, self.row_start()) else { return Vec::new() };
        match element(&self.octets, tag, |_| false) {
            Extent::Whole(row) => dialect.meaning.places(&self.octets, &row, &self.context),
            _ => Vec::new(),
        }
    }

    /// Finds the next row in the octets from `offset` of the file on. The octets of each call begin after those that were
    /// passed before.
    pub fn next(&mut self, ahead: &[u8], offset: u64, rest: Rest) -> Step {
        self.octets.truncate(self.heads);
        let mut at = 0;
        if let Some(fault) = self.lost.take() {
            if ahead.is_empty() && rest == Rest::Nothing {
                return self.end(offset, 0);
            }
            match self.resume(ahead, 0) {
                Some(0) => {}
                None if rest == Rest::More && ahead.len() <= TAG_BEGINNING_OCTETS => {
                    self.lost = Some(fault);
                    return Step::More { passed: 0 };
                }
                _ => return self.refuse(ahead, (0, 0), offset, rest, fault),
            }
        }
        loop {
            if self.refused.is_some() {
                return self.refused(ahead, at, offset, rest);
            }
            at = behind_blanks(ahead, at);
            let Some(first) = ahead.get(at) else {
                return match rest {
                    Rest::Nothing => self.end(offset, at),
                    _ => Step::More { passed: at },
                };
            };
            let wrong = match first {
                b'<' => match markup(ahead, at) {
                    Markup::Nothing(end) => {
                        self.note_declaration(&ahead[at..end], offset + at as u64);
                        at = end;
                        continue;
                    }
                    Markup::Open if rest == Rest::More => return Step::More { passed: at },
                    Markup::Open | Markup::Broken => Fault::TagCutOff,
                    Markup::CharacterData { .. } => Fault::Text,
                    tag => match self.tag(ahead, (at, offset), tag, rest) {
                        Went::On(end) => {
                            at = end;
                            continue;
                        }
                        Went::Done(step) => return step,
                        Went::Wrong(fault) => fault,
                    },
                },
                _ if at == 0 && offset == 0 && ahead.starts_with(MARK) => {
                    at = MARK.len();
                    continue;
                }
                _ => Fault::Text,
            };
            return self.refuse(ahead, (at, at + 1), offset, rest, wrong);
        }
    }

    fn kind(&self) -> Option<Kind> {
        self.levels.last().map(|level| level.kind)
    }

    /// Keeps the declaration of XML, which names the encoding, and counts one that is elsewhere.
    fn note_declaration(&mut self, octets: &[u8], offset: u64) {
        let is_declaration =
            octets.starts_with(b"<?xml") && octets.get(5).is_some_and(u8::is_ascii_whitespace);
        if !is_declaration || !self.levels.is_empty() {
            return;
        }
        if self.octets.is_empty() && octets.len() <= DECLARATION_OCTETS_MAX {
            self.octets.extend_from_slice(octets);
            self.heads = self.octets.len();
        }
        if offset > MARK.len() as u64 {
            self.misplaced += octets.len() as u64;
        }
    }

    /// Adds octets to the heads.
    fn keep(&mut self, octets: &[u8]) -> usize {
        let start = self.octets.len();
        self.octets.extend_from_slice(octets);
        self.heads = self.octets.len();
        start
    }

    fn tag(&mut self, ahead: &[u8], place: Place, tag: Markup, rest: Rest) -> Went {
        match tag {
            Markup::Start(tag) => self.begin(ahead, place, tag, rest),
            Markup::Empty(tag) => self.begin_empty(ahead, place, tag),
            Markup::End(tag) => self.leave(ahead, place, &tag),
            _ => Went::Wrong(Fault::Text),
        }
    }

    /// Returns the name of an open element with its prefix.
    fn name(&self, level: &Level) -> &[u8] {
        &self.octets[level.before + 1..level.name_end]
    }

    /// Ends the element with this end tag.
    fn leave(&mut self, ahead: &[u8], place: Place, tag: &Tag) -> Went {
        let name = &ahead[tag.name.clone()];
        let Some(innermost) = self.levels.last() else {
            return Went::Wrong(Fault::NotOpen(shown(name)));
        };
        let crossed = Fault::Crossed { name: shown(name), open: shown(self.name(innermost)) };
        match self.levels.iter().rposition(|level| self.name(level) == name) {
            None => Went::Wrong(crossed),
            Some(level) if level + 1 == self.levels.len() => {
                self.leave_to(level);
                Went::On(tag.end)
            }
            Some(level) => self.leave_unclosed(place, level + 1, crossed),
        }
    }

    /// Ends elements that have no end of their own. It is reported once, and not after other damage.
    fn leave_unclosed(&mut self, (at, offset): Place, levels: usize, fault: Fault) -> Went {
        if std::mem::take(&mut self.was_damaged) {
            self.leave_to(levels);
            return Went::On(at);
        }
        self.was_damaged = true;
        self.close();
        let offset = offset + at as u64;
        Went::Done(Step::Found(Found { offset, passed: at, result: Err(fault) }))
    }

    /// Ends all open elements but the outer `levels`.
    fn leave_to(&mut self, levels: usize) {
        while self.levels.len() > levels {
            let Some(level) = self.levels.pop() else { return };
            match level.kind {
                Kind::Info => self.context.leave_info(),
                Kind::Section => self.context.leave_section(),
                Kind::Root => self.context = Context::default(),
            }
            self.octets.truncate(level.before);
            self.heads = level.before;
        }
    }

    fn enter(&mut self, kind: Kind, ahead: &[u8], (at, offset): Place, tag: &Tag) -> Tag {
        let before = self.keep(&ahead[at..tag.end]);
        let kept = tag.clone().moved(at, before);
        let offset = offset + at as u64;
        self.levels.push(Level {
            kind,
            offset,
            before,
            name_end: kept.name.end,
            tag_end: kept.end,
        });
        self.was_damaged = false;
        kept
    }

    /// Handles a start tag.
    fn begin(&mut self, ahead: &[u8], (at, offset): Place, tag: Tag, rest: Rest) -> Went {
        let name = tag.local(ahead);
        let Some(kind) = self.kind() else {
            let Some((format, dialect)) = Dialect::of(name) else {
                return Went::Wrong(Fault::Root(shown(name)));
            };
            self.dialect = Some(dialect);
            self.context.format = format;
            self.row_end = dialect.row_end.map(memmem::Finder::new);
            let end = tag.end;
            self.enter(Kind::Root, ahead, (at, offset), &tag);
            return Went::On(end);
        };
        let Some(dialect) = self.dialect else { return Went::Wrong(Fault::Text) };
        match kind {
            Kind::Root if dialect.is_section(name) => {
                let end = tag.end;
                let kept = self.enter(Kind::Section, ahead, (at, offset), &tag);
                let octets = &self.octets;
                // A section whose period cannot be read has no info that can.
                match dialect.meaning.section(octets, &kept, &mut self.context) {
                    Ok(()) => Went::On(end),
                    Err(fault) => self.refuse_all(fault, end),
                }
            }
            Kind::Section if dialect.is_info(name) => {
                let end = tag.end;
                let kept = self.enter(Kind::Info, ahead, (at, offset), &tag);
                dialect.meaning.info(&self.octets, &kept, &mut self.context);
                Went::On(end)
            }
            Kind::Section | Kind::Info if dialect.is_section(name) => {
                self.leave_before((at, offset), 1, name)
            }
            Kind::Info if dialect.is_info(name) => self.leave_before((at, offset), 2, name),
            Kind::Info if dialect.is_row(name) => self.begin_row(ahead, (at, offset), tag, rest),
            _ if dialect.is_outer(name) => {
                let around = match dialect.is_info(name) {
                    true => dialect.section,
                    false => dialect.info,
                };
                self.misplaced_element(ahead, (at, offset), tag, rest, around)
            }
            _ => self.begin_head(ahead, at, tag, rest),
        }
    }

    /// Ends all but the outer `levels` before an element that cannot be within them.
    fn leave_before(&mut self, place: Place, levels: usize, next: &[u8]) -> Went {
        let open = self.levels.last().map(|level| shown(self.name(level)));
        let fault = Fault::NotClosed { name: open.unwrap_or_default(), next: shown(next) };
        self.leave_unclosed(place, levels, fault)
    }

    /// Refuses all of the innermost open element. Reading goes on at `at`.
    fn refuse_all(&mut self, fault: Fault, at: usize) -> Went {
        self.refused = Some(Refused { fault, is_begun: false });
        Went::On(at)
    }

    /// Handles an element without content.
    fn begin_empty(&mut self, ahead: &[u8], (at, offset): Place, tag: Tag) -> Went {
        let name = tag.local(ahead);
        let (Some(kind), Some(dialect)) = (self.kind(), self.dialect) else {
            return match Dialect::of(name) {
                Some(_) => Went::On(tag.end),
                None => Went::Wrong(Fault::Root(shown(name))),
            };
        };
        match kind {
            Kind::Info if dialect.row.is_some() && dialect.is_row(name) => {
                let end = tag.end;
                self.row_at(ahead, at, end, offset)
            }
            _ if dialect.is_outer(name) => Went::On(tag.end),
            _ => {
                let (content, end) = (tag.end..tag.end, tag.end);
                self.head(dialect, ahead, at, Element { tag, content, end })
            }
        }
    }

    /// Handles the start tag of an element that is part of a head.
    fn begin_head(&mut self, ahead: &[u8], at: usize, tag: Tag, rest: Rest) -> Went {
        let Some(dialect) = self.dialect else { return Went::Wrong(Fault::Text) };
        // A header of TS 28.532 has an element with the name of sections.
        let is_header = self.kind() == Some(Kind::Root);
        let name = tag.name.clone();
        match element(ahead, tag, |name| !is_header && dialect.is_outer(name)) {
            Extent::Whole(element) => self.head(dialect, ahead, at, element),
            Extent::Open if rest == Rest::More => Went::Done(Step::More { passed: at }),
            Extent::Open => self.wrong_head(cut_off(shown(&ahead[name]), rest), at),
            Extent::Wrong(fault) => self.wrong_head(fault, at),
        }
    }

    /// Handles damage in the head of an info, which nothing of the info can be read without.
    fn wrong_head(&mut self, fault: Fault, at: usize) -> Went {
        match self.kind() {
            Some(Kind::Info) => self.refuse_all(fault, at),
            _ => Went::Wrong(fault),
        }
    }

    /// Reads a whole element that is part of a head.
    fn head(&mut self, dialect: &Dialect, ahead: &[u8], at: usize, element: Element) -> Went {
        let end = element.end;
        if self.octets.len() + (end - at) > HEADS_OCTETS_MAX {
            return self.wrong_head(Fault::TooLong(shown(element.tag.local(ahead))), at);
        }
        let start = self.keep(&ahead[at..end]);
        let element = element.moved(at, start);
        let (octets, context) = (&self.octets, &mut self.context);
        match self.levels.last().map(|level| level.kind) {
            Some(Kind::Root) | None => dialect.meaning.header(octets, &element, context),
            Some(Kind::Section) => dialect.meaning.entity(octets, &element, context),
            Some(Kind::Info) => {
                let read = dialect.meaning.head(octets, &element, context, &self.wanted);
                if let Err(fault) = read {
                    return self.refuse_all(fault, end);
                }
            }
        }
        Went::On(end)
    }

    /// Handles the start tag of a row.
    fn begin_row(&mut self, ahead: &[u8], (at, offset): Place, tag: Tag, rest: Rest) -> Went {
        let Some(dialect) = self.dialect else { return Went::Wrong(Fault::Text) };
        let name = &ahead[tag.name.clone()];
        // Only where a row has its own name is it enough to search for the end tag.
        let simple = dialect.row.filter(|row| row.as_bytes() == name);
        let found = match simple {
            Some(_) => self.row_end(ahead, (at, offset)),
            None => {
                let shown_name = shown(name);
                let is_outer = |name: &[u8]| dialect.is_section(name) || dialect.is_info(name);
                match element(ahead, tag, is_outer) {
                    Extent::Whole(element) => Some(element.end),
                    Extent::Open if rest == Rest::More => {
                        return Went::Done(Step::More { passed: at });
                    }
                    Extent::Open => return Went::Wrong(cut_off(shown_name, rest)),
                    Extent::Wrong(fault) => return Went::Wrong(fault),
                }
            }
        };
        match found {
            Some(end) if simple.is_some() && self.is_unwanted() => Went::On(end),
            Some(end) => self.row_at(ahead, at, end, offset),
            None if rest == Rest::More => Went::Done(Step::More { passed: at }),
            None => Went::Wrong(cut_off(shown(name), rest)),
        }
    }

    /// Returns whether no counter of the info that is open is read.
    fn is_unwanted(&self) -> bool {
        self.context.names.is_empty() && !self.wanted.is_all()
    }

    /// Returns where a row ends, by its end tag.
    fn row_end(&mut self, ahead: &[u8], (at, offset): Place) -> Option<usize> {
        let finder = self.row_end.as_ref()?;
        // Where rows have no ends, each search would go to the end of the octets.
        let searched =
            usize::try_from(self.no_end_before.saturating_sub(offset)).unwrap_or(usize::MAX);
        let mut from = at.max(searched.min(ahead.len()));
        while let Some(found) = finder.find(&ahead[from..]) {
            let place = from + found + finder.needle().len();
            let end = behind_blanks(ahead, place);
            if ahead.get(end) == Some(&b'>') {
                return Some(end + 1);
            }
            from = place;
        }
        let whole = ahead.len().saturating_sub(TAG_BEGINNING_OCTETS);
        self.no_end_before = self.no_end_before.max(offset + whole as u64);
        None
    }

    /// Reads the row at a place.
    fn row_at(&mut self, ahead: &[u8], at: usize, end: usize, offset: u64) -> Went {
        let Some(dialect) = self.dialect else { return Went::Wrong(Fault::Text) };
        if let (Some(entity), None) = (dialect.entity, self.context.element) {
            let section = dialect.section;
            return self.refuse_all(Fault::NoEntity { section, entity }, at);
        }
        if let Err(fault) = self.context.columns.sort() {
            return self.refuse_all(fault, at);
        }
        self.context.complete_period();
        let start = self.octets.len();
        self.octets.extend_from_slice(&ahead[at..end]);
        self.row.begin(self.context.names.len());
        let result = dialect.meaning.row(
            &self.octets,
            start,
            &mut self.context,
            &mut self.row,
            &self.wanted,
        );
        if let Err(Fault::NotClosed { .. } | Fault::TagCutOff) = &result
            && let Some(next) = self.next_row(ahead, at + 1, end)
        {
            self.octets.truncate(start);
            self.octets.extend_from_slice(&ahead[at..next]);
            self.close();
            self.was_damaged = true;
            return Went::Done(Step::Found(Found {
                offset: offset + at as u64,
                passed: next,
                result,
            }));
        }
        if result.is_ok() && self.is_unwanted() {
            self.octets.truncate(start);
            return Went::On(end);
        }
        self.was_damaged = result.is_err();
        self.close();
        Went::Done(Step::Found(Found { offset: offset + at as u64, passed: end, result }))
    }

    /// Returns where a row begins between two places.
    fn next_row(&self, ahead: &[u8], from: usize, end: usize) -> Option<usize> {
        let row = self.dialect?.row?.as_bytes();
        let mut places = memmem::find_iter(&ahead[from..end], b"<");
        places
            .find(|place| begins_with(&ahead[from + place + 1..end], row))
            .map(|place| from + place)
    }

    /// Refuses an element that is not where it belongs.
    fn misplaced_element(
        &mut self,
        ahead: &[u8],
        (at, offset): Place,
        tag: Tag,
        rest: Rest,
        around: &'static str,
    ) -> Went {
        let name = shown(tag.local(ahead));
        let fault = Fault::Misplaced { name: name.clone(), around };
        let end = match element(ahead, tag, |_| false) {
            Extent::Whole(element) => element.end,
            Extent::Open if rest == Rest::More => return Went::Done(Step::More { passed: at }),
            Extent::Open | Extent::Wrong(_) => return Went::Wrong(fault),
        };
        self.octets.extend_from_slice(&ahead[at..end]);
        self.close();
        Went::Done(Step::Found(Found {
            offset: offset + at as u64,
            passed: end,
            result: Err(fault),
        }))
    }

    /// Returns the octets of the innermost open element, which is refused, from its beginning.
    fn refused(&mut self, ahead: &[u8], at: usize, offset: u64, rest: Rest) -> Step {
        let (Some(level), Some(refused)) = (self.levels.last().copied(), self.refused.take())
        else {
            return Step::More { passed: at };
        };
        let end_tag = [b"</", self.name(&level)].concat();
        let found = memmem::find(&ahead[at..], &end_tag).map(|found| at + found);
        if found.is_none() && rest == Rest::More {
            self.refused = Some(refused);
            return Step::More { passed: at };
        }
        let end = found.unwrap_or(ahead.len());
        let begin = if refused.is_begun { offset + at as u64 } else { level.offset };
        if at == end && refused.is_begun && found.is_none() {
            return self.end(offset, at);
        }
        let result = Err(refused.fault.clone());
        self.was_damaged = true;
        self.octets.extend_from_slice(&ahead[at..end]);
        self.close();
        if found.is_none() {
            // The head is returned only once.
            self.heads = level.tag_end;
            self.refused = Some(Refused { is_begun: true, ..refused });
        }
        Step::Found(Found { offset: begin, passed: end, result })
    }

    /// Refuses the octets from a place on, up to the next row or the end of what is open.
    fn refuse(
        &mut self,
        ahead: &[u8],
        (at, from): (usize, usize),
        offset: u64,
        rest: Rest,
        fault: Fault,
    ) -> Step {
        let end = match (self.resume(ahead, from), rest) {
            (Some(next), _) => next,
            (None, Rest::Nothing) => ahead.len(),
            (None, Rest::More) if ahead.len() - at <= TAG_BEGINNING_OCTETS => {
                return Step::More { passed: at };
            }
            (None, _) => {
                self.lost = Some(fault.clone());
                let whole = ahead.len().saturating_sub(TAG_BEGINNING_OCTETS);
                if whole > at { whole } else { ahead.len() }
            }
        };
        self.was_damaged = true;
        self.octets.extend_from_slice(&ahead[at..end]);
        self.close();
        Step::Found(Found { offset: offset + at as u64, passed: end, result: Err(fault) })
    }

    /// Returns the first place from `from` on at which reading can go on.
    fn resume(&self, ahead: &[u8], from: usize) -> Option<usize> {
        if self.levels.is_empty() {
            return None;
        }
        let dialect = self.dialect?;
        let rest = ahead.get(from..)?;
        let mut places = memchr::memchr_iter(b'<', rest);
        let found = places.find(|place| {
            let tag = &rest[place + 1..];
            let (name, is_end) = match tag.strip_prefix(b"/") {
                Some(name) => (name, true),
                None => (tag, false),
            };
            let is_end_of_name =
                |octet: &u8| matches!(octet, b'>' | b'/' | b' ' | b'\t' | b'\r' | b'\n');
            let length = name.iter().take(TAG_BEGINNING_OCTETS).position(is_end_of_name);
            let Some(length) = length else { return false };
            let name = local(&name[..length]);
            if is_end { dialect.is_around(name) } else { dialect.is_outer(name) }
        });
        found.map(|place| from + place)
    }

    /// Adds the ends of what is open.
    fn close(&mut self) {
        for place in (0..self.levels.len()).rev() {
            let level = self.levels[place];
            self.octets.extend_from_slice(b"</");
            self.octets.extend_from_within(level.before + 1..level.name_end);
            self.octets.push(b'>');
        }
    }

    /// Handles the end of the file.
    fn end(&mut self, offset: u64, passed: usize) -> Step {
        let Some(outermost) = self.levels.first() else { return Step::End };
        let name = shown(&self.octets[outermost.before + 1..outermost.name_end]);
        self.levels.clear();
        self.octets.clear();
        self.heads = 0;
        let offset = offset + passed as u64;
        Step::Found(Found { offset, passed, result: Err(Fault::CutOff(name)) })
    }
}

/// An index in the octets ahead, and the offset of these in the file.
type Place = (usize, u64);

/// What became of a tag.
enum Went {
    /// Reading goes on at this place.
    On(usize),
    Done(Step),
    Wrong(Fault),
}

/// The byte-order mark of UTF-8.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// Maximum octets of the declaration of XML.
const DECLARATION_OCTETS_MAX: usize = 4096;

/// Maximum octets of the heads of a file, a section and an info together, which are in front of each row that is set aside.
/// They are enough for an info of 4,000 counters.
const HEADS_OCTETS_MAX: usize = 256 << 10;

fn cut_off(name: String, rest: Rest) -> Fault {
    match rest {
        Rest::Nothing => Fault::CutOff(name),
        Rest::More | Rest::TooMuch => Fault::TooLong(name),
    }
}

/// Returns whether a tag with this name begins here.
fn begins_with(octets: &[u8], name: &[u8]) -> bool {
    let behind = octets.strip_prefix(name).and_then(|behind| behind.first());
    behind.is_some_and(|octet| matches!(octet, b'>' | b'/' | b' ' | b'\t' | b'\r' | b'\n'))
}

impl std::fmt::Debug for Parser {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Parser")
            .field("context", &self.context)
            .field("row", &self.row)
            .finish_non_exhaustive()
    }
}
