//! `tollgate dup explain`: shows the instructions and the machine code of each line of a script.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::PathBuf;

use dup::{Listed, MachineCode, Native};

use super::disassemble::{Disassembled, disassemble};
use crate::modules::ModuleArguments;
use crate::outcome::{CommandError, Outcome};
use crate::scripts::loaded::{Loaded, load};

/// Arguments of `tollgate dup explain`.
#[derive(Debug, clap::Args)]
pub(crate) struct ExplainCode {
    /// The script
    script: PathBuf,
    #[command(flatten)]
    modules: ModuleArguments,
    /// This function alone [default: all]
    #[arg(long)]
    function: Option<String>,
}

impl ExplainCode {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let loaded = load(&self.script, &self.modules.load(&self.script)?)?;
        let mut functions = 0..loaded.program.functions().len();
        if let Some(name) = &self.function {
            let place = loaded.find(name)?;
            functions = place..place + 1;
        }
        for function in functions {
            let code = Native::explain(&loaded.program, function)
                .map_err(|error| CommandError::Mistakes(error.to_string()))?;
            std::io::stdout().write_all(explained(&loaded, function, &code).as_bytes())?;
        }
        Ok(Outcome::Clean)
    }
}

/// The maximum number of characters of the script beside an instruction. The whole line is printed above.
const ABOUT_CHARACTERS_MAX: usize = 48;

/// Returns the lines of a function, each followed by its instructions and machine code.
fn explained(loaded: &Loaded, function: usize, code: &MachineCode) -> String {
    let source = loaded.program.source();
    let listed = loaded.program.listing(function);
    let made = disassembled(code);
    let mut text = format!("{}\n", loaded.program.functions()[function].name);
    let lines: BTreeSet<usize> = listed.iter().map(|instruction| instruction.line).collect();
    for line in lines {
        text.push_str(&format!("{line:>5} | {}\n", source.line(line)));
        let of_line = |instruction: &usize| listed[*instruction].line == line;
        for place in (0..listed.len()).filter(of_line) {
            let Listed { text: does, about, .. } = &listed[place];
            let about: String = about.chars().take(ABOUT_CHARACTERS_MAX).collect();
            text.push_str(format!("{place:>10}  {does:<40}  {about}").trim_end());
            text.push('\n');
        }
        machine_code(&mut text, made.iter().filter(|(from, _)| from.as_ref().is_some_and(of_line)));
    }
    text.push_str("      | on the way in and out\n");
    machine_code(&mut text, made.iter().filter(|(from, _)| from.is_none()));
    text.push('\n');
    text
}

/// An instruction of the processor, with the place of the script's instruction it came from.
type Made = (Option<usize>, Disassembled);

fn machine_code<'m>(text: &mut String, made: impl Iterator<Item = &'m Made>) {
    for (_, Disassembled { range, text: mnemonic, .. }) in made {
        text.push_str(&format!("{:>18}  {mnemonic}\n", format!("+{:04x}", range.start)));
    }
}

/// Disassembles the code, and adds to each call the name of the function it calls.
fn disassembled(code: &MachineCode) -> Vec<Made> {
    let from = |at: usize| {
        let place = code.origins.partition_point(|(range, _)| range.end <= at);
        code.origins.get(place).filter(|(range, _)| range.contains(&at)).map(|(_, from)| *from)
    };
    let names: BTreeMap<usize, &str> =
        code.names.iter().map(|(at, name)| (*at, name.as_str())).collect();
    // An address is loaded into a register, and the next call uses that register.
    let mut loaded = None;
    let begins = code.origins.iter().map(|(range, _)| range.start);
    let mut made = disassemble(&code.octets, begins);
    for instruction in &mut made {
        let own = names.range(instruction.range.clone()).next().map(|(_, name)| *name);
        let calls = CALLS.iter().any(|call| instruction.text.starts_with(call));
        let named = own.or(if calls { loaded.take() } else { None });
        loaded = own.filter(|_| !calls).or(loaded);
        if let Some(name) = named {
            instruction.text = format!("{:<32}  ; {name}", instruction.text);
        }
    }
    made.into_iter().map(|instruction| (from(instruction.range.start), instruction)).collect()
}

/// The beginnings of call instructions.
const CALLS: [&str; 2] = ["call", "bl"];
