//! Errors in the setup of a channel, before anything is sent.

use std::path::PathBuf;

use alarm::notification::SendError;
use settings::SecretError;

/// What is missing or wrong on this side.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SetupError {
    /// A password, a token or the certificates cannot be read.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// The file of certificates has none.
    #[error("\"{}\" has no certificate", path.display())]
    NoCertificate { path: PathBuf },
    /// TLS cannot be set up with the certificates.
    #[error(transparent)]
    Tls(#[from] lettre::transport::smtp::Error),
    /// The events make no mail, or the mail has no envelope.
    #[error(transparent)]
    Mail(#[from] lettre::error::Error),
}

impl From<SetupError> for SendError {
    fn from(error: SetupError) -> Self {
        SendError::Unreachable(error.to_string())
    }
}
