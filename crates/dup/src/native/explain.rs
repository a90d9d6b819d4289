//! Machine code for inspection: its octets, the instruction each came from, and the functions it calls.

use std::ops::Range;

use cranelift_codegen::FinalizedRelocTarget;
use cranelift_codegen::ir::ExternalName;
use cranelift_module::{FuncId, Module};

use super::functions::Translator;
use super::{Native, NativeError, module};
use crate::code::Program;

/// The machine code of a function, which is not executed.
#[derive(Clone, Debug)]
pub struct MachineCode {
    /// The code.
    pub octets: Vec<u8>,
    /// The ranges of octets in order, with the instruction of the function that each came from.
    pub origins: Vec<(Range<usize>, usize)>,
    /// The offsets of addresses, with the names they stand for: a function of the script, or one of the program.
    pub names: Vec<(usize, String)>,
}

impl Native {
    /// Compiles a function of a program for inspection.
    pub fn explain(program: &Program, function: usize) -> Result<MachineCode, NativeError> {
        let mut module = module(Self::takes_long(program))?;
        let mut context = Translator::new(&mut module, program, "")?.located(function)?;
        let code = context
            .compile(module.isa(), &mut Default::default())
            .map_err(|error| NativeError(error.inner.to_string()))?;
        let origins = code.buffer.get_srclocs_sorted().iter();
        let origins = origins
            .filter(|range| !range.loc.is_default())
            .map(|range| (range.start as usize..range.end as usize, range.loc.bits() as usize));
        let (octets, origins) = (code.code_buffer().to_vec(), origins.collect());
        let named = code.buffer.relocs().iter().filter_map(|reloc| match &reloc.target {
            FinalizedRelocTarget::ExternalName(ExternalName::User(name)) => {
                Some((reloc.offset as usize, *name))
            }
            _ => None,
        });
        let named: Vec<_> = named.collect();
        let declarations = module.declarations();
        let names = named.into_iter().map(|(at, name)| {
            let id = FuncId::from_u32(context.func.params.user_named_funcs()[name].index);
            let name = declarations.get_function_decl(id).linkage_name(id).into_owned();
            let function = name.strip_prefix('f').and_then(|place| place.parse::<usize>().ok());
            (at, function.map_or(name, |place| program.functions()[place].name.clone()))
        });
        let names = names.collect();
        Ok(MachineCode { octets, origins, names })
    }
}

/// Whether machine code records the instructions it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Located {
    /// For inspection.
    Yes,
    /// For execution.
    No,
}
