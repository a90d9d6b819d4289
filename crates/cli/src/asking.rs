//! Shared code of commands that send a request to the gateway, or do the work themselves if no gateway runs.

use gateway::RunOptions;
use operate::AskError;

use crate::interrupt::interrupted;
use crate::outcome::{CommandError, chain};

/// Returns options that run until the work is done or the user interrupts the command.
pub(crate) fn options() -> Result<RunOptions, CommandError> {
    Ok(RunOptions { stop: interrupted()?, ..RunOptions::once() })
}

/// Converts the error of a request into the error of the command.
pub(crate) fn refused(error: AskError) -> CommandError {
    CommandError::Mistakes(chain(&error))
}
