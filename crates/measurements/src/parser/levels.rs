//! The open elements that rows are in, and their heads.

use super::heads::HEADS_OCTETS_MAX;
use super::{Found, Kind, Level, Parser, Place, Step, Went};
use crate::context::Context;
use crate::fault::{Fault, shown};
use crate::markup::Tag;

impl Parser {
    pub(super) fn kind(&self) -> Option<Kind> {
        self.levels.last().map(|level| level.kind)
    }

    /// Adds octets to the heads.
    pub(super) fn keep(&mut self, octets: &[u8]) -> usize {
        let start = self.octets.len();
        self.octets.extend_from_slice(octets);
        self.heads = self.octets.len();
        self.changes += 1;
        start
    }

    /// Returns the name of an open element with its prefix.
    pub(super) fn name(&self, level: &Level) -> &[u8] {
        &self.octets[level.before + 1..level.name_end]
    }

    pub(super) fn enter(
        &mut self,
        kind: Kind,
        ahead: &[u8],
        (at, offset): Place,
        tag: &Tag,
    ) -> Result<Tag, Fault> {
        if self.octets.len() + (tag.end - at) > HEADS_OCTETS_MAX {
            return Err(Fault::TooLong(shown(tag.local(ahead))));
        }
        let before = self.keep(&ahead[at..tag.end]);
        let own = tag.clone().moved(at, before);
        let offset = offset + at as u64;
        self.levels.push(Level { kind, offset, before, name_end: own.name.end, tag_end: own.end });
        self.was_damaged = false;
        Ok(own)
    }

    /// Ends the element with this end tag.
    pub(super) fn leave(&mut self, ahead: &[u8], place: Place, tag: &Tag) -> Went {
        let name = &ahead[tag.name.clone()];
        let Some(innermost) = self.levels.last() else {
            return Went::Wrong(Fault::NotOpen(shown(name)));
        };
        let found = self.levels.iter().rposition(|level| self.name(level) == name);
        if found.is_some_and(|level| level + 1 == self.levels.len()) {
            self.leave_to(self.levels.len() - 1);
            return Went::On(tag.end);
        }
        let crossed = Fault::Crossed { name: shown(name), open: shown(self.name(innermost)) };
        match found {
            None => Went::Wrong(crossed),
            Some(level) => self.leave_unclosed(place, level + 1, crossed),
        }
    }

    /// Ends all but the outer `levels` before an element that cannot be within them.
    pub(super) fn leave_before(&mut self, place: Place, levels: usize, next: &[u8]) -> Went {
        let open = self.levels.last().map(|level| shown(self.name(level)));
        let fault = Fault::NotClosed { name: open.unwrap_or_default(), next: shown(next) };
        self.leave_unclosed(place, levels, fault)
    }

    /// Ends elements that have no end of their own. It is reported once, and not after other damage.
    pub(super) fn leave_unclosed(
        &mut self,
        (at, offset): Place,
        levels: usize,
        fault: Fault,
    ) -> Went {
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
        self.changes += 1;
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

    /// Adds the ends of what is open.
    pub(super) fn close(&mut self) {
        for place in (0..self.levels.len()).rev() {
            let level = self.levels[place];
            self.octets.extend_from_slice(b"</");
            self.octets.extend_from_within(level.before + 1..level.name_end);
            self.octets.push(b'>');
        }
    }
}
