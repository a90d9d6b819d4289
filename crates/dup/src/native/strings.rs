//! Machine code for strings: their places, parts, comparing and writing them.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I32, I64};
use cranelift_codegen::ir::{BlockArg, InstBuilder, Value};
use record::{Flags, State};

use super::FaultKind;
use super::emitter::Emitter;
use super::ground::Ground;
use super::instructions::condition;
use super::known::Fact;
use super::slots::{LENGTH, OFFSET, STATE};
use crate::code::Register;
use crate::syntax::Comparison;
use crate::value::Area;

/// The mask of the length, and of the offset, in a register that holds a string.
const OCTETS_MASK: i64 = (1 << 31) - 1;

impl Emitter<'_> {
    /// Returns a part of a string, which refers to the same octets. The built-in function reports a negative position.
    pub(super) fn part(&mut self, name: &str, (function, base, to): (u16, Register, Register)) {
        let (octets, position) = (self.get(base), self.get(base + 1));
        let (sound, other, done) =
            (self.builder.create_block(), self.builder.create_block(), self.builder.create_block());
        self.builder.append_block_param(done, I64);
        self.builder.set_cold_block(other);
        let negative = self.builder.ins().icmp_imm_s(IntCC::SignedLessThan, position, 0);
        self.builder.ins().brif(negative, other, &[], sound, &[]);
        self.begin(sound);
        let over = self.field(Ground::OVER);
        self.fault_if(over, FaultKind::Memory);
        let length = self.builder.ins().ushr_imm_s(octets, 31);
        let length = self.builder.ins().band_imm_s(length, OCTETS_MASK);
        let over = self.builder.ins().icmp(IntCC::UnsignedGreaterThan, position, length);
        let position = self.builder.ins().select(over, length, position);
        let part = match name {
            "left" => {
                let rest = self.builder.ins().band_imm_s(octets, !(OCTETS_MASK << 31));
                let length = self.builder.ins().ishl_imm_s(position, 31);
                self.builder.ins().bor(rest, length)
            }
            _ => {
                let less = self.builder.ins().ishl_imm_s(position, 31);
                let shorter = self.builder.ins().isub(octets, less);
                self.builder.ins().iadd(shorter, position)
            }
        };
        self.builder.ins().jump(done, &[BlockArg::from(part)]);
        self.begin(other);
        self.call_built_in(function, base, 2, to);
        let made = self.get(to);
        self.builder.ins().jump(done, &[BlockArg::from(made)]);
        self.begin(done);
        let part = self.builder.block_params(done)[0];
        self.set(to, part);
    }

    pub(super) fn compare_octets(
        &mut self,
        operator: Comparison,
        to: Register,
        left: Register,
        right: Register,
    ) {
        let (left, right) = (self.get(left), self.get(right));
        let done = self.builder.create_block();
        self.builder.append_block_param(done, I64);
        if let Comparison::Equal | Comparison::NotEqual = operator {
            // Strings of different lengths differ.
            let lengths = self.builder.ins().bxor(left, right);
            let lengths = self.builder.ins().ishl_imm_s(lengths, 2);
            let lengths = self.builder.ins().ushr_imm_s(lengths, 33);
            let differ = self.number(i64::from(operator == Comparison::NotEqual));
            let same_length = self.builder.create_block();
            self.builder.ins().brif(lengths, done, &[BlockArg::from(differ)], same_length, &[]);
            self.begin(same_length);
        }
        let (ground, compare) = (self.ground, self.called.imported.compare);
        let call = self.builder.ins().call(compare, &[ground, left, right]);
        let ordering = self.builder.inst_results(call)[0];
        let holds = self.builder.ins().icmp_imm_s(condition(operator), ordering, 0);
        let holds = self.builder.ins().uextend(I64, holds);
        self.builder.ins().jump(done, &[BlockArg::from(holds)]);
        self.begin(done);
        let value = self.builder.block_params(done)[0];
        self.set(to, value);
    }

    /// Returns the place of a slot's octets, in the form of registers.
    pub(super) fn read_octets(&mut self, index: Value) -> Value {
        let fact = Fact::Octets(index);
        if let Some(octets) = self.known.get(fact) {
            return octets;
        }
        let slot = self.slot(index);
        let state = self.load(I8, slot, STATE);
        let absent = self.is_zero(state);
        self.fault_if(absent, FaultKind::Absent);
        let owned = i64::from(State::Owned as u8);
        let none = self.builder.ins().icmp_imm_s(IntCC::UnsignedGreaterThan, state, owned);
        self.fault_if(none, FaultKind::NotAValue);
        // The areas have the same numbers as the states.
        let area = self.builder.ins().ishl_imm_s(state, 62);
        let length = self.load(I32, slot, LENGTH);
        let length = self.builder.ins().ishl_imm_s(length, 31);
        let offset = self.load(I32, slot, OFFSET);
        let octets = self.builder.ins().bor(area, length);
        let octets = self.builder.ins().bor(octets, offset);
        self.known.learn(fact, octets);
        octets
    }

    /// Points a slot to the octets of a string; a constant is copied.
    pub(super) fn write_octets(&mut self, slot: Register, from: Register) {
        let (index, octets) = (self.get(slot), self.get(from));
        if self.short || self.constant(octets).is_some() {
            return self.copy_octets(index, octets);
        }
        let [lies, constant, done] = self.new_blocks();
        let (area, slot) = (self.builder.ins().ushr_imm_s(octets, 62), self.slot(index));
        self.builder.ins().brif(area, lies, &[], constant, &[]);
        self.begin(lies);
        let first = self.builder.ins().bor_imm_s(area, i64::from(Flags::CHANGED) << 8);
        self.store(first, slot, 0);
        let mask = (1 << 31) - 1;
        let offset = self.builder.ins().band_imm_s(octets, mask);
        let length = self.builder.ins().ushr_imm_s(octets, 31);
        let length = self.builder.ins().band_imm_s(length, mask);
        let length = self.builder.ins().ishl_imm_s(length, 32);
        let second = self.builder.ins().bor(offset, length);
        self.store(second, slot, OFFSET);
        self.builder.ins().jump(done, &[]);
        self.begin(constant);
        self.copy_octets(index, octets);
        self.builder.ins().jump(done, &[]);
        self.begin(done);
    }

    fn copy_octets(&mut self, index: Value, octets: Value) {
        let (ground, write) = (self.ground, self.called.imported.write_octets);
        self.builder.ins().call(write, &[ground, index, octets]);
    }
}

// `read_octets` and `write_octets` rely on this.
const _: () =
    assert!(Area::Source as u8 == State::Source as u8 && Area::Arena as u8 == State::Owned as u8);
