//! The plans that commands name by their paths, and their mistakes.

use std::fs;
use std::path::{Path, PathBuf, absolute};

use diagnostics::{Diagnostic, counted};
use operate::mistakes::{MistakeSeverity, Mistakes};
use operate::tariff::{ChosenPlan, Reach};

use crate::flow_file::{NAME, VARIABLE};
use crate::outcome::CommandError;
use crate::output;
use crate::terminal::Look;

/// The flow of a database, in whose audit trail the changes of the database are.
#[derive(Debug, clap::Args)]
pub(super) struct FlowOfPlan {
    /// The flow whose audit trail has the change, and whose gateway uses it; by default the
    /// flow.toml beside the database
    #[arg(long, value_name = "FLOW", env = VARIABLE, hide_env_values = true)]
    flow: Option<PathBuf>,
}

impl FlowOfPlan {
    /// Returns the flow file and the plan. A flow file that is named must exist. Without one beside
    /// the database, no flow uses the database yet.
    pub(super) fn and_plan(self, database: &Path) -> Result<(PathBuf, ChosenPlan), CommandError> {
        match self.flow {
            Some(flow) => {
                if let Err(cause) = fs::metadata(&flow) {
                    return Err(CommandError::Read { path: flow, cause });
                }
                let plan = from_folder_of(&flow, database)?;
                Ok((flow, plan))
            }
            None => {
                let name = database.file_name().map_or(database, Path::new);
                Ok((database.with_file_name(NAME), chosen(name)?))
            }
        }
    }
}

/// Returns a plan by its path from the folder of the flow file, if it is in there.
fn from_folder_of(flow: &Path, database: &Path) -> Result<ChosenPlan, CommandError> {
    let whole = absolute(database)?;
    let name = whole.file_name().unwrap_or_default();
    let here = |path: &Path| match path.as_os_str().is_empty() {
        true => fs::canonicalize("."),
        false => fs::canonicalize(path),
    };
    let folder = flow.parent().and_then(|folder| here(folder).ok());
    let real = whole.parent().and_then(|parent| Some(here(parent).ok()?.join(name)));
    match folder.zip(real.as_deref()).and_then(|(folder, real)| real.strip_prefix(folder).ok()) {
        Some(inside) => chosen(inside),
        None => chosen(&whole),
    }
}

/// Returns a plan by its path from the current folder, for operations that only read it: they need
/// no flow.
pub(super) fn without_flow(place: &Path) -> Result<(&'static Path, ChosenPlan), CommandError> {
    Ok((Path::new(NAME), chosen(place)?))
}

fn chosen(path: &Path) -> Result<ChosenPlan, CommandError> {
    match path.to_str() {
        Some(plan) => Ok(ChosenPlan { plan: plan.to_owned(), reach: Reach::AnyPath }),
        None => {
            let message = format!("the name of \"{}\" is not UTF-8: rename it", path.display());
            Err(CommandError::Mistakes(message))
        }
    }
}

/// Prints mistakes, and returns an error with their number.
pub(super) fn mistakes(found: &[Diagnostic]) -> CommandError {
    output::diagnostics(found);
    number_of(found.iter().filter(|found| found.is_error()).count())
}

/// Prints the mistakes and warnings of a response. Returns an error with the number of mistakes, if
/// there are any.
pub(super) fn show(
    Mistakes { diagnostics, diagnostics_left_out }: &Mistakes,
) -> Option<CommandError> {
    let is_error = |severity| severity == MistakeSeverity::Error;
    for mistake in diagnostics {
        let look = if is_error(mistake.severity) { Look::Bad } else { Look::Warning };
        output::error_line(look, &format!("{}\n", mistake.text));
    }
    if *diagnostics_left_out > 0 {
        tell!("and {diagnostics_left_out} more\n");
    }
    let count = diagnostics.iter().filter(|mistake| is_error(mistake.severity)).count();
    (count > 0).then(|| number_of(count))
}

fn number_of(mistakes: usize) -> CommandError {
    CommandError::Mistakes(format!("{} found", counted(mistakes, "mistake")))
}
