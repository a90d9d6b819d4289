//! What commands come to: what they found, or why they stopped.

use std::error::Error;
use std::path::PathBuf;

use flow::RunError;
use simulate::example::WriteError;

/// What a command found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Everything was as it should be.
    Clean,
    /// The work was done, but something in the input is wrong.
    Faults,
}

/// Why a command did nothing, or stopped.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    /// A file cannot be read.
    #[error("cannot read \"{}\"", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        cause: std::io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write \"{}\"", path.display())]
    WriteFile {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        cause: std::io::Error,
    },
    /// Results cannot be written.
    #[error("cannot write the result")]
    Write(#[from] std::io::Error),
    /// No files could be simulated.
    #[error(transparent)]
    Simulate(simulate::cdr::Error),
    /// What a person wrote is wrong; the texts say where.
    #[error("{0}")]
    Mistakes(String),
}

impl From<WriteError> for CommandError {
    fn from(error: WriteError) -> Self {
        let WriteError { path, cause } = error;
        CommandError::WriteFile { path, cause }
    }
}

/// An error and what caused it, each cause once.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}

/// The mistakes that kept a flow from running, as text.
pub(crate) fn mistakes(error: RunError) -> CommandError {
    let diagnostics = match error {
        RunError::Mistakes(diagnostics) => diagnostics,
        error => return CommandError::Mistakes(error.to_string()),
    };
    let texts: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    CommandError::Mistakes(texts.join("\n\n"))
}

/// Why something was not done, with its causes.
pub(crate) fn refused(error: impl Error) -> CommandError {
    CommandError::Mistakes(chain(&error))
}
