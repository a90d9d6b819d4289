//! Rows: where they end, and what is in them.

use memchr::memchr2;

use super::damage::{TAG_BEGINNING_OCTETS, cut_off, name_at};
use super::{Found, Parser, Place, Rest, Step, Went};
use crate::fault::{Fault, shown};
use crate::markup::{Extent, Search, Tag, behind_blanks, element};

impl Parser {
    /// Handles the start tag of a row.
    pub(super) fn begin_row(
        &mut self,
        ahead: &[u8],
        (at, offset): Place,
        tag: Tag,
        rest: Rest,
    ) -> Went {
        let Some(dialect) = self.dialect else { return Went::Wrong(Fault::Text) };
        let name = &ahead[tag.name.clone()];
        // Only where a row has its own name is it enough to search for the end tag.
        if dialect.row.is_none_or(|row| row.as_bytes() != name) {
            return self.walk(ahead, (at, offset), tag, rest);
        }
        let Some(end) = self.row_end(ahead, (at, offset)) else {
            return match rest {
                Rest::More => Went::Done(Step::More { passed: at }),
                _ => Went::Wrong(cut_off(shown(name), rest)),
            };
        };
        if self.shares_end(at, offset) {
            match self.resume(&ahead[..end], at + 1) {
                Search::Found(next) => {
                    let next_name = shown(name_at(&ahead[next + 1..]));
                    let fault = Fault::NotClosed { name: shown(name), next: next_name };
                    let start = self.octets.len();
                    return self.cut_row(ahead, (at, offset), (start, next), fault);
                }
                Search::Open(..) => return self.walk(ahead, (at, offset), tag, rest),
                Search::Nothing(_) => {}
            }
        }
        if !self.is_unwanted() {
            return self.row_at(ahead, (at, end), offset, Some((tag, rest)));
        }
        // The end tag may be part of a comment, or the like.
        match memchr2(b'!', b'?', &ahead[at..end]) {
            Some(_) => self.walk(ahead, (at, offset), tag, rest),
            None => Went::On(end),
        }
    }

    /// Handles the start tag of a row whose end is searched for from tag to tag: comments in it may have end tags in them.
    fn walk(&mut self, ahead: &[u8], (at, offset): Place, tag: Tag, rest: Rest) -> Went {
        let Some(dialect) = self.dialect else { return Went::Wrong(Fault::Text) };
        let name = tag.name.clone();
        match element(ahead, tag, |name| dialect.is_outer(name)) {
            Extent::Whole(element) if dialect.row.is_some() && self.is_unwanted() => {
                Went::On(element.end)
            }
            Extent::Whole(element) => self.row_at(ahead, (at, element.end), offset, None),
            Extent::Open if rest == Rest::More => Went::Done(Step::More { passed: at }),
            Extent::Open => Went::Wrong(cut_off(shown(&ahead[name]), rest)),
            Extent::Wrong(fault) => Went::Wrong(fault),
        }
    }

    /// Returns whether no counter of the info that is open is read.
    fn is_unwanted(&self) -> bool {
        self.context.names.is_empty() && !self.wanted.is_all()
    }

    /// Returns where a row ends, by its end tag.
    fn row_end(&mut self, ahead: &[u8], (at, offset): Place) -> Option<usize> {
        let finder = self.row_end.as_ref()?;
        if self.shares_end(at, offset) {
            let end = usize::try_from(self.row_ends_at - offset).ok()?;
            return Some(end).filter(|end| *end <= ahead.len());
        }
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

    /// Returns whether the end is known that would be that of a row at a place: a row before it has none of its own.
    fn shares_end(&self, at: usize, offset: u64) -> bool {
        offset + (at as u64) < self.row_ends_at
    }

    /// Returns a row that has no end before the next one, or before that of its info.
    fn cut_row(
        &mut self,
        ahead: &[u8],
        (at, offset): Place,
        (start, next): (usize, usize),
        fault: Fault,
    ) -> Went {
        self.octets.truncate(start);
        self.octets.extend_from_slice(&ahead[at..next]);
        self.close();
        self.was_damaged = true;
        let offset = offset + at as u64;
        Went::Done(Step::Found(Found { offset, passed: next, result: Err(fault) }))
    }

    /// Reads the row between two places. Its start tag is given if the end is only that of the next end tag, which may be that
    /// of another row, or within a comment.
    pub(super) fn row_at(
        &mut self,
        ahead: &[u8],
        (at, end): (usize, usize),
        offset: u64,
        start_tag: Option<(Tag, Rest)>,
    ) -> Went {
        let Some(dialect) = self.dialect else { return Went::Wrong(Fault::Text) };
        if let (Some(entity), false) = (dialect.entity, self.context.has_entity) {
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
        // Rows with names of their own have counters of their own, too.
        self.changes += u64::from(dialect.row.is_none());
        let result = dialect.meaning.row(
            &self.octets,
            start,
            &mut self.context,
            &mut self.row,
            &self.wanted,
        );
        if let (Err(fault), Some((tag, rest))) = (&result, start_tag) {
            match self.resume(&ahead[..end], at + 1) {
                Search::Found(next) => {
                    self.row_ends_at = offset + end as u64;
                    return self.cut_row(ahead, (at, offset), (start, next), fault.clone());
                }
                Search::Open(..) => {
                    self.octets.truncate(start);
                    return self.walk(ahead, (at, offset), tag, rest);
                }
                Search::Nothing(_) => {}
            }
        }
        if result.is_ok() && self.is_unwanted() {
            self.octets.truncate(start);
            return Went::On(end);
        }
        self.was_damaged = result.is_err();
        self.close();
        Went::Done(Step::Found(Found { offset: offset + at as u64, passed: end, result }))
    }
}
