//! `tollgate tariff check`: every mistake of a tariff plan.

use std::path::PathBuf;

use super::{CommandError, Outcome, read};

/// Arguments of `tollgate tariff check`.
#[derive(Debug, clap::Args)]
pub(crate) struct Check {
    /// The folder of the plan, with tariff.toml in it
    folder: PathBuf,
}

impl Check {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let plan = read(&self.folder)?;
        println!("no mistakes: \"{}\", {} tariff classes", plan.name(), plan.classes().count());
        Ok(Outcome::Clean)
    }
}
