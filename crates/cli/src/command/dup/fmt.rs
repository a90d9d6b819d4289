//! `tollgate dup fmt`: formats scripts.

use std::path::PathBuf;

use crate::modules::{self, refuse};
use crate::outcome::{CommandError, Outcome};

/// Arguments of `tollgate dup fmt`.
#[derive(Debug, clap::Args)]
pub(crate) struct Fmt {
    /// Change nothing; say which scripts are not formatted
    #[arg(long)]
    check: bool,
    /// The scripts
    #[arg(required = true)]
    scripts: Vec<PathBuf>,
}

impl Fmt {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let mut outcome = Outcome::Clean;
        for script in &self.scripts {
            let source = modules::script(script)?;
            let formatted = match dup::format(&source) {
                Ok(formatted) => formatted,
                Err(mistakes) => {
                    refuse(mistakes)?;
                    continue;
                }
            };
            if formatted == source.text {
                continue;
            }
            match self.check {
                true => {
                    say!("{} is not formatted", script.display())?;
                    outcome = Outcome::Faults;
                }
                false => {
                    std::fs::write(script, formatted)?;
                    note!("{} formatted", script.display());
                }
            }
        }
        Ok(outcome)
    }
}
