//! Octets to slots.

use record::{Arena, Record, Slot, SlotIndex, State, TypeId};

use super::anatomy::explained;
use super::around::ExplainedError;
use super::header::{
    END_OF_CONTENTS, Header, INDEFINITE, Reason, TagText, header, medium_header, skip,
};
use super::segments::Segments;
use super::shallow::{LEAF_IDENTIFIERS, is_shallow, is_short_structure};
use crate::identifiers::word;
use crate::limits::{DEPTH_MAX, RECORD_OCTETS_MAX};
use crate::plan::{Components, Element, Node, Outline, Plan};

/// A record that could not be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason} (at octet {offset} of the record)")]
pub struct DecodeError {
    /// Octet of the record at which the reading stopped.
    pub offset: usize,
    /// What was found there.
    pub reason: Reason,
}

/// Reads records of one type.
#[derive(Debug)]
pub struct Decoder<'p> {
    plan: &'p Plan,
    nodes: &'p [Node],
    /// With an outline: those of the whole.
    whole: Option<&'p [Node]>,
    root: Element,
}

impl<'p> Decoder<'p> {
    /// For records of this type.
    pub fn new(plan: &'p Plan, ty: TypeId) -> Self {
        Self::of(plan, plan.root(ty))
    }

    /// For records of this type, of which nobody looks into more than the outline of the plan has.
    pub fn outlined(plan: &'p Plan, outline: &'p Outline, ty: TypeId) -> Self {
        Decoder { plan, nodes: &outline.nodes, whole: Some(&plan.nodes), root: plan.root(ty) }
    }

    /// The same for records of which everything is looked into.
    pub fn whole(&self) -> Decoder<'p> {
        let nodes = self.whole.unwrap_or(self.nodes);
        Decoder { plan: self.plan, nodes, whole: None, root: self.root.clone() }
    }

    /// For the values of an open type.
    pub(crate) fn of(plan: &'p Plan, root: Element) -> Self {
        Decoder { plan, nodes: &plan.nodes, whole: None, root }
    }

    /// Notes where every value of the record at the start of `octets` lies. `octets` should end where
    /// the record does; what follows it is not looked at.
    pub fn decode(&self, octets: &[u8], arena: &mut Arena) -> Result<Record, DecodeError> {
        self.decode_first(octets, arena).map(|(record, _)| record)
    }

    /// As [`decode`](Self::decode), and where the record ends.
    #[inline(always)]
    pub fn decode_first(
        &self,
        octets: &[u8],
        arena: &mut Arena,
    ) -> Result<(Record, usize), DecodeError> {
        if octets.len() > RECORD_OCTETS_MAX {
            return Err(DecodeError { offset: 0, reason: Reason::RecordTooLarge });
        }
        let decoded = self.walk(self.nodes, octets, arena);
        match (decoded, self.whole) {
            // What is in elements that the module does not know is forgiven, and only who knows the module
            // can tell which they are.
            (Err(_), Some(whole)) => self.walk_again(whole, octets, arena),
            (decoded, _) => decoded,
        }
    }

    /// Describes an error with the component being decoded and what was expected there. Decodes the
    /// octets again to find the component.
    #[cold]
    pub fn explain(&self, octets: &[u8], error: DecodeError) -> ExplainedError {
        explained(self.plan, &self.root, octets, error)
    }

    #[inline(always)]
    fn walk(
        &self,
        nodes: &[Node],
        octets: &[u8],
        arena: &mut Arena,
    ) -> Result<(Record, usize), DecodeError> {
        let root = arena.frame(1);
        let reason = Reason::Truncated;
        let mut walk = Walk { nodes, octets, arena, at: 0, depth: 0, reason };
        match walk.record(&self.root, root) {
            Ok(end) => Ok((Record { ty: self.root.ty, root }, end)),
            Err(Failed) => Err(DecodeError { offset: walk.at, reason: walk.reason }),
        }
    }

    #[cold]
    fn walk_again(
        &self,
        nodes: &[Node],
        octets: &[u8],
        arena: &mut Arena,
    ) -> Result<(Record, usize), DecodeError> {
        self.walk(nodes, octets, arena)
    }
}

struct Walk<'w> {
    nodes: &'w [Node],
    octets: &'w [u8],
    arena: &'w mut Arena,
    /// Where the header read last begins, for messages.
    at: usize,
    depth: u32,
    /// Why it [`Failed`].
    reason: Reason,
}

/// The walk cannot go on; the reason is noted in it. Without the reason, results stay in registers.
struct Failed;

type Walked<T> = Result<T, Failed>;

impl<'w> Walk<'w> {
    #[inline(always)]
    fn record(&mut self, root: &'w Element, slot: SlotIndex) -> Walked<usize> {
        let first = match medium_header(self.octets, 0) {
            Some(Header { key, start, end, constructed }) => {
                Header { key, start, end, constructed }
            }
            None => self.header(0, self.octets.len())?,
        };
        if root.keys.first().is_some_and(|key| *key != first.key) {
            return Err(self.unexpected(first.key));
        }
        self.element(root, slot, 0, Content::behind(&first), self.octets.len())
    }

    #[cold]
    fn fail(&mut self, reason: Reason) -> Failed {
        self.reason = reason;
        Failed
    }

    #[cold]
    fn fail_at(&mut self, at: usize, reason: Reason) -> Failed {
        self.at = at;
        self.fail(reason)
    }

    #[cold]
    fn unexpected(&mut self, key: u32) -> Failed {
        self.fail(Reason::UnexpectedTag(TagText(key)))
    }

    /// Where the element ends whose header was read.
    #[inline]
    fn skip(&mut self, found: Content, limit: usize) -> Walked<usize> {
        skip(self.octets, found.start, found.end, limit, self.depth)
            .map_err(|reason| self.fail(reason))
    }

    #[inline]
    fn header(&mut self, at: usize, limit: usize) -> Walked<Header> {
        self.at = at;
        match header(self.octets, at, limit) {
            Ok(Header { key, start, end, constructed }) => {
                Ok(Header { key, start, end, constructed })
            }
            Err(reason) => Err(self.fail(reason)),
        }
    }

    /// Decodes the element whose header, which begins at `begin`, was read; returns where it ends.
    #[inline(always)]
    fn element(
        &mut self,
        element: &'w Element,
        slot: SlotIndex,
        begin: usize,
        found: Content,
        limit: usize,
    ) -> Walked<usize> {
        let node = &self.nodes[element.ty.0 as usize];
        match (element.keys.len(), node) {
            (1, Node::Choice(alternatives)) if found.constructed && found.end != INDEFINITE => {
                let end = self.choice(alternatives, slot, found.start, found.end)?;
                self.filled(found, end, limit)
            }
            (1, node) if !node.has_own_header() => self.content(node, slot, found, limit),
            (0, node) => self.untagged(node, slot, begin, limit),
            (_, node) => self.explicit(&element.keys[1..], node, slot, found, limit),
        }
    }

    /// A CHOICE or open type without a tag of its own.
    #[inline(always)]
    fn untagged(
        &mut self,
        node: &'w Node,
        slot: SlotIndex,
        begin: usize,
        limit: usize,
    ) -> Walked<usize> {
        if let Node::Choice(alternatives) = node {
            return self.choice(alternatives, slot, begin, limit);
        }
        let Header { key, start, end, constructed } = self.header(begin, limit)?;
        let end = match node {
            Node::ClosedChoice(alternatives) if alternatives.find(key, 0).is_none() => {
                return Err(self.unexpected(key));
            }
            Node::ClosedChoice(_) if constructed => self.pass(start, end, limit)?,
            _ => self.skip(Content { start, end, constructed }, limit)?,
        };
        *self.arena.slot_mut(slot) = Slot::source(begin as u32, (end - begin) as u32);
        Ok(end)
    }

    /// Passes over the content of an element, and sees to it that all in it lies within it; returns where it
    /// ends.
    #[inline(never)]
    fn pass(&mut self, start: usize, end: usize, limit: usize) -> Walked<usize> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.fail(Reason::TooDeep));
        }
        let bound = Bound { end, limit: end.min(limit) };
        let mut at = start;
        loop {
            let octets = &self.octets[..bound.limit.min(self.octets.len())];
            while let Some((identifier, start, end)) = short_header(octets, at)
                && (LEAF_IDENTIFIERS[usize::from(identifier)]
                    || is_short_structure(identifier)
                        && is_shallow(&octets[start..end], self.depth))
            {
                at = end;
            }
            if at == bound.end {
                break;
            }
            let found = self.header(at, bound.limit)?;
            if found.key == END_OF_CONTENTS && !found.constructed {
                match bound.is_closed_by(&found) {
                    true => {
                        at = found.end;
                        break;
                    }
                    false => return Err(self.fail(Reason::StrayEndOfContents)),
                }
            }
            at = match found.constructed {
                true => self.pass(found.start, found.end, bound.limit)?,
                false => found.end,
            };
        }
        self.depth -= 1;
        Ok(at)
    }

    /// A value behind these tags more than the one that was read, or a CHOICE or open type behind at least one.
    fn explicit(
        &mut self,
        keys: &[u32],
        node: &'w Node,
        slot: SlotIndex,
        outer: Content,
        limit: usize,
    ) -> Walked<usize> {
        if !outer.constructed {
            return Err(self.fail(Reason::PrimitiveStructure));
        }
        let inner_limit = outer.end.min(limit);
        let begin = outer.start;
        let end = match keys {
            [] => self.untagged(node, slot, begin, inner_limit)?,
            [key, rest @ ..] => {
                let inner = self.header(begin, inner_limit)?;
                if *key != inner.key {
                    return Err(self.unexpected(inner.key));
                }
                let content = Content::behind(&inner);
                match rest {
                    [] if !node.has_own_header() => {
                        self.content(node, slot, content, inner_limit)?
                    }
                    _ => self.explicit(rest, node, slot, content, inner_limit)?,
                }
            }
        };
        self.filled(outer, end, limit)
    }

    /// Returns where an explicitly tagged element ends, given that the one element inside it ended
    /// at `inner_end`.
    #[inline(always)]
    fn filled(&mut self, outer: Content, inner_end: usize, limit: usize) -> Walked<usize> {
        if outer.end == inner_end {
            return Ok(inner_end);
        }
        self.closed(outer, inner_end, limit)
    }

    /// Slow path of [`filled`](Self::filled): expects end-of-contents octets; any other element is
    /// an error.
    #[cold]
    fn closed(&mut self, outer: Content, inner_end: usize, limit: usize) -> Walked<usize> {
        let next = self.header(inner_end, outer.end.min(limit))?;
        match outer.end == INDEFINITE && next.is_end_of_contents() {
            true => Ok(next.end),
            false => Err(self.fail(Reason::OneTooMany(TagText(next.key)))),
        }
    }

    /// The content behind the innermost tag.
    #[inline(always)]
    fn content(
        &mut self,
        node: &'w Node,
        slot: SlotIndex,
        found: Content,
        limit: usize,
    ) -> Walked<usize> {
        match node {
            Node::Primitive(_) if !found.constructed => {
                *self.arena.slot_mut(slot) =
                    Slot::source(found.start as u32, (found.end - found.start) as u32);
                Ok(found.end)
            }
            Node::Structure(components) => self.constructed(slot, found, limit, |walk, bound| {
                walk.structure(components, slot, found.start, bound.end, bound.limit)
            }),
            Node::List(element) => self.constructed(slot, found, limit, |walk, bound| {
                walk.list(element, slot, found.start, bound.end, bound.limit)
            }),
            Node::Closed if !found.constructed => Err(self.fail(Reason::PrimitiveStructure)),
            Node::Closed => {
                let end = self.pass(found.start, found.end, limit)?;
                let content_end = if found.end == INDEFINITE { end - 2 } else { end };
                let length = (content_end - found.start) as u32;
                *self.arena.slot_mut(slot) = Slot::source(found.start as u32, length);
                Ok(end)
            }
            Node::Primitive(segments) => self.segmented(segments, slot, found, limit),
            Node::Choice(_) | Node::ClosedChoice(_) | Node::Open => {
                unreachable!("its value has a header of its own")
            }
        }
    }

    /// Decodes a constructed encoding of a type without components: a segmented string, or a value
    /// with an extra tag. Segments are joined here, so later stages see only contiguous strings. An
    /// unchanged string is still written with its original segments.
    #[cold]
    fn segmented(
        &mut self,
        segments: &Segments,
        slot: SlotIndex,
        found: Content,
        limit: usize,
    ) -> Walked<usize> {
        if !segments.is_string() {
            return self.retagged(segments, slot, found, limit);
        }
        let end = self.skip(found, limit)?;
        let content_end = if found.end == INDEFINITE { end - 2 } else { end };
        let offset = self.arena.octets().len();
        let place = (found.start, content_end);
        segments
            .join(self.octets, place, self.arena.octets_mut())
            .map_err(|(at, reason)| self.fail_at(at, reason))?;
        let length = self.arena.octets().len() - offset;
        let joined = Slot::owned(offset as u32, length as u32);
        *self.arena.slot_mut(slot) = Slot { flags: 0, ..joined };
        Ok(end)
    }

    fn retagged(
        &mut self,
        segments: &Segments,
        slot: SlotIndex,
        outer: Content,
        limit: usize,
    ) -> Walked<usize> {
        let inner = segments
            .retagged(self.octets, outer.start, outer.end.min(limit))
            .map_err(|(at, reason)| self.fail_at(at, reason))?;
        let length = (inner.end - inner.start) as u32;
        *self.arena.slot_mut(slot) = Slot::source(inner.start as u32, length);
        self.filled(outer, inner.end, limit)
    }

    /// Runs `inside` on the content of a constructed element, which returns where the content ends.
    #[inline(always)]
    fn constructed(
        &mut self,
        slot: SlotIndex,
        found: Content,
        limit: usize,
        inside: impl FnOnce(&mut Self, Bound) -> Walked<usize>,
    ) -> Walked<usize> {
        if !found.constructed {
            return Err(self.fail(Reason::PrimitiveStructure));
        }
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.fail(Reason::TooDeep));
        }
        let inner_end = inside(self, Bound { end: found.end, limit: found.end.min(limit) })?;
        self.depth -= 1;
        let definite = found.end != INDEFINITE;
        // The same, but known before: the processor need not wait with what follows.
        let content_end = if definite { found.end } else { inner_end };
        let slot = self.arena.slot_mut(slot);
        slot.state = State::Source;
        slot.offset = found.start as u32;
        slot.length = (content_end - found.start) as u32;
        if definite {
            return Ok(content_end);
        }
        Ok(content_end + 2)
    }

    /// The components from `start`. The arguments fit into registers: on its way through memory, where
    /// the content begins would be waited for.
    #[inline(never)]
    fn structure(
        &mut self,
        components: &'w Components,
        slot: SlotIndex,
        start: usize,
        end: usize,
        limit: usize,
    ) -> Walked<usize> {
        let bound = Bound { end, limit };
        let frame = self.arena.frame(components.elements.len());
        self.arena.slot_mut(slot).link = frame.0;
        let (mut at, mut next) = (start, 0);
        loop {
            let known = self.leaves(components, frame, &mut at, &mut next, bound.limit);
            if at == bound.end {
                return Ok(at);
            }
            let (place, found) = match known {
                // Taken apart, so that the fields stay in registers: passed on as a whole it lies in
                // memory, and reading back what was just written in parts stalls the processor.
                Some((place, Content { start, end, constructed })) => {
                    self.at = at;
                    (place, Content { start, end, constructed })
                }
                None => match self.uncommon(components, at, next, bound)? {
                    Uncommon::Component(place, Content { start, end, constructed }) => {
                        next = place + 1;
                        (place, Content { start, end, constructed })
                    }
                    Uncommon::Unknown { end } => {
                        at = end;
                        continue;
                    }
                    Uncommon::End => return Ok(at),
                },
            };
            let value = SlotIndex(frame.0 + place as u32);
            if self.arena.slot(value).is_present() {
                return Err(self.fail(Reason::Twice));
            }
            at = self.element(&components.elements[place], value, at, found, bound.limit)?;
        }
    }

    /// Decodes consecutive primitive values and skipped structures, advancing `at` to the first
    /// element of another kind. Returns that element if it is a known component with a one-octet
    /// length. A component that occurs a second time also ends the loop. Throughput depends on this
    /// loop: per value it reads an identifier and a length octet, does one table lookup and writes
    /// one slot.
    #[inline(always)]
    fn leaves(
        &mut self,
        components: &Components,
        frame: SlotIndex,
        at: &mut usize,
        next: &mut usize,
        limit: usize,
    ) -> Option<(usize, Content)> {
        let octets = &self.octets[..limit.min(self.octets.len())];
        let slots = self.arena.run_mut(frame, components.elements.len());
        loop {
            while let Some((identifier, start, end)) = short_header(octets, *at) {
                let mut place = components.leaf(identifier);
                let value = Slot::source(start as u32, (end - start) as u32);
                match slots.get_mut(place) {
                    Some(slot) if !slot.is_present() => *slot = value,
                    _ => {
                        place = components.closed(place);
                        match slots.get_mut(place) {
                            Some(slot)
                                if !slot.is_present()
                                    && is_shallow(&octets[start..end], self.depth) =>
                            {
                                *slot = value;
                            }
                            _ => break,
                        }
                    }
                }
                *next = place + 1;
                *at = end;
            }
            if *at >= octets.len() {
                return None;
            }
            let (place, found) = known(components, octets, *at, *next)?;
            *next = place + 1;
            let is_leaf = !found.constructed && components.elements[place].primitive;
            if !is_leaf || slots[place].is_present() {
                return Some((place, found));
            }
            slots[place] = Slot::source(found.start as u32, (found.end - found.start) as u32);
            *at = found.end;
        }
    }

    /// What begins here, whatever it is.
    #[inline(never)]
    fn uncommon(
        &mut self,
        components: &Components,
        at: usize,
        next: usize,
        bound: Bound,
    ) -> Walked<Uncommon> {
        let found = self.header(at, bound.limit)?;
        if bound.is_closed_by(&found) && found.key == END_OF_CONTENTS {
            return Ok(Uncommon::End);
        }
        match components.find(found.key, next) {
            Some(place) => Ok(Uncommon::Component(place, Content::behind(&found))),
            None if found.key == END_OF_CONTENTS => Err(self.fail(Reason::StrayEndOfContents)),
            None => {
                let end = self.skip(Content::behind(&found), bound.limit)?;
                self.arena.note_unknown(found.key);
                Ok(Uncommon::Unknown { end })
            }
        }
    }

    /// The elements from `start`.
    #[inline(never)]
    fn list(
        &mut self,
        element: &'w Element,
        slot: SlotIndex,
        start: usize,
        end: usize,
        limit: usize,
    ) -> Walked<usize> {
        let bound = Bound { end, limit };
        let Some(count) = self.count(element, start, end) else {
            return self.uncounted(element, slot, start, bound);
        };
        let head = self.arena.list(count);
        self.arena.slot_mut(slot).link = head.0;
        let mut at = start;
        for place in 1..=count {
            let found = self.list_header(element, at, limit)?;
            at = self.element(element, SlotIndex(head.0 + place), at, found, limit)?;
        }
        Ok(at)
    }

    /// How many elements of a list there are, if all have the tag they should have and a length.
    #[inline]
    fn count(&self, element: &Element, start: usize, end: usize) -> Option<u32> {
        if end == INDEFINITE {
            return None;
        }
        let (mut at, mut count) = (start, 0);
        while at < end {
            let word = word(self.octets, at);
            at = if element.long.begins(word) && element.long.length(word) < 0x80 {
                at + usize::from(element.long.header) + usize::from(element.long.length(word))
            } else {
                let Header { key, end, .. } =
                    header(self.octets, at, end.min(self.octets.len())).ok()?;
                if element.keys.first().is_some_and(|expected| *expected != key) {
                    return None;
                }
                end
            };
            count += 1;
        }
        (at == end).then_some(count)
    }

    /// The header of an element of a list.
    #[inline(always)]
    fn list_header(&mut self, element: &Element, at: usize, limit: usize) -> Walked<Content> {
        let word = word(self.octets, at);
        let length = element.long.length(word);
        let start = at + usize::from(element.long.header);
        let end = start + usize::from(length);
        if element.long.begins(word) && length < 0x80 && end <= limit {
            self.at = at;
            return Ok(Content { start, end, constructed: !element.primitive });
        }
        let Header { start, end, constructed, .. } = self.header(at, limit)?;
        Ok(Content { start, end, constructed })
    }

    /// The elements of a list that ends with end-of-contents octets, or of which one does.
    #[inline(never)]
    fn uncounted(
        &mut self,
        element: &'w Element,
        slot: SlotIndex,
        start: usize,
        bound: Bound,
    ) -> Walked<usize> {
        let mark = self.arena.begin_list();
        let scratch = self.arena.frame(1);
        let mut at = start;
        while at != bound.end {
            let found = self.header(at, bound.limit)?;
            if found.key == END_OF_CONTENTS && bound.is_closed_by(&found) {
                break;
            }
            if element.keys.first().is_some_and(|key| *key != found.key) {
                return Err(self.unexpected(found.key));
            }
            *self.arena.slot_mut(scratch) = Slot::default();
            at = self.element(element, scratch, at, Content::behind(&found), bound.limit)?;
            let value = *self.arena.slot(scratch);
            self.arena.push_element(value);
        }
        let head = self.arena.end_list(mark);
        self.arena.slot_mut(slot).link = head.0;
        Ok(at)
    }

    /// The alternative at `begin`.
    #[inline(never)]
    fn choice(
        &mut self,
        alternatives: &'w Components,
        slot: SlotIndex,
        begin: usize,
        limit: usize,
    ) -> Walked<usize> {
        let octets = &self.octets[..limit.min(self.octets.len())];
        // An untagged choice within a choice reads no header, so nothing else bounds this recursion.
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.fail(Reason::TooDeep));
        }
        let noted = |place: usize, value: SlotIndex, end: usize| {
            let choice = Slot::source(begin as u32, (end - begin) as u32);
            Slot { alternative: place as u16, link: value.0, ..choice }
        };
        if let Some((place, start, end)) = leaf(alternatives, octets, begin, self.depth) {
            let value = self.arena.frame(1);
            *self.arena.slot_mut(value) = Slot::source(start as u32, (end - start) as u32);
            *self.arena.slot_mut(slot) = noted(place, value, end);
            self.depth -= 1;
            return Ok(end);
        }
        let (place, found) = match known(alternatives, octets, begin, 0) {
            Some((place, Content { start, end, constructed })) => {
                self.at = begin;
                (place, Content { start, end, constructed })
            }
            None => {
                let Header { key, start, end, constructed } = self.header(begin, limit)?;
                let place = alternatives.find(key, 0).ok_or_else(|| self.unexpected(key))?;
                (place, Content { start, end, constructed })
            }
        };
        let value = self.arena.frame(1);
        let end = self.element(&alternatives.elements[place], value, begin, found, limit)?;
        self.depth -= 1;
        *self.arena.slot_mut(slot) = noted(place, value, end);
        Ok(end)
    }
}

/// The component that begins at `at` and where its content begins and ends, if it has a short header and there
/// is no more to it: a value without elements within, or what nobody looks into and is sound.
#[inline(always)]
fn leaf(
    components: &Components,
    octets: &[u8],
    at: usize,
    depth: u32,
) -> Option<(usize, usize, usize)> {
    let (identifier, start, end) = short_header(octets, at)?;
    let mut place = components.leaf(identifier);
    if place >= components.elements.len() {
        place = components.closed(place);
        if place >= components.elements.len() || !is_shallow(&octets[start..end], depth) {
            return None;
        }
    }
    Some((place, start, end))
}

/// The first octet of the identifier of the element at `at`, and where its content begins and ends if its length
/// is the second octet and it is all there. Octet by octet: where the next element lies is one load and one
/// addition behind where this does.
#[inline(always)]
fn short_header(octets: &[u8], at: usize) -> Option<(u8, usize, usize)> {
    let (identifier, length) = (*octets.get(at)?, *octets.get(at + 1)?);
    let start = at + 2;
    let end = start + usize::from(length);
    (length < 0x80 && end <= octets.len()).then_some((identifier, start, end))
}

/// The component that begins at `at`, and its content, if that is seen at once and has a length of one
/// octet. `next` is the first that is likely.
#[inline(always)]
fn known(
    components: &Components,
    octets: &[u8],
    at: usize,
    next: usize,
) -> Option<(usize, Content)> {
    let word = word(octets, at);
    let (place, start, length) = if word & 0x1F == 0x1F {
        let (place, identifier) = components.foreseen(word, next)?;
        (place, at + usize::from(identifier.header), identifier.length(word))
    } else {
        let [identifier, length, ..] = word.to_le_bytes();
        (components.short(identifier)?, at + 2, length)
    };
    let end = start + usize::from(length);
    let constructed = word & 0x20 != 0;
    (length < 0x80 && end <= octets.len()).then_some((place, Content { start, end, constructed }))
}

/// Where the content of an element lies whose header was read.
#[derive(Clone, Copy)]
struct Content {
    /// Its first octet.
    start: usize,
    /// The octet after it, or [`INDEFINITE`].
    end: usize,
    /// Whether it is elements again.
    constructed: bool,
}

impl Content {
    #[inline(always)]
    fn behind(header: &Header) -> Self {
        Content { start: header.start, end: header.end, constructed: header.constructed }
    }
}

/// What may begin within a structure besides what is known at once.
enum Uncommon {
    /// The component at this place.
    Component(usize, Content),
    /// An element that the type does not have.
    Unknown { end: usize },
    /// The end of the structure.
    End,
}

/// Where a constructed element's content ends.
#[derive(Clone, Copy)]
struct Bound {
    /// Its end, or [`INDEFINITE`].
    end: usize,
    /// What nothing in it may go beyond.
    limit: usize,
}

impl Bound {
    #[inline]
    fn is_closed_by(&self, found: &Header) -> bool {
        self.end == INDEFINITE && !found.constructed && found.end == found.start
    }
}
