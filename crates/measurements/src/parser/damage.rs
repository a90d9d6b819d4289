//! Octets that are no row, and where reading goes on behind them.

use memchr::memmem;

use super::{Found, Parser, Place, Refused, Rest, Step, Went};
use crate::fault::{Fault, shown};
use crate::markup::{Extent, Tag, element, local};

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

    /// Returns the octets of the innermost open element, which is refused, from its beginning.
    pub(super) fn refused(&mut self, ahead: &[u8], at: usize, offset: u64, rest: Rest) -> Step {
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
        // The end tag may begin with the last octets.
        let kept = if rest == Rest::Nothing { 0 } else { end_tag.len() - 1 };
        let end = found.unwrap_or(ahead.len().saturating_sub(kept));
        if end < at {
            self.refused = Some(refused);
            return Step::More { passed: at };
        }
        let begin = if refused.is_begun { offset + at as u64 } else { level.offset };
        if at == end && refused.is_begun && found.is_none() {
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
        if found.is_none() {
            // The head is returned only once.
            self.heads = level.tag_end;
            self.refused = Some(Refused { is_begun: true, ..refused });
        }
        Step::Found(Found { offset: begin, passed: end, result })
    }

    /// Refuses the octets from a place on, up to the next row or the end of what is open.
    pub(super) fn refuse(
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
    pub(super) fn resume(&self, ahead: &[u8], from: usize) -> Option<usize> {
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

    /// Handles the end of the file.
    pub(super) fn end(&mut self, offset: u64, passed: usize) -> Step {
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

/// Returns whether a tag with this name begins here.
pub(super) fn begins_with(octets: &[u8], name: &[u8]) -> bool {
    let behind = octets.strip_prefix(name).and_then(|behind| behind.first());
    behind.is_some_and(|octet| matches!(octet, b'>' | b'/' | b' ' | b'\t' | b'\r' | b'\n'))
}
