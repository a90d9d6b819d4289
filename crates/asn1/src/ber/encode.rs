//! Encodes slots into octets.

use reason::Coded;
use record::{IntegerOctets, Kind, Memory, Record, Slot, SlotIndex, State, TypeId, integer_octets};

use super::buffer::{Buffer, COPIED_AT_ONCE, length_octets};
use super::header::{END_OF_CONTENTS, Reason, header, skip};
use crate::identifiers::word;
use crate::plan::{Components, Element, Node, Plan};

/// A record that could not be encoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("encode")]
pub enum EncodeError {
    /// A structure made by a script lacks a component that the module requires.
    #[error("\"{field}\" of \"{ty}\" is missing, and is not OPTIONAL")]
    Missing {
        /// The structure's type.
        ty: String,
        /// The component that is missing.
        field: String,
    },
    /// A list made by a script has an absent element.
    #[error("element {position} of \"{ty}\" is absent")]
    MissingElement {
        /// The list's type.
        ty: String,
        /// The index, from 0.
        position: usize,
    },
    /// A CHOICE without an alternative.
    #[error("no alternative of \"{ty}\" is chosen")]
    NotChosen {
        /// The choice's type.
        ty: String,
    },
    /// The original octets of a changed structure cannot be parsed again.
    #[error("the octets of \"{ty}\" cannot be read again: {reason}")]
    Unreadable {
        /// The structure's type.
        ty: String,
        /// The reason.
        #[coded]
        reason: Reason,
    },
}

/// Encodes records of one type. It reuses its buffers between records.
#[derive(Debug)]
pub struct Encoder<'p> {
    plan: &'p Plan,
    root: Element,
    buffer: Buffer,
    /// For the structures being written: which components their original octets have.
    present: Vec<bool>,
    /// For the structures being written: the components with new values.
    replaced: Vec<Replaced>,
}

/// The place of a changed component in the original octets of its structure.
#[derive(Clone, Copy, Debug)]
struct Replaced {
    place: usize,
    at: usize,
    end: usize,
}

impl<'p> Encoder<'p> {
    /// Creates an encoder for records of this type.
    pub fn new(plan: &'p Plan, ty: TypeId) -> Self {
        Self::of(plan, plan.root(ty))
    }

    /// Creates an encoder for the values of an open type.
    pub(crate) fn of(plan: &'p Plan, root: Element) -> Self {
        Encoder { plan, root, buffer: Buffer::new(), present: Vec::new(), replaced: Vec::new() }
    }

    /// Appends a record's octets. An unchanged record is copied.
    #[inline]
    pub fn encode(
        &mut self,
        memory: &Memory<'_>,
        record: Record,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        let slot = memory.slot(record.root);
        let has_octets = matches!(slot.state, State::Source | State::Owned);
        if has_octets && !slot.is_changed() && record.ty == self.root.ty {
            out.extend_from_slice(memory.source);
            return Ok(());
        }
        let Encoder { plan, root, buffer, present, replaced } = self;
        buffer.clear();
        present.clear();
        replaced.clear();
        BerWriter { plan, memory, out: buffer, present, replaced }.element(root, record.root)?;
        out.extend_from_slice(self.buffer.written());
        Ok(())
    }
}

/// The bit of an identifier octet for a constructed encoding (X.690, 8.1.2.5).
const CONSTRUCTED: u8 = 0x20;

struct BerWriter<'w> {
    plan: &'w Plan,
    memory: &'w Memory<'w>,
    out: &'w mut Buffer,
    present: &'w mut Vec<bool>,
    replaced: &'w mut Vec<Replaced>,
}

impl<'w> BerWriter<'w> {
    fn element(&mut self, element: &'w Element, at: SlotIndex) -> Result<(), EncodeError> {
        let memory = self.memory;
        let slot = memory.slot(at);
        if element.identifier != 0 && self.leaf(element, slot) {
            return Ok(());
        }
        match self.plan.node(element.ty) {
            Node::Structure(components) if element.identifier != 0 && slot.state == State::Made => {
                let start = self.out.open(element.identifier);
                self.made(components, element.ty, slot.link)?;
                self.out.close(start, 1);
                Ok(())
            }
            _ => self.tagged(&element.keys, element.ty, at),
        }
    }

    /// Writes a short value with a short identifier, as most are. Returns whether it was one. An unchanged structure is
    /// written by its octets too.
    #[inline(always)]
    fn leaf(&mut self, element: &Element, slot: &Slot) -> bool {
        let octets = match slot.state {
            State::Source => self.memory.source,
            State::Owned => self.memory.arena.octets(),
            State::Number => {
                let octets = number(slot.as_number(), element.boolean);
                self.out.leaf(element.identifier, &octets.padded(), octets.as_slice().len());
                return true;
            }
            State::Absent | State::Made => return false,
        };
        if element.identifier & CONSTRUCTED != 0 && !slot.is_intact() && slot.link != 0 {
            return false;
        }
        let (offset, length) = (slot.offset as usize, slot.length as usize);
        match octets.get(offset..).and_then(|octets| octets.first_chunk()) {
            Some(chunk) if length <= COPIED_AT_ONCE => {
                self.out.leaf(element.identifier, chunk, length);
            }
            _ if length < 0x80 => {
                self.out.extend(&[element.identifier, length as u8]);
                self.out.extend(&octets[offset..offset + length]);
            }
            _ => return false,
        }
        true
    }

    fn tagged(&mut self, keys: &[u32], ty: TypeId, at: SlotIndex) -> Result<(), EncodeError> {
        let [key, inner @ ..] = keys else { return self.content(ty, at) };
        let own_header = matches!(self.plan.node(ty), Node::Choice(_) | Node::Open);
        let constructed =
            !inner.is_empty() || own_header || !matches!(self.plan.node(ty), Node::Primitive(_));
        identifier(self.out, *key, constructed);
        // A changed structure is about as long as it was.
        let slot = self.memory.slot(at);
        let reserved = match slot.state {
            State::Source | State::Owned => length_octets(slot.length as usize),
            _ => 1,
        };
        let start = self.out.reserve(reserved);
        self.tagged(inner, ty, at)?;
        self.out.close(start, reserved);
        Ok(())
    }

    fn content(&mut self, ty: TypeId, at: SlotIndex) -> Result<(), EncodeError> {
        let slot = *self.memory.slot(at);
        if slot.state == State::Number {
            let boolean = *self.plan.schema().kind(ty) == Kind::Boolean;
            self.out.extend(number(slot.as_number(), boolean).as_slice());
            return Ok(());
        }
        let has_octets = matches!(slot.state, State::Source | State::Owned);
        match self.plan.node(ty) {
            Node::Choice(alternatives) => self.choice(alternatives, ty, at),
            _ if has_octets && (slot.is_intact() || slot.link == 0) => {
                self.copy(&slot);
                Ok(())
            }
            Node::Structure(components) if has_octets => self.changed(components, ty, slot),
            Node::Structure(components) => self.made(components, ty, slot.link),
            Node::List(element) => self.list(element, ty, at),
            Node::Primitive(_) | Node::Open => Ok(()), // NULL
            Node::Closed | Node::ClosedChoice(_) => unreachable!("a plan itself is open"),
        }
    }

    fn octets_of(&self, slot: &Slot) -> &'w [u8] {
        let memory: &'w Memory<'w> = self.memory;
        let octets: &'w [u8] =
            if slot.state == State::Source { memory.source } else { memory.arena.octets() };
        &octets[slot.offset as usize..slot.offset as usize + slot.length as usize]
    }

    fn copy(&mut self, slot: &Slot) {
        let octets = self.octets_of(slot);
        self.out.extend(octets);
    }

    fn choice(
        &mut self,
        alternatives: &'w Components,
        ty: TypeId,
        at: SlotIndex,
    ) -> Result<(), EncodeError> {
        let slot = *self.memory.slot(at);
        if slot.state == State::Source && (slot.is_intact() || slot.link == 0) {
            self.copy(&slot);
            return Ok(());
        }
        match self.memory.chosen(at) {
            Some((place, value)) if self.memory.slot(value).is_present() => {
                self.element(&alternatives.elements[place], value)
            }
            _ => Err(EncodeError::NotChosen { ty: self.name(ty) }),
        }
    }

    /// Encodes a structure that did not come as octets.
    fn made(
        &mut self,
        components: &'w Components,
        ty: TypeId,
        link: u32,
    ) -> Result<(), EncodeError> {
        let values = match link {
            0 => &[],
            link => self.memory.arena.run(SlotIndex(link), components.elements.len()),
        };
        let mut place = 0;
        loop {
            place = self.leaves(&components.elements, values, place);
            let Some(element) = components.elements.get(place) else { return Ok(()) };
            match values.get(place) {
                Some(value) if value.is_present() => {
                    self.element(element, SlotIndex(link + place as u32))?;
                }
                _ if element.required => return Err(self.missing(ty, place)),
                _ => {}
            }
            place += 1;
        }
    }

    /// Writes values from an index on, as long as they are short and from the original octets, small numbers, or
    /// absent. Returns the index of the first other value. Most values are such, so this is a separate loop whose state
    /// stays in registers.
    #[inline(always)]
    fn leaves(&mut self, elements: &[Element], values: &[Slot], mut place: usize) -> usize {
        let source = self.memory.source;
        let mut leaves = self.out.leaves();
        let elements = &elements[..values.len()];
        while place < values.len() {
            let (value, element) = (&values[place], &elements[place]);
            let (offset, length) = (value.offset as usize, value.length as usize);
            let is_copied = value.state == State::Source
                && element.identifier != 0
                && (value.link == 0 || value.is_intact());
            let is_written = if is_copied {
                leaves.copy(element.identifier, source, offset, length)
            } else if value.state == State::Absent {
                !element.required
            } else {
                let number = value.as_number();
                value.state == State::Number
                    && (0..0x80).contains(&number)
                    && !element.boolean
                    && element.identifier != 0
                    && leaves.push(element.identifier, &[number as u8], 1)
            };
            if !is_written {
                break;
            }
            place += 1;
        }
        leaves.end();
        place
    }

    #[cold]
    fn missing(&self, ty: TypeId, place: usize) -> EncodeError {
        let field = &self.plan.schema().kind(ty).fields()[place];
        EncodeError::Missing { ty: self.name(ty), field: field.name.clone() }
    }

    /// Encodes a changed structure that came as octets.
    fn changed(
        &mut self,
        components: &'w Components,
        ty: TypeId,
        slot: Slot,
    ) -> Result<(), EncodeError> {
        let octets = self.octets_of(&slot);
        let base = self.replaced.len();
        let simple = self
            .note_replaced(components, slot, octets)
            .map_err(|reason| self.unreadable(ty, reason));
        let written = match simple {
            Ok(true) => self.splice(components, slot, octets, base),
            Ok(false) => self.merged(components, ty, slot, octets),
            Err(error) => Err(error),
        };
        self.replaced.truncate(base);
        written
    }

    /// Notes where the changed components are. Returns `false` if that does not cover the change: a component is new,
    /// or a changed one arrived out of order.
    fn note_replaced(
        &mut self,
        components: &Components,
        slot: Slot,
        octets: &[u8],
    ) -> Result<bool, Reason> {
        let value = |place: usize| self.memory.slot(SlotIndex(slot.link + place as u32));
        let is_new = |place: &usize| value(*place).is_changed() && value(*place).is_present();
        let mut missing = (0..components.elements.len()).filter(is_new).count();
        let (mut at, mut next, mut expected) = (0, 0, 0);
        while at < octets.len() {
            let (place, end) = component_at(components, octets, at, expected)?;
            expected = place.map_or(expected, |place| place + 1);
            if let Some(place) = place
                && value(place).is_changed()
            {
                if place < next {
                    return Ok(false);
                }
                next = place + 1;
                missing -= usize::from(value(place).is_present());
                self.replaced.push(Replaced { place, at, end });
            }
            at = end;
        }
        Ok(missing == 0)
    }

    /// Copies a structure and replaces or removes the changed components.
    fn splice(
        &mut self,
        components: &'w Components,
        slot: Slot,
        octets: &[u8],
        base: usize,
    ) -> Result<(), EncodeError> {
        let mut copied = 0;
        for index in base..self.replaced.len() {
            let Replaced { place, at, end } = self.replaced[index];
            self.out.extend(&octets[copied..at]);
            copied = end;
            let value = SlotIndex(slot.link + place as u32);
            if self.memory.slot(value).is_present() {
                self.element(&components.elements[place], value)?;
            }
        }
        self.out.extend(&octets[copied..]);
        Ok(())
    }

    /// Encodes any change: copies unchanged and unknown elements, and writes each new component before the first one
    /// that follows it in the type. Unknown elements are later additions (X.690, 8.9.2), so new components precede
    /// them, except those of the second root.
    fn merged(
        &mut self,
        components: &'w Components,
        ty: TypeId,
        slot: Slot,
        octets: &[u8],
    ) -> Result<(), EncodeError> {
        let base = self.present.len();
        self.present.resize(base + components.elements.len(), false);
        self.note_present(components, octets, base)
            .map_err(|reason| self.unreadable(ty, reason))?;
        // For unknown elements up to `known_at`, the new components before them are already written.
        let (mut at, mut next, mut expected, mut known_at) = (0, 0, 0, 0);
        while at < octets.len() {
            let (place, end) = component_at(components, octets, at, expected)
                .map_err(|reason| self.unreadable(ty, reason))?;
            expected = place.map_or(expected, |place| place + 1);
            let before = match place {
                Some(place) => place,
                None if at >= known_at => {
                    let (ahead, behind) = known_ahead(components, octets, end, expected)
                        .map_err(|reason| self.unreadable(ty, reason))?;
                    known_at = behind;
                    ahead.min(components.extension.unwrap_or(usize::MAX))
                }
                None => next,
            };
            if before > next {
                self.new_components(components, slot, base, next..before)?;
                next = before;
            }
            match place.map(|place| (place, SlotIndex(slot.link + place as u32))) {
                Some((place, value)) if self.memory.slot(value).is_changed() => {
                    if self.memory.slot(value).is_present() {
                        self.element(&components.elements[place], value)?;
                    }
                    next = next.max(place + 1);
                }
                _ => self.out.extend(&octets[at..end]),
            }
            at = end;
        }
        self.new_components(components, slot, base, next..components.elements.len())?;
        self.present.truncate(base);
        Ok(())
    }

    fn note_present(
        &mut self,
        components: &Components,
        octets: &[u8],
        base: usize,
    ) -> Result<(), Reason> {
        let (mut at, mut next) = (0, 0);
        while at < octets.len() {
            let (place, end) = component_at(components, octets, at, next)?;
            if let Some(place) = place {
                next = place + 1;
                self.present[base + place] = true;
            }
            at = end;
        }
        Ok(())
    }

    fn new_components(
        &mut self,
        components: &'w Components,
        slot: Slot,
        base: usize,
        places: std::ops::Range<usize>,
    ) -> Result<(), EncodeError> {
        for place in places {
            let at = SlotIndex(slot.link + place as u32);
            let value = self.memory.slot(at);
            if !self.present[base + place] && value.is_present() && value.is_changed() {
                self.element(&components.elements[place], at)?;
            }
        }
        Ok(())
    }

    fn list(&mut self, element: &'w Element, ty: TypeId, at: SlotIndex) -> Result<(), EncodeError> {
        for position in 0..self.memory.count(at) {
            let value = self.memory.element(at, position);
            let Some(value) = value.filter(|value| self.memory.slot(*value).is_present()) else {
                return Err(EncodeError::MissingElement { ty: self.name(ty), position });
            };
            self.element(element, value)?;
        }
        Ok(())
    }

    #[cold]
    fn name(&self, ty: TypeId) -> String {
        self.plan.schema().get(ty).name.clone()
    }

    #[cold]
    fn unreadable(&self, ty: TypeId, reason: Reason) -> EncodeError {
        EncodeError::Unreadable { ty: self.name(ty), reason }
    }
}

/// Returns the component at `at`, if any, and where the element ends. Most are found by one lookup.
#[inline(always)]
fn component_at(
    components: &Components,
    octets: &[u8],
    at: usize,
    next: usize,
) -> Result<(Option<usize>, usize), Reason> {
    if let Some(&[identifier, length]) = octets.get(at..at + 2) {
        let place = components.leaf(identifier);
        let end = at + 2 + usize::from(length);
        if place < components.elements.len() && length < 0x80 && end <= octets.len() {
            return Ok((Some(place), end));
        }
    }
    let word = word(octets, at);
    if let Some((place, identifier)) = components.foreseen(word, next) {
        let length = identifier.length(word);
        let end = at + usize::from(identifier.header) + usize::from(length);
        if length < 0x80 && end <= octets.len() {
            return Ok((Some(place), end));
        }
    }
    let (key, end) = read(octets, at)?;
    Ok((components.find(key, next), end))
}

/// Skips elements that the module does not define, starting at `at`. Returns the index of the next known component and
/// its offset. Components before that index belong before the unknown elements.
fn known_ahead(
    components: &Components,
    octets: &[u8],
    mut at: usize,
    next: usize,
) -> Result<(usize, usize), Reason> {
    while at < octets.len() {
        let (place, end) = component_at(components, octets, at, next)?;
        if let Some(place) = place {
            return Ok((place, at));
        }
        at = end;
    }
    Ok((components.elements.len(), at))
}

/// Returns the key of the element at `at`, and where the element ends.
fn read(octets: &[u8], at: usize) -> Result<(u32, usize), Reason> {
    let found = header(octets, at, octets.len())?;
    if found.key == END_OF_CONTENTS {
        return Err(Reason::StrayEndOfContents);
    }
    Ok((found.key, skip(octets, found.start, found.end, octets.len(), 0)?))
}

/// Returns the octets of a number or a BOOLEAN (X.690, 8.2 and 8.3).
#[inline]
fn number(value: i64, boolean: bool) -> IntegerOctets {
    match boolean {
        true if value != 0 => integer_octets(-1),
        _ => integer_octets(value),
    }
}

fn identifier(out: &mut Buffer, key: u32, constructed: bool) {
    let number = key & 0x3FFF_FFFF;
    let first = (key >> 30 << 6) as u8 | if constructed { 0x20 } else { 0 };
    if number < 31 {
        out.push(first | number as u8);
        return;
    }
    out.push(first | 0x1F);
    let septets = (32 - number.leading_zeros()).div_ceil(7);
    for septet in (0..septets).rev() {
        let more = if septet == 0 { 0 } else { 0x80 };
        out.push((number >> (7 * septet)) as u8 & 0x7F | more);
    }
}
