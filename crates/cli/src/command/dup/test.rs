//! `tollgate dup test`: the tests that stand beside the functions of scripts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dup::Machine;
use record::{Arena, Memory, SlotIndex};

use super::{Loaded, load, record};
use crate::command::modules::{ModuleArguments, read_named};
use crate::command::{CommandError, Outcome};

/// Arguments of `tollgate dup test`.
#[derive(Debug, clap::Args)]
pub(crate) struct Test {
    /// The scripts
    #[arg(required = true)]
    scripts: Vec<PathBuf>,
    #[command(flatten)]
    modules: ModuleArguments,
    /// Show the lines of functions that no test runs
    #[arg(long)]
    coverage: bool,
}

impl Test {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let (mut passed, mut failed) = (0, 0);
        for script in &self.scripts {
            let loaded = load(script, &self.modules.load(script)?)?;
            let mut machine = Machine::new(Arc::clone(&loaded.program));
            if self.coverage {
                machine.watch();
            }
            for place in 0..loaded.program.tests().len() {
                let name = &loaded.program.tests()[place].name;
                match test(script, &loaded, &mut machine, place)? {
                    Ok(()) => passed += 1,
                    Err(fault) => {
                        failed += 1;
                        say!("{}: test \"{name}\" failed\n  {fault}", script.display())?;
                    }
                }
            }
            if self.coverage {
                show_coverage(script, &loaded, &machine)?;
            }
        }
        say!("{passed} passed, {failed} failed")?;
        Ok(if failed == 0 { Outcome::Clean } else { Outcome::Faults })
    }
}

/// Runs one test: whether it passed, or what went wrong in it.
pub(super) fn test(
    script: &Path,
    loaded: &Loaded,
    machine: &mut Machine,
    place: usize,
) -> Result<Result<(), String>, CommandError> {
    let Loaded { program, plan, .. } = loaded;
    let test = &program.tests()[place];
    let folder = script.parent().unwrap_or(Path::new(""));
    let mut arena = Arena::new();
    let mut memory = Memory::new(&[], &mut arena);
    let mut fixtures: Vec<SlotIndex> = Vec::new();
    for (ty, file) in &test.fixtures {
        let path = folder.join(file);
        let octets = read_named(&path)?;
        // Several fixtures share one memory, which has one source; JSON needs none.
        let path_of_json = path.with_extension("json");
        let read = record(plan, &mut memory, *ty, &path_of_json, octets.trim_ascii());
        match read {
            Ok(record) => fixtures.push(record.root),
            Err(error) => {
                let message = format!("{}: not one record as JSON: {error}", path.display());
                return Err(CommandError::Mistakes(message));
            }
        }
    }
    let outcome = machine.test(place, &mut memory, &fixtures);
    Ok(outcome.map_err(|fault| program.describe(&fault)))
}

/// Shows how many lines the tests run, and those that they do not.
fn show_coverage(script: &Path, loaded: &Loaded, machine: &Machine) -> std::io::Result<()> {
    let lines = machine.lines();
    let missed: Vec<usize> =
        lines.iter().filter(|(_, seen)| !**seen).map(|(line, _)| *line).collect();
    let run = lines.len() - missed.len();
    say!("{}: tests run {run} of {} lines", script.display(), lines.len())?;
    for line in missed {
        say!("{line:>5} | {}", loaded.program.source().line(line))?;
    }
    Ok(())
}
