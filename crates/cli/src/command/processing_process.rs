//! `tollgate processing-process`: what a gateway starts to have files processed beside it. Nobody types it.

use std::path::PathBuf;

use flow::Wire;

use crate::logging;
use crate::outcome::{CommandError, Outcome};
use crate::product::PARTS;

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
