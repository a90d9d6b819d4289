//! Why a job failed, and what happens to it.

use std::fmt;
use std::io;

use serde::{Deserialize, Serialize};

/// Why a job failed. Its outputs are removed, as if it had never begun.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum JobFailure {
    /// The next scan finds it again.
    TryAgain { problem: String },
    /// It waits until groups of this node (by its place) have ended.
    WaitForRoom { node: usize, problem: String },
    /// Its file is set aside where it lies.
    SetAside { reason: String, problem: String },
    /// It cannot succeed with this flow.
    Never { problem: String },
}

impl JobFailure {
    /// Returns the text to show.
    pub(crate) fn problem(self) -> String {
        match self {
            JobFailure::TryAgain { problem }
            | JobFailure::WaitForRoom { problem, .. }
            | JobFailure::SetAside { problem, .. }
            | JobFailure::Never { problem } => problem,
        }
    }
}

impl From<String> for JobFailure {
    fn from(problem: String) -> Self {
        JobFailure::TryAgain { problem }
    }
}

/// Why the records of a file were not all read.
#[derive(Debug)]
pub(crate) enum ReadFailure {
    /// A file or folder failed, or a node needs something that is not there now.
    Io(io::Error),
    /// This node (by its place) holds as much as it may.
    NoRoom { node: usize, reason: String },
    /// More of the file was rejected than the suspense limit allows.
    TooMuchRejected { reason: String },
}

impl ReadFailure {
    /// Returns the failure of the job. `text` describes it and names the file.
    pub(crate) fn of_job(self, text: impl FnOnce(&Self) -> String) -> JobFailure {
        let problem = text(&self);
        match self {
            ReadFailure::Io(_) => JobFailure::TryAgain { problem },
            ReadFailure::NoRoom { node, .. } => JobFailure::WaitForRoom { node, problem },
            ReadFailure::TooMuchRejected { reason } => JobFailure::SetAside { reason, problem },
        }
    }
}

impl fmt::Display for ReadFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadFailure::Io(error) => error.fmt(formatter),
            ReadFailure::NoRoom { reason, .. } | ReadFailure::TooMuchRejected { reason } => {
                formatter.write_str(reason)
            }
        }
    }
}

impl From<io::Error> for ReadFailure {
    fn from(error: io::Error) -> Self {
        ReadFailure::Io(error)
    }
}
