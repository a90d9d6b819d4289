//! The reasons that end a pass over a remote place early.

use std::io;
use std::time::Duration;

use store::StoreError;
use transport::RemoteError;

/// The reason that a pass ends before all is done.
#[derive(Debug, thiserror::Error)]
pub(super) enum Ends {
    /// The remote place, or the line to it, has an error.
    #[error("{}", .0.with_causes())]
    Remote(RemoteError),
    #[error(transparent)]
    Journal(#[from] StoreError),
    #[error("{0}")]
    Full(String),
    /// A fetched file could not be moved or deleted at the remote place.
    #[error("what was fetched cannot be moved or deleted there: {}", .0.with_causes())]
    NotRemoved(RemoteError),
    #[error("the gateway stops")]
    Stopped,
}

impl Ends {
    /// Returns whether the next try may succeed without a change by an operator.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            Ends::Remote(error) => error.may_pass() && !matches!(error, RemoteError::Here(_)),
            Ends::NotRemoved(_) => true,
            Ends::Journal(_) | Ends::Full(_) | Ends::Stopped => false,
        }
    }

    /// Returns how long the remote place asks to wait before the next request.
    pub(super) fn after(&self) -> Duration {
        let retry_after = match self {
            Ends::Remote(error) | Ends::NotRemoved(error) => error.after(),
            Ends::Journal(_) | Ends::Full(_) | Ends::Stopped => None,
        };
        retry_after.unwrap_or_default()
    }
}

/// Turns an error of the local disk into the end of a pass.
pub(super) fn here(error: io::Error) -> Ends {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            Ends::Full(format!("there is no room here: {error}"))
        }
        _ => Ends::Remote(RemoteError::Here(error)),
    }
}
