//! Why the gateway gets nothing from one of its processes.

use super::message::BeginError;

/// What is wrong with a process, by its name.
#[derive(Debug, thiserror::Error)]
pub(super) enum ProcessFault {
    /// The system does not start it, or gives no socket or thread for it.
    #[error("the {process} could not be started: {cause}")]
    NotStarted { process: String, cause: std::io::Error },
    /// It cannot be told what to do.
    #[error("the {process} could not be started: {cause}")]
    NotSent { process: String, cause: postcard::Error },
    /// It does not begin.
    #[error("the {process} ended: {cause}")]
    NotBegun { process: String, cause: BeginError },
    /// It was started several times, and ended each time.
    #[error("the {process} ends before it has begun")]
    EndsAtOnce { process: String },
    /// A stop interrupted its start.
    #[error("the gateway stops before the {process} has begun")]
    StoppedBefore { process: String },
    /// It is not started any more.
    #[error("the gateway stops, and the {process} with it")]
    Stopped { process: String },
    /// A task or an operation could not be encoded.
    #[error(transparent)]
    NotEncoded(#[from] postcard::Error),
    /// It ended during an operation.
    #[error("the {process} ended while it was asked")]
    Ended { process: String },
}
