//! What commands have in common that ask the gateway for something, or do it where none runs.

use flow::{AskError, RunOptions};

use super::CommandError;
use super::run::{interrupted, mistakes};

/// Until it is done, or whoever asks is interrupted.
pub(super) fn options() -> Result<RunOptions, CommandError> {
    Ok(RunOptions { stop: interrupted()?, ..RunOptions::once() })
}

/// Why it was not asked for.
pub(super) fn refused(error: AskError) -> CommandError {
    match error {
        AskError::Flow(error) => mistakes(error),
        error => CommandError::Mistakes(crate::chain(&error)),
    }
}
