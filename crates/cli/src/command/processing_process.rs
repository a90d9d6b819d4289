//! `tollgate processing-process`: what a gateway starts to have files processed beside it. Nobody types it.

use std::path::{Path, PathBuf};

use flow::{Program, Wire};

use super::run::PARTS;
use super::{CommandError, Outcome};
use crate::logging;

/// How the command is called.
const NAME: &str = "processing-process";

/// The program that runs, whatever has been put in its place since: both ends speak the same language.
const THIS: &str = "/proc/self/exe";

/// Arguments of `tollgate processing-process`.
#[derive(Debug, clap::Args)]
pub(crate) struct ProcessingProcess {
    /// The flow file
    flow: PathBuf,
}

impl ProcessingProcess {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let wire = Wire::of_standard_input()?;
        logging::over(&wire);
        flow::process(&self.flow, PARTS, &wire)
            .map_err(|error| CommandError::Mistakes(error.to_string()))?;
        Ok(Outcome::Clean)
    }
}

/// How a gateway of this program starts one.
pub(super) fn program() -> Option<Program> {
    let this = Path::new(THIS);
    let path = if this.exists() { this.into() } else { std::env::current_exe().ok()? };
    Some(Program { path, arguments: vec![NAME.into()] })
}
