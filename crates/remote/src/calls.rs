//! Shared parts of connections to remote places: blocking on asynchronous calls, and checking whether a file exists.

use std::io;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use transport::{RemoteConnection, RemoteError};

use crate::fault::Fault;

/// The maximum size in octets of an SSH message, in both directions. Fewer and larger messages mean fewer passes of a
/// file through the layers. The library accepts no more.
pub(crate) const SSH_OCTETS: u32 = 256 << 10;

/// Makes a runtime for one connection. It does nothing except during a call.
pub(crate) fn runtime() -> Result<Runtime, RemoteError> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| RemoteError::passing_by(Fault::NoConnectionHere, error))
}

/// Waits for `coming`, at most for `timeout`. A timeout is an error that may pass.
pub(crate) async fn within<T>(
    timeout: Duration,
    what: &str,
    coming: impl Future<Output = T>,
) -> Result<T, RemoteError> {
    tokio::time::timeout(timeout, coming).await.map_err(|_| silent(what, timeout))
}

/// Returns the error for a place that does not answer within `timeout`.
pub(crate) fn silent(what: &str, timeout: Duration) -> RemoteError {
    RemoteError::passing(no_answer(what, timeout))
}

/// Returns the error for a connection that worked before, and that does not answer within `timeout`.
pub(crate) fn fell_silent(what: &str, timeout: Duration) -> RemoteError {
    RemoteError::broken(no_answer(what, timeout))
}

fn no_answer(what: &str, timeout: Duration) -> Fault {
    Fault::NoAnswer { subject: what.to_owned(), seconds: timeout.as_secs_f64() }
}

/// Returns a name, or a server's text, for messages: truncated, with control characters escaped.
pub(crate) fn shown(text: &str) -> String {
    const SHOWN_MAX: usize = 200;
    let text = text.trim();
    let cut = if text.chars().nth(SHOWN_MAX).is_some() { "…" } else { "" };
    let first: String = text.chars().take(SHOWN_MAX).collect();
    diagnostics::visible(&first).into_owned() + cut
}

/// Returns the error for a host that could not be reached.
pub(crate) fn unreachable(place: &str, error: io::Error) -> RemoteError {
    RemoteError::passing_by(Fault::Unreachable { place: place.to_owned() }, error)
}

/// Checks that a file was stored whole; returns its size. If the server reports no size, it is
/// enough that it took all octets.
pub(crate) fn whole(
    far: &mut impl RemoteConnection,
    name: &str,
    octets: u64,
) -> Result<u64, RemoteError> {
    match far.stat(name)?.octets {
        Some(there) if there != octets => Err(RemoteError::unavailable(Fault::Incomplete {
            file: name.to_owned(),
            there,
            octets,
        })),
        _ => Ok(octets),
    }
}

/// Checks that no file has this name.
pub(crate) fn free(far: &mut impl RemoteConnection, name: &str) -> Result<(), RemoteError> {
    match far.stat(name) {
        Ok(_) => Err(RemoteError::Exists(name.into())),
        Err(RemoteError::NotThere(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Returns the kind of an error, by which callers decide.
#[cfg(test)]
pub(crate) fn class(error: &RemoteError) -> &'static str {
    match error {
        RemoteError::Passing { .. } => "passing",
        RemoteError::Broken { .. } => "broken",
        RemoteError::Unavailable { .. } => "unavailable",
        RemoteError::Shut(_) => "shut",
        RemoteError::Forbidden(_) => "forbidden",
        RemoteError::Refused(_) => "refused",
        RemoteError::NotThere(_) => "not there",
        RemoteError::Exists(_) => "exists",
        RemoteError::Here(_) => "here",
    }
}
