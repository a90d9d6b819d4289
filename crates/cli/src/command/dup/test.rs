//! `tollgate dup test`: runs the tests that stand beside the functions of scripts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dup::Machine;
use serde_json::json;

use crate::json;
use crate::modules::ModuleArguments;
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::progress::Progress;
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
    /// One JSON object with how many passed and failed, and the faults
    #[arg(long, conflicts_with = "coverage")]
    json: bool,
}

impl Test {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let (mut passed, mut failed, mut faults) = (0, 0, Vec::new());
        let (_progress, done) = Progress::of(self.scripts.len() as u64, "scripts are tested");
        for script in &self.scripts {
            done.count();
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
                        faults.push(
                            json!({"script": script, "test": name, "fault": fault.to_string()}),
                        );
                        if !self.json {
                            say!("{}: test \"{name}\" failed\n  {fault}", script.display())?;
                        }
                    }
                }
            }
            if self.coverage && !self.json {
                show_coverage(script, &loaded, &machine)?;
            }
        }
        match self.json {
            true => json::line(
                &mut output::lines(),
                &json!({"passed": passed, "failed": failed, "faults": faults}),
            )?,
            false => say!("{passed} passed, {failed} failed")?,
        }
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
