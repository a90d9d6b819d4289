//! Constructed encodings of types without components (X.690, 8.6.4, 8.7.3 and 8.23.6). Strings may be split into
//! segments; no other type may. A constructed INTEGER is really a structure under the wrong tag: concatenating its
//! elements would invent a number that was never sent.

use record::{Kind, TimeKind};

use super::header::{Header, INDEFINITE, Reason, TagText, header, key, skip};
use crate::encoding::{Class, universal_tag};
use crate::limits::DEPTH_MAX;

const OCTET_STRING: u32 = key(Class::Universal, 4);

/// The segments that the encoding of a type without components may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segments {
    /// Key of the type's universal tag.
    own: u32,
    form: SegmentForm,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SegmentForm {
    /// Segments are not allowed.
    None,
    /// Each segment contains octets of the value.
    Octets,
    /// Each segment contains an unused-bit count and bits.
    Bits,
}

impl Segments {
    /// Returns the segments allowed for a type without components.
    pub(crate) fn of(kind: &Kind) -> Self {
        let form = match kind {
            Kind::BitString { .. } => SegmentForm::Bits,
            Kind::OctetString | Kind::Text(_) => SegmentForm::Octets,
            Kind::Time(TimeKind::Utc | TimeKind::Generalized) => SegmentForm::Octets,
            _ => SegmentForm::None,
        };
        Segments { own: key(Class::Universal, universal_tag(kind).unwrap_or(0)), form }
    }

    /// Returns whether segments are allowed.
    pub(crate) fn is_string(&self) -> bool {
        self.form != SegmentForm::None
    }

    /// Joins the segments from `at` to `end` and appends the value to `out`. Errors carry their offset.
    pub(super) fn join(
        &self,
        octets: &[u8],
        (at, end): (usize, usize),
        out: &mut Vec<u8>,
    ) -> Result<(), (usize, Reason)> {
        let unused = (self.form == SegmentForm::Bits).then_some(out.len());
        if unused.is_some() {
            out.push(0);
        }
        Joining { segments: *self, octets, unused, out }.join(at, end, 0)
    }

    /// Returns the value inside the universal tag at `at`. This happens if the sender tagged EXPLICIT where the module
    /// says IMPLICIT.
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

    /// Returns whether a segment may have this tag: the type's own tag, or OCTET STRING for every string except BIT
    /// STRING. The examples in X.690 use OCTET STRING.
    fn is_segment(&self, key: u32) -> bool {
        key == self.own || (key == OCTET_STRING && self.form == SegmentForm::Octets)
    }
}

struct Joining<'j> {
    segments: Segments,
    octets: &'j [u8],
    /// For BIT STRING: where the unused-bit count is. Only the last segment may have unused bits.
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

    /// Appends the contents of one segment.
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
