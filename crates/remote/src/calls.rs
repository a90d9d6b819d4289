//! What connections to far places share: waiting, on the thread that asks, for what is asynchronous, and looking whether
//! something is there.

use std::io;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use transport::{Far, FarError};

/// Octets of a message of SSH, of which the other side may send as many: where a file comes in few and large pieces, it is
/// handed on less often. The library takes no more.
pub(crate) const SSH_OCTETS: u32 = 256 << 10;

/// A runtime for one connection. Nothing of it goes on while nobody asks.
pub(crate) fn runtime() -> Result<Runtime, FarError> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| FarError::passing_by("no connection can be made here", error))
}

/// What comes within a time. Where nothing does, that is an error which may pass.
pub(crate) async fn within<T>(
    timeout: Duration,
    what: &str,
    coming: impl Future<Output = T>,
) -> Result<T, FarError> {
    tokio::time::timeout(timeout, coming).await.map_err(|_| silent(what, timeout))
}

/// The place said nothing for so long.
pub(crate) fn silent(what: &str, timeout: Duration) -> FarError {
    FarError::passing(format!("{what}: no answer within {} seconds", timeout.as_secs_f64()))
}

/// A connection that worked does not answer within `timeout`.
pub(crate) fn fell_silent(what: &str, timeout: Duration) -> FarError {
    FarError::broken(format!("{what}: no answer within {} seconds", timeout.as_secs_f64()))
}

/// A name, or a server's text, for messages: truncated, with control characters escaped.
pub(crate) fn shown(text: &str) -> String {
    const SHOWN_MAX: usize = 200;
    let text = text.trim();
    let cut = if text.chars().nth(SHOWN_MAX).is_some() { "…" } else { "" };
    let first: String = text.chars().take(SHOWN_MAX).collect();
    diagnostics::visible(&first).into_owned() + cut
}

/// Why a machine was not reached.
pub(crate) fn unreachable(place: &str, error: io::Error) -> FarError {
    FarError::passing_by(format!("could not connect to {place}"), error)
}

/// Checks that a file was stored whole; returns its size. If the server reports no size, it is
/// enough that it took all octets.
pub(crate) fn whole(far: &mut impl Far, name: &str, octets: u64) -> Result<u64, FarError> {
    match far.stat(name)?.octets {
        Some(there) if there != octets => {
            Err(FarError::unavailable(format!("\"{name}\" has {there} octets there of {octets}")))
        }
        _ => Ok(octets),
    }
}

/// Nobody has a name.
pub(crate) fn free(far: &mut impl Far, name: &str) -> Result<(), FarError> {
    match far.stat(name) {
        Ok(_) => Err(FarError::Exists(name.into())),
        Err(FarError::NotThere(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// The kind of an error, by which callers decide.
#[cfg(test)]
pub(crate) fn class(error: &FarError) -> &'static str {
    match error {
        FarError::Passing { .. } => "passing",
        FarError::Broken { .. } => "broken",
        FarError::Unavailable { .. } => "unavailable",
        FarError::Shut(_) => "shut",
        FarError::Forbidden(_) => "forbidden",
        FarError::Refused(_) => "refused",
        FarError::NotThere(_) => "not there",
        FarError::Exists(_) => "exists",
        FarError::Here(_) => "here",
    }
}
