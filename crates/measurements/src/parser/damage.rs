//! Octets that are no row, and where reading goes on behind them.

use super::{Found, Parser, Place, Refused, Rest, Step, Went};
use crate::fault::{Fault, shown};
use crate::markup::{Extent, Search, Tag, Unparsed, element, local, search};

/// Octets at the end of a part that may be the beginning of a tag, when the next row is searched for.
pub(super) const TAG_BEGINNING_OCTETS: usize = 32;

impl Parser {
    /// Refuses an element that is not where it belongs.
    pub(super) fn misplaced_element(
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

    /// Refuses all of the innermost open element. Reading goes on at `at`.
    pub(super) fn refuse_all(&mut self, fault: Fault, at: usize) -> Went {
        self.refused = Some(Refused { fault, is_begun: false });
        Went::On(at)
    }

    /// Returns the octets from a place on of the innermost open element, which is refused.
    pub(super) fn refused(&mut self, ahead: &[u8], at: usize, offset: u64, rest: Rest) -> Step {
        let (Some(level), Some(refused)) = (self.levels.last().copied(), self.refused.take())
        else {
            return Step::More { passed: at };
        };
        let end_tag = [b"/", self.name(&level)].concat();
        let found = search(ahead, at, |tag| tag.starts_with(&end_tag));
        let is_whole = matches!(found, Search::Found(_));
        let end = match rest {
            Rest::More if !is_whole => None,
            _ => self.end_of_refused(found, (at, ahead.len()), end_tag.len(), rest),
        };
        let Some(end) = end else {
            self.refused = Some(refused);
            return Step::More { passed: at };
        };
        let begin = if refused.is_begun { offset + at as u64 } else { level.offset };
        if at == end && refused.is_begun && !is_whole {
            return match rest {
                Rest::Nothing => self.end(offset, at),
                _ => {
                    self.refused = Some(refused);
                    Step::More { passed: at }
                }
            };
        }
        let result = Err(refused.fault.clone());
        self.was_damaged = true;
        self.octets.extend_from_slice(&ahead[at..end]);
        self.close();
        if !is_whole {
            // The head is returned only once.
            self.heads = level.tag_end;
            self.refused = Some(Refused { is_begun: true, ..refused });
        }
        Step::Found(Found { offset: begin, passed: end, result })
    }

    /// Refuses the octets from a place on, up to the next row or the end of what is open, which is searched for from `from` on.
    pub(super) fn refuse(
        &mut self,
        ahead: &[u8],
        (at, from): (usize, usize),
        offset: u64,
        rest: Rest,
        fault: Fault,
    ) -> Step {
        let found = self.resume(ahead, from);
        let end = self.end_of_refused(found, (at, ahead.len()), TAG_BEGINNING_OCTETS, rest);
        let end = match end.filter(|end| *end > at) {
            Some(end) => end,
            None if rest == Rest::More => return Step::More { passed: at },
            None => ahead.len(),
        };
        if !matches!((found, rest), (Search::Found(_), _) | (_, Rest::Nothing)) {
            self.lost = Some(fault.clone());
        }
        self.was_damaged = true;
        self.octets.extend_from_slice(&ahead[at..end]);
        self.close();
        Step::Found(Found { offset: offset + at as u64, passed: end, result: Err(fault) })
    }

    /// Returns where octets that are refused from `at` on end, up to what was searched for or the beginning of what may go on
    /// behind the octets: a tag of so many octets, or a comment and the like. `None` if more octets are needed first.
    fn end_of_refused(
        &mut self,
        found: Search,
        (at, length): (usize, usize),
        tag_octets: usize,
        rest: Rest,
    ) -> Option<usize> {
        let tag_octets = tag_octets.max(TAG_BEGINNING_OCTETS);
        match (found, rest) {
            (Search::Found(place), _) => Some(place),
            (_, Rest::Nothing) => Some(length),
            (Search::Nothing(behind), _) => {
                Some(behind.max(length.saturating_sub(tag_octets))).filter(|end| *end >= at)
            }
            (Search::Open(place, _), _) if place > at => Some(place),
            (Search::Open(..), Rest::More) => None,
            (Search::Open(_, unparsed), Rest::TooMuch) => {
                self.within = Some(unparsed);
                Some(length.saturating_sub(unparsed.end.len() - 1))
            }
        }
    }

    /// Refuses octets of a comment, or the like, that is too long, and began in octets that were refused.
    pub(super) fn refuse_unparsed(
        &mut self,
        unparsed: &'static Unparsed,
        ahead: &[u8],
        offset: u64,
        rest: Rest,
    ) -> Step {
        let fault = self.lost.as_ref().or(self.refused.as_ref().map(|refused| &refused.fault));
        let passed = match (unparsed.end(ahead, 0), rest) {
            (Some(end), _) => {
                self.within = None;
                end
            }
            (None, Rest::Nothing) => ahead.len(),
            // Its end may begin with the last octets.
            (None, _) => ahead.len().saturating_sub(unparsed.end.len() - 1),
        };
        match (fault.cloned(), rest) {
            (Some(fault), _) if passed > 0 => {
                self.octets.extend_from_slice(&ahead[..passed]);
                self.close();
                Step::Found(Found { offset, passed, result: Err(fault) })
            }
            (_, Rest::Nothing) => self.end(offset, 0),
            _ => Step::More { passed: 0 },
        }
    }

    /// Searches for the first place from `from` on at which reading can go on.
    pub(super) fn resume(&self, ahead: &[u8], from: usize) -> Search {
        let Some(dialect) = self.dialect.filter(|_| !self.levels.is_empty()) else {
            return Search::Nothing(0);
        };
        search(ahead, from, |tag| {
            let name = local(name_at(tag));
            match tag.first() {
                Some(b'/') => dialect.is_around(name),
                _ => dialect.is_outer(name),
            }
        })
    }

    /// Handles the end of the file.
    pub(super) fn end(&mut self, offset: u64, passed: usize) -> Step {
        (self.lost, self.refused, self.within) = (None, None, None);
        let Some(outermost) = self.levels.first() else { return Step::End };
        let name = shown(&self.octets[outermost.before + 1..outermost.name_end]);
        self.levels.clear();
        self.octets.clear();
        self.heads = 0;
        let offset = offset + passed as u64;
        Step::Found(Found { offset, passed, result: Err(Fault::CutOff(name)) })
    }
}

/// Returns the fault of an element that has no end.
pub(super) fn cut_off(name: String, rest: Rest) -> Fault {
    match rest {
        Rest::Nothing => Fault::CutOff(name),
        Rest::More | Rest::TooMuch => Fault::TooLong(name),
    }
}

/// Returns the name in a tag that begins so, behind its `<`: nothing if its end is not there.
pub(super) fn name_at(tag: &[u8]) -> &[u8] {
    let name = tag.strip_prefix(b"/").unwrap_or(tag);
    let is_end = |octet: &u8| matches!(octet, b'>' | b'/' | b' ' | b'\t' | b'\r' | b'\n');
    let length = name.iter().take(TAG_BEGINNING_OCTETS).position(is_end);
    &name[..length.unwrap_or(0)]
}
