//! Instructions to machine code: blocks, numbers, jumps, calls. Slots are in [`slots`](super::slots).

use std::collections::BTreeMap;

use cranelift_codegen::ir::condcodes::{CondCode, IntCC};
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{
    Block, BlockArg, InstBuilder, InstructionData, MemFlags, Opcode, SourceLoc, StackSlot,
    StackSlotData, StackSlotKind, Value,
};
use cranelift_frontend::{FunctionBuilder, Switch, Variable};

use super::Fault;
use super::explain::Located;
use super::functions::Called;
use super::ground::{Ground, Told};
use super::known::{Change, Fact, Known, Ways};
use crate::code::{Instruction as I, Program, REGISTERS_MAX, Register};
use crate::machine::CALLS_DEPTH_MAX;
use crate::syntax::{Arithmetic, Comparison};

/// Most ranges of a set that are compared one by one.
const RANGES_MAX: usize = 16;

/// Where a function is left early.
#[derive(Clone, Copy)]
struct Exit {
    /// Takes why.
    fault: Block,
    /// The ground has it already.
    told: Block,
}

/// Ways to one exit. Were all to come to the same, the code generator would take the square of their number
/// to find out what comes before what.
const EXIT_WAYS_MAX: usize = 32;

/// Writes one function.
pub(super) struct Emitter<'e> {
    pub(super) builder: FunctionBuilder<'e>,
    program: &'e Program,
    code: usize,
    pub(super) called: Called,
    registers: Vec<Variable>,
    /// By instruction: the block that begins there.
    blocks: BTreeMap<usize, Block>,
    ways: Ways,
    /// What is known where code is being written. Learned only of what all that follows in the block comes by.
    pub(super) known: Known,
    pub(super) ground: Value,
    /// Where the arguments of built-in functions lie.
    arguments: StackSlot,
    /// Where the function is left early, and by how many ways the last of these is come to.
    exits: Vec<Exit>,
    exit_ways: usize,
    /// Whether the code is to be short rather than fast, since so much of it must be made.
    pub(super) short: bool,
    /// The instruction in hand.
    at: usize,
}

impl<'e> Emitter<'e> {
    pub(super) fn new(
        mut builder: FunctionBuilder<'e>,
        program: &'e Program,
        code: usize,
        called: Called,
    ) -> Self {
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        let ground = builder.block_params(entry)[0];
        let registers = (0..REGISTERS_MAX).map(|_| builder.declare_var(I64)).collect();
        let short = is_long(program);
        let octets = 8 * arguments_max(program, code);
        let arguments = StackSlotData::new(StackSlotKind::ExplicitSlot, octets, 3);
        let arguments = builder.create_sized_stack_slot(arguments);
        let jumps = jumps(program, code);
        let mut blocks = BTreeMap::new();
        for (_, target) in &jumps {
            blocks.entry(*target).or_insert_with(|| builder.create_block());
        }
        let ways = Ways::new(&program.codes[code].instructions, &jumps);
        Emitter {
            builder,
            program,
            code,
            called,
            registers,
            blocks,
            ways,
            known: Known::nothing(),
            ground,
            arguments,
            exits: Vec::new(),
            exit_ways: EXIT_WAYS_MAX,
            short,
            at: 0,
        }
    }

    pub(super) fn function(mut self, parameters: usize, located: Located) {
        let entry = self.builder.current_block().expect("it was begun");
        for place in 0..parameters {
            let value = self.builder.block_params(entry)[1 + place];
            self.set(place as Register, value);
        }
        self.builder.seal_block(entry);
        let instructions = &self.program.codes[self.code].instructions;
        let mut open = true;
        for (at, instruction) in instructions.iter().enumerate() {
            self.at = at;
            if let Some(block) = self.blocks.get(&at).copied() {
                if open && at > 0 {
                    self.ways.note(at - 1, at, &self.known);
                }
                if open {
                    self.builder.ins().jump(block, &[]);
                }
                self.known = self.ways.arrive(at);
                self.builder.switch_to_block(block);
                if !self.ways.is_loop(at) {
                    self.builder.seal_block(block);
                }
                open = true;
            }
            // Nothing leads here: behind a jump, before the next block.
            if open {
                if located == Located::Yes {
                    self.builder.set_srcloc(SourceLoc::new(at as u32));
                }
                self.known.forget(Change::at_once(*instruction));
                open = self.instruction(*instruction);
            }
        }
        self.builder.set_srcloc(SourceLoc::default());
        for Exit { fault, told } in std::mem::take(&mut self.exits) {
            self.begin(fault);
            let why = self.builder.block_params(fault)[0];
            self.set_field(Ground::FAULT, why);
            self.builder.ins().jump(told, &[]);
            self.begin(told);
            let ended = self.number(1);
            self.builder.ins().return_(&[ended, ended]);
        }
        self.builder.seal_all_blocks();
        self.builder.finalize();
    }

    /// An exit to be come to by one way more.
    fn exit(&mut self) -> Exit {
        if self.exit_ways == EXIT_WAYS_MAX {
            let [fault, told] = self.new_blocks();
            self.builder.append_block_param(fault, I64);
            self.builder.set_cold_block(fault);
            self.builder.set_cold_block(told);
            self.exits.push(Exit { fault, told });
            self.exit_ways = 0;
        }
        self.exit_ways += 1;
        self.exits[self.exits.len() - 1]
    }

    pub(super) fn get(&mut self, register: Register) -> Value {
        if let Some(known) = self.known.register(register) {
            return known;
        }
        let value = self.builder.use_var(self.registers[usize::from(register)]);
        self.known.set_register(register, value);
        value
    }

    pub(super) fn set(&mut self, register: Register, value: Value) {
        self.builder.def_var(self.registers[usize::from(register)], value);
        self.known.set_register(register, value);
    }

    /// Goes on in a block to which all ways are written.
    pub(super) fn begin(&mut self, block: Block) {
        self.builder.switch_to_block(block);
        self.builder.seal_block(block);
    }

    /// The number that a value always is, if it is one.
    pub(super) fn constant(&self, value: Value) -> Option<i64> {
        let instruction = self.builder.func.dfg.value_def(value).inst()?;
        match self.builder.func.dfg.insts[instruction] {
            InstructionData::UnaryImm { opcode: Opcode::Iconst, imm } => Some(imm.bits()),
            _ => None,
        }
    }

    pub(super) fn number(&mut self, number: i64) -> Value {
        self.builder.ins().iconst(I64, number)
    }

    /// The block of a target that is jumped to from here.
    fn target(&mut self, target: u16) -> Block {
        self.ways.note(self.at, usize::from(target), &self.known);
        self.blocks[&usize::from(target)]
    }

    /// New blocks.
    pub(super) fn new_blocks<const COUNT: usize>(&mut self) -> [Block; COUNT] {
        std::array::from_fn(|_| self.builder.create_block())
    }

    /// Ends the function early where a condition is not 0.
    pub(super) fn fault_if(&mut self, condition: Value, fault: Fault) {
        let [wrong, go_on] = self.new_blocks();
        self.builder.set_cold_block(wrong);
        self.builder.ins().brif(condition, wrong, &[], go_on, &[]);
        self.begin(wrong);
        let fault = self.number(fault.at(self.code, self.at) as i64);
        let exit = self.exit();
        self.builder.ins().jump(exit.fault, &[BlockArg::from(fault)]);
        self.begin(go_on);
    }

    /// Jumps where a condition is not 0, otherwise goes on.
    pub(super) fn jump_if(&mut self, condition: Value, target: u16) {
        let (target, go_on) = (self.target(target), self.builder.create_block());
        self.builder.ins().brif(condition, target, &[], go_on, &[]);
        self.begin(go_on);
    }

    pub(super) fn field(&mut self, offset: i32) -> Value {
        self.builder.ins().load(I64, MemFlags::trusted(), self.ground, offset)
    }

    pub(super) fn set_field(&mut self, offset: i32, value: Value) {
        self.builder.ins().store(MemFlags::trusted(), value, self.ground, offset);
    }

    /// Leaves an instruction to the interpreter; what it writes is in its register then.
    pub(super) fn interpret(&mut self, instruction: I) {
        self.hand_over(instruction);
        if let Some(to) = instruction.writes() {
            let window = self.field(Ground::WINDOW);
            let offset = 8 * i32::from(to);
            let value = self.builder.ins().load(I64, MemFlags::trusted(), window, offset);
            self.set(to, value);
        }
    }

    /// Calls the interpreter for an instruction; a fault ends the function. Gives what was told.
    fn hand_over(&mut self, instruction: I) -> Value {
        let window = self.field(Ground::WINDOW);
        for register in instruction.reads() {
            let value = self.get(register);
            let offset = 8 * i32::from(register);
            self.builder.ins().store(MemFlags::trusted(), value, window, offset);
        }
        let place = self.place();
        let (ground, one) = (self.ground, self.called.imported.one);
        let call = self.builder.ins().call(one, &[ground, place]);
        let told = self.builder.inst_results(call)[0];
        self.unless_told(told);
        told
    }

    /// Ends the function where what was called says that there is a fault.
    pub(super) fn unless_told(&mut self, told: Value) {
        let wrong = self.builder.ins().icmp_imm(IntCC::Equal, told, Told::Fault as i64);
        let (exit, go_on) = (self.exit(), self.builder.create_block());
        self.builder.ins().brif(wrong, exit.told, &[], go_on, &[]);
        self.begin(go_on);
    }

    /// Where the instruction in hand is, for those who must say so.
    pub(super) fn place(&mut self) -> Value {
        self.number((self.code as i64) << 32 | self.at as i64)
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
            self.builder.ins().stack_store(argument, array, 8 * i32::from(place));
        }
        let (place, array) = (self.place(), self.builder.ins().stack_addr(I64, array, 0));
        let (number, count) = (self.number(function.into()), self.number(count.into()));
        let (ground, built_in) = (self.ground, self.called.imported.built_in);
        let call = self.builder.ins().call(built_in, &[ground, place, number, array, count]);
        let told = self.builder.inst_results(call)[0];
        self.unless_told(told);
        let value = self.field(Ground::VALUE);
        self.set(to, value);
    }

    /// As [`interpret`](Self::interpret), of an instruction that may jump.
    pub(super) fn interpret_jump(&mut self, instruction: I, target: u16) {
        let told = self.hand_over(instruction);
        if let Some(to) = instruction.writes() {
            let window = self.field(Ground::WINDOW);
            let offset = 8 * i32::from(to);
            let value = self.builder.ins().load(I64, MemFlags::trusted(), window, offset);
            let jumped = self.builder.ins().icmp_imm(IntCC::Equal, told, Told::Jump as i64);
            self.jump_if(jumped, target);
            self.set(to, value);
            return;
        }
        let jumped = self.builder.ins().icmp_imm(IntCC::Equal, told, Told::Jump as i64);
        self.jump_if(jumped, target);
    }

    /// Writes an instruction; whether what is behind it may come next.
    fn instruction(&mut self, instruction: I) -> bool {
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
                let least = self.builder.ins().icmp_imm(IntCC::Equal, value, i64::MIN);
                self.fault_if(least, Fault::Overflow);
                let value = self.builder.ins().ineg(value);
                self.set(to, value);
            }
            I::Not { to, from } => {
                let value = self.get(from);
                let value = self.builder.ins().icmp_imm(IntCC::Equal, value, 0);
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
                let zero = self.builder.ins().icmp_imm(IntCC::Equal, value, 0);
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
                let told = self.builder.inst_results(call)[0];
                self.unless_told(told);
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
            I::Reject { .. } | I::NotFound { .. } => {
                self.hand_over(instruction);
                let exit = self.exit();
                self.builder.ins().jump(exit.told, &[]);
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
                    let zero = self.builder.ins().icmp_imm(IntCC::Equal, right, 0);
                    self.fault_if(zero, Fault::DivisionByZero);
                    let least = self.builder.ins().icmp_imm(IntCC::Equal, left, i64::MIN);
                    let minus = self.builder.ins().icmp_imm(IntCC::Equal, right, -1);
                    let over = self.builder.ins().band(least, minus);
                    self.fault_if(over, Fault::Overflow);
                }
                let value = match operator {
                    Arithmetic::Divide => self.builder.ins().sdiv(left, right),
                    _ => self.builder.ins().srem(left, right),
                };
                return self.set(to, value);
            }
        };
        self.fault_if(over, Fault::Overflow);
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
            // One comparison: what is below the first is large when it is taken without a sign.
            let above = self.builder.ins().iadd_imm(value, first.wrapping_neg());
            let width = last.wrapping_sub(*first);
            let width = self.number(width);
            let within = self.builder.ins().icmp(IntCC::UnsignedLessThanOrEqual, above, width);
            let within = self.builder.ins().uextend(I64, within);
            found = self.builder.ins().bor(found, within);
        }
        self.set(to, found);
    }

    /// Counts a turn or a call, and sees to it that the record's memory stays within its bound.
    fn spend(&mut self) {
        let left = self.field(Ground::LEFT);
        let none = self.builder.ins().icmp_imm(IntCC::Equal, left, 0);
        self.fault_if(none, Fault::Budget);
        let left = self.builder.ins().iadd_imm(left, -1);
        self.set_field(Ground::LEFT, left);
        let over = self.field(Ground::OVER);
        self.fault_if(over, Fault::Memory);
    }

    fn call(&mut self, function: u16, base: Register, to: Register) {
        self.spend();
        let depth = self.field(Ground::DEPTH);
        let most = CALLS_DEPTH_MAX as i64;
        let deep = self.builder.ins().icmp_imm(IntCC::UnsignedGreaterThanOrEqual, depth, most);
        self.fault_if(deep, Fault::Depth);
        let deeper = self.builder.ins().iadd_imm(depth, 1);
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
}

/// Instructions of a program beyond which its code is made short: the time to make it grows faster than they,
/// and what is long fits into no cache.
const LONG_INSTRUCTIONS: usize = 1_000;

pub(super) fn is_long(program: &Program) -> bool {
    let count: usize = program.codes.iter().map(|code| code.instructions.len()).sum();
    count > LONG_INSTRUCTIONS
}

/// From where to where instructions jump.
fn jumps(program: &Program, code: usize) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (at, instruction) in program.codes[code].instructions.iter().enumerate() {
        let mut jump = |target: u16| found.push((at, usize::from(target)));
        instruction.target().into_iter().for_each(&mut jump);
        match instruction {
            I::Switch { table, .. } => {
                let table = &program.pool.switches[usize::from(*table)];
                table.targets.iter().for_each(|(_, target)| jump(*target));
                jump(table.otherwise);
            }
            I::SwitchOctets { table, .. } => {
                let table = &program.pool.octet_switches[usize::from(*table)];
                table.targets.iter().for_each(|(_, target)| jump(*target));
                jump(table.otherwise);
            }
            _ => {}
        }
    }
    found
}

/// How many arguments the built-in functions have that a function calls, at most.
fn arguments_max(program: &Program, code: usize) -> u32 {
    let counts = program.codes[code].instructions.iter().map(|instruction| match instruction {
        I::CallBuiltIn { count, .. } => u32::from(*count),
        _ => 0,
    });
    counts.max().unwrap_or(0).max(1)
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
