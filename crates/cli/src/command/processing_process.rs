//! `tollgate processing-process`: processes files for a gateway, which starts it. It is not for users.

use std::path::PathBuf;

use gateway::Wire;

use crate::execute::Execute;
use crate::logging;
use crate::outcome::{CommandError, Outcome};
use crate::product::{PARTS, PROCESSING_PROCESS};

/// Process files for a gateway, which starts this itself
#[derive(Debug, clap::Parser)]
#[command(name = PROCESSING_PROCESS, hide = true)]
pub(crate) struct ProcessingProcess {
    /// The flow file
    flow: PathBuf,
}

impl Execute for ProcessingProcess {
    const HAS_OWN_LOG: bool = true;

    fn run(self) -> Result<Outcome, CommandError> {
        let wire = Wire::of_standard_input()?;
        logging::over(&wire);
        gateway::process(&self.flow, PARTS, &wire)
            .map_err(|error| CommandError::Mistakes(error.to_string()))?;
        Ok(Outcome::Clean)
    }
}
