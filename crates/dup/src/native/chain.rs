//! Chains: functions of several programs that a record goes through one after the other, as one piece of machine code.

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
use super::{Code, NativeError, fault, import, module, signature};
use crate::code::{Program, REGISTERS_MAX};
use crate::fault::{Fault, Reason};
use crate::machine::{BUDGET, Run, RunState};

/// A function of a chain. It is given the record in hand.
#[derive(Clone, Debug)]
pub struct Link {
    /// The program.
    pub program: Arc<Program>,
    /// The function's place in it.
    pub function: usize,
    /// What it gives, and where the record goes on.
    pub gives: Gives,
}

/// What a function of a chain gives.
#[derive(Clone, Debug)]
pub enum Gives {
    /// TRUE or FALSE of its only parameter.
    Boolean {
        /// Where a record goes on of which it is true.
        on_true: Next,
        /// And one of which it is not.
        on_false: Next,
    },
    /// One of these numbers, of its only parameter.
    Numbers(Vec<(i64, Next)>),
    /// Another record, of this type, which goes on instead: its second parameter.
    Record(TypeId, Next),
}

/// Where a record goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// To the function of this place in the chain, to which no other leads.
    Link(usize),
    /// Out of the chain, by the way of this number.
    Out(u16),
}

/// Why a record did not come out of a chain.
#[derive(Debug)]
pub struct Stopped {
    /// The place of the function in the chain.
    pub link: usize,
    /// What was wrong there.
    pub why: Why,
}

/// What was wrong in a function of a chain.
#[derive(Debug)]
pub enum Why {
    /// It could not be executed to its end.
    Fault(Box<Fault>),
    /// It gave a number that leads nowhere.
    Number(i64),
}

/// The machine code of a chain.
pub struct Chain {
    links: Vec<Link>,
    /// By way out: the type of the records, if it is not that of those which come.
    types: Vec<Option<TypeId>>,
    entry: Entry,
    /// What the entry leads into.
    _code: Code,
}

/// With the ground and a record; returns an [`Ending`]. The record that comes out is the ground's value.
type Entry = unsafe extern "C" fn(*mut Ground, u64) -> u64;

impl fmt::Debug for Chain {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Chain({} functions)", self.links.len())
    }
}

impl Chain {
    /// Translates functions, the first of which is given what comes in; no record comes to one twice. `None` where
    /// they are too long to be worth it.
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
        let code = Code::finish(module)?;
        // SAFETY: the function was declared with this signature.
        let entry = unsafe { std::mem::transmute::<*const u8, Entry>(code.address(id)) };
        let types = types(&links);
        Ok(Some(Arc::new(Chain { links, types, entry, _code: code })))
    }
}

/// By way out: the type of record that a chain gives there, if it makes it.
fn types(links: &[Link]) -> Vec<Option<TypeId>> {
    let mut types = Vec::new();
    let mut ahead = vec![(Next::Link(0), None)];
    while let Some((next, ty)) = ahead.pop() {
        match next {
            Next::Out(way) => {
                types.resize(types.len().max(usize::from(way) + 1), None);
                types[usize::from(way)] = ty;
            }
            Next::Link(link) => match &links[link].gives {
                Gives::Boolean { on_true, on_false } => {
                    ahead.extend([(*on_true, ty), (*on_false, ty)]);
                }
                Gives::Numbers(ways) => ahead.extend(ways.iter().map(|(_, next)| (*next, ty))),
                Gives::Record(made, next) => ahead.push((*next, Some(*made))),
            },
        }
    }
    types
}

/// One worker's way through a chain. In steady state it allocates nothing.
#[derive(Debug)]
pub struct ChainMachine {
    chain: Arc<Chain>,
    /// What machine code hands to the interpreter lies here.
    window: Box<[u64; REGISTERS_MAX]>,
    state: RunState,
}

impl ChainMachine {
    /// Of a chain.
    pub fn new(chain: Arc<Chain>) -> Self {
        ChainMachine { chain, window: Box::new([0; REGISTERS_MAX]), state: RunState::default() }
    }

    /// See [`Machine::stop_when`](crate::Machine::stop_when).
    pub fn stop_when(&mut self, flag: Arc<AtomicBool>) {
        self.state.stop_when(flag);
    }

    /// The program of a function.
    pub fn program(&self, link: usize) -> &Arc<Program> {
        &self.chain.links[link].program
    }

    /// Gives a record, of the type that the first function takes, its way through the chain: the way out, and what it is
    /// there.
    ///
    /// # Panics
    ///
    /// If the record lies not in the memory.
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
            Ending::Out(way) => {
                if let Err(reason) = run.has_enough() {
                    return Err(exhausted(chain, reason));
                }
                let root = SlotIndex(ground.value() as u32);
                let ty = chain.types[usize::from(way)].unwrap_or(record.ty);
                Ok((way, Record { ty, root }))
            }
            ending => Err(stopped(chain, ending, &ground, &mut run)),
        }
    }
}

/// A chain ran to its end although it had exceeded its budget or was cancelled; the place is
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

/// How the code of a chain ends, as it returns it.
#[derive(Clone, Copy)]
enum Ending {
    /// Out, by the way of this number.
    Out(u16),
    /// In the function of this place: by a fault.
    Fault(u16),
    /// In the function of this place: the value leads nowhere.
    Number(u16),
}

impl Ending {
    fn returned(self) -> i64 {
        match self {
            Ending::Out(way) => way.into(),
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

/// Makes the function that calls those of the chain.
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
    /// By link: where it begins, with the record in hand.
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
            // As each call by itself would find it.
            self.set(Ground::LEFT, BUDGET as i64);
            self.set(Ground::PROGRAM, Arc::as_ptr(&link.program) as i64);
        }
        let (ground, function) = (self.ground, self.functions[place]);
        match &link.gives {
            Gives::Boolean { on_true, on_false } => {
                let value = self.call(place, function, &[ground, record]);
                self.fork(value, *on_true, *on_false, record);
            }
            Gives::Numbers(ways) => {
                let value = self.call(place, function, &[ground, record]);
                let mut switch = Switch::new();
                let [nowhere] = self.new_blocks();
                let found: Vec<(Block, Next)> =
                    ways.iter().map(|(_, next)| (self.builder.create_block(), *next)).collect();
                for ((number, _), (block, _)) in ways.iter().zip(&found) {
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

    /// Calls a function; gives what it gives.
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
            Next::Out(way) => self.end(Ending::Out(way), Some(record)),
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
