//! Machine code of instructions: numbers, jumps, calls. Those on slots are in [`slots`](super::slots), strings in
//! [`strings`](super::strings).

use cranelift_codegen::ir::InstBuilder;
use cranelift_codegen::ir::condcodes::{CondCode, IntCC};
use cranelift_codegen::ir::types::I64;
use cranelift_frontend::Switch;

use super::FaultKind;
use super::emitter::Emitter;
use super::ground::Ground;
use super::known::Fact;
use crate::code::{Instruction as I, Register};
use crate::machine::CALLS_DEPTH_MAX;
use crate::syntax::{Arithmetic, Comparison};

/// Maximum number of ranges in a set that are compared one by one.
const RANGES_MAX: usize = 16;

impl Emitter<'_> {
    /// Generates an instruction. Returns whether control may reach the next one.
    pub(super) fn instruction(&mut self, instruction: I) -> bool {
        match instruction {
            I::Number { to, value } => {
                let value = self.number(value.into());
                self.set(to, value);
            }
            I::Constant { to, constant } => {
                let value = self.program.pool.constants[usize::from(constant)];
                let value = self.number(value as i64);
                self.set(to, value);
            }
            I::Move { to, from } => {
                let value = self.get(from);
                self.set(to, value);
            }
            I::Arithmetic { operator, to, left, right } => {
                self.arithmetic(operator, to, left, right)
            }
            I::Negate { to, from } => {
                let value = self.get(from);
                let least = self.builder.ins().icmp_imm_s(IntCC::Equal, value, i64::MIN);
                self.fault_if(least, FaultKind::Overflow);
                let value = self.builder.ins().ineg(value);
                self.set(to, value);
            }
            I::Not { to, from } => {
                let value = self.get(from);
                let value = self.builder.ins().icmp_imm_s(IntCC::Equal, value, 0);
                let value = self.builder.ins().uextend(I64, value);
                self.set(to, value);
            }
            I::Compare { operator, to, left, right } => {
                let (left, right) = (self.get(left), self.get(right));
                let value = self.builder.ins().icmp(condition(operator), left, right);
                let value = self.builder.ins().uextend(I64, value);
                self.set(to, value);
            }
            I::CompareOctets { operator, to, left, right } => {
                self.compare_octets(operator, to, left, right);
            }
            I::InNumbers { to, value, set } => self.in_numbers(to, value, set),
            I::Jump { target } => {
                let target = self.target(target);
                self.builder.ins().jump(target, &[]);
                return false;
            }
            I::Turn { target } => {
                self.spend();
                let target = self.target(target);
                self.builder.ins().jump(target, &[]);
                return false;
            }
            I::JumpUnless { value, target } => {
                let value = self.get(value);
                let zero = self.builder.ins().icmp_imm_s(IntCC::Equal, value, 0);
                self.jump_if(zero, target);
            }
            I::JumpUnlessCompare { operator, left, right, target } => {
                let (left, right) = (self.get(left), self.get(right));
                let unless = condition(operator).complement();
                let holds = self.builder.ins().icmp(unless, left, right);
                self.jump_if(holds, target);
            }
            I::Switch { value, table } => {
                let value = self.get(value);
                let program = self.program;
                let table = &program.pool.switches[usize::from(table)];
                let mut switch = Switch::new();
                for (label, target) in &table.targets {
                    switch.set_entry(u128::from(*label as u64), self.target(*target));
                }
                let otherwise = self.target(table.otherwise);
                switch.emit(&mut self.builder, value, otherwise);
                return false;
            }
            I::SwitchOctets { table, .. } => {
                self.hand_over(instruction);
                let place = self.field(Ground::VALUE);
                let program = self.program;
                let table = &program.pool.octet_switches[usize::from(table)];
                let mut switch = Switch::new();
                let mut targets: Vec<u16> =
                    table.targets.iter().map(|(_, target)| *target).collect();
                targets.sort_unstable();
                targets.dedup();
                for target in targets {
                    switch.set_entry(target.into(), self.target(target));
                }
                let otherwise = self.target(table.otherwise);
                switch.emit(&mut self.builder, place, otherwise);
                return false;
            }
            I::Check { value, .. } => {
                let (value, place) = (self.get(value), self.place());
                let (ground, check) = (self.ground, self.called.imported.check);
                let call = self.builder.ins().call(check, &[ground, value, place]);
                let outcome = self.builder.inst_results(call)[0];
                self.unless_faulty(outcome);
            }
            I::Lookup { to, key, column, target } => {
                let key = self.get(key);
                let fact = Fact::Lookup(column, key);
                if let Some(found) = self.known.get(fact) {
                    self.set(to, found);
                    return true;
                }
                self.interpret_jump(instruction, target);
                let found = self.get(to);
                self.known.learn(fact, found);
            }
            I::Call { function, base, to } => self.call(function, base, to),
            I::CallBuiltIn { function, base, count, to } => {
                self.built_in(function, base, count, to)
            }
            I::Return { value } => {
                let value = self.get(value);
                let ended = self.number(0);
                self.builder.ins().return_(&[ended, value]);
                return false;
            }
            I::Reject { .. } | I::NotFound { .. } | I::NoTariff { .. } => {
                self.hand_over(instruction);
                let exit = self.exit();
                self.builder.ins().jump(exit.reported, &[]);
                return false;
            }
            instruction => self.on_slots(instruction),
        }
        true
    }

    fn arithmetic(&mut self, operator: Arithmetic, to: Register, left: Register, right: Register) {
        let (left, right) = (self.get(left), self.get(right));
        let (value, over) = match operator {
            Arithmetic::Add => self.builder.ins().sadd_overflow(left, right),
            Arithmetic::Subtract => self.builder.ins().ssub_overflow(left, right),
            Arithmetic::Multiply => self.builder.ins().smul_overflow(left, right),
            Arithmetic::Or => {
                let value = self.builder.ins().bor(left, right);
                return self.set(to, value);
            }
            Arithmetic::Divide | Arithmetic::Remainder => {
                if self.constant(right).is_none_or(|divisor| divisor == 0 || divisor == -1) {
                    let zero = self.builder.ins().icmp_imm_s(IntCC::Equal, right, 0);
                    self.fault_if(zero, FaultKind::DivisionByZero);
                    let least = self.builder.ins().icmp_imm_s(IntCC::Equal, left, i64::MIN);
                    let minus = self.builder.ins().icmp_imm_s(IntCC::Equal, right, -1);
                    let over = self.builder.ins().band(least, minus);
                    self.fault_if(over, FaultKind::Overflow);
                }
                let value = match operator {
                    Arithmetic::Divide => self.builder.ins().sdiv(left, right),
                    _ => self.builder.ins().srem(left, right),
                };
                return self.set(to, value);
            }
        };
        self.fault_if(over, FaultKind::Overflow);
        self.set(to, value);
    }

    fn in_numbers(&mut self, to: Register, value: Register, set: u16) {
        let ranges = &self.program.pool.number_sets[usize::from(set)];
        if ranges.len() > RANGES_MAX {
            return self.interpret(I::InNumbers { to, value, set });
        }
        let value = self.get(value);
        let mut found = self.number(0);
        for (first, last) in ranges {
            // One unsigned comparison: a value below the first one wraps around to a large number.
            let above = self.builder.ins().iadd_imm_s(value, first.wrapping_neg());
            let width = last.wrapping_sub(*first);
            let width = self.number(width);
            let within = self.builder.ins().icmp(IntCC::UnsignedLessThanOrEqual, above, width);
            let within = self.builder.ins().uextend(I64, within);
            found = self.builder.ins().bor(found, within);
        }
        self.set(to, found);
    }

    /// Counts a turn or a call, and checks the bound on the record's memory.
    fn spend(&mut self) {
        let left = self.field(Ground::LEFT);
        let none = self.builder.ins().icmp_imm_s(IntCC::Equal, left, 0);
        self.fault_if(none, FaultKind::Budget);
        let left = self.builder.ins().iadd_imm_s(left, -1);
        self.set_field(Ground::LEFT, left);
        let over = self.field(Ground::OVER);
        self.fault_if(over, FaultKind::Memory);
    }

    fn call(&mut self, function: u16, base: Register, to: Register) {
        self.spend();
        let depth = self.field(Ground::DEPTH);
        let most = CALLS_DEPTH_MAX as i64;
        let deep = self.builder.ins().icmp_imm_s(IntCC::UnsignedGreaterThanOrEqual, depth, most);
        self.fault_if(deep, FaultKind::Depth);
        let deeper = self.builder.ins().iadd_imm_s(depth, 1);
        self.set_field(Ground::DEPTH, deeper);
        let mut arguments = vec![self.ground];
        for place in 0..self.program.parameters_of(usize::from(function)) {
            arguments.push(self.get(base + place as Register));
        }
        let called = self.called.functions[&function];
        let call = self.builder.ins().call(called, &arguments);
        let (ended, value) =
            (self.builder.inst_results(call)[0], self.builder.inst_results(call)[1]);
        let [leave, go_on] = self.new_blocks();
        self.builder.set_cold_block(leave);
        self.builder.ins().brif(ended, leave, &[], go_on, &[]);
        self.begin(leave);
        self.builder.ins().return_(&[ended, ended]);
        self.begin(go_on);
        self.set_field(Ground::DEPTH, depth);
        self.set(to, value);
    }

    fn built_in(&mut self, function: u16, base: Register, count: u8, to: Register) {
        let name = self.program.pool.built_ins[usize::from(function)].name;
        if count == 2 && matches!(name, "left" | "mid") {
            return self.part(name, (function, base, to));
        }
        self.call_built_in(function, base, count, to);
    }

    pub(super) fn call_built_in(&mut self, function: u16, base: Register, count: u8, to: Register) {
        let array = self.arguments;
        for place in 0..count {
            let argument = self.get(base + place);
            self.builder.ins().stack_store(I64, argument, array, 8 * i32::from(place));
        }
        let (place, array) = (self.place(), self.builder.ins().stack_addr(I64, array, 0));
        let (number, count) = (self.number(function.into()), self.number(count.into()));
        let (ground, built_in) = (self.ground, self.called.imported.built_in);
        let call = self.builder.ins().call(built_in, &[ground, place, number, array, count]);
        let outcome = self.builder.inst_results(call)[0];
        self.unless_faulty(outcome);
        let value = self.field(Ground::VALUE);
        self.set(to, value);
    }
}

pub(super) fn condition(operator: Comparison) -> IntCC {
    match operator {
        Comparison::Equal => IntCC::Equal,
        Comparison::NotEqual => IntCC::NotEqual,
        Comparison::Less => IntCC::SignedLessThan,
        Comparison::Greater => IntCC::SignedGreaterThan,
        Comparison::LessOrEqual => IntCC::SignedLessThanOrEqual,
        Comparison::GreaterOrEqual => IntCC::SignedGreaterThanOrEqual,
    }
}
