//! Slots, the arena they live in, and reading and writing values through them.

use std::num::NonZeroU64;

use crate::schema::{Kind, Schema, TypeId};
use crate::value::{ValueFault, integer_from_octets};

/// The index of a slot in its [`Arena`]. It is never 0 for an existing slot: 0 means "none".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, std::default::Default)]
#[repr(transparent)]
pub struct SlotIndex(pub u32);

/// Where the octets of a value are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, std::default::Default)]
#[repr(u8)]
pub enum State {
    /// The field is absent.
    #[default]
    Absent = 0,
    /// `offset .. offset + length` of the octets the record came in.
    Source = 1,
    /// `offset .. offset + length` of the arena's octets.
    Owned = 2,
    /// The number itself is in the slot.
    Number = 3,
    /// A structure or list without octets of its own: its contents are in the slots below.
    Made = 4,
}

/// Bits of [`Slot::flags`].
pub struct Flags;

impl Flags {
    /// This value, or one below it, differs from its octets.
    pub const CHANGED: u8 = 1;
    /// The value was copied here: it matches its own octets, but they are not those that its structure has at this
    /// place.
    pub const PLACED: u8 = 8;
}

/// One value of a record: where its octets are and, for structures, lists and choices, where its contents are.
///
/// It has sixteen octets, so that a frame of 24 fields is six cache lines.
#[derive(Clone, Copy, Debug, std::default::Default)]
#[repr(C)]
pub struct Slot {
    /// Where the octets are.
    pub state: State,
    /// [`Flags`].
    pub flags: u8,
    /// For a CHOICE: the index of the chosen alternative.
    pub alternative: u16,
    /// The slot below: the first slot of a structure's frame, the slot of a choice's value, or the head of a list. 0 if
    /// there is none, or the field is absent. In the head of a list's run, the head of the next run.
    pub link: u32,
    /// The first octet of the value's content. In the head of a list, its number of elements.
    pub offset: u32,
    /// The number of octets of content. In the head of a list's run, its number of slots.
    pub length: u32,
}

const _: () = assert!(size_of::<Slot>() == 16);

/// A range of the octets that a record came in: the length above the offset, so that two are compared at once. It is
/// not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch(NonZeroU64);

/// Maximum nesting of values: deeper than any real record, and safe for the stack.
pub const DEPTH_MAX: u32 = 64;

/// Maximum number of noted things of a record that its schema does not have.
const UNKNOWN_MAX: usize = 8;

/// The slots of a new arena: more than most records need.
const SLOTS_AT_FIRST: usize = 256;

const ABSENT: Slot =
    Slot { state: State::Absent, flags: 0, alternative: 0, link: 0, offset: 0, length: 0 };

impl Slot {
    /// Creates a value in the octets the record came in.
    #[inline]
    pub fn source(offset: u32, length: u32) -> Self {
        Slot { state: State::Source, offset, length, ..ABSENT }
    }

    /// Creates a value in the arena's octets.
    #[inline]
    pub fn owned(offset: u32, length: u32) -> Self {
        Slot { state: State::Owned, flags: Flags::CHANGED, offset, length, ..ABSENT }
    }

    /// Creates a number.
    #[inline]
    pub fn number(value: i64) -> Self {
        let bits = value as u64;
        Slot {
            state: State::Number,
            flags: Flags::CHANGED,
            offset: bits as u32,
            length: (bits >> 32) as u32,
            ..ABSENT
        }
    }

    /// Returns the number of a slot in [`State::Number`].
    #[inline]
    pub fn as_number(&self) -> i64 {
        (u64::from(self.length) << 32 | u64::from(self.offset)) as i64
    }

    /// Returns whether the field is present.
    #[inline]
    pub fn is_present(&self) -> bool {
        self.state != State::Absent
    }

    /// Returns whether this slot, or one below it, differs from what its structure's octets have at this place.
    #[inline]
    pub fn is_changed(&self) -> bool {
        self.flags & (Flags::CHANGED | Flags::PLACED) != 0
    }

    /// Returns whether the value matches its own octets.
    #[inline]
    pub fn is_intact(&self) -> bool {
        self.flags & Flags::CHANGED == 0
    }
}

/// The slots and octets of a worker's current records. It is cleared, not freed, between records, so that in steady
/// state a record costs no allocation.
#[derive(Debug)]
pub struct Arena {
    /// The first `used` are in use; the rest, all absent, is reserved memory.
    slots: Vec<Slot>,
    used: usize,
    octets: Vec<u8>,
    pending: Vec<Slot>,
    unknown: Vec<u32>,
}

impl std::default::Default for Arena {
    fn default() -> Self {
        Self::new()
    }
}

impl Arena {
    /// Creates an empty arena.
    pub fn new() -> Self {
        Arena {
            slots: vec![ABSENT; SLOTS_AT_FIRST],
            used: 1,
            octets: Vec::new(),
            pending: Vec::new(),
            unknown: Vec::new(),
        }
    }

    /// Drops all records and keeps the memory.
    #[inline]
    pub fn reset(&mut self) {
        self.slots[..self.used].fill(ABSENT);
        self.used = 1;
        self.octets.clear();
        self.pending.clear();
        self.unknown.clear();
    }

    /// Notes that a record has something that its schema does not have, by a mark of the decoder.
    #[cold]
    pub fn note_unknown(&mut self, mark: u32) {
        if self.unknown.len() < UNKNOWN_MAX && !self.unknown.contains(&mark) {
            self.unknown.push(mark);
        }
    }

    /// Returns these marks, each once.
    #[inline]
    pub fn unknown(&self) -> &[u32] {
        &self.unknown
    }

    /// Returns how much is in use.
    pub fn mark(&self) -> (usize, usize) {
        (self.used, self.octets.len())
    }

    /// Drops what was created since a mark. No older slot may link to it.
    pub fn back_to(&mut self, (used, octets): (usize, usize)) {
        self.slots[used..self.used].fill(ABSENT);
        self.used = used;
        self.octets.truncate(octets);
    }

    /// Takes over a record that was decoded since a mark, with its octets, so that it can be used beside a record from
    /// other octets. It relies on decoders that create slots in sequence.
    pub fn adopt(&mut self, (used, _): (usize, usize), root: SlotIndex, octets: &[u8]) {
        let base = self.store(octets);
        for slot in &mut self.slots[used..self.used] {
            if slot.state == State::Source {
                slot.state = State::Owned;
                slot.offset += base;
            }
        }
        // The octets of the current record differ from these.
        self.slot_mut(root).flags |= Flags::PLACED;
    }

    /// Creates `count` consecutive absent slots. Returns the first.
    #[inline]
    pub fn frame(&mut self, count: usize) -> SlotIndex {
        let first = self.used;
        self.used = first + count;
        if self.used > self.slots.len() {
            self.grow();
        }
        SlotIndex(first as u32)
    }

    #[cold]
    fn grow(&mut self) {
        self.slots.resize(self.used.next_power_of_two(), ABSENT);
    }

    /// Returns a slot for reading.
    #[inline]
    pub fn slot(&self, index: SlotIndex) -> &Slot {
        &self.slots[index.0 as usize]
    }

    /// Returns a slot for writing.
    #[inline]
    pub fn slot_mut(&mut self, index: SlotIndex) -> &mut Slot {
        &mut self.slots[index.0 as usize]
    }

    /// Returns all slots.
    pub fn slots_mut(&mut self) -> &mut [Slot] {
        &mut self.slots
    }

    /// Returns the slots that [`frame`](Self::frame) created.
    #[inline]
    pub fn run(&self, first: SlotIndex, count: usize) -> &[Slot] {
        &self.slots[first.0 as usize..first.0 as usize + count]
    }

    /// Returns them for writing.
    #[inline]
    pub fn run_mut(&mut self, first: SlotIndex, count: usize) -> &mut [Slot] {
        &mut self.slots[first.0 as usize..first.0 as usize + count]
    }

    /// Copies octets into the arena. Returns their offset.
    #[inline]
    pub fn store(&mut self, octets: &[u8]) -> u32 {
        let offset = self.octets.len() as u32;
        self.octets.extend_from_slice(octets);
        offset
    }

    /// Returns the arena's octets.
    #[inline]
    pub fn octets(&self) -> &[u8] {
        &self.octets
    }

    /// Returns the arena's octets, for appending only.
    #[inline]
    pub fn octets_mut(&mut self) -> &mut Vec<u8> {
        &mut self.octets
    }

    /// Returns the memory that the current records use, in octets.
    #[inline]
    pub fn octets_used(&self) -> usize {
        self.octets.len() + self.used * size_of::<Slot>()
    }

    /// Creates a list of `count` absent elements. Returns its head, for the link of the list's slot.
    #[inline]
    pub fn list(&mut self, count: u32) -> SlotIndex {
        let head = self.frame(count as usize + 1);
        *self.slot_mut(head) = Slot { offset: count, length: count, ..ABSENT };
        head
    }

    /// Begins a list of unknown length. Lists may be nested.
    #[inline]
    pub fn begin_list(&self) -> usize {
        self.pending.len()
    }

    /// Adds an element to the list that was begun last.
    #[inline]
    pub fn push_element(&mut self, element: Slot) {
        self.pending.push(element);
    }

    /// Ends the list begun at `mark`. Returns its head, for the link of the list's slot.
    #[inline]
    pub fn end_list(&mut self, mark: usize) -> SlotIndex {
        let count = (self.pending.len() - mark) as u32;
        let head = self.frame(count as usize + 1).0 as usize;
        self.slots[head] = Slot { offset: count, length: count, ..ABSENT };
        self.slots[head + 1..self.used].copy_from_slice(&self.pending[mark..]);
        self.pending.truncate(mark);
        SlotIndex(head as u32)
    }
}

/// A record in an arena: its type and its root slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its type.
    pub ty: TypeId,
    /// The root slot.
    pub root: SlotIndex,
}

/// The octets a record came in and the arena of its slots: everything needed to read and write it.
#[derive(Debug)]
pub struct Memory<'a> {
    /// The octets the record came in.
    pub source: &'a [u8],
    /// The slots, and the octets created by scripts.
    pub arena: &'a mut Arena,
}

impl<'a> Memory<'a> {
    /// Creates a memory over these octets and this arena.
    pub fn new(source: &'a [u8], arena: &'a mut Arena) -> Self {
        Memory { source, arena }
    }

    /// Creates an empty record of this type.
    pub fn create(&mut self, ty: TypeId) -> Record {
        Record { ty, root: self.arena.frame(1) }
    }

    /// Returns a slot for reading.
    #[inline]
    pub fn slot(&self, index: SlotIndex) -> &Slot {
        self.arena.slot(index)
    }

    /// Returns the content octets of a value. A number in its slot has none: use [`number`](Self::number).
    #[inline]
    pub fn octets(&self, index: SlotIndex) -> Result<&[u8], ValueFault> {
        let slot = self.arena.slot(index);
        match slot.state {
            State::Source => Ok(range(self.source, slot)),
            State::Owned => Ok(range(&self.arena.octets, slot)),
            State::Absent => Err(ValueFault::Absent),
            State::Number | State::Made => Err(ValueFault::NotAValue),
        }
    }

    /// Returns the number of a BOOLEAN (0 or 1), INTEGER or ENUMERATED.
    #[inline]
    pub fn number(&self, index: SlotIndex) -> Result<i64, ValueFault> {
        if self.arena.slot(index).state == State::Number {
            return Ok(self.arena.slot(index).as_number());
        }
        integer_from_octets(self.octets(index)?)
    }

    /// Sets a slot to a number.
    #[inline]
    pub fn set_number(&mut self, index: SlotIndex, value: i64) {
        *self.arena.slot_mut(index) = Slot::number(value);
    }

    /// Sets a slot to a copy of these octets.
    #[inline]
    pub fn set_octets(&mut self, index: SlotIndex, octets: &[u8]) {
        let offset = self.arena.store(octets);
        *self.arena.slot_mut(index) = Slot::owned(offset, octets.len() as u32);
    }

    /// Makes a slot absent.
    #[inline]
    pub fn delete(&mut self, index: SlotIndex) {
        *self.arena.slot_mut(index) = Slot { flags: Flags::CHANGED, ..ABSENT };
    }

    /// Marks a slot as changed, at it or below it. Code that changes a value must mark every slot on the path to it.
    #[inline]
    pub fn touch(&mut self, index: SlotIndex) {
        self.arena.slot_mut(index).flags |= Flags::CHANGED;
    }

    /// Returns the slot of component `field` of a structure, if the structure is present.
    #[inline]
    pub fn component(&self, structure: SlotIndex, field: usize) -> Option<SlotIndex> {
        let slot = self.arena.slot(structure);
        (slot.is_present() && slot.link != 0).then(|| SlotIndex(slot.link + field as u32))
    }

    /// Returns where the octets of an unchanged component are, with as few lookups as possible.
    #[inline(always)]
    pub fn source_at(&self, structure: SlotIndex, field: usize) -> Option<Stretch> {
        let structure = self.arena.slots.get(structure.0 as usize)?;
        let slot = self.arena.slots.get(structure.link as usize + field)?;
        if structure.link == 0 || slot.state != State::Source {
            return None;
        }
        NonZeroU64::new(u64::from(slot.offset) | u64::from(slot.length) << 32).map(Stretch)
    }

    /// Returns the number at a stretch. It loads eight octets from its beginning, so it returns `None` if the record
    /// ends before that.
    #[inline(always)]
    pub fn number_at(&self, Stretch(stretch): Stretch) -> Option<i64> {
        let (offset, length) = (stretch.get() as u32, (stretch.get() >> 32) as u32);
        let octets = self.source.get(offset as usize..)?.first_chunk::<8>()?;
        match length {
            1..=8 => Some(i64::from_be_bytes(*octets) >> (64 - 8 * length)),
            _ => None,
        }
    }

    /// Returns the index of a choice's alternative, and its slot.
    #[inline]
    pub fn chosen(&self, choice: SlotIndex) -> Option<(usize, SlotIndex)> {
        let slot = self.arena.slot(choice);
        (slot.is_present() && slot.link != 0)
            .then(|| (usize::from(slot.alternative), SlotIndex(slot.link)))
    }

    /// Returns the number of a list's elements; 0 if it is absent.
    #[inline]
    pub fn count(&self, list: SlotIndex) -> usize {
        let slot = self.arena.slot(list);
        if !slot.is_present() || slot.link == 0 {
            return 0;
        }
        self.arena.slot(SlotIndex(slot.link)).offset as usize
    }

    /// Returns the slot of a list's element, counted from 0.
    #[inline]
    pub fn element(&self, list: SlotIndex, position: usize) -> Option<SlotIndex> {
        if position < self.count(list) {
            self.place(self.arena.slot(list).link, position as u32).ok()
        } else {
            None
        }
    }

    /// Returns the slot at a position, or the last run if the list must grow for it. Elements never move when a list
    /// grows, so their indexes stay valid: the list gets another run, as long as those before it together.
    #[inline]
    fn place(&self, head: u32, mut position: u32) -> Result<SlotIndex, SlotIndex> {
        let mut head = SlotIndex(head);
        loop {
            let run = self.arena.slot(head);
            if position < run.length {
                return Ok(SlotIndex(head.0 + 1 + position));
            }
            if run.link == 0 {
                return Err(head);
            }
            position -= run.length;
            head = SlotIndex(run.link);
        }
    }

    /// Creates a structure of `fields` components if it is missing, and marks it as changed. Returns its first slot.
    #[inline]
    pub fn make_structure(&mut self, structure: SlotIndex, fields: usize) -> SlotIndex {
        let behind = self.arena.used as u32;
        let slot = self.arena.slot_mut(structure);
        let is_new = slot.link == 0;
        if is_new {
            slot.link = behind;
        }
        if !slot.is_present() {
            slot.state = State::Made;
        }
        slot.flags |= Flags::CHANGED;
        let frame = SlotIndex(slot.link);
        if is_new {
            self.arena.frame(fields);
        }
        frame
    }

    /// Makes an alternative of a choice the chosen one, and marks it as changed. The value stays if it was chosen
    /// before.
    pub fn make_choice(&mut self, choice: SlotIndex, alternative: usize) -> SlotIndex {
        let slot = *self.arena.slot(choice);
        if slot.is_present() && slot.link != 0 && usize::from(slot.alternative) == alternative {
            self.touch(choice);
            return SlotIndex(slot.link);
        }
        let value = self.arena.frame(1);
        *self.arena.slot_mut(choice) = Slot {
            state: State::Made,
            flags: Flags::CHANGED,
            alternative: alternative as u16,
            link: value.0,
            ..ABSENT
        };
        value
    }

    /// Creates a list if it is missing, and marks it as changed.
    pub fn make_list(&mut self, list: SlotIndex) {
        if self.arena.slot(list).link == 0 {
            let head = self.arena.frame(1);
            self.arena.slot_mut(list).link = head.0;
        }
        let slot = self.arena.slot_mut(list);
        if !slot.is_present() {
            slot.state = State::Made;
        }
        slot.flags |= Flags::CHANGED;
    }

    /// Appends an absent element to a list, which is created if it is missing.
    pub fn append(&mut self, list: SlotIndex) -> SlotIndex {
        self.make_list(list);
        let head = SlotIndex(self.arena.slot(list).link);
        let count = self.arena.slot(head).offset;
        let element = match self.place(head.0, count) {
            Ok(free) => free,
            Err(last) => {
                let run = self.arena.list(count.max(4));
                self.arena.slot_mut(last).link = run.0;
                SlotIndex(run.0 + 1)
            }
        };
        self.arena.slot_mut(head).offset = count + 1;
        *self.arena.slot_mut(element) = ABSENT;
        element
    }

    /// Removes an element from a list and moves those after it up. Does nothing if there is no such element.
    pub fn remove(&mut self, list: SlotIndex, position: usize) {
        let count = self.count(list);
        if position >= count {
            return;
        }
        for place in position + 1..count {
            if let (Some(to), Some(from)) =
                (self.element(list, place - 1), self.element(list, place))
            {
                *self.arena.slot_mut(to) = *self.arena.slot(from);
            }
        }
        let head = SlotIndex(self.arena.slot(list).link);
        self.arena.slot_mut(head).offset = count as u32 - 1;
        self.touch(list);
    }

    /// Copies a value to another type whose components have the same names and kinds. The encodings may differ, so no
    /// structure keeps its octets; parts of the same type in both are [copied](Self::copy).
    pub fn convert(
        &mut self,
        schema: &Schema,
        (source, from): (TypeId, SlotIndex),
        (target, to): (TypeId, SlotIndex),
    ) -> Result<(), ValueFault> {
        let slot = *self.arena.slot(from);
        let copied = match source == target {
            true => {
                let copied = self.copied(schema, source, slot, DEPTH_MAX)?;
                Slot { flags: copied.flags | Flags::PLACED, ..copied }
            }
            false => self.converted(schema, source, slot, target, DEPTH_MAX)?,
        };
        *self.arena.slot_mut(to) = copied;
        Ok(())
    }

    /// Copies a value of a type, with everything below it, so that changes of one do not affect the other. Octets are
    /// shared, slots are not.
    pub fn copy(
        &mut self,
        schema: &Schema,
        ty: TypeId,
        from: SlotIndex,
        to: SlotIndex,
    ) -> Result<(), ValueFault> {
        // Complete the copy before storing it, since its target may be within the source.
        let copied = self.copied(schema, ty, *self.arena.slot(from), DEPTH_MAX)?;
        *self.arena.slot_mut(to) = copied;
        Ok(())
    }

    /// Checks that values are not nested deeper than a decoder allows.
    pub fn check_depth(&self, schema: &Schema, record: Record) -> Result<(), ValueFault> {
        self.deeper(schema, record.ty, *self.arena.slot(record.root), DEPTH_MAX)
    }

    fn deeper(
        &self,
        schema: &Schema,
        ty: TypeId,
        slot: Slot,
        depth: u32,
    ) -> Result<(), ValueFault> {
        let below = |ty: TypeId, at: u32| {
            let depth = depth.checked_sub(1).ok_or(ValueFault::TooDeep)?;
            self.deeper(schema, ty, *self.arena.slot(SlotIndex(at)), depth)
        };
        match (schema.kind(ty), slot.link) {
            (_, 0) => Ok(()),
            (Kind::Sequence(fields) | Kind::Set(fields), link) => {
                (link..).zip(fields).try_for_each(|(at, field)| below(field.ty, at))
            }
            (Kind::Choice(fields), link) => match fields.get(usize::from(slot.alternative)) {
                Some(field) => below(field.ty, link),
                None => Ok(()),
            },
            (Kind::SequenceOf(element) | Kind::SetOf(element), head) => {
                let count = self.arena.slot(SlotIndex(head)).offset;
                (0..count).try_for_each(|position| match self.place(head, position) {
                    Ok(at) => below(*element, at.0),
                    Err(_) => Ok(()),
                })
            }
            _ => Ok(()),
        }
    }

    fn copied(
        &mut self,
        schema: &Schema,
        ty: TypeId,
        slot: Slot,
        depth: u32,
    ) -> Result<Slot, ValueFault> {
        if slot.link == 0 {
            return Ok(slot);
        }
        self.with_copies_below(schema, ty, slot, depth, |memory, _, ty, below, depth| {
            memory.copied(schema, ty, below, depth)
        })
    }

    fn converted(
        &mut self,
        schema: &Schema,
        source: TypeId,
        slot: Slot,
        target: TypeId,
        depth: u32,
    ) -> Result<Slot, ValueFault> {
        if source == target {
            let copied = self.copied(schema, source, slot, depth)?;
            return Ok(Slot { flags: copied.flags | Flags::PLACED, ..copied });
        }
        let changed = Slot { flags: slot.flags | Flags::CHANGED, ..slot };
        if slot.link == 0 || !slot.is_present() {
            return Ok(changed);
        }
        let kind = schema.kind(target);
        let made = match schema.kind(source).is_constructed() {
            true => {
                Slot { state: State::Made, flags: Flags::CHANGED, offset: 0, length: 0, ..slot }
            }
            false => changed,
        };
        self.with_copies_below(schema, source, made, depth, |memory, place, ty, below, depth| {
            let target = match kind {
                Kind::SequenceOf(element) | Kind::SetOf(element) => Some(*element),
                kind => kind.fields().get(place).map(|field| field.ty),
            };
            memory.converted(schema, ty, below, target.unwrap_or(ty), depth)
        })
    }

    /// Returns a slot that links to copies of the slots below `slot`. `each` creates them from the index of the
    /// component, its type and its slot.
    fn with_copies_below(
        &mut self,
        schema: &Schema,
        ty: TypeId,
        slot: Slot,
        depth: u32,
        each: impl Fn(&mut Self, usize, TypeId, Slot, u32) -> Result<Slot, ValueFault>,
    ) -> Result<Slot, ValueFault> {
        let depth = depth.checked_sub(1).ok_or(ValueFault::TooDeep)?;
        let copy = |memory: &mut Self, place: usize, ty: TypeId, at: u32| {
            let below = *memory.arena.slot(SlotIndex(at));
            if below.is_present() {
                let copied = each(memory, place, ty, below, depth)?;
                *memory.arena.slot_mut(SlotIndex(at)) = copied;
            }
            Ok(())
        };
        let link = match schema.kind(ty) {
            Kind::Sequence(fields) | Kind::Set(fields) => {
                let frame = self.copy_run(slot.link, fields.len());
                for (place, field) in fields.iter().enumerate() {
                    copy(self, place, field.ty, frame + place as u32)?;
                }
                frame
            }
            Kind::Choice(fields) => {
                let value = self.copy_run(slot.link, 1);
                let place = usize::from(slot.alternative);
                if let Some(field) = fields.get(place) {
                    copy(self, place, field.ty, value)?;
                }
                value
            }
            Kind::SequenceOf(element) | Kind::SetOf(element) => {
                let (head, count) = self.copy_list(slot.link);
                for place in 0..count {
                    copy(self, 0, *element, head + 1 + place)?;
                }
                head
            }
            _ => slot.link,
        };
        Ok(Slot { link, ..slot })
    }

    /// Copies the elements of a list into one run. Returns its head and the number of elements.
    fn copy_list(&mut self, head: u32) -> (u32, u32) {
        let count = self.arena.slot(SlotIndex(head)).offset;
        let copied = self.arena.list(count).0;
        let (mut from, mut done) = (head, 0);
        while done < count {
            let run = *self.arena.slot(SlotIndex(from));
            let length = run.length.min(count - done) as usize;
            let first = from as usize + 1;
            let to = (copied + 1 + done) as usize;
            self.arena.slots.copy_within(first..first + length, to);
            done += length as u32;
            from = run.link;
        }
        (copied, count)
    }

    fn copy_run(&mut self, first: u32, count: usize) -> u32 {
        let first = first as usize;
        let copied = self.arena.frame(count).0;
        self.arena.slots.copy_within(first..first + count, copied as usize);
        copied
    }
}

#[inline]
fn range<'o>(octets: &'o [u8], slot: &Slot) -> &'o [u8] {
    &octets[slot.offset as usize..slot.offset as usize + slot.length as usize]
}
