//! Finds the rows of a file in octets that arrive in parts.

mod damage;
mod heads;
mod levels;
mod rows;

use std::ops::Range;

use memchr::memmem;

use crate::context::Context;
use crate::dialect::Dialect;
use crate::fault::{Fault, shown};
use crate::markup::{
    Element, Extent, Markup, Search, Tag, Unparsed, behind_blanks, element, is_declaration, markup,
};
use crate::row::Row;
use crate::wanted::Wanted;

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
    /// The byte-order mark, the declaration and the heads of what is open, and the current row with the ends of these.
    octets: Vec<u8>,
    /// The number of octets of the heads.
    heads: usize,
    /// The number of changes of the heads, and of what is known from them.
    changes: u64,
    /// The open elements that rows are in, outermost first.
    levels: Vec<Level>,
    /// Why the innermost open element is refused, all of it.
    refused: Option<Refused>,
    /// Searches for the end tag of a row.
    row_end: Option<memmem::Finder<'static>>,
    /// Why the octets up to the next row are none.
    lost: Option<Fault>,
    /// The comment, or the like, that goes on behind octets that were refused: it is too long.
    within: Option<&'static Unparsed>,
    /// Whether the last octets were refused, so that an element that does not end is no news.
    was_damaged: bool,
    /// The offset up to which no row ends.
    no_end_before: u64,
    /// The offset behind the end tag that rows before it share: all but the last of them have none of their own.
    row_ends_at: u64,
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
            changes: 0,
            levels: Vec::new(),
            refused: None,
            row_end: None,
            lost: None,
            was_damaged: false,
            no_end_before: 0,
            within: None,
            row_ends_at: 0,
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

    /// Returns a number that is another one whenever the [context](Self::context) may be: what is made of the context once holds
    /// for all rows with the same number.
    pub fn context_number(&self) -> u64 {
        self.changes
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
        if let Some(unparsed) = self.within {
            return self.refuse_unparsed(unparsed, ahead, offset, rest);
        }
        if let Some(fault) = self.lost.take() {
            if ahead.is_empty() && rest == Rest::Nothing {
                return self.end(offset, 0);
            }
            if self.resume(ahead, 0) != Search::Found(0) {
                let step = self.refuse(ahead, (0, 0), offset, rest, fault.clone());
                if let Step::More { .. } = step {
                    self.lost = Some(fault);
                }
                return step;
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
            // Only what begins with the octets may be too long: others have room once these are passed.
            let rest = if rest == Rest::TooMuch && at > 0 { Rest::More } else { rest };
            let wrong = match first {
                b'<' if let Some(end) = self.counter(ahead, at) => {
                    at = end;
                    continue;
                }
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
                    // A row is read in the encoding of its file, and the mark counts more than a declaration.
                    at = self.keep(MARK) + MARK.len();
                    continue;
                }
                _ => Fault::Text,
            };
            // What is refused begins here, and is searched no more, but comments and the like are stepped over.
            let from = at + usize::from(Unparsed::at(ahead, at).is_none());
            return self.refuse(ahead, (at, from), offset, rest, wrong);
        }
    }

    /// Keeps the declaration of XML, which names the encoding, and counts one that is elsewhere.
    fn note_declaration(&mut self, octets: &[u8], offset: u64) {
        if !is_declaration(octets) || !self.levels.is_empty() {
            return;
        }
        let is_first = matches!(self.octets.as_slice(), b"" | MARK);
        if !is_first || offset > self.octets.len() as u64 {
            self.misplaced += octets.len() as u64;
        }
        if is_first && octets.len() <= DECLARATION_OCTETS_MAX {
            self.keep(octets);
        }
    }

    fn tag(&mut self, ahead: &[u8], place: Place, tag: Markup, rest: Rest) -> Went {
        match tag {
            Markup::Start(tag) => self.begin(ahead, place, tag, rest),
            Markup::Empty(tag) => self.begin_empty(ahead, place, tag),
            Markup::End(tag) => self.leave(ahead, place, &tag),
            _ => Went::Wrong(Fault::Text),
        }
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
            return match self.enter(Kind::Root, ahead, (at, offset), &tag) {
                Ok(_) => Went::On(end),
                Err(fault) => Went::Wrong(fault),
            };
        };
        let Some(dialect) = self.dialect else { return Went::Wrong(Fault::Text) };
        match kind {
            Kind::Root if dialect.is_section(name) => {
                let end = tag.end;
                let own = match self.enter(Kind::Section, ahead, (at, offset), &tag) {
                    Ok(own) => own,
                    Err(fault) => return Went::Wrong(fault),
                };
                let octets = &self.octets;
                // A section whose period cannot be read has no info that can.
                match dialect.meaning.section(octets, &own, &mut self.context) {
                    Ok(()) => Went::On(end),
                    Err(fault) => self.refuse_all(fault, end),
                }
            }
            Kind::Section if dialect.is_info(name) => {
                let end = tag.end;
                let own = match self.enter(Kind::Info, ahead, (at, offset), &tag) {
                    Ok(own) => own,
                    Err(fault) => return Went::Wrong(fault),
                };
                dialect.meaning.info(&self.octets, &own, &mut self.context);
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
                self.row_at(ahead, (at, end), offset, None)
            }
            _ if dialect.is_outer(name) => Went::On(tag.end),
            _ => {
                let (content, end) = (tag.end..tag.end, tag.end);
                self.head(dialect, ahead, at, Element { tag, content, end })
            }
        }
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

impl std::fmt::Debug for Parser {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Parser")
            .field("context", &self.context)
            .field("row", &self.row)
            .finish_non_exhaustive()
    }
}
