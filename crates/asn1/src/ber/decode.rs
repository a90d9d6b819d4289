//! Decodes octets into slots.

use reason::Coded;
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("ber")]
#[error("{reason} (at octet {offset} of the record)")]
pub struct DecodeError {
    /// The octet of the record at which reading stopped.
    pub offset: usize,
    /// What was found there.
    #[coded]
    pub reason: Reason,
}

/// Decodes records of one type.
#[derive(Debug)]
pub struct Decoder<'p> {
    plan: &'p Plan,
    nodes: &'p [Node],
    /// With an outline: the nodes of the whole plan.
    whole: Option<&'p [Node]>,
    root: Element,
}

impl<'p> Decoder<'p> {
    /// Creates a decoder for records of this type.
    pub fn new(plan: &'p Plan, ty: TypeId) -> Self {
        Self::of(plan, plan.root(ty))
    }

    /// Creates a decoder that decodes only the types of an outline.
    pub fn outlined(plan: &'p Plan, outline: &'p Outline, ty: TypeId) -> Self {
        Decoder { plan, nodes: &outline.nodes, whole: Some(&plan.nodes), root: plan.root(ty) }
    }

    /// Returns the same decoder for all types.
    pub fn whole(&self) -> Decoder<'p> {
        let nodes = self.whole.unwrap_or(self.nodes);
        Decoder { plan: self.plan, nodes, whole: None, root: self.root.clone() }
    }

    /// Creates a decoder for the values of an open type.
    pub(crate) fn of(plan: &'p Plan, root: Element) -> Self {
        Decoder { plan, nodes: &plan.nodes, whole: None, root }
    }

    /// Finds every value of the record at the start of `octets`. `octets` should end with the record; what follows it
    /// is ignored.
    pub fn decode(&self, octets: &[u8], arena: &mut Arena) -> Result<Record, DecodeError> {
        self.decode_first(octets, arena).map(|(record, _)| record)
    }

    /// Like [`decode`](Self::decode); also returns where the record ends.
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
            // Errors in elements that the module does not define are tolerated, and only a decoder of the whole plan
            // can tell which elements these are.
            (Err(_), Some(whole)) => self.walk_again(whole, octets, arena),
            (decoded, _) => decoded,
        }
    }

    /// Explains an error with the component being decoded and what was expected there. Decodes the octets again to find
    /// the component.
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
    /// Where the last header begins, for messages.
    at: usize,
    depth: u32,
    /// The reason for [`Failed`].
    reason: Reason,
}

/// The walk failed, and stored the reason. Without the reason, results fit into registers.
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

    /// Returns where the element of a header ends.
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

    /// Decodes the element with the header at `begin`. Returns where it ends.
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

    /// Decodes a CHOICE or open type without a tag of its own.
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

    /// Skips the content of an element, and checks that everything in it lies within it. Returns where it ends.
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

    /// Decodes a value with more tags after the one that was read, or a CHOICE or open type with at least one.
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

    /// Returns where an explicitly tagged element ends, given that the one element inside it ended at `inner_end`.
    #[inline(always)]
    fn filled(&mut self, outer: Content, inner_end: usize, limit: usize) -> Walked<usize> {
        if outer.end == inner_end {
            return Ok(inner_end);
        }
        self.closed(outer, inner_end, limit)
    }

    /// Slow path of [`filled`](Self::filled): expects end-of-contents octets; any other element is an error.
    #[cold]
    fn closed(&mut self, outer: Content, inner_end: usize, limit: usize) -> Walked<usize> {
        let next = self.header(inner_end, outer.end.min(limit))?;
        match outer.end == INDEFINITE && next.is_end_of_contents() {
            true => Ok(next.end),
            false => Err(self.fail(Reason::OneTooMany(TagText(next.key)))),
        }
    }

    /// Decodes the content after the innermost tag.
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

    /// Decodes a constructed encoding of a type without components: a segmented string, or a value with an extra tag.
    /// Segments are joined here, so later stages see only contiguous strings. An unchanged string is still written with
    /// its original segments.
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
        // This is the same value, but known earlier, so the processor need not wait for it.
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

    /// Decodes the components from `start`. The arguments fit into registers: passed through memory, the start of the
    /// content would be a delay.
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
                // Taken apart so that the fields stay in registers. As a whole the value goes through memory, and
                // reading back what was just written in parts stalls the processor.
                Some((place, Content { start, end, constructed })) => {
                    self.at = at;
                    (place, Content { start, end, constructed })
                }
                None => match self.uncommon(components, at, next, bound)? {
                    Uncommon::Component(place, Content { start, end, constructed }) => {
                        next = (place + 1).max(next);
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

    /// Decodes consecutive primitive values and skipped structures, advancing `at` to the first element of another
    /// kind. Returns that element if it is a known component with a one-octet length. A component that occurs a second
    /// time also ends the loop. Throughput depends on this loop: per value it reads an identifier and a length octet,
    /// does one table lookup and writes one slot.
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
                // Components that come in order did not come before.
                if place >= *next && place < slots.len() {
                    slots[place] = value;
                    (*at, *next) = (end, place + 1);
                    continue;
                }
                if !is_free(slots, place) {
                    place = components.closed(place);
                    if !is_free(slots, place) || !is_shallow(&octets[start..end], self.depth) {
                        break;
                    }
                }
                slots[place] = value;
                (*at, *next) = (end, (place + 1).max(*next));
            }
            if *at >= octets.len() {
                return None;
            }
            let (place, found) = known(components, octets, *at, *next)?;
            *next = (place + 1).max(*next);
            let is_leaf = !found.constructed && components.elements[place].primitive;
            if !is_leaf || slots[place].is_present() {
                return Some((place, found));
            }
            slots[place] = Slot::source(found.start as u32, (found.end - found.start) as u32);
            *at = found.end;
        }
    }

    /// Slow path: decodes the header of any element.
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

    /// Decodes the elements from `start`.
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

    /// Returns the number of elements in a list, if all have the expected tag and a definite length.
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

    /// Reads the header of a list's element.
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

    /// Decodes the elements of a list if the list, or one of them, has an indefinite length.
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

    /// Decodes the alternative at `begin`.
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

/// Returns the component at `at`, with the start and end of its content, if it has a short header and needs no further
/// decoding: a value without elements inside, or a well-formed component that is not decoded.
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

/// Returns the first identifier octet of the element at `at`, and the start and end of its content, if its length is
/// the second octet and all of it is there. It reads octet by octet, so the address of the next element is only one
/// load and one addition away.
#[inline(always)]
fn short_header(octets: &[u8], at: usize) -> Option<(u8, usize, usize)> {
    let (identifier, length) = (*octets.get(at)?, *octets.get(at + 1)?);
    let start = at + 2;
    let end = start + usize::from(length);
    (length < 0x80 && end <= octets.len()).then_some((identifier, start, end))
}

/// Returns whether there is a component at this place that did not come yet.
#[inline(always)]
fn is_free(slots: &[Slot], place: usize) -> bool {
    slots.get(place).is_some_and(|slot| !slot.is_present())
}

/// Returns the component at `at` and its content, if one lookup finds it and it has a length of one octet. `next` is
/// the most likely one.
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

/// The content of an element whose header was read.
#[derive(Clone, Copy)]
struct Content {
    /// Its first octet.
    start: usize,
    /// The octet after it, or [`INDEFINITE`].
    end: usize,
    /// Whether the content is elements.
    constructed: bool,
}

impl Content {
    #[inline(always)]
    fn behind(header: &Header) -> Self {
        Content { start: header.start, end: header.end, constructed: header.constructed }
    }
}

/// The result of the slow path within a structure.
enum Uncommon {
    /// The component at this place.
    Component(usize, Content),
    /// An element that the type does not define.
    Unknown { end: usize },
    /// The end of the structure.
    End,
}

/// The bounds of a constructed element's content.
#[derive(Clone, Copy)]
struct Bound {
    /// Its end, or [`INDEFINITE`].
    end: usize,
    /// The limit of everything in it.
    limit: usize,
}

impl Bound {
    #[inline]
    fn is_closed_by(&self, found: &Header) -> bool {
        self.end == INDEFINITE && !found.constructed && found.end == found.start
    }
}
