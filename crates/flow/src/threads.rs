//! Threads that the system may refuse: where processes are counted (`pids.max`, `ulimit -u`) there may be none left. That is
//! no reason to panic: what can be done without is, and the rest is said in words.

use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle};

/// Starts a thread of a scope; or says why there is none.
pub(crate) fn start<'s, T: Send + 's>(
    scope: &'s Scope<'s, '_>,
    act: impl FnOnce() -> T + Send + 's,
) -> Result<ScopedJoinHandle<'s, T>, String> {
    Builder::new().spawn_scoped(scope, act).map_err(|error| refused(&error))
}

/// The same of one that nobody waits for where it hangs.
pub(crate) fn start_apart<T: Send + 'static>(
    act: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>, String> {
    Builder::new().spawn(act).map_err(|error| refused(&error))
}

fn refused(error: &std::io::Error) -> String {
    format!("no thread could be started: {error}; is the number of processes limited?")
}
