//! A compiled script, and its functions that can be called on records.

use std::path::Path;
use std::sync::Arc;

use asn1::{Modules, Plan, Resolver};
use diagnostics::{Diagnostic, Source, did_you_mean};
use dup::{Context, Program};
use record::TypeId;

use crate::modules::{self, read, refuse};
use crate::outcome::CommandError;

/// A script, and the plan to decode and show its records.
pub(crate) struct Loaded {
    pub(crate) program: Arc<Program>,
    pub(crate) plan: Plan,
    pub(crate) warnings: Vec<Diagnostic>,
}

impl Loaded {
    /// Returns the place of a function by its name.
    pub(crate) fn find(&self, name: &str) -> Result<usize, CommandError> {
        self.program.find(name).ok_or_else(|| {
            let names = self.program.functions().iter().map(|function| function.name.as_str());
            let hint = did_you_mean(name, names).map_or(String::new(), |hint| format!("; {hint}"));
            CommandError::Mistakes(format!("the script has no function \"{name}\"{hint}"))
        })
    }

    /// Returns how to call the function at a place. Fails if a node could not call it.
    pub(crate) fn called(&self, place: usize) -> Result<Called, CommandError> {
        let function = &self.program.functions()[place];
        let (name, mut parameters) = (&function.name, &function.parameters[..]);
        let context = self.plan.schema().find(Context::TYPE).filter(|context| {
            parameters.last().is_some_and(|last| last.ty == *context && last.constant)
        });
        if let (Some(_), Some((_, before))) = (context, parameters.split_last()) {
            parameters = before;
        }
        let is_record = |ty| self.plan.schema().kind(ty).is_constructed();
        match parameters {
            [first, rest @ ..] if rest.len() < 2 && parameters.iter().all(|p| is_record(p.ty)) => {
                let made = rest.first().map(|second| second.ty);
                Ok(Called { place, input: first.ty, changes: !first.constant, made, context })
            }
            _ => Err(CommandError::Mistakes(format!(
                "\"{name}\" does not take a record, or one and another, and perhaps a context"
            ))),
        }
    }
}

/// Compiles a script. Fails if it has mistakes.
pub(crate) fn load(script: &Path, modules: &Modules) -> Result<Loaded, CommandError> {
    let source = modules::script(script)?;
    compile(script, &source, modules)
}

/// Compiles a text as if it were the script.
pub(crate) fn compile(
    script: &Path,
    source: &Arc<Source>,
    modules: &Modules,
) -> Result<Loaded, CommandError> {
    let mut resolver = Resolver::new(modules);
    let folder = script.parent().unwrap_or(Path::new(""));
    let compiled = dup::compile(source, folder, &mut resolver);
    match compiled.program {
        Some(program) => Ok(Loaded {
            program: Arc::new(program),
            plan: Plan::compile(resolver.finish()),
            warnings: compiled.diagnostics,
        }),
        None => {
            refuse(compiled.diagnostics)?;
            Err(CommandError::Mistakes("the script could not be compiled".into()))
        }
    }
}

/// A function that can be called on records, as a node calls it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Called {
    pub(crate) place: usize,
    /// The type of its record, and whether it changes the record.
    pub(crate) input: TypeId,
    pub(crate) changes: bool,
    /// The type of the second record, which it fills.
    pub(crate) made: Option<TypeId>,
    /// The type of the context, if it takes one.
    pub(crate) context: Option<TypeId>,
}

/// Returns all diagnostics of a script, for `tollgate check`.
pub(crate) fn diagnostics(
    script: &Path,
    modules: &Modules,
) -> Result<Vec<Diagnostic>, CommandError> {
    Ok(text_diagnostics(script, read(script)?, modules))
}

/// Returns the diagnostics of a text as if it were the script.
pub(crate) fn text_diagnostics(script: &Path, text: Vec<u8>, modules: &Modules) -> Vec<Diagnostic> {
    let source = match Source::decoded(script.display().to_string(), text) {
        Ok(source) => source,
        Err(mistake) => return vec![*mistake],
    };
    let folder = script.parent().unwrap_or(Path::new(""));
    dup::compile(&source, folder, &mut Resolver::new(modules)).diagnostics
}
