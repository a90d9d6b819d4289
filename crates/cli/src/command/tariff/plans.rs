//! Reads plans and prints their mistakes.

use std::path::Path;

use diagnostics::{Diagnostic, counted};
use rating::Plans;

use crate::outcome::CommandError;

/// Reads the plan of a folder or the versions of a database, and prints their mistakes.
pub(super) fn read(place: &Path) -> Result<Plans, CommandError> {
    let read = tariffs::read(place).map_err(|error| CommandError::Mistakes(error.to_string()))?;
    match read.plans {
        Some(plans) => {
            read.diagnostics.iter().for_each(|warning| tell!("{warning}\n"));
            Ok(plans)
        }
        None => Err(mistakes(&read.diagnostics)),
    }
}

/// Prints mistakes, and returns an error with their number.
pub(super) fn mistakes(found: &[Diagnostic]) -> CommandError {
    found.iter().for_each(|diagnostic| tell!("{diagnostic}\n"));
    let count = found.iter().filter(|found| found.is_error()).count();
    CommandError::Mistakes(format!("{} found", counted(count, "mistake")))
}
