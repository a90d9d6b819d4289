//! Ends a command early on Ctrl-C or a termination signal.

use runtime::shutdown::Shutdown;

use crate::outcome::CommandError;

/// Returns a token that Ctrl-C and SIGTERM set.
pub(crate) fn interrupted() -> Result<Shutdown, CommandError> {
    let stop = Shutdown::default();
    let own = stop.clone();
    // The handler runs in a thread of its own, not in the signal handler, so it may take a lock.
    ctrlc::set_handler(move || own.set())
        .map_err(|error| CommandError::Write(std::io::Error::other(error)))?;
    Ok(stop)
}
