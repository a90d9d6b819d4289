//! `tollgate asn1`: check modules, show records as JSON.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use asn1::ber::{Decoder, Encoder, extent};
use asn1::{Modules, Plan, Resolver, jer};
use diagnostics::{Diagnostic, has_errors};
use record::{Arena, Memory, TypeId};

use super::modules::{read, set_implicit, sources};
use super::{CommandError, Outcome};

/// What `tollgate asn1` can do.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Asn1 {
    /// Report every mistake in modules
    #[command(after_help = "Example:\n  tollgate asn1 check asn1/*.asn1")]
    Check(Check),
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
pub(crate) struct Check {
    /// Only the notation: names need not be defined
    #[arg(long)]
    syntax: bool,
    /// Files of modules; modules that import from each other are given together
    #[arg(required = true)]
    modules: Vec<PathBuf>,
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
    /// Tag the types of modules that have no tag default as if they said IMPLICIT TAGS
    #[arg(long)]
    implicit: bool,
    /// The file of records
    file: PathBuf,
}

impl Asn1 {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Asn1::Check(arguments) => check(&arguments),
            Asn1::Decode(arguments) => decode(&arguments),
            Asn1::Encode(arguments) => encode(&arguments),
        }
    }
}

fn check(arguments: &Check) -> Result<Outcome, CommandError> {
    let (modules, mut diagnostics) = Modules::read(&sources(&arguments.modules)?);
    let names = modules.type_names();
    if !arguments.syntax {
        let mut resolver = Resolver::new(&modules);
        for name in &names {
            for mistake in resolver.resolve(name).err().into_iter().flatten() {
                if !diagnostics.contains(&mistake) {
                    diagnostics.push(mistake);
                }
            }
        }
    }
    for diagnostic in &diagnostics {
        eprintln!("{diagnostic}\n");
    }
    if has_errors(&diagnostics) {
        let count = diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count();
        return Err(CommandError::Mistakes(format!("{count} mistakes found")));
    }
    println!("{} modules, {} types: no mistakes", modules.names().count(), names.len());
    Ok(Outcome::Clean)
}

fn decode(arguments: &Decode) -> Result<Outcome, CommandError> {
    let (mut modules, diagnostics) = Modules::read(&sources(&arguments.module)?);
    if arguments.implicit {
        set_implicit(&mut modules);
    }
    let mut resolver = Resolver::new(&modules);
    let ty = resolver.resolve(&arguments.ty).map_err(|wrong| mistakes(diagnostics, wrong))?;
    let plan = Plan::compile(resolver.finish());
    let octets = read(&arguments.file)?;
    let options = jer::Options { tbcd_as_digits: arguments.tbcd_as_digits };
    let faults = show_records(&plan, ty, &octets, &arguments.file, options)?;
    Ok(if faults == 0 { Outcome::Clean } else { Outcome::Faults })
}

/// Writes every line that is a record; the others are reported.
fn encode(arguments: &Encode) -> Result<Outcome, CommandError> {
    let (modules, diagnostics) = Modules::read(&sources(&arguments.module)?);
    let mut resolver = Resolver::new(&modules);
    let ty = resolver.resolve(&arguments.ty).map_err(|wrong| mistakes(diagnostics, wrong))?;
    let plan = Plan::compile(resolver.finish());
    let mut encoder = Encoder::new(&plan, ty);
    let text = read(&arguments.file)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    let (mut arena, mut octets, mut outcome) = (Arena::new(), Vec::new(), Outcome::Clean);
    for (index, line) in text.split(|octet| *octet == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        arena.reset();
        octets.clear();
        let mut memory = Memory::new(&[], &mut arena);
        let written = jer::read(&plan, &mut memory, ty, line)
            .map_err(|error| crate::chain(&error))
            .and_then(|record| {
                encoder.encode(&memory, record, &mut octets).map_err(|error| crate::chain(&error))
            });
        match written {
            Ok(()) => out.write_all(&octets)?,
            Err(error) => {
                eprintln!("{}:{}: {error}", arguments.file.display(), index + 1);
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
    ty: TypeId,
    octets: &[u8],
    file: &Path,
    options: jer::Options,
) -> Result<usize, CommandError> {
    let decoder = Decoder::new(plan, ty);
    let mut out = BufWriter::new(std::io::stdout().lock());
    let (mut arena, mut line) = (Arena::new(), Vec::new());
    let (mut at, mut number, mut faults) = (0, 0, 0);
    while at < octets.len() {
        // Filler between records and blocks.
        if matches!(octets[at], 0x00 | 0xFF) {
            at += 1;
            continue;
        }
        number += 1;
        let mut fault = |reason: &dyn std::fmt::Display| {
            faults += 1;
            eprintln!("{}: record {number} at octet {at}: {reason}", file.display());
        };
        let end = match extent(octets, at) {
            Ok(end) => end,
            Err(reason) => {
                fault(&format_args!("{reason}; the rest of the file is not read"));
                break;
            }
        };
        let record_octets = &octets[at..end];
        arena.reset();
        line.clear();
        match decoder.decode(record_octets, &mut arena) {
            Ok(record) => {
                let memory = Memory::new(record_octets, &mut arena);
                match jer::write(plan, &memory, record, options, &mut line) {
                    Ok(()) => {
                        line.push(b'\n');
                        out.write_all(&line)?;
                    }
                    Err(error) => fault(&error),
                }
            }
            Err(error) => fault(&error),
        }
        at = end;
    }
    out.flush()?;
    Ok(faults)
}

fn mistakes(mut diagnostics: Vec<Diagnostic>, more: Vec<Diagnostic>) -> CommandError {
    diagnostics.retain(Diagnostic::is_error);
    diagnostics.extend(more);
    let texts: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    CommandError::Mistakes(texts.join("\n\n"))
}
