//! `tollgate init`: writes a runnable example flow with simulated records.

use std::path::PathBuf;

use crate::example::{RECORDS, write_example};
use crate::execute::Execute;
use crate::outcome::{CommandError, Outcome};
use crate::product::called;

/// Write an example flow with simulated records into a new folder
#[derive(Debug, clap::Parser)]
#[command(name = "init", after_help = "Example:\n  tollgate init my-flow")]
pub(crate) struct Init {
    /// A new folder
    folder: PathBuf,
}

impl Execute for Init {
    fn run(self) -> Result<Outcome, CommandError> {
        let files = write_example(&self.folder)?;
        let shown = self.folder.display();
        say!("{shown}/flow.toml: two switching centres, two billing systems, statistics")?;
        say!("{shown}/asn1, {shown}/scripts: their records, and what is done with them")?;
        say!("{shown}/in: {RECORDS} simulated records in {} files, some damaged", files.len())?;
        say!("\nRun it:\n  {} run {shown}/flow.toml --once", called())?;
        Ok(Outcome::Clean)
    }
}
