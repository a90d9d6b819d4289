//! Machine code: a program's instructions, compiled when the script is loaded.
//!
//! Every function becomes a machine function; its registers are values that the code generator places where it likes.
//! The instructions that nearly every record needs (reading and writing fields, arithmetic, comparing, jumping,
//! calling) have generated code. The others call the interpreter for one instruction, so that both mean the same by
//! construction.
//!
//! # Safety
//!
//! The only `unsafe` code of the product is here. It relies on the following. Instructions come from the checker and
//! the lowering, so a register that is used as a slot holds the index of a slot of the current record, and a place is
//! one of the type's. Slots lie in the arena at the address that is updated after every instruction that may have moved
//! them. An octet is read only where a slot says that its value lies, which the decoder took from within the record.
//! Code is freed when the last [`Native`] or [`Chain`] that has it is dropped.
#![allow(unsafe_code)]

mod chain;
mod emitter;
mod explain;
mod functions;
mod ground;
mod instructions;
mod known;
mod slots;
mod strings;

use std::sync::Arc;

use cranelift_codegen::settings::{self, Configurable};
use cranelift_jit::{ArenaMemoryProvider, JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module};
use record::SlotIndex;

use crate::code::{Program, REGISTERS_MAX};
use crate::fault::{self, Reason};
use crate::machine::{BUDGET, CALLS_DEPTH_MAX, RECORD_MEMORY_OCTETS_MAX, Run};
pub use chain::{Chain, ChainMachine, Gives, Link, Next, Stopped, Why};
pub use explain::MachineCode;
use functions::Translator;
use ground::Ground;

/// The reason why there is no machine code. The interpreter is used instead.
#[derive(Debug, thiserror::Error)]
#[error("no machine code can be made: {0}")]
pub struct NativeError(String);

impl From<cranelift_module::ModuleError> for NativeError {
    fn from(error: cranelift_module::ModuleError) -> Self {
        NativeError(error.to_string())
    }
}

impl From<cranelift_codegen::CodegenError> for NativeError {
    fn from(error: cranelift_codegen::CodegenError) -> Self {
        NativeError(error.to_string())
    }
}

/// A function for calls from outside: takes the ground and its arguments; returns whether it ended early.
type Entry = unsafe extern "C" fn(*mut Ground, *const SlotIndex) -> u64;

/// The machine code of a program.
pub struct Native {
    program: Arc<Program>,
    /// By code: its entry, and the number of its parameters.
    entries: Vec<(Entry, usize)>,
    /// The code that the entries point into.
    _code: CompiledCode,
}

impl std::fmt::Debug for Native {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Native({} functions)", self.entries.len())
    }
}

impl Native {
    /// Returns whether a program takes so long to compile that no caller should wait for it.
    pub fn takes_long(program: &Program) -> bool {
        emitter::is_long(program)
    }

    /// Compiles a program.
    pub fn compile(program: &Arc<Program>) -> Result<Arc<Self>, NativeError> {
        Self::compile_into(module(Self::takes_long(program))?, program)
    }

    fn compile_into(
        mut module: JITModule,
        program: &Arc<Program>,
    ) -> Result<Arc<Self>, NativeError> {
        let entries = Translator::new(&mut module, program, "")?.all()?;
        let code = CompiledCode::finish(module)?;
        let entry = |id: &FuncId| {
            // SAFETY: the function was declared with this signature.
            unsafe { std::mem::transmute::<*const u8, Entry>(code.address(*id)) }
        };
        let entry = |(place, id)| (entry(id), program.parameters_of(place));
        let entries = entries.iter().enumerate().map(entry).collect();
        Ok(Arc::new(Native { program: Arc::clone(program), entries, _code: code }))
    }

    /// Returns the program it was compiled from.
    pub(crate) fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Calls a function.
    ///
    /// # Panics
    ///
    /// Panics if an argument is no slot of the memory, or one is missing.
    #[inline(always)]
    pub(crate) fn call(
        &self,
        code: usize,
        run: &mut Run<'_, '_>,
        window: &mut [u64; REGISTERS_MAX],
        arguments: &[SlotIndex],
    ) -> Result<u64, Box<fault::Fault>> {
        let (entry, parameters) = self.entries[code];
        assert!(arguments.len() >= parameters, "arguments are missing");
        for argument in arguments {
            run.memory.slot(*argument); // Panics where there is none.
        }
        let mut ground = Ground::new(run, window);
        // SAFETY: the ground belongs to a run that lasts longer than the call; there are as many arguments as the
        // function has parameters.
        let ended = unsafe { entry(&mut ground, arguments.as_ptr()) };
        match ended {
            0 => run
                .has_enough()
                .map(|()| ground.value())
                .map_err(|reason| self.program.fault(reason, code, 0)),
            _ => Err(fault(&self.program, ground.fault(), run)),
        }
    }
}

/// Returns the fault of a function that ended early, from the ground.
#[cold]
fn fault(program: &Program, fault: u64, run: &mut Run<'_, '_>) -> Box<fault::Fault> {
    let (kind, code, at) = FaultKind::of(fault);
    let reason = run.take_early_reason();
    program.fault(kind.reason().or(reason).unwrap_or(Reason::Absent), code, at)
}

/// Machine code, which can be called as long as this exists.
struct CompiledCode {
    /// Taken when it is freed.
    module: Option<JITModule>,
}

// SAFETY: it does not change after its creation; any thread may call it.
unsafe impl Send for CompiledCode {}
// SAFETY: as above.
unsafe impl Sync for CompiledCode {}

impl CompiledCode {
    fn finish(mut module: JITModule) -> Result<Self, NativeError> {
        module.finalize_definitions()?;
        Ok(CompiledCode { module: Some(module) })
    }

    fn address(&self, function: FuncId) -> *const u8 {
        let module = self.module.as_ref().expect("it is taken at the end alone");
        module.get_finalized_function(function)
    }
}

impl Drop for CompiledCode {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: callers hold a reference to the owner of this.
            unsafe { module.free_memory() };
        }
    }
}

/// The address space for the code of a program. Functions can call each other over two gigabytes at most, and separate
/// allocations may be further apart. Only the used part takes memory. A program with more code, which has some hundred
/// thousand lines, is interpreted.
const CODE_OCTETS_MAX: usize = 64 << 20;

const _: () = assert!(CODE_OCTETS_MAX < i32::MAX as usize);

/// Creates a module. With `in_haste`, the code generator does not optimise: it saves compile time, and the emitter
/// avoids most redundant work itself.
fn module(in_haste: bool) -> Result<JITModule, NativeError> {
    module_within(CODE_OCTETS_MAX, in_haste)
}

fn module_within(octets: usize, in_haste: bool) -> Result<JITModule, NativeError> {
    let memory = ArenaMemoryProvider::new_with_size(octets);
    let memory = memory.map_err(|error| NativeError(error.to_string()))?;
    let mut flags = settings::builder();
    let opt_level = if in_haste { "none" } else { "speed" };
    let settings = [("opt_level", opt_level), ("enable_verifier", "false"), ("is_pic", "false")];
    for (name, value) in settings {
        flags.set(name, value).map_err(|error| NativeError(error.to_string()))?;
    }
    let isa = cranelift_native::builder()
        .map_err(|error| NativeError(error.to_owned()))?
        .finish(settings::Flags::new(flags))
        .map_err(|error| NativeError(error.to_string()))?;
    let mut builder = JITBuilder::with_isa(isa, cranelift_module::default_libcall_names());
    builder.memory_provider(Box::new(memory));
    builder.symbol("one", ground::one as *const u8);
    builder.symbol("built_in", ground::built_in as *const u8);
    builder.symbol("read_number", ground::read_number as *const u8);
    builder.symbol("create", ground::create as *const u8);
    builder.symbol("make_structure", ground::make_structure as *const u8);
    builder.symbol("write_octets", ground::write_octets as *const u8);
    builder.symbol("check", ground::check as *const u8);
    builder.symbol("compare", ground::compare as *const u8);
    Ok(JITModule::new(builder))
}

/// The reason why machine code ended early, packed into a number with the code and the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum FaultKind {
    /// The interpreter stored the reason.
    Reported = 0,
    Absent,
    OtherAlternative,
    Overflow,
    DivisionByZero,
    NotAValue,
    Budget,
    Memory,
    Depth,
}

impl FaultKind {
    const ALL: [FaultKind; 9] = [
        FaultKind::Reported,
        FaultKind::Absent,
        FaultKind::OtherAlternative,
        FaultKind::Overflow,
        FaultKind::DivisionByZero,
        FaultKind::NotAValue,
        FaultKind::Budget,
        FaultKind::Memory,
        FaultKind::Depth,
    ];

    fn at(self, code: usize, instruction: usize) -> u64 {
        (code as u64) << 32 | (instruction as u64) << 8 | self as u64
    }

    fn of(fault: u64) -> (Self, usize, usize) {
        let kind = Self::ALL[(fault & 0xFF) as usize % Self::ALL.len()];
        (kind, (fault >> 32) as usize, (fault as u32 >> 8) as usize)
    }

    fn reason(self) -> Option<Reason> {
        Some(match self {
            FaultKind::Reported => return None,
            FaultKind::Absent => Reason::Absent,
            FaultKind::OtherAlternative => Reason::OtherAlternative,
            FaultKind::Overflow => Reason::Overflow,
            FaultKind::DivisionByZero => Reason::DivisionByZero,
            FaultKind::NotAValue => Reason::Value(record::ValueFault::NotAValue),
            FaultKind::Budget => Reason::Budget(BUDGET),
            FaultKind::Memory => Reason::Memory(RECORD_MEMORY_OCTETS_MAX),
            FaultKind::Depth => Reason::Depth(CALLS_DEPTH_MAX),
        })
    }
}

fn signature(module: &JITModule, parameters: usize) -> cranelift_codegen::ir::Signature {
    use cranelift_codegen::ir::{AbiParam, types::I64};
    let mut signature = module.make_signature();
    signature.params = vec![AbiParam::new(I64); parameters];
    signature.returns = vec![AbiParam::new(I64)];
    signature
}

fn import(module: &mut JITModule, name: &str, parameters: usize) -> Result<FuncId, NativeError> {
    let signature = signature(module, parameters);
    Ok(module.declare_function(name, Linkage::Import, &signature)?)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use diagnostics::Source;
    use record::Schema;

    use super::*;

    #[test]
    fn a_program_that_is_too_long_for_its_room_has_no_machine_code() {
        let function = |n: usize| format!("INTEGER f{n}(a CONST INTEGER) {{ return a * {n}; }}\n");
        let text: String = (0..1_000).map(function).collect();
        let source = Source::new("long.dup", text);
        let compiled = crate::compile(&source, Path::new("."), &mut Schema::new());
        let program = Arc::new(compiled.program.expect("a program"));
        assert!(Native::compile(&program).is_ok());
        let module = module_within(4096, true).expect("room for some");
        let error = Native::compile_into(module, &program).expect_err("not for all");
        assert!(error.to_string().starts_with("no machine code can be made: "), "{error}");
    }
}
