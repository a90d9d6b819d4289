//! Slots, the arena they live in, and reading and writing values through them.

use std::num::NonZeroU64;

use crate::schema::{Kind, Schema, TypeId};
use crate::value::{ValueFault, integer_from_octets};

/// The place of a slot in its [`Arena`]. Never 0 for a slot that exists: 0 stands for "none".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, std::default::Default)]
#[repr(transparent)]
pub struct SlotIndex(pub u32);

/// Where the octets of a value lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, std::default::Default)]
#[repr(u8)]
pub enum State {
    /// The field is not there.
    #[default]
    Absent = 0,
    /// `offset .. offset + length` of the octets the record came in.
    Source = 1,
    /// `offset .. offset + length` of the arena's octets.
    Owned = 2,
    /// The number itself lies in the slot.
    Number = 3,
    /// A structure or list without octets of its own: what it is lies in the slots below.
    Made = 4,
}

/// What is special about a slot; bits of [`Slot::flags`].
pub struct Flags;

impl Flags {
    /// This value, or one below it, is no longer what its octets say.
    pub const CHANGED: u8 = 1;
    /// Put here from elsewhere: the value is what its octets say, but they are not those that its
    /// structure has at this place.
    pub const PLACED: u8 = 8;
}

/// One value of a record: where it lies, and for structures, lists and choices, where what is in it lies.
///
/// Sixteen octets, so that a frame of 24 fields is six cache lines.
#[derive(Clone, Copy, Debug, std::default::Default)]
#[repr(C)]
pub struct Slot {
    /// Where the octets lie.
    pub state: State,
    /// [`Flags`].
    pub flags: u8,
    /// For a CHOICE: the place of the alternative that is there.
    pub alternative: u16,
    /// What is below: the first slot of a structure's frame, the slot of a choice's value, or the head
    /// of a list. 0 if nothing is, and where the field is not there. The head of a list that grew has the head of its next run here.
    pub link: u32,
    /// First octet of the value's content. The head of a list has its number of elements here.
    pub offset: u32,
    /// Number of octets of content. The head of a run of a list has here how many slots it has.
    pub length: u32,
}

const _: () = assert!(size_of::<Slot>() == 16);

/// Some of the octets that a record came in: their number above where they begin, so that two are compared in one go. There
/// is at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch(NonZeroU64);

/// How deep values may lie within each other: deeper than any real record, and no stack ends before.
pub const DEPTH_MAX: u32 = 64;

/// Different things of a record that its schema does not have, which are noted: who looks at them wants to know of one.
const UNKNOWN_MAX: usize = 8;

/// Slots of a new arena: more than most records need.
const SLOTS_AT_FIRST: usize = 256;

const ABSENT: Slot =
    Slot { state: State::Absent, flags: 0, alternative: 0, link: 0, offset: 0, length: 0 };

impl Slot {
    /// A value that lies in the octets the record came in.
    #[inline]
    pub fn source(offset: u32, length: u32) -> Self {
        Slot { state: State::Source, offset, length, ..ABSENT }
    }

    /// A value that lies in the arena's octets.
    #[inline]
    pub fn owned(offset: u32, length: u32) -> Self {
        Slot { state: State::Owned, flags: Flags::CHANGED, offset, length, ..ABSENT }
    }

    /// A number.
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

    /// The number of a slot in [`State::Number`].
    #[inline]
    pub fn as_number(&self) -> i64 {
        (u64::from(self.length) << 32 | u64::from(self.offset)) as i64
    }

    /// Whether the field is there.
    #[inline]
    pub fn is_present(&self) -> bool {
        self.state != State::Absent
    }

    /// Whether what is here, or below, differs from what its structure's octets have at this place.
    #[inline]
    pub fn is_changed(&self) -> bool {
        self.flags & (Flags::CHANGED | Flags::PLACED) != 0
    }

    /// Whether the value is what its own octets say.
    #[inline]
    pub fn is_intact(&self) -> bool {
        self.flags & Flags::CHANGED == 0
    }
}

/// Slots and octets of the records a worker has in hand. Emptied, not freed, between records, so that
/// in steady state a record costs no allocation.
#[derive(Debug)]
pub struct Arena {
    /// The first `used` are somebody's; the rest, all absent, is memory kept for later.
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
    /// An empty arena.
    pub fn new() -> Self {
        Arena {
            slots: vec![ABSENT; SLOTS_AT_FIRST],
            used: 1,
            octets: Vec::new(),
            pending: Vec::new(),
            unknown: Vec::new(),
        }
    }

    /// Forgets all records; keeps the memory.
    #[inline]
    pub fn reset(&mut self) {
        self.slots[..self.used].fill(ABSENT);
        self.used = 1;
        self.octets.clear();
        self.pending.clear();
        self.unknown.clear();
    }

    /// Notes that a record has something that its schema does not, by what the decoder knows it by.
    #[cold]
    pub fn note_unknown(&mut self, mark: u32) {
        if self.unknown.len() < UNKNOWN_MAX && !self.unknown.contains(&mark) {
            self.unknown.push(mark);
        }
    }

    /// What was noted so, each once.
    #[inline]
    pub fn unknown(&self) -> &[u32] {
        &self.unknown
    }

    /// How much is used now.
    pub fn mark(&self) -> (usize, usize) {
        (self.used, self.octets.len())
    }

    /// Forgets what was made since a mark. Nothing that was there before may lead to it.
    pub fn back_to(&mut self, (used, octets): (usize, usize)) {
        self.slots[used..self.used].fill(ABSENT);
        self.used = used;
        self.octets.truncate(octets);
    }

    /// Takes in a record that was decoded since a mark, with its octets: it can lie beside one that came in others.
    /// Decoders make slots one behind the other.
    pub fn adopt(&mut self, (used, _): (usize, usize), root: SlotIndex, octets: &[u8]) {
        let base = self.store(octets);
        for slot in &mut self.slots[used..self.used] {
            if slot.state == State::Source {
                slot.state = State::Owned;
                slot.offset += base;
            }
        }
        // What the octets of the record in hand say is another.
        self.slot_mut(root).flags |= Flags::PLACED;
    }

    /// A run of `count` absent slots; returns the first.
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

    /// A slot to read.
    #[inline]
    pub fn slot(&self, index: SlotIndex) -> &Slot {
        &self.slots[index.0 as usize]
    }

    /// A slot to write.
    #[inline]
    pub fn slot_mut(&mut self, index: SlotIndex) -> &mut Slot {
        &mut self.slots[index.0 as usize]
    }

    /// All slots.
    pub fn slots_mut(&mut self) -> &mut [Slot] {
        &mut self.slots
    }

    /// A run of slots that [`frame`](Self::frame) made.
    #[inline]
    pub fn run(&self, first: SlotIndex, count: usize) -> &[Slot] {
        &self.slots[first.0 as usize..first.0 as usize + count]
    }

    /// The same, to write several at once.
    #[inline]
    pub fn run_mut(&mut self, first: SlotIndex, count: usize) -> &mut [Slot] {
        &mut self.slots[first.0 as usize..first.0 as usize + count]
    }

    /// Puts octets into the arena; returns their offset.
    #[inline]
    pub fn store(&mut self, octets: &[u8]) -> u32 {
        let offset = self.octets.len() as u32;
        self.octets.extend_from_slice(octets);
        offset
    }

    /// The arena's octets.
    #[inline]
    pub fn octets(&self) -> &[u8] {
        &self.octets
    }

    /// The arena's octets, to append to. What is there must stay there.
    #[inline]
    pub fn octets_mut(&mut self) -> &mut Vec<u8> {
        &mut self.octets
    }

    /// How much memory the records in hand take, in octets.
    #[inline]
    pub fn octets_used(&self) -> usize {
        self.octets.len() + self.used * size_of::<Slot>()
    }

    /// A list of `count` absent elements; returns its head, which is what the list's slot links to.
    #[inline]
    pub fn list(&mut self, count: u32) -> SlotIndex {
        let head = self.frame(count as usize + 1);
        *self.slot_mut(head) = Slot { offset: count, length: count, ..ABSENT };
        head
    }

    /// Begins a list whose length is not known yet; lists may be begun within lists.
    #[inline]
    pub fn begin_list(&self) -> usize {
        self.pending.len()
    }

    /// Adds an element to the list begun last.
    #[inline]
    pub fn push_element(&mut self, element: Slot) {
        self.pending.push(element);
    }

    /// Ends the list begun at `mark`; returns its head, which is what the list's slot links to.
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

/// A record in an arena: its type and the slot of its whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its type.
    pub ty: TypeId,
    /// The slot of the whole.
    pub root: SlotIndex,
}

/// The octets a record came in and the arena its slots live in: all that is needed to read and write it.
#[derive(Debug)]
pub struct Memory<'a> {
    /// The octets the record came in.
    pub source: &'a [u8],
    /// The slots and made octets.
    pub arena: &'a mut Arena,
}

impl<'a> Memory<'a> {
    /// Over these octets and this arena.
    pub fn new(source: &'a [u8], arena: &'a mut Arena) -> Self {
        Memory { source, arena }
    }

    /// A new record of this type, with nothing in it.
    pub fn create(&mut self, ty: TypeId) -> Record {
        Record { ty, root: self.arena.frame(1) }
    }

    /// A slot to read.
    #[inline]
    pub fn slot(&self, index: SlotIndex) -> &Slot {
        self.arena.slot(index)
    }

    /// The content octets of a value. Of a number in its slot there are none: use [`number`](Self::number).
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

    /// The number of a BOOLEAN (0 or 1), INTEGER or ENUMERATED.
    #[inline]
    pub fn number(&self, index: SlotIndex) -> Result<i64, ValueFault> {
        if self.arena.slot(index).state == State::Number {
            return Ok(self.arena.slot(index).as_number());
        }
        integer_from_octets(self.octets(index)?)
    }

    /// Makes a slot hold a number.
    #[inline]
    pub fn set_number(&mut self, index: SlotIndex, value: i64) {
        *self.arena.slot_mut(index) = Slot::number(value);
    }

    /// Makes a slot hold a copy of these octets.
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

    /// Notes that something at or below a slot will differ from its octets. Whoever changes a value
    /// notes it for every slot on the way to it.
    #[inline]
    pub fn touch(&mut self, index: SlotIndex) {
        self.arena.slot_mut(index).flags |= Flags::CHANGED;
    }

    /// The slot of component `field` of a structure that is there.
    #[inline]
    pub fn component(&self, structure: SlotIndex, field: usize) -> Option<SlotIndex> {
        let slot = self.arena.slot(structure);
        (slot.is_present() && slot.link != 0).then(|| SlotIndex(slot.link + field as u32))
    }

    /// Where a component lies that is as it came, found with as few looks as there can be.
    #[inline(always)]
    pub fn came_at(&self, structure: SlotIndex, field: usize) -> Option<Stretch> {
        let structure = self.arena.slots.get(structure.0 as usize)?;
        let slot = self.arena.slots.get(structure.link as usize + field)?;
        if structure.link == 0 || slot.state != State::Source {
            return None;
        }
        NonZeroU64::new(u64::from(slot.offset) | u64::from(slot.length) << 32).map(Stretch)
    }

    /// The number that lies there, without asking how long it is: eight octets are taken from where it begins. Where the
    /// record ends before, nothing is said.
    #[inline(always)]
    pub fn number_at(&self, Stretch(stretch): Stretch) -> Option<i64> {
        let (offset, length) = (stretch.get() as u32, (stretch.get() >> 32) as u32);
        let octets = self.source.get(offset as usize..)?.first_chunk::<8>()?;
        match length {
            1..=8 => Some(i64::from_be_bytes(*octets) >> (64 - 8 * length)),
            _ => None,
        }
    }

    /// Which alternative of a choice is there, and its slot.
    #[inline]
    pub fn chosen(&self, choice: SlotIndex) -> Option<(usize, SlotIndex)> {
        let slot = self.arena.slot(choice);
        (slot.is_present() && slot.link != 0)
            .then(|| (usize::from(slot.alternative), SlotIndex(slot.link)))
    }

    /// How many elements a list has; 0 for one that is absent.
    #[inline]
    pub fn count(&self, list: SlotIndex) -> usize {
        let slot = self.arena.slot(list);
        if !slot.is_present() || slot.link == 0 {
            return 0;
        }
        self.arena.slot(SlotIndex(slot.link)).offset as usize
    }

    /// The slot of an element of a list, counted from 0.
    #[inline]
    pub fn element(&self, list: SlotIndex, position: usize) -> Option<SlotIndex> {
        if position < self.count(list) {
            self.place(self.arena.slot(list).link, position as u32).ok()
        } else {
            None
        }
    }

    /// Where the slot of a position is; the last run if the list must grow for it. Elements never move when
    /// their list grows, so that who holds one goes on holding it: there are more runs instead, each as
    /// long as those before it together.
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

    /// Makes sure that a structure of `fields` components is there, and notes that it will change.
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

    /// Makes an alternative of a choice the one that is there, and notes that it will change. The
    /// value stays if it was the one before.
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

    /// Makes sure that a list is there, and notes that it will change.
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

    /// Adds an absent element at the end of a list, making the list if there is none.
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

    /// Takes an element out of a list; those behind it move up. Nothing happens if it is not there.
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

    /// Copies a value as one of another type whose components have the same names and kinds. Their
    /// encodings may differ, so no structure keeps the octets it came in; what is of the same type in
    /// both is [copied](Self::copy).
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

    /// Copies a value of a type, with all below it, so that a change of one is not seen in the other.
    /// Octets are shared, slots are not.
    pub fn copy(
        &mut self,
        schema: &Schema,
        ty: TypeId,
        from: SlotIndex,
        to: SlotIndex,
    ) -> Result<(), ValueFault> {
        // The copy is whole before it is put where it goes, which may be within what is copied.
        let copied = self.copied(schema, ty, *self.arena.slot(from), DEPTH_MAX)?;
        *self.arena.slot_mut(to) = copied;
        Ok(())
    }

    /// Sees to it that values lie no deeper within each other than a decoder would let them.
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

    /// A slot that links to copies of what it links to, each made by `each` of the place of its component, its
    /// type and its slot.
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

    /// Copies the elements of a list into one run; returns its head, and how many they are.
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
