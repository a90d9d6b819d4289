//! The elements before rows: headers, network elements, periods, names of counters.

use super::damage::cut_off;
use super::{Kind, Parser, Refused, Rest, Step, Went};
use crate::dialect::Dialect;
use crate::fault::{Fault, shown};
use crate::markup::{Element, Extent, Tag, element};
use crate::text::Text;

/// Maximum octets of the heads of a file, a section and an info together, which are in front of each row that is set aside.
/// They are enough for an info of 4,000 counters.
pub(super) const HEADS_OCTETS_MAX: usize = 256 << 10;

impl Parser {
    /// Handles the start tag of an element that is part of a head.
    pub(super) fn begin_head(&mut self, ahead: &[u8], at: usize, tag: Tag, rest: Rest) -> Went {
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
    pub(super) fn head(
        &mut self,
        dialect: &Dialect,
        ahead: &[u8],
        at: usize,
        element: Element,
    ) -> Went {
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

    /// Reads an element that names a counter, if it is as usual. Returns the place after it.
    #[inline]
    pub(super) fn counter(&mut self, ahead: &[u8], at: usize) -> Option<usize> {
        let meaning = self.dialect.filter(|_| self.kind() == Some(Kind::Info))?.meaning;
        let counter = meaning.counter(ahead, at)?;
        if self.octets.len() + (counter.end - at) > HEADS_OCTETS_MAX {
            return None;
        }
        let start = self.keep(&ahead[at..counter.end]);
        let moved = |place: usize| place - at + start;
        let (begin, end) = (moved(counter.name.start), moved(counter.name.end));
        let name = Text::unescaped(&self.octets, begin, end);
        let added = self.context.add(&self.octets, name, counter.number, &self.wanted);
        match added {
            Ok(()) => Some(counter.end),
            Err(fault) => {
                self.refused = Some(Refused { fault, is_begun: false });
                Some(counter.end)
            }
        }
    }
}
