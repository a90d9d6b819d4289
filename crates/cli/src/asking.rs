//! What commands have in common that ask the gateway for something, or do it where none runs.

use flow::{AskError, RunOptions};

use crate::interrupt::interrupted;
use crate::outcome::{CommandError, chain, mistakes};

/// Until it is done, or whoever asks is interrupted.
pub(crate) fn options() -> Result<RunOptions, CommandError> {
    Ok(RunOptions { stop: interrupted()?, ..RunOptions::once() })
}

/// Why it was not asked for.
pub(crate) fn refused(error: AskError) -> CommandError {
    match error {
        AskError::Flow(error) => mistakes(error),
        error => CommandError::Mistakes(chain(&error)),
    }
}
