//! `tollgate dup`: run, test and format scripts.

mod bench;
#[cfg(feature = "disassembler")]
mod disassemble;
#[cfg(feature = "disassembler")]
mod explain;
mod fmt;
mod known;
mod language;
mod lsp;
mod run;
mod samples;
mod test;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use asn1::ber::{Decoder, extent};
use asn1::{Modules, Plan, Resolver, jer};
use diagnostics::{Diagnostic, Source, did_you_mean};
use dup::{Context, Program};
pub(super) use language::Scripts;
use record::{Memory, Record, TypeId};

use super::modules::{self, ModuleArguments, read, refuse};
use super::{CommandError, Outcome};

/// What `tollgate dup` can do.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Dup {
    /// Run a script on records and show the results
    #[command(
        after_help = "Example:\n  tollgate dup run scripts/home_v8.dup --record calls.jsonl\n\nRecords are JSON (X.697), one a line, or BER where the file's name does not end with .json or .jsonl."
    )]
    Run(run::Run),
    /// Run the tests in scripts
    #[command(after_help = "Example:\n  tollgate dup test scripts/*.dup")]
    Test(test::Test),
    /// Say how long a function takes for a record, interpreted and in machine code
    #[command(
        after_help = "Example:\n  tollgate dup bench scripts/home_v8.dup --record in/boston/boston-00002.ber"
    )]
    Bench(bench::Bench),
    /// Show what becomes of each line: instructions over registers, and machine code
    #[cfg(feature = "disassembler")]
    #[command(
        after_help = "Example:\n  tollgate dup explain scripts/is_billable.dup --function isBillable"
    )]
    Explain(explain::Explain),
    /// Format scripts
    #[command(after_help = "Example:\n  tollgate dup fmt scripts/*.dup")]
    Fmt(fmt::Fmt),
    /// Help an editor with scripts: a server of the Language Server Protocol on standard input and output
    #[command(
        after_help = "Example, as an editor starts it:\n  tollgate dup lsp\n\nA client may name modules in its initializationOptions too: {\"modules\": [\"asn1/msc.asn1\"]} or\n{\"flow\": \"flow.toml\"}, relative to its root."
    )]
    Lsp(lsp::Lsp),
}

impl Dup {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Dup::Run(command) => command.run(),
            Dup::Test(command) => command.run(),
            Dup::Bench(command) => command.run(),
            #[cfg(feature = "disassembler")]
            Dup::Explain(command) => command.run(),
            Dup::Fmt(command) => command.run(),
            Dup::Lsp(command) => command.run(),
        }
    }
}

/// A script and what it takes to read and show its records.
struct Loaded {
    program: Arc<Program>,
    plan: Plan,
    warnings: Vec<Diagnostic>,
}

impl Loaded {
    /// The place of the function of a name.
    fn find(&self, name: &str) -> Result<usize, CommandError> {
        self.program.find(name).ok_or_else(|| {
            let names = self.program.functions().iter().map(|function| function.name.as_str());
            let hint = did_you_mean(name, names).map_or(String::new(), |hint| format!("; {hint}"));
            CommandError::Mistakes(format!("the script has no function \"{name}\"{hint}"))
        })
    }

    /// How the function at a place is called, if a node could call it.
    fn called(&self, place: usize) -> Result<Called, CommandError> {
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

/// Compiles a script; its mistakes are refused.
fn load(script: &Path, modules: &Modules) -> Result<Loaded, CommandError> {
    let source = modules::script(script)?;
    compile(script, &source, modules)
}

/// Compiles a text as if it were the script.
fn compile(script: &Path, source: &Arc<Source>, modules: &Modules) -> Result<Loaded, CommandError> {
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

/// Which function is called on which records.
#[derive(Debug, clap::Args)]
struct CallArguments {
    /// The script
    script: PathBuf,
    #[command(flatten)]
    modules: ModuleArguments,
    /// The file of records
    #[arg(long, value_name = "FILE")]
    record: PathBuf,
    /// The function to call [default: the first of the script]
    #[arg(long)]
    function: Option<String>,
}

/// A function that can be called on records, as a node does.
#[derive(Clone, Copy, Debug)]
struct Called {
    place: usize,
    /// The type of its record, and whether it changes it.
    input: TypeId,
    changes: bool,
    /// The type of the other record that it is given, to make it.
    made: Option<TypeId>,
    /// The type of the context, if it takes one.
    context: Option<TypeId>,
}

impl CallArguments {
    fn load(&self) -> Result<Loaded, CommandError> {
        load(&self.script, &self.modules.load(&self.script)?)
    }

    /// The function of the given name; the first if none is given.
    fn called(&self, loaded: &Loaded) -> Result<Called, CommandError> {
        let functions = loaded.program.functions();
        let place = match &self.function {
            Some(name) => loaded.find(name)?,
            None if functions.is_empty() => {
                return Err(CommandError::Mistakes("the script has no function".into()));
            }
            None => 0,
        };
        loaded.called(place)
    }
}

/// All diagnostics of a script, for `tollgate check`.
pub(super) fn diagnostics(
    script: &Path,
    modules: &Modules,
) -> Result<Vec<Diagnostic>, CommandError> {
    Ok(text_diagnostics(script, read(script)?, modules))
}

/// Those of a text as if it were the script.
fn text_diagnostics(script: &Path, text: Vec<u8>, modules: &Modules) -> Vec<Diagnostic> {
    let source = match Source::decoded(script.display().to_string(), text) {
        Ok(source) => source,
        Err(mistake) => return vec![*mistake],
    };
    let folder = script.parent().unwrap_or(Path::new(""));
    dup::compile(&source, folder, &mut Resolver::new(modules)).diagnostics
}

/// Whether a file holds JSON, by its name.
fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json" || extension == "jsonl")
}

/// Cuts the octets of a file into those of its records.
fn cut<'o>(path: &Path, octets: &'o [u8]) -> Result<Vec<&'o [u8]>, CommandError> {
    if is_json(path) {
        let lines = octets.split(|octet| *octet == b'\n');
        return Ok(lines.filter(|line| !line.trim_ascii().is_empty()).collect());
    }
    let mut records = Vec::new();
    let mut at = 0;
    while at < octets.len() {
        if matches!(octets[at], 0x00 | 0xFF) {
            at += 1; // Filler between records.
            continue;
        }
        let end = extent(octets, at).map_err(|reason| {
            CommandError::Mistakes(format!("{}: octet {at}: {reason}", path.display()))
        })?;
        records.push(&octets[at..end]);
        at = end;
    }
    Ok(records)
}

/// Reads one record. `memory` must have been made over `octets`.
fn record(
    plan: &Plan,
    memory: &mut Memory<'_>,
    ty: TypeId,
    path: &Path,
    octets: &[u8],
) -> Result<Record, String> {
    match is_json(path) {
        true => jer::read(plan, memory, ty, octets).map_err(|error| crate::chain(&error)),
        false => {
            let decoder = Decoder::new(plan, ty);
            let decoded = decoder.decode(octets, memory.arena);
            decoded.map_err(|error| decoder.explain(octets, error).to_string())
        }
    }
}

/// A record as JSON.
fn show(plan: &Plan, memory: &Memory<'_>, record: Record) -> Result<String, String> {
    let mut text = Vec::new();
    jer::write(plan, memory, record, jer::Options::default(), &mut text)
        .map_err(|error| crate::chain(&error))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
