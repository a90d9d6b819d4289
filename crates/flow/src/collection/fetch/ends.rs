//! Why a look at a far place ends before all is done.

use std::io;
use std::time::Duration;

use store::StoreError;
use transport::FarError;

/// Why a pass ends before all is done.
#[derive(Debug, thiserror::Error)]
pub(super) enum Ends {
    #[error("{}", .0.told())]
    Far(FarError),
    #[error(transparent)]
    Journal(#[from] StoreError),
    #[error("{0}")]
    Full(String),
    /// What is here already could not be moved or deleted at the far place.
    #[error("what was fetched cannot be moved or deleted there: {}", .0.told())]
    Untold(FarError),
    #[error("the gateway stops")]
    Stopped,
}

impl Ends {
    /// Whether it may go well soon, though nobody does anything.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            Ends::Far(error) => error.may_pass() && !matches!(error, FarError::Here(_)),
            Ends::Untold(_) => true,
            Ends::Journal(_) | Ends::Full(_) | Ends::Stopped => false,
        }
    }

    /// How long the far place asks to be left alone.
    pub(super) fn after(&self) -> Duration {
        let retry_after = match self {
            Ends::Far(error) | Ends::Untold(error) => error.after(),
            Ends::Journal(_) | Ends::Full(_) | Ends::Stopped => None,
        };
        retry_after.unwrap_or_default()
    }
}

/// What could not be done on the disk here.
pub(super) fn here(error: io::Error) -> Ends {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            Ends::Full(format!("there is no room here: {error}"))
        }
        _ => Ends::Far(FarError::Here(error)),
    }
}
