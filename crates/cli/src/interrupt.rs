//! Ending a command early: Ctrl-C, and the signals that ask a process to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::outcome::CommandError;

/// Set by Ctrl-C and by SIGTERM.
pub(crate) fn interrupted() -> Result<Arc<AtomicBool>, CommandError> {
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    ctrlc::set_handler(move || asked.store(true, Ordering::Relaxed))
        .map_err(|error| CommandError::Write(std::io::Error::other(error)))?;
    Ok(stop)
}
