//! Generates a function as machine code: its blocks, registers, jumps and exits, and calls to the interpreter. The code
//! for each instruction is in [`instructions`](super::instructions).

use std::collections::BTreeMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{
    Block, BlockArg, InstBuilder, InstructionData, MemFlagsData, Opcode, SourceLoc, StackSlot,
    StackSlotData, StackSlotKind, Value,
};
use cranelift_frontend::{FunctionBuilder, Variable};

use super::FaultKind;
use super::explain::Located;
use super::functions::Called;
use super::ground::{Ground, Outcome};
use super::known::{Change, JumpFacts, Known};
use crate::code::{Instruction as I, Program, REGISTERS_MAX, Register};

/// A place where a function ends early.
#[derive(Clone, Copy)]
pub(super) struct Exit {
    /// Takes the fault as a parameter.
    fault: Block,
    /// The fault is stored in the ground already.
    pub(super) reported: Block,
}

/// Maximum number of jumps to one exit. If all jumps led to the same block, the code generator would take quadratic
/// time to compute dominators.
const EXIT_JUMPS_MAX: usize = 32;

/// Generates one function.
pub(super) struct Emitter<'e> {
    pub(super) builder: FunctionBuilder<'e>,
    pub(super) program: &'e Program,
    code: usize,
    pub(super) called: Called,
    registers: Vec<Variable>,
    /// By instruction: the block that begins there.
    blocks: BTreeMap<usize, Block>,
    jump_facts: JumpFacts,
    /// The facts at the current point. Only facts that hold for all of the rest of the block are learned.
    pub(super) known: Known,
    pub(super) ground: Value,
    /// The arguments of built-in functions.
    pub(super) arguments: StackSlot,
    /// The exits, and the number of jumps to the last one.
    exits: Vec<Exit>,
    exit_jumps: usize,
    /// Whether the code should be short rather than fast, because there is much of it.
    pub(super) short: bool,
    /// Whether the current instruction is executed conditionally, instead of being jumped over.
    pub(super) guarded: bool,
    /// The current instruction.
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
        let jump_facts = JumpFacts::new(&program.codes[code].instructions, &jumps);
        Emitter {
            builder,
            program,
            code,
            called,
            registers,
            blocks,
            jump_facts,
            known: Known::nothing(),
            ground,
            arguments,
            exits: Vec::new(),
            exit_jumps: EXIT_JUMPS_MAX,
            short,
            guarded: false,
            at: 0,
        }
    }

    /// Generates the whole function. The caller finalizes it in the module.
    pub(super) fn function(mut self, parameters: usize, located: Located) -> FunctionBuilder<'e> {
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
                    self.jump_facts.note(at - 1, at, &self.known);
                }
                if open {
                    self.builder.ins().jump(block, &[]);
                }
                self.known = self.jump_facts.arrive(at);
                self.builder.switch_to_block(block);
                if !self.jump_facts.is_loop(at) {
                    self.builder.seal_block(block);
                }
                open = true;
            }
            // Code that is behind a jump and before the next block is unreachable.
            if open {
                if located == Located::Yes {
                    self.builder.set_srcloc(SourceLoc::new(at as u32));
                }
                self.known.forget(Change::at_once(*instruction));
                open = self.instruction(*instruction);
            }
        }
        self.builder.set_srcloc(SourceLoc::default());
        for Exit { fault, reported } in std::mem::take(&mut self.exits) {
            self.begin(fault);
            let why = self.builder.block_params(fault)[0];
            self.set_field(Ground::FAULT, why);
            self.builder.ins().jump(reported, &[]);
            self.begin(reported);
            let ended = self.number(1);
            self.builder.ins().return_(&[ended, ended]);
        }
        self.builder.seal_all_blocks();
        self.builder
    }

    /// Returns an exit for one more jump.
    pub(super) fn exit(&mut self) -> Exit {
        if self.exit_jumps == EXIT_JUMPS_MAX {
            let [fault, reported] = self.new_blocks();
            self.builder.append_block_param(fault, I64);
            self.builder.set_cold_block(fault);
            self.builder.set_cold_block(reported);
            self.exits.push(Exit { fault, reported });
            self.exit_jumps = 0;
        }
        self.exit_jumps += 1;
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

    /// Continues in a block whose predecessors are all known.
    pub(super) fn begin(&mut self, block: Block) {
        self.builder.switch_to_block(block);
        self.builder.seal_block(block);
    }

    /// Returns the constant that a value is, if it is one.
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

    /// Returns the only instruction that a jump from here passes over, if no other jump leads to it.
    pub(super) fn guarded_by_jump(&self, target: u16) -> Option<I> {
        let next = self.at + 1;
        let alone = usize::from(target) == next + 1 && !self.blocks.contains_key(&next);
        alone.then(|| self.program.codes[self.code].instructions[next])
    }

    /// Returns the block of a jump's target.
    pub(super) fn target(&mut self, target: u16) -> Block {
        self.jump_facts.note(self.at, usize::from(target), &self.known);
        self.blocks[&usize::from(target)]
    }

    /// Creates blocks.
    pub(super) fn new_blocks<const COUNT: usize>(&mut self) -> [Block; COUNT] {
        std::array::from_fn(|_| self.builder.create_block())
    }

    /// Ends the function early if a condition is not 0.
    pub(super) fn fault_if(&mut self, condition: Value, fault: FaultKind) {
        let [wrong, go_on] = self.new_blocks();
        self.builder.set_cold_block(wrong);
        self.builder.ins().brif(condition, wrong, &[], go_on, &[]);
        self.begin(wrong);
        let fault = self.number(fault.at(self.code, self.at) as i64);
        let exit = self.exit();
        self.builder.ins().jump(exit.fault, &[BlockArg::from(fault)]);
        self.begin(go_on);
    }

    /// Jumps if a condition is not 0.
    pub(super) fn jump_if(&mut self, condition: Value, target: u16) {
        let (target, go_on) = (self.target(target), self.builder.create_block());
        self.builder.ins().brif(condition, target, &[], go_on, &[]);
        self.begin(go_on);
    }

    pub(super) fn field(&mut self, offset: i32) -> Value {
        self.builder.ins().load(I64, MemFlagsData::trusted(), self.ground, offset)
    }

    pub(super) fn set_field(&mut self, offset: i32, value: Value) {
        self.builder.ins().store(MemFlagsData::trusted(), value, self.ground, offset);
    }

    /// Leaves an instruction to the interpreter, and loads the register it writes.
    pub(super) fn interpret(&mut self, instruction: I) {
        self.hand_over(instruction);
        if let Some(to) = instruction.writes() {
            let window = self.field(Ground::WINDOW);
            let offset = 8 * i32::from(to);
            let value = self.builder.ins().load(I64, MemFlagsData::trusted(), window, offset);
            self.set(to, value);
        }
    }

    /// Calls the interpreter for an instruction. A fault ends the function. Returns what the interpreter returned.
    pub(super) fn hand_over(&mut self, instruction: I) -> Value {
        let window = self.field(Ground::WINDOW);
        for register in instruction.reads() {
            let value = self.get(register);
            let offset = 8 * i32::from(register);
            self.builder.ins().store(MemFlagsData::trusted(), value, window, offset);
        }
        let place = self.place();
        let (ground, one) = (self.ground, self.called.imported.one);
        let call = self.builder.ins().call(one, &[ground, place]);
        let outcome = self.builder.inst_results(call)[0];
        self.unless_faulty(outcome);
        outcome
    }

    /// Ends the function if the called function reported a fault.
    pub(super) fn unless_faulty(&mut self, outcome: Value) {
        let wrong = self.builder.ins().icmp_imm_s(IntCC::Equal, outcome, Outcome::Fault as i64);
        let (exit, go_on) = (self.exit(), self.builder.create_block());
        self.builder.ins().brif(wrong, exit.reported, &[], go_on, &[]);
        self.begin(go_on);
    }

    /// Returns the place of the current instruction.
    pub(super) fn place(&mut self) -> Value {
        self.number((self.code as i64) << 32 | self.at as i64)
    }

    /// Like [`interpret`](Self::interpret), for an instruction that may jump.
    pub(super) fn interpret_jump(&mut self, instruction: I, target: u16) {
        let outcome = self.hand_over(instruction);
        if let Some(to) = instruction.writes() {
            let window = self.field(Ground::WINDOW);
            let offset = 8 * i32::from(to);
            let value = self.builder.ins().load(I64, MemFlagsData::trusted(), window, offset);
            let jumped = self.builder.ins().icmp_imm_s(IntCC::Equal, outcome, Outcome::Jump as i64);
            self.jump_if(jumped, target);
            self.set(to, value);
            return;
        }
        let jumped = self.builder.ins().icmp_imm_s(IntCC::Equal, outcome, Outcome::Jump as i64);
        self.jump_if(jumped, target);
    }
}

/// The number of instructions from which a program's code is made short: compile time grows faster than the number, and
/// long code does not fit into caches.
const LONG_INSTRUCTIONS: usize = 1_000;

pub(super) fn is_long(program: &Program) -> bool {
    are_long([program])
}

/// Returns whether programs together are long.
pub(super) fn are_long<'p>(programs: impl IntoIterator<Item = &'p Program>) -> bool {
    let codes = programs.into_iter().flat_map(|program| &program.codes);
    codes.map(|code| code.instructions.len()).sum::<usize>() > LONG_INSTRUCTIONS
}

/// Returns all jumps, from and to.
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

/// Returns the maximum number of arguments of the built-in functions that a function calls.
fn arguments_max(program: &Program, code: usize) -> u32 {
    let counts = program.codes[code].instructions.iter().map(|instruction| match instruction {
        I::CallBuiltIn { count, .. } => u32::from(*count),
        _ => 0,
    });
    counts.max().unwrap_or(0).max(1)
}
