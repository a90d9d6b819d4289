//! Threads that the system may refuse. Where processes are counted (`pids.max`, `ulimit -u`) none may be left. That is no
//! reason to panic: the gateway does what it can without the thread, and says what it cannot do.

use std::io;
use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle};

/// The system refused a thread.
#[derive(Debug, thiserror::Error)]
#[error("no thread could be started: {0}; is the number of processes limited?")]
pub struct NoThread(#[source] io::Error);

/// Starts a thread of a scope.
pub fn start<'s, T: Send + 's>(
    scope: &'s Scope<'s, '_>,
    act: impl FnOnce() -> T + Send + 's,
) -> Result<ScopedJoinHandle<'s, T>, NoThread> {
    Builder::new().spawn_scoped(scope, act).map_err(NoThread)
}

/// Starts a thread that may outlive its caller, as one does that hangs.
pub fn start_apart<T: Send + 'static>(
    act: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>, NoThread> {
    Builder::new().spawn(act).map_err(NoThread)
}
