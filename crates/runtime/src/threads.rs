//! Starting threads. The system may refuse one where processes are limited (`pids.max`, `ulimit -u`). That is no reason to
//! panic: the service does what it can without the thread, and says what it cannot do.

use std::io;
use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle};

/// The system refused a thread.
#[derive(Debug, thiserror::Error)]
#[error("no thread could be started: {0}; is the number of processes limited?")]
pub struct SpawnError(#[source] io::Error);

/// Starts a thread in a scope.
pub fn spawn_scoped<'s, T: Send + 's>(
    scope: &'s Scope<'s, '_>,
    act: impl FnOnce() -> T + Send + 's,
) -> Result<ScopedJoinHandle<'s, T>, SpawnError> {
    Builder::new().spawn_scoped(scope, act).map_err(SpawnError)
}

/// Starts a thread that may outlive its caller, such as one that another machine can make hang.
pub fn spawn<T: Send + 'static>(
    act: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>, SpawnError> {
    Builder::new().spawn(act).map_err(SpawnError)
}
