//! Takes a record's octets apart for display: every element with its tag, its octets and its value, including elements
//! that the module does not define. With damage, it shows the parts up to there.
//!
//! This is a separate walk from the decoder's, which must be fast and drops what it found when it fails. Tests check
//! that both agree on what a record is.

use record::part::{PARTS_MAX, VALUE_OCTETS_MAX};
use record::{Anatomy, Kind, Part, TextKind, TypeId};

use super::around::{Around, ExplainedError, tags};
use super::decode::DecodeError;
use super::header::{END_OF_CONTENTS, Header, INDEFINITE, Reason, TagText, header, skip};
use super::segments::Segments;
use crate::Plan;
use crate::jer;
use crate::limits::DEPTH_MAX;
use crate::plan::{Components, Element, Node};

/// Takes apart the record at the beginning of some octets.
pub fn take_apart(plan: &Plan, ty: TypeId, octets: &[u8]) -> Anatomy {
    let mut cutting = Cutting::of(plan, octets);
    let part = cutting.record(&plan.root(ty));
    let damage = cutting.damage;
    Anatomy {
        parts: part.into_iter().collect(),
        damage: damage.map(|(at, reason)| (at, cutting.around.explained(plan, reason).to_string())),
        is_cut: cutting.is_cut,
    }
}

/// Explains a decode error: what was found where the error occurred and what was expected there.
pub(super) fn explained(
    plan: &Plan,
    root: &Element,
    octets: &[u8],
    error: DecodeError,
) -> ExplainedError {
    let mut cutting = Cutting::of(plan, octets);
    cutting.record(root);
    let DecodeError { offset, reason } = error;
    match cutting.damage {
        Some((at, _)) if at == offset => {
            let explanation = cutting.around.explained(plan, reason);
            ExplainedError { offset, explanation }
        }
        _ => ExplainedError::of(error),
    }
}

/// The type name and kind of a value of unknown type.
const UNKNOWN: (&str, &Kind) = ("", &Kind::OctetString);

struct Cutting<'c> {
    plan: &'c Plan,
    octets: &'c [u8],
    /// How many parts may still be returned. After that it reads on, only to find damage.
    left: usize,
    is_cut: bool,
    damage: Option<(usize, Reason)>,
    /// The values that enclose the damage.
    around: Around,
}

/// A part as far as it could be read, and its end. After damage, the rest has no meaning.
type Cut = (Option<Part>, usize);

impl<'c> Cutting<'c> {
    fn of(plan: &'c Plan, octets: &'c [u8]) -> Self {
        let (left, around) = (PARTS_MAX, Around::default());
        Cutting { plan, octets, left, is_cut: false, damage: None, around }
    }

    fn record(&mut self, root: &Element) -> Option<Part> {
        let name = self.plan.schema().shown(root.ty);
        self.known(name, root, 0, self.octets.len(), 0).0
    }

    fn damaged<T>(&mut self, at: usize, reason: Reason) -> Option<T> {
        self.damage.get_or_insert((at, reason));
        None
    }

    fn header(&mut self, at: usize, limit: usize) -> Option<Header> {
        match header(self.octets, at, limit) {
            Ok(found) => Some(found),
            Err(reason) => self.damaged(at, reason),
        }
    }

    /// Returns whether one more part may be returned, and counts it.
    fn has_room(&mut self) -> bool {
        self.is_cut |= self.left == 0;
        let has_room = self.left > 0;
        self.left = self.left.saturating_sub(1);
        has_room
    }

    /// Reads a value that the module defines.
    fn known(
        &mut self,
        name: String,
        element: &Element,
        at: usize,
        limit: usize,
        depth: u32,
    ) -> Cut {
        let shown = name.clone();
        let cut = self.tagged_value(name, element, at, limit, depth);
        if self.damage.is_some() {
            self.around.add(shown, element);
        }
        cut
    }

    fn tagged_value(
        &mut self,
        name: String,
        element: &Element,
        at: usize,
        limit: usize,
        depth: u32,
    ) -> Cut {
        let (plan, ty, has_room) = (self.plan, element.ty, self.has_room());
        let node = plan.node(ty);
        let own = usize::from(!node.has_own_header());
        let (around, own) = element.keys.split_at(element.keys.len().saturating_sub(own));
        let mark = Some(tags(element)).filter(|mark| !mark.is_empty());
        let ty = plan.schema().shown(ty);
        let mut part = Part { name, ty, mark, place: at..at, content: at..at, ..Part::default() };
        // The outer tags, outermost first, and where each ends.
        let (mut begin, mut within, mut ends) = (at, limit, Vec::new());
        for key in around {
            let Some(outer) = self.tagged(*key, begin, within) else {
                return (broken(part, begin).filter(|_| has_room), begin);
            };
            if !outer.constructed {
                self.damaged::<()>(begin, Reason::PrimitiveStructure);
                return (broken(part, begin).filter(|_| has_room), begin);
            }
            ends.push(outer.end);
            (begin, within) = (outer.start, outer.end.min(within));
        }
        let mut end = self.inside(&mut part, element, own.first().copied(), (begin, within), depth);
        for outer in ends.into_iter().rev() {
            if self.damage.is_some() {
                break;
            }
            end = self.filled(outer, end, limit);
        }
        part.place = at..end;
        (Some(part).filter(|_| has_room), end)
    }

    /// Reads the value inside its outer tags. Returns its end.
    fn inside(
        &mut self,
        part: &mut Part,
        element: &Element,
        key: Option<u32>,
        (begin, limit): (usize, usize),
        depth: u32,
    ) -> usize {
        let plan = self.plan;
        let record::Type { name, kind } = plan.schema().get(element.ty);
        let found = match key {
            Some(key) => self.tagged(key, begin, limit),
            None => self.header(begin, limit),
        };
        let Some(found) = found else {
            part.content = begin..begin;
            return begin;
        };
        match plan.node(element.ty) {
            Node::Choice(components) | Node::ClosedChoice(components) => {
                let end = self.alternative(part, components, kind, &found, (begin, limit), depth);
                part.content = begin..end;
                end
            }
            Node::Open | Node::Closed => {
                let end = self.unknown_within(part, &found, limit, depth);
                part.content = begin..end;
                end
            }
            Node::Structure(components) => self.constructed(
                part,
                &found,
                begin,
                limit,
                depth,
                |cutting, parts, bound, depth| {
                    cutting.components(parts, components, kind, bound, depth)
                },
            ),
            Node::List(inner) => self.constructed(
                part,
                &found,
                begin,
                limit,
                depth,
                |cutting, parts, bound, depth| {
                    let mut position = 0;
                    cutting.each(bound, |cutting, at, limit, _| {
                        let name = format!("[{position}]");
                        position += 1;
                        let (part, end) = cutting.known(name, inner, at, limit, depth);
                        parts.extend(part);
                        end
                    })
                },
            ),
            Node::Primitive(_) if !found.constructed => {
                part.content = found.start..found.end;
                self.say(part, (name, kind), &self.octets[found.start..found.end]);
                found.end
            }
            Node::Primitive(segments) if segments.is_string() => {
                match self.joined(segments, &found, limit) {
                    Ok(joined) => {
                        let end = self.unknown_within(part, &found, limit, depth);
                        self.say(part, (name, kind), &joined);
                        end
                    }
                    Err((at, reason)) => {
                        self.damaged::<()>(at, reason);
                        begin
                    }
                }
            }
            Node::Primitive(segments) => {
                let inner = segments.retagged(self.octets, found.start, found.end.min(limit));
                match inner {
                    Ok(inner) => {
                        part.content = inner.start..inner.end;
                        self.say(part, (name, kind), &self.octets[inner.start..inner.end]);
                        self.filled(found.end, inner.end, limit)
                    }
                    Err((at, reason)) => {
                        self.damaged::<()>(at, reason);
                        begin
                    }
                }
            }
        }
    }

    /// Describes the contents of a segmented string.
    fn joined(
        &self,
        segments: &Segments,
        found: &Header,
        limit: usize,
    ) -> Result<Vec<u8>, (usize, Reason)> {
        let (start, mut joined) = (found.start, Vec::new());
        let end =
            skip(self.octets, start, found.end, limit, 0).map_err(|reason| (start, reason))?;
        let content_end = if found.end == INDEFINITE { end - 2 } else { end };
        segments.join(self.octets, (start, content_end), &mut joined)?;
        Ok(joined)
    }

    /// Reads the value of a CHOICE, whose header was read.
    fn alternative(
        &mut self,
        part: &mut Part,
        components: &Components,
        kind: &Kind,
        found: &Header,
        (begin, limit): (usize, usize),
        depth: u32,
    ) -> usize {
        let Some(place) = components.find(found.key, 0) else {
            self.damaged::<()>(begin, Reason::UnexpectedTag(TagText(found.key)));
            return begin;
        };
        if self.is_too_deep(begin, depth) {
            return begin;
        }
        let name = kind.fields()[place].name.clone();
        let (value, end) = self.known(name, &components.elements[place], begin, limit, depth + 1);
        part.parts.extend(value);
        end
    }

    fn components(
        &mut self,
        parts: &mut Vec<Part>,
        components: &Components,
        kind: &Kind,
        bound: PartBound,
        depth: u32,
    ) -> usize {
        let (plan, mut next) = (self.plan, 0);
        // By component: its octets, for open types that it selects the type of.
        let mut contents = vec![None; components.elements.len()];
        let mut stands = vec![false; components.elements.len()];
        self.each(bound, |cutting, at, limit, found| {
            let Some(place) = components.find(found.key, next) else {
                if found.key == END_OF_CONTENTS {
                    cutting.damaged::<()>(at, Reason::StrayEndOfContents);
                    return at;
                }
                let (part, end) = cutting.unknown(at, limit, depth);
                parts.extend(part);
                return end;
            };
            next = place + 1;
            let is_there = std::mem::replace(&mut stands[place], true);
            let (element, name) = (&components.elements[place], kind.fields()[place].name.clone());
            if is_there {
                cutting.damaged::<()>(at, Reason::Twice);
                cutting.around.add(name, element);
                return at;
            }
            let (part, end) = cutting.known(name, element, at, limit, depth);
            let Some(mut part) = part else { return end };
            contents[place] = Some(part.content.clone());
            let selects = plan.selector(element.ty).and_then(|place| contents[place].clone());
            if let Some(contained) =
                selects.and_then(|key| plan.contained(element.ty, &cutting.octets[key]))
            {
                cutting.open(&mut part, &contained, depth);
            }
            parts.push(part);
            end
        })
    }

    /// Shows the value of an open type as the type of a table, if the octets fit it.
    fn open(&mut self, part: &mut Part, contained: &Element, depth: u32) {
        let damage = self.damage.take();
        let content = part.content.clone();
        let name = self.plan.schema().shown(contained.ty);
        let (found, end) = self.known(name, contained, content.start, content.end, depth + 1);
        if let (Some(found), None, true) = (found, &self.damage, end == content.end) {
            part.parts = vec![found];
            part.value = None;
        }
        self.damage = damage;
        self.around = Around::default();
    }

    /// Reads an element that the module does not define.
    fn unknown(&mut self, at: usize, limit: usize, depth: u32) -> Cut {
        let has_room = self.has_room();
        let Some(found) = self.header(at, limit) else { return (None, at) };
        let mark = Some(TagText(found.key).to_string());
        let mut part = Part { name: "?".into(), mark, ..Part::default() };
        let end = self.unknown_within(&mut part, &found, limit, depth);
        part.place = at..end;
        (Some(part).filter(|_| has_room), end)
    }

    /// Reads the content of such an element. It need not be readable, except for its end.
    fn unknown_within(
        &mut self,
        part: &mut Part,
        found: &Header,
        limit: usize,
        depth: u32,
    ) -> usize {
        if !found.constructed {
            part.content = found.start..found.end;
            self.say(part, UNKNOWN, &self.octets[found.start..found.end]);
            return found.end;
        }
        // Within a known length the content may be anything, since the decoder does not look either.
        let may_be_anything = found.end != INDEFINITE;
        let (room, cut) = (self.left, self.is_cut);
        let end = match self.is_too_deep(found.start, depth) {
            true => found.start,
            false => {
                let mut parts = Vec::new();
                let end = self.each(PartBound::of(found, limit), |cutting, at, limit, _| {
                    let (part, end) = cutting.unknown(at, limit, depth + 1);
                    parts.extend(part);
                    end
                });
                part.parts = parts;
                end
            }
        };
        part.content = found.start..end;
        if may_be_anything && self.damage.take().is_some() {
            (self.left, self.is_cut) = (room, cut);
            part.parts.clear();
            part.content = found.start..found.end;
            self.say(part, UNKNOWN, &self.octets[found.start..found.end]);
        }
        match found.end {
            _ if self.damage.is_some() => end,
            INDEFINITE => end + 2,
            end => end,
        }
    }

    /// Reads the content of a constructed element.
    fn constructed(
        &mut self,
        part: &mut Part,
        found: &Header,
        begin: usize,
        limit: usize,
        depth: u32,
        inside: impl FnOnce(&mut Self, &mut Vec<Part>, PartBound, u32) -> usize,
    ) -> usize {
        part.content = begin..begin;
        if !found.constructed {
            self.damaged::<()>(begin, Reason::PrimitiveStructure);
            return begin;
        }
        if self.is_too_deep(begin, depth) {
            return begin;
        }
        let end = inside(self, &mut part.parts, PartBound::of(found, limit), depth + 1);
        part.content = found.start..end;
        let closes = found.end == INDEFINITE && self.damage.is_none();
        if closes { end + 2 } else { end }
    }

    /// Calls `give` for each element up to the end, with its limit and header. Returns where the content ends.
    fn each(
        &mut self,
        bound: PartBound,
        mut give: impl FnMut(&mut Self, usize, usize, &Header) -> usize,
    ) -> usize {
        let mut at = bound.start;
        while at != bound.end && self.damage.is_none() {
            let Some(found) = self.header(at, bound.limit) else { break };
            if found.is_end_of_contents() && bound.end == INDEFINITE {
                break;
            }
            let end = give(self, at, bound.limit, &found);
            if self.damage.is_some() {
                return end.max(at);
            }
            at = end;
        }
        at
    }

    fn tagged(&mut self, key: u32, at: usize, limit: usize) -> Option<Header> {
        let found = self.header(at, limit)?;
        match found.key == key {
            true => Some(found),
            false => self.damaged(at, Reason::UnexpectedTag(TagText(found.key))),
        }
    }

    /// Returns where an explicitly tagged element ends, given that the one element inside it ended
    /// at `inner_end`.
    fn filled(&mut self, end: usize, inner_end: usize, limit: usize) -> usize {
        if end == inner_end {
            return end;
        }
        match self.header(inner_end, end.min(limit)) {
            Some(found) if end == INDEFINITE && found.is_end_of_contents() => found.end,
            Some(found) => {
                self.damaged::<()>(inner_end, Reason::OneTooMany(TagText(found.key)));
                inner_end
            }
            None => inner_end,
        }
    }

    fn is_too_deep(&mut self, at: usize, depth: u32) -> bool {
        if depth >= DEPTH_MAX {
            self.damaged::<()>(at, Reason::TooDeep);
        }
        depth >= DEPTH_MAX
    }

    /// Sets the value of a part.
    fn say(&self, part: &mut Part, (ty, kind): (&str, &Kind), octets: &[u8]) {
        let may_be_cut = matches!(
            kind,
            Kind::OctetString | Kind::Open | Kind::BitString { .. } | Kind::Text(_) | Kind::Time(_)
        );
        part.is_cut = may_be_cut && octets.len() > VALUE_OCTETS_MAX;
        let shown = if part.is_cut { whole_characters(kind, octets) } else { octets };
        match jer::shown(ty, kind, shown) {
            Ok(value) => part.value = Some(value),
            Err(fault) => part.fault = Some(fault.to_string()),
        }
    }
}

/// Where the content of an element starts and ends, if that is known, and its limit.
#[derive(Clone, Copy)]
struct PartBound {
    start: usize,
    end: usize,
    limit: usize,
}

impl PartBound {
    fn of(found: &Header, limit: usize) -> Self {
        PartBound { start: found.start, end: found.end, limit: found.end.min(limit) }
    }
}

/// Returns a part of which only the outer tags could be read.
fn broken(part: Part, end: usize) -> Option<Part> {
    let at = part.place.start;
    Some(Part { place: at..end.max(at), ..part })
}

/// Returns the part of a long value that is shown, cut at a character boundary.
fn whole_characters<'o>(kind: &Kind, octets: &'o [u8]) -> &'o [u8] {
    let octets = &octets[..VALUE_OCTETS_MAX];
    match (kind, std::str::from_utf8(octets)) {
        (Kind::Text(TextKind::Bmp), _) if octets[VALUE_OCTETS_MAX - 2] & 0xFC == 0xD8 => {
            &octets[..VALUE_OCTETS_MAX - 2]
        }
        (Kind::Text(_) | Kind::Time(_), Err(error)) if error.error_len().is_none() => {
            &octets[..error.valid_up_to()]
        }
        _ => octets,
    }
}
