//! Chains: functions of several programs that process a record in sequence, compiled into one piece of machine code.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{self, Block, BlockArg, FuncRef, InstBuilder, MemFlagsData, Value};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Switch};
use cranelift_jit::JITModule;
use cranelift_module::{FuncId, Linkage, Module};
use record::{Memory, Record, SlotIndex, TypeId};

use super::emitter::are_long;
use super::functions::{Bodies, Inliner, Translator};
use super::ground::Ground;
use super::{CompiledCode, NativeError, fault, import, module, signature};
use crate::code::{Program, REGISTERS_MAX};
use crate::fault::{Fault, Reason};
use crate::machine::{BUDGET, Run, RunState};

/// A function of a chain. Its argument is the current record.
#[derive(Clone, Debug)]
pub struct Link {
    /// The program.
    pub program: Arc<Program>,
    /// The index of the function in it.
    pub function: usize,
    /// Its result, and where the record goes next.
    pub gives: Gives,
}

/// The result of a function in a chain.
#[derive(Clone, Debug)]
pub enum Gives {
    /// TRUE or FALSE about its only parameter.
    Boolean {
        /// Where a record goes next if the result is TRUE.
        on_true: Next,
        /// Where it goes next if the result is FALSE.
        on_false: Next,
    },
    /// One of these numbers about its only parameter.
    Numbers(Vec<(i64, Next)>),
    /// Another record of this type, its second parameter, which goes on instead.
    Record(TypeId, Next),
}

/// Where a record goes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// To the link at this index, which has no other predecessor.
    Link(usize),
    /// Out of the chain, by the exit with this number.
    Out(u16),
}

/// The reason why a record did not leave a chain.
#[derive(Debug)]
pub struct Stopped {
    /// The index of the function in the chain.
    pub link: usize,
    /// The reason.
    pub why: Why,
}

/// The reason for a stop in a function of a chain.
#[derive(Debug)]
pub enum Why {
    /// It failed.
    Fault(Box<Fault>),
    /// It returned a number without a successor.
    Number(i64),
}

/// The machine code of a chain.
pub struct Chain {
    links: Vec<Link>,
    /// By exit: the type of the records, if it differs from that of the incoming ones.
    types: Vec<Option<TypeId>>,
    entry: ChainEntry,
    /// The code that the entry points into.
    _code: CompiledCode,
}

/// Takes the ground and a record; returns an [`Ending`]. The record that leaves is the ground's value.
type ChainEntry = unsafe extern "C" fn(*mut Ground, u64) -> u64;

impl fmt::Debug for Chain {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Chain({} functions)", self.links.len())
    }
}

impl Chain {
    /// Compiles links. The first one gets the incoming records, and no record passes a link twice. Returns `None` if
    /// they are too long for it to pay off.
    pub fn compile(links: Vec<Link>) -> Result<Option<Arc<Self>>, NativeError> {
        if are_long(links.iter().map(|link| &*link.program)) {
            return Ok(None);
        }
        let mut module = module(false)?;
        let mut bodies: Vec<Bodies> = Vec::new();
        for (place, link) in links.iter().enumerate() {
            let translator = Translator::new(&mut module, &link.program, &format!("l{place}"))?;
            bodies.push(translator.bodies()?);
        }
        let id = define(&mut module, &links, bodies)?;
        let code = CompiledCode::finish(module)?;
        // SAFETY: the function was declared with this signature.
        let entry = unsafe { std::mem::transmute::<*const u8, ChainEntry>(code.address(id)) };
        let types = types(&links);
        Ok(Some(Arc::new(Chain { links, types, entry, _code: code })))
    }
}

/// Returns, by exit, the type of the records there, if the chain creates them.
fn types(links: &[Link]) -> Vec<Option<TypeId>> {
    let mut types = Vec::new();
    let mut ahead = vec![(Next::Link(0), None)];
    while let Some((next, ty)) = ahead.pop() {
        match next {
            Next::Out(exit) => {
                types.resize(types.len().max(usize::from(exit) + 1), None);
                types[usize::from(exit)] = ty;
            }
            Next::Link(link) => match &links[link].gives {
                Gives::Boolean { on_true, on_false } => {
                    ahead.extend([(*on_true, ty), (*on_false, ty)]);
                }
                Gives::Numbers(exits) => ahead.extend(exits.iter().map(|(_, next)| (*next, ty))),
                Gives::Record(made, next) => ahead.push((*next, Some(*made))),
            },
        }
    }
    types
}

/// The state of one worker in a chain. In steady state it allocates nothing.
#[derive(Debug)]
pub struct ChainMachine {
    chain: Arc<Chain>,
    /// The registers of an instruction that machine code leaves to the interpreter.
    window: Box<[u64; REGISTERS_MAX]>,
    state: RunState,
}

impl ChainMachine {
    /// Creates a machine for a chain.
    pub fn new(chain: Arc<Chain>) -> Self {
        ChainMachine { chain, window: Box::new([0; REGISTERS_MAX]), state: RunState::default() }
    }

    /// See [`Machine::stop_when`](crate::Machine::stop_when).
    pub fn stop_when(&mut self, flag: Arc<AtomicBool>) {
        self.state.stop_when(flag);
    }

    /// Returns the program of a link.
    pub fn program(&self, link: usize) -> &Arc<Program> {
        &self.chain.links[link].program
    }

    /// Sends a record, of the type that the first link takes, through the chain. Returns the exit and the record there.
    ///
    /// # Panics
    ///
    /// Panics if the record does not lie in the memory.
    #[inline(always)]
    pub fn call(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
    ) -> Result<(u16, Record), Box<Stopped>> {
        memory.slot(record.root); // Panics where there is none.
        let chain = &*self.chain;
        let program = &chain.links[0].program;
        let mut run = Run { program, state: &mut self.state, memory, at: (0, 0) };
        let mut ground = Ground::new(&mut run, &mut self.window);
        // SAFETY: the ground is of a run that lasts longer than the call.
        let ended = unsafe { (chain.entry)(&mut ground, record.root.0.into()) };
        match Ending::of(ended) {
            Ending::Out(exit) => {
                if let Err(reason) = run.has_enough() {
                    return Err(exhausted(chain, reason));
                }
                let root = SlotIndex(ground.value() as u32);
                let ty = chain.types[usize::from(exit)].unwrap_or(record.ty);
                Ok((exit, Record { ty, root }))
            }
            ending => Err(stopped(chain, ending, &ground, &mut run)),
        }
    }
}

/// Returns the error of a chain that ran to its end although it had exceeded its budget or was cancelled; the place is
/// unknown.
#[cold]
fn exhausted(chain: &Chain, reason: Reason) -> Box<Stopped> {
    let link = &chain.links[0];
    Box::new(Stopped { link: 0, why: Why::Fault(link.program.fault(reason, link.function, 0)) })
}

#[cold]
fn stopped(chain: &Chain, ending: Ending, ground: &Ground, run: &mut Run<'_, '_>) -> Box<Stopped> {
    let (link, why) = match ending {
        Ending::Fault(link) => {
            let program = &chain.links[usize::from(link)].program;
            (link, Why::Fault(fault(program, ground.fault(), run)))
        }
        Ending::Number(link) | Ending::Out(link) => (link, Why::Number(ground.value() as i64)),
    };
    Box::new(Stopped { link: link.into(), why })
}

/// How a chain ends, as its code returns it.
#[derive(Clone, Copy)]
enum Ending {
    /// By the exit with this number.
    Out(u16),
    /// By a fault in the link at this index.
    Fault(u16),
    /// By a number without a successor, from the link at this index.
    Number(u16),
}

impl Ending {
    fn returned(self) -> i64 {
        match self {
            Ending::Out(exit) => exit.into(),
            Ending::Fault(link) => 1 << 16 | i64::from(link),
            Ending::Number(link) => 2 << 16 | i64::from(link),
        }
    }

    #[inline(always)]
    fn of(returned: u64) -> Self {
        match returned >> 16 {
            0 => Ending::Out(returned as u16),
            1 => Ending::Fault(returned as u16),
            _ => Ending::Number(returned as u16),
        }
    }
}

/// Creates the function that calls the links.
fn define(
    module: &mut JITModule,
    links: &[Link],
    bodies: Vec<Bodies>,
) -> Result<FuncId, NativeError> {
    let create = import(module, "create", 1)?;
    let declared = signature(module, 2);
    let id = module.declare_function("chain", Linkage::Local, &declared)?;
    let mut context = module.make_context();
    context.func.signature = declared;
    let mut refer = |id| module.declare_func_in_func(id, &mut context.func);
    let functions = links.iter().zip(&bodies);
    let functions = functions.map(|(link, bodies)| refer(bodies.functions[link.function]));
    let functions = functions.collect();
    let create = refer(create);
    let mut scratch = FunctionBuilderContext::new();
    let builder = FunctionBuilder::new(&mut context.func, &mut scratch);
    Writer::new(builder, links, functions, create).write().finalize(module.target_config());
    let inlined: BTreeMap<u32, ir::Function> =
        bodies.into_iter().flat_map(|bodies| bodies.inlined).collect();
    context.inline(Inliner { inlined: &inlined, calls: Vec::new() })?;
    module.define_function(id, &mut context)?;
    Ok(id)
}

/// Writes that function.
struct Writer<'w> {
    builder: FunctionBuilder<'w>,
    links: &'w [Link],
    /// By link.
    functions: Vec<FuncRef>,
    create: FuncRef,
    ground: Value,
    /// By link: the block where it begins, with the current record as a parameter.
    begins: Vec<Block>,
}

impl<'w> Writer<'w> {
    fn new(
        mut builder: FunctionBuilder<'w>,
        links: &'w [Link],
        functions: Vec<FuncRef>,
        create: FuncRef,
    ) -> Self {
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        let mut begins = vec![entry];
        for _ in &links[1..] {
            let begin = builder.create_block();
            builder.append_block_param(begin, I64);
            begins.push(begin);
        }
        let ground = builder.block_params(entry)[0];
        Writer { builder, links, functions, create, ground, begins }
    }

    fn write(mut self) -> FunctionBuilder<'w> {
        for place in 0..self.links.len() {
            let begin = self.begins[place];
            self.builder.switch_to_block(begin);
            let record = *self.builder.block_params(begin).last().expect("it has the record");
            self.link(place, record);
        }
        self.builder.seal_all_blocks();
        self.builder
    }

    fn link(&mut self, place: usize, record: Value) {
        let link = &self.links[place];
        if place > 0 {
            // As at the beginning of a separate call.
            self.set(Ground::LEFT, BUDGET as i64);
            self.set(Ground::PROGRAM, Arc::as_ptr(&link.program) as i64);
        }
        let (ground, function) = (self.ground, self.functions[place]);
        match &link.gives {
            Gives::Boolean { on_true, on_false } => {
                let value = self.call(place, function, &[ground, record]);
                self.fork(value, *on_true, *on_false, record);
            }
            Gives::Numbers(exits) => {
                let value = self.call(place, function, &[ground, record]);
                let mut switch = Switch::new();
                let [nowhere] = self.new_blocks();
                let found: Vec<(Block, Next)> =
                    exits.iter().map(|(_, next)| (self.builder.create_block(), *next)).collect();
                for ((number, _), (block, _)) in exits.iter().zip(&found) {
                    switch.set_entry(u128::from(*number as u64), *block);
                }
                switch.emit(&mut self.builder, value, nowhere);
                for (block, next) in found {
                    self.builder.switch_to_block(block);
                    self.go_on(next, record);
                }
                self.builder.switch_to_block(nowhere);
                self.end(Ending::Number(place as u16), Some(value));
            }
            Gives::Record(_, next) => {
                let create = self.create;
                let call = self.builder.ins().call(create, &[ground]);
                let made = self.builder.inst_results(call)[0];
                self.call(place, function, &[ground, record, made]);
                self.go_on(*next, made);
            }
        }
    }

    /// Calls a function and returns its result.
    fn call(&mut self, place: usize, function: FuncRef, arguments: &[Value]) -> Value {
        let call = self.builder.ins().call(function, arguments);
        let (ended, value) =
            (self.builder.inst_results(call)[0], self.builder.inst_results(call)[1]);
        let [early, go_on] = self.new_blocks();
        self.builder.set_cold_block(early);
        self.builder.ins().brif(ended, early, &[], go_on, &[]);
        self.builder.switch_to_block(early);
        self.end(Ending::Fault(place as u16), None);
        self.builder.switch_to_block(go_on);
        value
    }

    fn fork(&mut self, value: Value, on_true: Next, on_false: Next, record: Value) {
        let [yes, no] = self.new_blocks();
        self.builder.ins().brif(value, yes, &[], no, &[]);
        for (block, next) in [(yes, on_true), (no, on_false)] {
            self.builder.switch_to_block(block);
            self.go_on(next, record);
        }
    }

    fn go_on(&mut self, next: Next, record: Value) {
        match next {
            Next::Link(place) => {
                let begin = self.begins[place];
                self.builder.ins().jump(begin, &[BlockArg::from(record)]);
            }
            Next::Out(exit) => self.end(Ending::Out(exit), Some(record)),
        }
    }

    fn end(&mut self, ending: Ending, value: Option<Value>) {
        if let Some(value) = value {
            self.builder.ins().store(MemFlagsData::trusted(), value, self.ground, Ground::VALUE);
        }
        let returned = self.builder.ins().iconst(I64, ending.returned());
        self.builder.ins().return_(&[returned]);
    }

    fn new_blocks<const COUNT: usize>(&mut self) -> [Block; COUNT] {
        std::array::from_fn(|_| self.builder.create_block())
    }

    fn set(&mut self, field: i32, number: i64) {
        let number = self.builder.ins().iconst(I64, number);
        self.builder.ins().store(MemFlagsData::trusted(), number, self.ground, field);
    }
}
