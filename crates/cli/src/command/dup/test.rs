//! `tollgate dup test`: runs the tests that stand beside the functions of scripts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dup::Machine;

use crate::modules::ModuleArguments;
use crate::outcome::{CommandError, Outcome};
use crate::scripts::loaded::{Loaded, load};
use crate::scripts::testing::test;

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

/// Prints how many lines the tests run, and the lines they do not run.
fn show_coverage(script: &Path, loaded: &Loaded, machine: &Machine) -> std::io::Result<()> {
    let lines = machine.lines();
    let missed: Vec<usize> =
        lines.iter().filter(|(_, executed)| !**executed).map(|(line, _)| *line).collect();
    let run = lines.len() - missed.len();
    say!("{}: tests run {run} of {} lines", script.display(), lines.len())?;
    for line in missed {
        say!("{line:>5} | {}", loaded.program.source().line(line))?;
    }
    Ok(())
}
