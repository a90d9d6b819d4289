//! Machine code to be looked at: its octets, which instruction each came from, and whom it calls.

use std::ops::Range;

use cranelift_codegen::FinalizedRelocTarget;
use cranelift_codegen::ir::ExternalName;
use cranelift_module::{FuncId, Module};

use super::functions::Translator;
use super::{Native, NativeError, module};
use crate::code::Program;

/// The machine code of a function, which is not run.
#[derive(Clone, Debug)]
pub struct MachineCode {
    /// The code.
    pub octets: Vec<u8>,
    /// Which instruction of the function a range of it came from, in the order of the ranges.
    pub origins: Vec<(Range<usize>, usize)>,
    /// The offsets at which the address of something else goes, and its name: a function of the script, or
    /// one of the rest of the program.
    pub names: Vec<(usize, String)>,
}

impl Native {
    /// Translates a function of a program, to be looked at.
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

/// Whether machine code notes which instructions it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Located {
    /// To be looked at.
    Yes,
    /// To be run: nobody asks.
    No,
}
