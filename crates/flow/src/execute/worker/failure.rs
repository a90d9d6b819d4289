//! Why a job is not done, and what becomes of it.

use std::fmt;
use std::io;

use serde::{Deserialize, Serialize};

/// Why a job is not done. What it had made is removed: it is as if the job had never begun.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum JobFailure {
    /// The next look finds it again.
    TryAgain { problem: String },
    /// It waits until groups of a node have ended, given by its place.
    WaitForRoom { node: usize, problem: String },
    /// Its file is to be set aside where it lies.
    SetAside { reason: String, problem: String },
    /// It can never be done as the flow is.
    Never { problem: String },
}

impl JobFailure {
    /// The text for people.
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

/// Why the records of a file are not all read.
#[derive(Debug)]
pub(crate) enum ReadFailure {
    /// A file or folder fails, or a node needs what is not there now.
    Io(io::Error),
    /// A node, given by its place, holds as much as it may.
    NoRoom { node: usize, reason: String },
    /// More of the file is rejected than suspense may take.
    TooMuchRejected { reason: String },
}

impl ReadFailure {
    /// Returns what it is for the job of a file, which `text` names.
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
