//! Values without components that come as elements all the same (X.690, 8.6.4, 8.7.3 and 8.23.6): strings may, in
//! segments; nothing else may. An INTEGER of elements is what a structure under its tag looks like, and what its
//! elements say put together is no number that anyone sent.

use record::{Kind, TimeKind};

use super::header::{Header, INDEFINITE, Reason, TagText, header, key, skip};
use crate::encoding::{Class, universal_tag};
use crate::limits::DEPTH_MAX;

const OCTET_STRING: u32 = key(Class::Universal, 4);

/// What a value without components may be made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segments {
    /// The key of its universal tag.
    own: u32,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// There are no segments.
    None,
    /// Each has octets of the value.
    Octets,
    /// Each has the number of its unused bits, and bits.
    Bits,
}

impl Segments {
    /// What values of a kind without components may be made of.
    pub(crate) fn of(kind: &Kind) -> Self {
        let form = match kind {
            Kind::BitString { .. } => Form::Bits,
            Kind::OctetString | Kind::Text(_) => Form::Octets,
            Kind::Time(TimeKind::Utc | TimeKind::Generalized) => Form::Octets,
            _ => Form::None,
        };
        Segments { own: key(Class::Universal, universal_tag(kind).unwrap_or(0)), form }
    }

    /// Whether there may be segments.
    pub(crate) fn is_string(&self) -> bool {
        self.form != Form::None
    }

    /// Appends to `out` what the segments from `at` to `end` have, which are put together so. What is wrong is
    /// told with its place.
    pub(super) fn join(
        &self,
        octets: &[u8],
        (at, end): (usize, usize),
        out: &mut Vec<u8>,
    ) -> Result<(), (usize, Reason)> {
        let unused = (self.form == Form::Bits).then_some(out.len());
        if unused.is_some() {
            out.push(0);
        }
        Joining { segments: *self, octets, unused, out }.join(at, end, 0)
    }

    /// The value behind its own universal tag that begins at `at`, within the tag that should have replaced that:
    /// it was tagged EXPLICIT where the module says IMPLICIT.
    pub(super) fn retagged(
        &self,
        octets: &[u8],
        at: usize,
        limit: usize,
    ) -> Result<Header, (usize, Reason)> {
        let inner = header(octets, at, limit).map_err(|reason| (at, reason))?;
        match inner.key == self.own && !inner.constructed {
            true => Ok(inner),
            false => Err((at, Reason::ElementsWithin(TagText(inner.key)))),
        }
    }

    /// Whether a segment may have this tag: its type's own, and in all strings but those of bits that of an OCTET
    /// STRING, which X.690 has in its examples.
    fn is_segment(&self, key: u32) -> bool {
        key == self.own || (key == OCTET_STRING && self.form == Form::Octets)
    }
}

/// Segments being put together.
struct Joining<'j> {
    segments: Segments,
    octets: &'j [u8],
    /// Of bits: where their number stands that are unused, which is that of the last segment.
    unused: Option<usize>,
    out: &'j mut Vec<u8>,
}

impl Joining<'_> {
    fn join(&mut self, mut at: usize, end: usize, depth: u32) -> Result<(), (usize, Reason)> {
        if depth > DEPTH_MAX {
            return Err((at, Reason::TooDeep));
        }
        while at < end {
            let found = header(self.octets, at, end).map_err(|reason| (at, reason))?;
            if !self.segments.is_segment(found.key) {
                return Err((at, Reason::ElementsWithin(TagText(found.key))));
            }
            let next = skip(self.octets, found.start, found.end, end, depth)
                .map_err(|reason| (at, reason))?;
            let content_end = if found.end == INDEFINITE { next - 2 } else { next };
            match found.constructed {
                true => self.join(found.start, content_end, depth + 1)?,
                false => self.append(found.start, content_end).map_err(|reason| (at, reason))?,
            }
            at = next;
        }
        Ok(())
    }

    /// Appends what one segment has.
    fn append(&mut self, start: usize, end: usize) -> Result<(), Reason> {
        let segment = &self.octets[start..end];
        let Some(place) = self.unused else {
            self.out.extend_from_slice(segment);
            return Ok(());
        };
        let [unused, bits @ ..] = segment else { return Err(Reason::UnusedCount) };
        if *unused > 7 || (*unused > 0 && bits.is_empty()) {
            return Err(Reason::UnusedCount);
        }
        if self.out[place] != 0 {
            return Err(Reason::UnusedBits);
        }
        self.out[place] = *unused;
        self.out.extend_from_slice(bits);
        Ok(())
    }
}
