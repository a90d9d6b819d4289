//! Rows: where they end, and what is in them.

use memchr::memmem;

use super::damage::{TAG_BEGINNING_OCTETS, begins_with, cut_off};
use super::{Found, Parser, Place, Rest, Step, Went};
use crate::fault::{Fault, shown};
use crate::markup::{Extent, Tag, behind_blanks, element};

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
            Some(end)
                if self.shares_end(at, offset)
                    && let Some(next) = self.next_row(ahead, at + 1, end) =>
            {
                let fault = Fault::NotClosed { name: shown(name), next: shown(name) };
                let start = self.octets.len();
                self.cut_row(ahead, (at, offset), (start, next), fault)
            }
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

    /// Returns a row that has no end before the next one.
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

    /// Reads the row at a place.
    pub(super) fn row_at(&mut self, ahead: &[u8], at: usize, end: usize, offset: u64) -> Went {
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
        let result = dialect.meaning.row(
            &self.octets,
            start,
            &mut self.context,
            &mut self.row,
            &self.wanted,
        );
        if let Err(fault @ (Fault::NotClosed { .. } | Fault::TagCutOff)) = &result
            && let Some(next) = self.next_row(ahead, at + 1, end)
        {
            self.row_ends_at = offset + end as u64;
            return self.cut_row(ahead, (at, offset), (start, next), fault.clone());
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
}
