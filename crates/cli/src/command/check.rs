//! `tollgate check`: every mistake of flow files.

use std::path::PathBuf;

use super::{CommandError, Outcome};

/// Arguments of `tollgate check`.
#[derive(Debug, clap::Args)]
pub(crate) struct Check {
    /// Flow files
    #[arg(required = true)]
    flows: Vec<PathBuf>,
}

impl Check {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let mut mistakes = 0;
        for flow in &self.flows {
            let diagnostics = flow::check(flow, super::run::PARTS);
            for diagnostic in &diagnostics {
                eprintln!("{diagnostic}\n");
            }
            mistakes += diagnostics.iter().filter(|found| found.is_error()).count();
        }
        match mistakes {
            0 => Ok(Outcome::Clean),
            _ => Err(CommandError::Mistakes(format!("{mistakes} mistakes found"))),
        }
    }
}
