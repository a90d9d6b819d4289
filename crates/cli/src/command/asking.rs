//! What commands have in common that ask the gateway for something, or do it where none runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use flow::{AskError, FileAccount, RunOptions};

use super::CommandError;
use super::run::mistakes;

/// Until it is done, or whoever asks is interrupted.
pub(super) fn options() -> Result<RunOptions, CommandError> {
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    ctrlc::set_handler(move || asked.store(true, Ordering::Relaxed))
        .map_err(|error| CommandError::Write(std::io::Error::other(error)))?;
    let (log, done) = (|line: &str| eprintln!("{line}"), |_: &FileAccount| ());
    Ok(RunOptions {
        once: true,
        workers: 0,
        stop,
        clock: SystemTime::now,
        log,
        done,
        unjournaled: false,
    })
}

/// Why it was not asked for.
pub(super) fn refused(error: AskError) -> CommandError {
    match error {
        AskError::Flow(error) => mistakes(error),
        error => CommandError::Mistakes(crate::chain(&error)),
    }
}
