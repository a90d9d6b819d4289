//! `tollgate asn1`: checks modules, converts records to JSON and back.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use asn1::ber::Encoder;
use asn1::{Modules, Plan, Resolver, jer};
use diagnostics::{Diagnostic, Once, counted, did_you_mean, has_errors, with_causes};
use format::Reader as _;
use format::ber::{BerInput, Framing, ImplicitReading};
use format::coding::Header;
use format::json::JsonInput;
use operate::mistakes::Mistakes;
use record::{Arena, Memory};

use crate::execute::Execute;
use crate::json;
use crate::modules::{TaggingArguments, sources};
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::progress::{Aside, Progress};

/// Work with ASN.1 modules and the records they describe
#[derive(Debug, clap::Parser)]
#[command(name = "asn1")]
pub(crate) enum Asn1 {
    /// Report every mistake in modules
    #[command(after_help = "Example:\n  tollgate asn1 check asn1/*.asn1")]
    Check(CheckModules),
    /// Show the records of a file as JSON (X.697), one a line
    #[command(
        after_help = "Example:\n  tollgate asn1 decode -m msc.asn1 -t MSC.CallDataRecord calls.ber"
    )]
    Decode(Decode),
    /// Write records given as JSON (X.697), one a line, as BER to standard output
    #[command(
        after_help = "Example:\n  tollgate asn1 encode -m msc.asn1 -t MSC.CallDataRecord calls.jsonl > calls.ber"
    )]
    Encode(Encode),
}

/// Arguments of `tollgate asn1 check`.
#[derive(Debug, clap::Args)]
pub(crate) struct CheckModules {
    /// Only the notation: names need not be defined
    #[arg(long)]
    syntax: bool,
    /// Files of modules; modules that import from each other are given together
    #[arg(required = true)]
    modules: Vec<PathBuf>,
    /// One JSON object with the mistakes and warnings
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate asn1 encode`.
#[derive(Debug, clap::Args)]
pub(crate) struct Encode {
    /// A file of modules; give the option again for each
    #[arg(short, long = "module", required = true, value_name = "MODULE")]
    module: Vec<PathBuf>,
    /// The type of the records, Module.Type
    #[arg(short, long = "type", value_name = "TYPE")]
    ty: String,
    /// Octet strings of telephone digits (TBCD) are given as digits, as `asn1 decode` shows them with
    /// this option
    #[arg(long)]
    tbcd_as_digits: bool,
    #[command(flatten)]
    tagging: TaggingArguments,
    /// The file of JSON
    file: PathBuf,
}

/// Arguments of `tollgate asn1 decode`.
#[derive(Debug, clap::Args)]
pub(crate) struct Decode {
    /// A file of modules; give the option again for each
    #[arg(short, long = "module", required = true, value_name = "MODULE")]
    module: Vec<PathBuf>,
    /// The type of the records, Module.Type
    #[arg(short, long = "type", value_name = "TYPE")]
    ty: String,
    /// Show octet strings of telephone digits (TBCD) as digits, not as the hexadecimal X.697 asks for
    #[arg(long)]
    tbcd_as_digits: bool,
    #[command(flatten)]
    tagging: TaggingArguments,
    /// How records lie in the file: detect, records (one after another), length-2, length-4,
    /// ts-32.297, batch
    #[arg(long, default_value = "detect", value_parser = framing)]
    framing: Framing,
    /// Octets before the first record that are not part of it
    #[arg(long, default_value_t = 0)]
    skip: u64,
    /// Of a batch whose whole type is given: the component whose elements are the records
    #[arg(long)]
    list: Option<String>,
    /// The file of records
    file: PathBuf,
}

fn framing(text: &str) -> Result<Framing, String> {
    let found = Framing::NAMES.iter().find(|(name, _)| *name == text);
    found.map(|(_, framing)| *framing).ok_or_else(|| {
        let names = Framing::NAMES.map(|(name, _)| name);
        did_you_mean(text, names).unwrap_or(format!("known: {}", names.join(", ")))
    })
}

impl Execute for Asn1 {
    fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Asn1::Check(arguments) => check(&arguments),
            Asn1::Decode(arguments) => decode(&arguments),
            Asn1::Encode(arguments) => encode(&arguments),
        }
    }
}

fn check(arguments: &CheckModules) -> Result<Outcome, CommandError> {
    let (modules, mut diagnostics) = Modules::read(&sources(&arguments.modules)?);
    let names = modules.type_names();
    if !arguments.syntax {
        let mut resolver = Resolver::new(&modules);
        let mut once = Once::after(&diagnostics);
        for name in &names {
            let mistakes = resolver.resolve(name).err().into_iter().flatten();
            mistakes.for_each(|mistake| once.put(mistake, &mut diagnostics));
        }
    }
    if arguments.json {
        json::line(&mut output::lines(), &Mistakes::of(&diagnostics))?;
    }
    output::diagnostics(&diagnostics);
    if has_errors(&diagnostics) {
        let count = diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count();
        return Err(CommandError::Mistakes(format!("{} found", counted(count, "mistake"))));
    }
    let (modules, types) = (modules.names().count(), names.len());
    if !arguments.json {
        say!("{}, {}: no mistakes", counted(modules, "module"), counted(types, "type"))?;
    }
    Ok(Outcome::Clean)
}

fn decode(arguments: &Decode) -> Result<Outcome, CommandError> {
    let (mut modules, diagnostics) = Modules::read(&sources(&arguments.module)?);
    arguments.tagging.apply(&mut modules)?;
    let mut resolver = Resolver::new(&modules);
    let ty = resolver.resolve(&arguments.ty).map_err(|wrong| mistakes(diagnostics, wrong))?;
    let plan = Plan::compile(resolver.finish());
    let plan = Arc::new(plan);
    let mut input =
        BerInput::new(Arc::clone(&plan), ty, arguments.framing, arguments.list.as_deref())
            .map_err(|error| CommandError::Mistakes(error.to_string()))?;
    input.skip = arguments.skip;
    input.implicit = ImplicitReading::of(&modules, &arguments.ty);
    let options = jer::Options { tbcd_as_digits: arguments.tbcd_as_digits };
    let faults = show_records(&plan, &input, &arguments.file, options)?;
    Ok(if faults == 0 { Outcome::Clean } else { Outcome::Faults })
}

/// Encodes every line that is a valid record; reports the others.
fn encode(arguments: &Encode) -> Result<Outcome, CommandError> {
    let (mut modules, diagnostics) = Modules::read(&sources(&arguments.module)?);
    arguments.tagging.apply(&mut modules)?;
    let mut resolver = Resolver::new(&modules);
    let ty = resolver.resolve(&arguments.ty).map_err(|wrong| mistakes(diagnostics, wrong))?;
    let plan = Plan::compile(resolver.finish());
    let plan = Arc::new(plan);
    let options = jer::Options { tbcd_as_digits: arguments.tbcd_as_digits };
    let input = JsonInput::new(Arc::clone(&plan), ty, options);
    let could_not = |cause| CommandError::Read { path: arguments.file.clone(), cause };
    let mut reader = input.read(&arguments.file).map_err(could_not)?;
    let mut encoder = Encoder::new(&plan, ty);
    let mut out = BufWriter::new(Aside(std::io::stdout()));
    let (_progress, done) = Progress::counting("records");
    let (mut arena, mut octets, mut outcome) = (Arena::new(), Vec::new(), Outcome::Clean);
    loop {
        arena.reset();
        octets.clear();
        done.count();
        let Some(read) = reader.next(&mut arena).map_err(could_not)? else { break };
        let record = read.record.map_err(|error| error.to_string());
        let written = record.and_then(|record| {
            let memory = Memory::new(&[], &mut arena);
            encoder.encode(&memory, record, &mut octets).map_err(|error| with_causes(&error))
        });
        match written {
            Ok(()) => out.write_all(&octets)?,
            Err(error) => {
                tell!("{}:{}: {error}", arguments.file.display(), reader.line());
                outcome = Outcome::Faults;
            }
        }
    }
    out.flush()?;
    Ok(outcome)
}

/// Prints every record; returns how many could not be shown.
fn show_records(
    plan: &Plan,
    input: &BerInput,
    file: &Path,
    options: jer::Options,
) -> Result<usize, CommandError> {
    let could_not = |cause| CommandError::Read { path: file.to_owned(), cause };
    let mut reader = input.read(&file).map_err(could_not)?;
    let mut out = BufWriter::new(Aside(std::io::stdout()));
    let (_progress, done) = Progress::counting("records");
    let (mut arena, mut line) = (Arena::new(), Vec::new());
    let (mut number, mut faults) = (0_u64, 0);
    loop {
        arena.reset();
        let Some(read) = reader.next(&mut arena).map_err(could_not)? else { break };
        number += 1;
        done.set(number);
        line.clear();
        let record = read.record.map_err(|error| error.to_string());
        let shown = record.and_then(|record| {
            let memory = Memory::new(read.octets, &mut arena);
            jer::write(plan, &memory, record, options, &mut line).map_err(|error| error.to_string())
        });
        match shown {
            Ok(()) => {
                line.push(b'\n');
                out.write_all(&line)?;
            }
            Err(reason) => {
                faults += 1;
                tell!(
                    "{}: record {number} at octet {}: {reason}; {} octets are passed over",
                    file.display(),
                    read.offset,
                    read.octets.len()
                );
            }
        }
    }
    out.flush()?;
    if let Some(Header { records: Some(stated), is_set_aside, .. }) = reader.header() {
        let found = number - u64::from(is_set_aside);
        if u64::from(stated) != found {
            faults += 1;
            tell!(
                "{}: its header says that it has {stated} records, it has {found}",
                file.display()
            );
        }
    }
    Ok(faults)
}

fn mistakes(mut diagnostics: Vec<Diagnostic>, more: Vec<Diagnostic>) -> CommandError {
    diagnostics.retain(Diagnostic::is_error);
    diagnostics.extend(more);
    let texts: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    CommandError::Mistakes(texts.join("\n\n"))
}
