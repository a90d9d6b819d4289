//! The results and errors of commands.

use std::error::Error;

use std::path::PathBuf;

use diagnostics::with_causes;
use gateway::RunError;
use simulate::WriteError;

/// The result of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Everything was as it should be.
    Clean,
    /// The work was done, but something in the input is wrong.
    Faults,
}

/// The reason why a command did nothing, or stopped.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    /// A file cannot be read.
    #[error("cannot read \"{}\"", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        #[source]
        cause: std::io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write \"{}\"", path.display())]
    WriteFile {
        /// The file.
        path: PathBuf,
        /// The reason.
        #[source]
        cause: std::io::Error,
    },
    /// Results cannot be written.
    #[error("cannot write the result")]
    Write(#[from] std::io::Error),
    /// No files could be simulated.
    #[error(transparent)]
    Simulate(simulate::cdr::Error),
    /// The user's input is wrong; the text says where.
    #[error("{0}")]
    Mistakes(String),
}

impl From<WriteError> for CommandError {
    fn from(error: WriteError) -> Self {
        let WriteError { path, cause } = error;
        CommandError::WriteFile { path, cause }
    }
}

/// Converts the mistakes that kept a flow from running into text.
pub(crate) fn mistakes(error: RunError) -> CommandError {
    let diagnostics = match error {
        RunError::Mistakes(diagnostics) => diagnostics,
        error => return CommandError::Mistakes(error.to_string()),
    };
    let texts: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    CommandError::Mistakes(texts.join("\n\n"))
}

/// Converts an error, with its causes.
pub(crate) fn refused(error: impl Error) -> CommandError {
    CommandError::Mistakes(with_causes(&error))
}
