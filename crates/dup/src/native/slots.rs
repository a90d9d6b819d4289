//! Machine code for slots: finding them, reading and writing their contents.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I16, I32, I64};
use cranelift_codegen::ir::{
    BlockArg, InstBuilder, InstructionData, MemFlagsData, Opcode, Type, Value,
};
use record::{Flags, Slot, State};

use super::FaultKind;
use super::emitter::Emitter;
use super::ground::Ground;
use super::known::{Change, Fact};
use crate::code::{Instruction as I, Register};

pub(super) const STATE: i32 = offset_of!(Slot, state) as i32;
const FLAGS: i32 = offset_of!(Slot, flags) as i32;
const ALTERNATIVE: i32 = offset_of!(Slot, alternative) as i32;
const LINK: i32 = offset_of!(Slot, link) as i32;
pub(super) const OFFSET: i32 = offset_of!(Slot, offset) as i32;
pub(super) const LENGTH: i32 = offset_of!(Slot, length) as i32;
const SLOT_OCTETS: usize = size_of::<Slot>();

// A number fills offset and length as one word; the first eight octets are written at once.
const _: () = assert!(
    SLOT_OCTETS.is_power_of_two()
        && OFFSET == 8
        && LENGTH == 12
        && STATE == 0
        && FLAGS == 1
        && LINK == 4
);

/// The address of a slot. The slots of one structure share a base, so that it is computed once.
#[derive(Clone, Copy)]
pub(super) struct SlotAddress {
    base: Value,
    offset: i32,
}

impl Emitter<'_> {
    /// Loads a field of a slot.
    pub(super) fn load(&mut self, ty: Type, slot: SlotAddress, field: i32) -> Value {
        let flags = MemFlagsData::trusted();
        let value = self.builder.ins().load(ty, flags, slot.base, slot.offset + field);
        if ty == I64 { value } else { self.builder.ins().uextend(I64, value) }
    }

    pub(super) fn store(&mut self, value: Value, slot: SlotAddress, field: i32) {
        self.builder.ins().store(MemFlagsData::trusted(), value, slot.base, slot.offset + field);
    }

    /// Returns the address of the slots.
    fn slots(&mut self) -> Value {
        if let Some(slots) = self.known.get(Fact::Slots) {
            return slots;
        }
        let slots = self.field(Ground::SLOTS);
        self.known.learn(Fact::Slots, slots);
        slots
    }

    /// Returns the address of a slot.
    pub(super) fn slot(&mut self, index: Value) -> SlotAddress {
        let (first, place) = self.first_and_place(index);
        let base = self.known.get(Fact::Base(first)).unwrap_or_else(|| {
            let base = self.base(first);
            self.known.learn(Fact::Base(first), base);
            base
        });
        SlotAddress { base, offset: place * SLOT_OCTETS as i32 }
    }

    /// Like `slot`, in a branch, where no fact may be learned.
    fn slot_here(&mut self, index: Value) -> SlotAddress {
        SlotAddress { base: self.base(index), offset: 0 }
    }

    fn base(&mut self, index: Value) -> Value {
        let slots = self.slots();
        let offset = self.builder.ins().ishl_imm_s(index, i64::from(SLOT_OCTETS.ilog2()));
        self.builder.ins().iadd(slots, offset)
    }

    /// Splits the index of a component: the index of the first in its structure, and the distance from it.
    fn first_and_place(&self, index: Value) -> (Value, i32) {
        let dfg = &self.builder.func.dfg;
        let made = |value| dfg.value_def(value).inst().map(|instruction| dfg.insts[instruction]);
        let Some(InstructionData::Binary { opcode: Opcode::Iadd, args: [first, place] }) =
            made(index)
        else {
            return (index, 0);
        };
        match made(place) {
            Some(InstructionData::UnaryImm { opcode: Opcode::Iconst, imm }) => {
                u16::try_from(imm.bits()).map_or((index, 0), |place| (first, place.into()))
            }
            _ => (index, 0),
        }
    }

    /// Loads the link of a slot; 0 if it is absent, or nothing is below it.
    fn link(&mut self, slot: SlotAddress) -> Value {
        self.load(I32, slot, LINK)
    }

    /// Returns the link of a slot with something below it. `otherwise` handles a link of 0.
    fn link_or(&mut self, index: Value, otherwise: impl FnOnce(&mut Self, Value)) -> Value {
        if let Some(link) = self.known.get(Fact::Link(index)) {
            return link;
        }
        let slot = self.slot(index);
        let link = self.link(slot);
        let none = self.is_zero(link);
        otherwise(self, none);
        self.known.learn(Fact::Link(index), link);
        link
    }

    /// Returns the slot of a choice's alternative. `nothing` handles an absent choice, `other` another alternative.
    fn alternative_or(
        &mut self,
        (choice, place): (Value, u16),
        nothing: impl FnOnce(&mut Self, Value),
        other: impl FnOnce(&mut Self, Value),
    ) -> Value {
        let fact = Fact::Alternative(choice, place);
        if let Some(value) = self.known.get(fact) {
            return value;
        }
        let link = self.link_or(choice, nothing);
        let slot = self.slot(choice);
        let alternative = self.load(I16, slot, ALTERNATIVE);
        let is_other =
            self.builder.ins().icmp_imm_s(IntCC::NotEqual, alternative, i64::from(place));
        other(self, is_other);
        self.known.learn(fact, link);
        link
    }

    pub(super) fn is_zero(&mut self, value: Value) -> Value {
        self.builder.ins().icmp_imm_s(IntCC::Equal, value, 0)
    }

    /// Returns the index of a component; a fault if its structure is absent.
    fn component(&mut self, of: Register, place: u16) -> Value {
        let of = self.get(of);
        let link = self.link_or(of, |emitter, none| emitter.fault_if(none, FaultKind::Absent));
        self.component_below(link, place)
    }

    fn component_below(&mut self, link: Value, place: u16) -> Value {
        let fact = Fact::Component(link, place);
        if let Some(index) = self.known.get(fact) {
            return index;
        }
        let index = self.builder.ins().iadd_imm_s(link, i64::from(place));
        self.known.learn(fact, index);
        index
    }

    pub(super) fn on_slots(&mut self, instruction: I) {
        match instruction {
            I::Element { .. } if self.short => self.interpret(instruction),
            I::Component { to, of, place } => {
                let index = self.component(of, place);
                self.set(to, index);
            }
            I::TryComponent { to, of, place, target } => {
                let of = self.get(of);
                let link = self.link_or(of, |emitter, none| emitter.jump_if(none, target));
                let index = self.component_below(link, place);
                self.set(to, index);
            }
            I::Chosen { to, choice } => {
                let choice = self.get(choice);
                self.link_or(choice, |emitter, none| emitter.fault_if(none, FaultKind::Absent));
                let slot = self.slot(choice);
                let alternative = self.load(I16, slot, ALTERNATIVE);
                self.set(to, alternative);
            }
            I::Alternative { to, of, place } => {
                let of = self.get(of);
                let value = self.alternative_or(
                    (of, place),
                    |emitter, nothing| emitter.fault_if(nothing, FaultKind::Absent),
                    |emitter, other| emitter.fault_if(other, FaultKind::OtherAlternative),
                );
                self.set(to, value);
            }
            I::TryAlternative { to, of, place, target } => {
                let of = self.get(of);
                let value = self.alternative_or(
                    (of, place),
                    |emitter, nothing| emitter.jump_if(nothing, target),
                    |emitter, other| emitter.jump_if(other, target),
                );
                self.set(to, value);
            }
            I::JumpIfAbsent { slot, target } => {
                let index = self.get(slot);
                let slot = self.slot(index);
                let state = self.load(I8, slot, STATE);
                let absent = self.is_zero(state);
                self.jump_if(absent, target);
            }
            I::JumpIfNoComponent { of, place, target } => {
                self.guarded = self.guards_copy(of, place, target);
                let of = self.get(of);
                let link = self.link_or(of, |emitter, none| emitter.jump_if(none, target));
                if self.guarded {
                    return;
                }
                let index = self.component_below(link, place);
                let slot = self.slot(index);
                let state = self.load(I8, slot, STATE);
                let absent = self.is_zero(state);
                self.jump_if(absent, target);
            }
            I::Element { to, of, position } => self.element(instruction, to, of, position),
            I::Count { to, slot } => {
                let index = self.get(slot);
                let count = self.count(index);
                self.set(to, count);
            }
            I::ReadNumber { to, slot } => {
                let index = self.get(slot);
                let number = self.read_number(instruction, to, index);
                self.set(to, number);
            }
            I::ReadBoolean { to, slot } => {
                let index = self.get(slot);
                // The interpreter stores another number here, but this slot is never read as a number.
                let number = self.read_number(instruction, to, index);
                let truth = self.builder.ins().icmp_imm_s(IntCC::NotEqual, number, 0);
                let truth = self.builder.ins().uextend(I64, truth);
                self.set(to, truth);
            }
            I::ComponentNumber { to, of, place } => {
                let index = self.component(of, place);
                let number = self.read_number(instruction, to, index);
                self.set(to, number);
            }
            I::ReadOctets { to, slot } => {
                let index = self.get(slot);
                let octets = self.read_octets(index);
                self.set(to, octets);
            }
            I::ComponentOctets { to, of, place } => {
                let index = self.component(of, place);
                let octets = self.read_octets(index);
                self.set(to, octets);
            }
            I::WriteNumber { slot, from } => {
                let (index, number) = (self.get(slot), self.get(from));
                let slot = self.slot(index);
                let first = i64::from(State::Number as u8) | i64::from(Flags::CHANGED) << 8;
                let first = self.number(first);
                self.store(first, slot, 0);
                self.store(number, slot, OFFSET);
            }
            I::WriteOctets { slot, from } => self.write_octets(slot, from),
            I::Touch { slot } => {
                let index = self.get(slot);
                let slot = self.slot(index);
                self.touch(slot);
            }
            I::CopyLeaf { to, from } => {
                let (to, from) = (self.get(to), self.get(from));
                let (to, from) = (self.slot(to), self.slot(from));
                self.copy_leaf(to, from);
            }
            I::Copy { to, from, .. } if !self.short => self.copy(instruction, to, from),
            I::CopyComponent { to, to_place, fields, from, from_place } => {
                let from = self.component(from, from_place.into());
                let frame = self.frame(to, fields.into());
                let to = self.component_below(frame, to_place.into());
                let (to, from) = (self.slot(to), self.slot(from));
                match std::mem::take(&mut self.guarded) {
                    true => self.copy_leaf_if_present(to, from),
                    false => self.copy_leaf(to, from),
                }
            }
            I::MakeComponent { to, of, place, fields } => {
                let frame = self.frame(of, fields);
                let index = self.component_below(frame, place);
                self.set(to, index);
            }
            instruction => match instruction.target() {
                Some(target) => self.interpret_jump(instruction, target),
                None => self.interpret(instruction),
            },
        }
    }

    fn touch(&mut self, slot: SlotAddress) {
        let (flags, at) = (MemFlagsData::trusted(), slot.offset + FLAGS);
        let flags = self.builder.ins().load(I8, flags, slot.base, at);
        let flags = self.builder.ins().bor_imm_s(flags, i64::from(Flags::CHANGED));
        self.store(flags, slot, FLAGS);
    }

    /// Returns the first slot of a structure that will change. Creates the structure if it is missing.
    fn frame(&mut self, of: Register, fields: u16) -> Value {
        let index = self.get(of);
        let touched = Fact::Touched(index);
        if let Some(link) = self.known.get(touched) {
            return link;
        }
        let slot = self.slot(index);
        if let Some(link) = self.known.get(Fact::Link(index)) {
            self.touch(slot);
            self.known.learn(touched, link);
            return link;
        }
        let link = self.link(slot);
        let [there, missing, done] = self.new_blocks();
        self.builder.append_block_param(done, I64);
        self.builder.set_cold_block(missing);
        self.builder.ins().brif(link, there, &[], missing, &[]);
        self.begin(there);
        self.touch(slot);
        self.builder.ins().jump(done, &[BlockArg::from(link)]);
        self.begin(missing);
        let made = self.make_structure(index, fields);
        self.builder.ins().jump(done, &[BlockArg::from(made)]);
        self.begin(done);
        self.known.forget(Change::PLACE);
        let link = self.builder.block_params(done)[0];
        self.known.learn(Fact::Link(index), link);
        self.known.learn(touched, link);
        link
    }

    /// Returns the number of a list's elements.
    fn count(&mut self, list: Value) -> Value {
        let slot = self.slot(list);
        if let Some(head) = self.known.get(Fact::Link(list)) {
            let head = self.slot(head);
            return self.load(I32, head, OFFSET);
        }
        let link = self.link(slot);
        let [some, done] = self.new_blocks();
        self.builder.append_block_param(done, I64);
        self.builder.ins().brif(link, some, &[], done, &[BlockArg::from(link)]);
        self.begin(some);
        let head = self.slot_here(link);
        let count = self.load(I32, head, OFFSET);
        self.builder.ins().jump(done, &[BlockArg::from(count)]);
        self.begin(done);
        self.builder.block_params(done)[0]
    }

    fn make_structure(&mut self, index: Value, fields: u16) -> Value {
        let fields = self.number(fields.into());
        let (ground, make) = (self.ground, self.called.imported.make_structure);
        let call = self.builder.ins().call(make, &[ground, index, fields]);
        self.builder.inst_results(call)[0]
    }

    fn copy_leaf(&mut self, to: SlotAddress, from: SlotAddress) {
        let first = self.load(I64, from, 0);
        let state = self.builder.ins().band_imm_s(first, 0xFF);
        let absent = self.is_zero(state);
        self.fault_if(absent, FaultKind::Absent);
        let second = self.load(I64, from, OFFSET);
        let first = self.builder.ins().bor_imm_s(first, i64::from(Flags::CHANGED) << 8);
        self.store(first, to, 0);
        self.store(second, to, OFFSET);
    }

    /// Like `copy_leaf`, but does nothing if the source is absent. That is unpredictable, and selecting the values
    /// costs less than a mispredicted jump.
    fn copy_leaf_if_present(&mut self, to: SlotAddress, from: SlotAddress) {
        let first = self.load(I64, from, 0);
        let state = self.builder.ins().band_imm_s(first, 0xFF);
        let changed = self.builder.ins().bor_imm_s(first, i64::from(Flags::CHANGED) << 8);
        for (new, field) in [(changed, 0), (self.load(I64, from, OFFSET), OFFSET)] {
            let old = self.load(I64, to, field);
            let chosen = self.builder.ins().select(state, new, old);
            self.store(chosen, to, field);
        }
    }

    /// Returns whether a jump passes over nothing but the copy of the tested component, to a target where the copy has
    /// no other effect.
    fn guards_copy(&mut self, of: Register, place: u16, target: u16) -> bool {
        let Some(I::CopyComponent { to, from, from_place, .. }) = self.guarded_by_jump(target)
        else {
            return false;
        };
        let to = self.get(to);
        (from, u16::from(from_place)) == (of, place) && self.known.get(Fact::Touched(to)).is_some()
    }

    /// Copies a structure or list. One that was not decoded is only octets; the interpreter copies one with slots below
    /// it.
    fn copy(&mut self, instruction: I, to: Register, from: Register) {
        let (to, from) = (self.get(to), self.get(from));
        let (target, source) = (self.slot(to), self.slot(from));
        let first = self.load(I64, source, 0);
        let state = self.builder.ins().band_imm_s(first, 0xFF);
        let absent = self.is_zero(state);
        self.fault_if(absent, FaultKind::Absent);
        let [octets, below, done] = self.new_blocks();
        let link = self.link(source);
        self.builder.ins().brif(link, below, &[], octets, &[]);
        self.begin(octets);
        let second = self.load(I64, source, OFFSET);
        let first = self.builder.ins().bor_imm_s(first, i64::from(Flags::PLACED) << 8);
        self.store(first, target, 0);
        self.store(second, target, OFFSET);
        self.builder.ins().jump(done, &[]);
        self.begin(below);
        self.interpret(instruction);
        self.builder.ins().jump(done, &[]);
        self.begin(done);
        self.known.forget(Change::PLACE);
        let over = self.field(Ground::OVER);
        self.fault_if(over, FaultKind::Memory);
    }

    /// Returns an element. Nearly all lists are one run; the interpreter handles the others and errors.
    fn element(&mut self, instruction: I, to: Register, of: Register, position: Register) {
        let (list, position) = (self.get(of), self.get(position));
        let fact = Fact::Element(list, position);
        if let Some(index) = self.known.get(fact) {
            return self.set(to, index);
        }
        let slot = self.slot(list);
        let link = self.link(slot);
        let [some, within, other, done] = self.new_blocks();
        self.builder.append_block_param(done, I64);
        self.builder.set_cold_block(other);
        self.builder.ins().brif(link, some, &[], other, &[]);
        self.begin(some);
        let head = self.slot_here(link);
        let (count, run) = (self.load(I32, head, OFFSET), self.load(I32, head, LENGTH));
        let in_list = self.builder.ins().icmp(IntCC::UnsignedLessThan, position, count);
        let in_run = self.builder.ins().icmp(IntCC::UnsignedLessThan, position, run);
        let is_within = self.builder.ins().band(in_list, in_run);
        self.builder.ins().brif(is_within, within, &[], other, &[]);
        self.begin(within);
        let index = self.builder.ins().iadd(link, position);
        let index = self.builder.ins().iadd_imm_s(index, 1);
        self.builder.ins().jump(done, &[BlockArg::from(index)]);
        self.begin(other);
        self.interpret(instruction);
        let found = self.get(to);
        self.builder.ins().jump(done, &[BlockArg::from(found)]);
        self.begin(done);
        let index = self.builder.block_params(done)[0];
        self.known.learn(fact, index);
        self.set(to, index);
    }

    /// Returns the number in a slot. If it has more than four octets, the interpreter executes the whole instruction.
    fn read_number(&mut self, instruction: I, to: Register, index: Value) -> Value {
        if let Some(number) = self.known.get(Fact::Number(index)) {
            return number;
        }
        let number = self.number_in(instruction, to, index);
        self.known.learn(Fact::Number(index), number);
        number
    }

    fn number_in(&mut self, instruction: I, to: Register, index: Value) -> Value {
        if self.short {
            let (ground, place) = (self.ground, self.place());
            let read_number = self.called.imported.read_number;
            let call = self.builder.ins().call(read_number, &[ground, index, place]);
            let outcome = self.builder.inst_results(call)[0];
            self.unless_faulty(outcome);
            return self.field(Ground::VALUE);
        }
        let slot = self.slot(index);
        let [octets, number, other, done] = self.new_blocks();
        self.builder.append_block_param(done, I64);
        self.builder.set_cold_block(other);
        self.builder.set_cold_block(number);
        let state = self.load(I8, slot, STATE);
        let source = i64::from(State::Source as u8);
        let is_source = self.builder.ins().icmp_imm_s(IntCC::Equal, state, source);
        self.builder.ins().brif(is_source, octets, &[], number, &[]);
        self.begin(number);
        let is_number = i64::from(State::Number as u8);
        let is_number = self.builder.ins().icmp_imm_s(IntCC::Equal, state, is_number);
        let value = self.load(I64, slot, OFFSET);
        self.builder.ins().brif(is_number, done, &[BlockArg::from(value)], other, &[]);
        self.begin(octets);
        let (base, offset) = (self.field(Ground::SOURCE), self.load(I32, slot, OFFSET));
        let first = self.builder.ins().iadd(base, offset);
        let length = self.load(I32, slot, LENGTH);
        for count in [1, 2, 4, 3] {
            let [fits, next] = self.new_blocks();
            let is = self.builder.ins().icmp_imm_s(IntCC::Equal, length, count);
            self.builder.ins().brif(is, fits, &[], next, &[]);
            self.begin(fits);
            let value = self.big_endian(first, count);
            self.builder.ins().jump(done, &[BlockArg::from(value)]);
            self.begin(next);
        }
        self.builder.ins().jump(other, &[]);
        self.begin(other);
        self.interpret(instruction);
        let value = self.get(to);
        self.builder.ins().jump(done, &[BlockArg::from(value)]);
        self.begin(done);
        self.builder.block_params(done)[0]
    }

    /// Loads a signed number of so many octets.
    fn big_endian(&mut self, first: Value, count: i64) -> Value {
        let flags = MemFlagsData::trusted();
        match count {
            1 => self.builder.ins().sload8(I64, flags, first, 0),
            2 => {
                let value = self.builder.ins().load(I16, flags, first, 0);
                let value = self.builder.ins().bswap(value);
                self.builder.ins().sextend(I64, value)
            }
            3 => {
                let high = self.builder.ins().sload8(I64, flags, first, 0);
                let high = self.builder.ins().ishl_imm_s(high, 16);
                let low = self.builder.ins().load(I16, flags, first, 1);
                let low = self.builder.ins().bswap(low);
                let low = self.builder.ins().uextend(I64, low);
                self.builder.ins().bor(high, low)
            }
            _ => {
                let value = self.builder.ins().load(I32, flags, first, 0);
                let value = self.builder.ins().bswap(value);
                self.builder.ins().sextend(I64, value)
            }
        }
    }
}
