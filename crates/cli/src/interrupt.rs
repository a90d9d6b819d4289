//! Ending a command early: Ctrl-C, and the signals that ask a process to end.

use runtime::shutdown::Shutdown;

use crate::outcome::CommandError;

/// Set by Ctrl-C and by SIGTERM.
pub(crate) fn interrupted() -> Result<Shutdown, CommandError> {
    let stop = Shutdown::default();
    let asked = stop.clone();
    // The handler is called in a thread of its own, not in that of the signal: it may take a lock.
    ctrlc::set_handler(move || asked.set())
        .map_err(|error| CommandError::Write(std::io::Error::other(error)))?;
    Ok(stop)
}
