//! `tollgate tariff check`: reports every mistake in a tariff plan.

use std::path::PathBuf;

use super::plans::read;
use crate::outcome::{CommandError, Outcome};

/// Arguments of `tollgate tariff check`.
#[derive(Debug, clap::Args)]
pub(crate) struct CheckPlan {
    /// The folder of the plan, with tariff.toml in it; or a database of versions
    folder: PathBuf,
}

impl CheckPlan {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        for plan in read(&self.folder)?.all() {
            let classes = plan.classes().count();
            say!("no mistakes: \"{}\", {classes} tariff classes", plan.name())?;
        }
        Ok(Outcome::Clean)
    }
}
