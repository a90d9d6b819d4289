//! `tollgate tariff check`: reports every mistake in a tariff plan.

use std::path::PathBuf;

use operate::mistakes::Mistakes;
use operate::tariff::TariffFound;

use super::plans::mistakes;
use crate::json;
use crate::outcome::{CommandError, Outcome, refused};
use crate::output;

/// Arguments of `tollgate tariff check`.
#[derive(Debug, clap::Args)]
pub(crate) struct CheckPlan {
    /// The folder of the plan, with tariff.toml in it; or a database of versions
    folder: PathBuf,
    /// One JSON object with the mistakes and warnings
    #[arg(long)]
    json: bool,
}

impl CheckPlan {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let read = tariffs::read(&self.folder).map_err(refused)?;
        if self.json {
            let found = TariffFound { mistakes: Mistakes::of(&read.diagnostics) };
            json::line(&mut output::lines(), &found)?;
        }
        let Some(plans) = read.plans else { return Err(mistakes(&read.diagnostics)) };
        output::diagnostics(&read.diagnostics);
        if !self.json {
            for plan in plans.all() {
                let classes = plan.classes().count();
                say!("no mistakes: \"{}\", {classes} tariff classes", plan.name())?;
            }
        }
        Ok(Outcome::Clean)
    }
}
