//! Compiles the functions of a program into a module: their signatures, the calls between them and from outside.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use cranelift_codegen::Context;
use cranelift_codegen::inline::{Inline, InlineCommand};
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{self, AbiParam, FuncRef, InstBuilder, MemFlagsData, Signature};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::JITModule;
use cranelift_module::{FuncId, Linkage, Module};

use super::emitter::{Emitter, is_long};
use super::explain::Located;
use super::ground::Ground;
use super::{NativeError, import, signature};
use crate::code::{Instruction as I, Program};

/// The octets of an argument from outside.
const SLOT_INDEX_OCTETS: i32 = size_of::<record::SlotIndex>() as i32;

/// Compiles the functions of a program into a module.
pub(super) struct Translator<'t> {
    module: &'t mut JITModule,
    program: &'t Program,
    context: Context,
    scratch: FunctionBuilderContext,
    /// By code.
    functions: Vec<FuncId>,
    /// The bodies of inlined functions, by the number of their id.
    inlined: BTreeMap<u32, ir::Function>,
    imported: Imported<FuncId>,
}

impl<'t> Translator<'t> {
    /// Declares the functions. Their names begin with a prefix that distinguishes the programs of a module.
    pub(super) fn new(
        module: &'t mut JITModule,
        program: &'t Program,
        prefix: &str,
    ) -> Result<Self, NativeError> {
        let imported = Imported {
            one: import(module, "one", 2)?,
            built_in: import(module, "built_in", 5)?,
            read_number: import(module, "read_number", 3)?,
            make_structure: import(module, "make_structure", 3)?,
            write_octets: import(module, "write_octets", 3)?,
            check: import(module, "check", 3)?,
            compare: import(module, "compare", 3)?,
        };
        let functions = (0..program.codes.len())
            .map(|place| {
                let signature = internal(module, program.parameters_of(place));
                let name = format!("{prefix}f{place}");
                Ok(module.declare_function(&name, Linkage::Local, &signature)?)
            })
            .collect::<Result<_, NativeError>>()?;
        let (context, scratch) = (module.make_context(), FunctionBuilderContext::new());
        let inlined = BTreeMap::new();
        Ok(Translator { module, program, context, scratch, functions, inlined, imported })
    }

    /// Compiles all functions. Returns the entries.
    pub(super) fn all(mut self) -> Result<Vec<FuncId>, NativeError> {
        self.write_all()?;
        (0..self.program.codes.len()).map(|place| self.entry(place)).collect()
    }

    /// Compiles all functions, to be called by others of the module.
    pub(super) fn bodies(mut self) -> Result<Bodies, NativeError> {
        self.write_all()?;
        Ok(Bodies { functions: self.functions, inlined: self.inlined })
    }

    fn write_all(&mut self) -> Result<(), NativeError> {
        self.write_small()?;
        self.write_uncalled()?;
        for place in 0..self.program.codes.len() {
            if !self.is_inlined(place) {
                self.write(place, Located::No);
                self.define(self.functions[place])?;
            }
        }
        Ok(())
    }

    /// Compiles a function for inspection, with small functions inlined.
    pub(super) fn located(mut self, place: usize) -> Result<Context, NativeError> {
        self.write_small()?;
        self.write(place, Located::Yes);
        let mut inliner = Inliner { inlined: &self.inlined, calls: Vec::new() };
        self.context.inline(&mut inliner)?;
        let Inliner { calls, .. } = inliner;
        let function = &mut self.context.func;
        for inst in (0..function.dfg.num_insts()).map(|place| ir::Inst::from_u32(place as u32)) {
            let call = calls.partition_point(|(first, _)| *first <= inst);
            if let Some((_, from)) = call.checked_sub(1).map(|call| calls[call]) {
                function.set_srcloc(inst, from);
            }
        }
        Ok(self.context)
    }

    /// Compiles the functions that are inlined.
    fn write_small(&mut self) -> Result<(), NativeError> {
        for place in (0..self.program.codes.len()).filter(|place| is_small(self.program, *place)) {
            self.write(place, Located::No);
            self.inlined(place);
        }
        Ok(())
    }

    /// Compiles the functions that no function of the program calls: they need only an entry.
    fn write_uncalled(&mut self) -> Result<(), NativeError> {
        let called = |instruction: &I| match instruction {
            I::Call { function, .. } => Some(usize::from(*function)),
            _ => None,
        };
        let instructions = self.program.codes.iter().flat_map(|code| &code.instructions);
        let called: BTreeSet<usize> = instructions.filter_map(called).collect();
        for place in 0..self.program.codes.len() {
            if called.contains(&place) || self.is_inlined(place) || is_long(self.program) {
                continue;
            }
            self.write(place, Located::No);
            self.context.inline(Inliner { inlined: &self.inlined, calls: Vec::new() })?;
            self.inlined(place);
        }
        Ok(())
    }

    /// Notes that the current function is inlined.
    fn inlined(&mut self, place: usize) {
        self.inlined.insert(self.functions[place].as_u32(), self.context.func.clone());
    }

    fn is_inlined(&self, place: usize) -> bool {
        self.inlined.contains_key(&self.functions[place].as_u32())
    }

    /// Defines the current function under an id.
    fn define(&mut self, id: FuncId) -> Result<(), NativeError> {
        if !self.inlined.is_empty() {
            self.context.inline(Inliner { inlined: &self.inlined, calls: Vec::new() })?;
        }
        Ok(self.module.define_function(id, &mut self.context)?)
    }

    /// Generates a function into the context. It takes the ground and its parameters, and returns whether it ended
    /// early, and its value.
    fn write(&mut self, place: usize, located: Located) {
        let parameters = self.program.parameters_of(place);
        self.module.clear_context(&mut self.context);
        self.context.func.signature = internal(self.module, parameters);
        let mut refs = BTreeMap::new();
        for instruction in &self.program.codes[place].instructions {
            if let I::Call { function, .. } = instruction {
                let id = self.functions[usize::from(*function)];
                let called = self.module.declare_func_in_func(id, &mut self.context.func);
                refs.insert(*function, called);
            }
        }
        let mut refer = |id| self.module.declare_func_in_func(id, &mut self.context.func);
        let imported = Imported {
            one: refer(self.imported.one),
            built_in: refer(self.imported.built_in),
            read_number: refer(self.imported.read_number),
            make_structure: refer(self.imported.make_structure),
            write_octets: refer(self.imported.write_octets),
            check: refer(self.imported.check),
            compare: refer(self.imported.compare),
        };
        let builder = FunctionBuilder::new(&mut self.context.func, &mut self.scratch);
        Emitter::new(builder, self.program, place, Called { imported, functions: refs })
            .function(parameters, located)
            .finalize(self.module.target_config());
    }

    /// Creates the entry of a function for calls from outside: the arguments are in an array, and the value is in the
    /// ground.
    fn entry(&mut self, place: usize) -> Result<FuncId, NativeError> {
        let parameters = self.program.parameters_of(place);
        let declared = signature(self.module, 2);
        let id = self.module.declare_function(&format!("e{place}"), Linkage::Local, &declared)?;
        self.module.clear_context(&mut self.context);
        self.context.func.signature = declared;
        let called =
            self.module.declare_func_in_func(self.functions[place], &mut self.context.func);
        let mut builder = FunctionBuilder::new(&mut self.context.func, &mut self.scratch);
        let block = builder.create_block();
        builder.append_block_params_for_function_params(block);
        builder.switch_to_block(block);
        builder.seal_block(block);
        let (ground, array) = (builder.block_params(block)[0], builder.block_params(block)[1]);
        let mut arguments = vec![ground];
        for place in 0..parameters {
            let (flags, offset) = (MemFlagsData::trusted(), SLOT_INDEX_OCTETS * place as i32);
            arguments.push(builder.ins().uload32(flags, array, offset));
        }
        let call = builder.ins().call(called, &arguments);
        let (ended, value) = (builder.inst_results(call)[0], builder.inst_results(call)[1]);
        builder.ins().store(MemFlagsData::trusted(), value, ground, Ground::VALUE);
        builder.ins().return_(&[ended]);
        builder.finalize(self.module.target_config());
        self.define(id)?;
        Ok(id)
    }
}

/// The functions of a program, to be called by others of the module.
pub(super) struct Bodies {
    /// By code.
    pub(super) functions: Vec<FuncId>,
    /// The bodies of inlined functions, by the number of their id.
    pub(super) inlined: BTreeMap<u32, ir::Function>,
}

/// Inlines functions.
pub(super) struct Inliner<'s> {
    pub(super) inlined: &'s BTreeMap<u32, ir::Function>,
    /// The inlined calls: the first instruction of the inlined body, and the source location of the call.
    pub(super) calls: Vec<(ir::Inst, ir::SourceLoc)>,
}

impl Inline for Inliner<'_> {
    fn inline(
        &mut self,
        caller: &ir::Function,
        call: ir::Inst,
        _: ir::Opcode,
        callee: ir::FuncRef,
        _: &[ir::Value],
    ) -> InlineCommand<'_> {
        let ir::ExternalName::User(name) = caller.dfg.ext_funcs[callee].name else {
            return InlineCommand::KeepCall;
        };
        match self.inlined.get(&caller.params.user_named_funcs()[name].index) {
            Some(callee) => {
                let next = ir::Inst::from_u32(caller.dfg.num_insts() as u32);
                self.calls.push((next, caller.srcloc(call)));
                InlineCommand::Inline { callee: Cow::Borrowed(callee), visit_callee: false }
            }
            None => InlineCommand::KeepCall,
        }
    }
}

/// Maximum instructions of an inlined function, which must not call others.
const SMALL_INSTRUCTIONS_MAX: usize = 24;

fn is_small(program: &Program, code: usize) -> bool {
    let instructions = &program.codes[code].instructions;
    instructions.len() <= SMALL_INSTRUCTIONS_MAX
        && !instructions.iter().any(|instruction| matches!(instruction, I::Call { .. }))
        && !is_long(program)
}

/// Returns the signature of a function: takes the ground and the parameters, returns whether it ended early, and the
/// value.
fn internal(module: &JITModule, parameters: usize) -> Signature {
    let mut signature = signature(module, parameters + 1);
    signature.returns.push(AbiParam::new(I64));
    signature
}

/// The functions of the program that machine code calls.
#[derive(Clone, Copy)]
pub(super) struct Imported<F> {
    pub(super) one: F,
    pub(super) built_in: F,
    pub(super) read_number: F,
    pub(super) make_structure: F,
    pub(super) write_octets: F,
    pub(super) check: F,
    pub(super) compare: F,
}

/// The functions that a function calls.
pub(super) struct Called {
    pub(super) imported: Imported<FuncRef>,
    pub(super) functions: BTreeMap<u16, FuncRef>,
}
