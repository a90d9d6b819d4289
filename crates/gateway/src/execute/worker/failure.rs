//! Why a job failed, and what happens to it.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;

use reason::{Coded, Reason};
use serde::{Deserialize, Serialize};

use crate::execute::job::OutputError;
use collection::decompress::NotUnpacked;
use flow::flow_journal::AccessError;

/// Why a job failed. Its outputs are removed, as if it had never begun.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum JobFailure {
    /// The next scan finds it again.
    TryAgain { problem: String },
    /// It waits until groups of this node (by its place) have ended.
    WaitForRoom { node: usize, problem: String },
    /// Its file is set aside where it lies.
    SetAside { reason: Reason, problem: String },
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

/// Why a file is set aside as a whole.
#[derive(Debug, thiserror::Error, Coded)]
#[code("file")]
pub(crate) enum FileRefusal {
    /// The file is larger than `size-limit`. It is not read.
    #[error("it has {size}, and \"size-limit\" lets a file have {limit}")]
    TooLarge { size: String, limit: String },
    /// More of the file would go to suspense than `suspense-limit` allows. Mostly, the flow reads it by a wrong module.
    #[error(
        "more than {limit} of it cannot be processed, first {first}; \"suspense-limit\" lets more go to suspense"
    )]
    TooMuchRejected { limit: String, first: Reason },
}

/// What is not known to be worse may succeed the next time.
impl<E: Error> From<E> for JobFailure {
    fn from(error: E) -> Self {
        JobFailure::TryAgain { problem: error.to_string() }
    }
}

/// Why a job is given up until the next scan.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WorkError {
    /// The input cannot be read.
    #[error("could not read \"{}\": {cause}", path.display())]
    Read { path: PathBuf, cause: io::Error },
    /// The input cannot be unpacked, and may be later.
    #[error("could not unpack \"{}\": {cause}", path.display())]
    Unpack { path: PathBuf, cause: NotUnpacked },
    /// The input has another size or time than when its reading began.
    #[error("\"{}\" was written to while it was read: it is read again", path.display())]
    WrittenTo { path: PathBuf },
    /// The outputs of the job cannot be written.
    #[error("\"{job}\": {cause}")]
    Outputs { job: String, cause: OutputError },
    /// The outputs of the job cannot replace those of an earlier one.
    #[error("\"{job}\" waits: {cause}")]
    NotFree { job: String, cause: NotFree },
    /// A trace or a rejected record cannot be put away.
    #[error("\"{job}\": {cause}")]
    PutAway { job: String, cause: io::Error },
    /// A node refused a group.
    #[error("\"{job}\": {reason}")]
    Refused { job: String, reason: String },
    /// A node refused its own timer.
    #[error("\"{node}\": the timer of \"{key}\": {reason}")]
    RefusedTimer { node: String, key: String, reason: Box<Reason> },
    /// Records cannot be retried.
    #[error("could not retry \"{job}\": {cause}")]
    Retry { job: String, cause: io::Error },
    /// The outputs of a retry cannot be written.
    #[error("could not retry \"{job}\": {cause}")]
    RetryOutputs { job: String, cause: OutputError },
}

/// Why the place of an output is not free.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotFree {
    /// It is not known.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The journal does not say whose output lies there.
    #[error(transparent)]
    Journal(#[from] AccessError),
    /// The output of an earlier file lies there.
    #[error(
        "its output would be \"{}\", where that of an earlier file still lies; it is processed when the receiver has \
         taken that away",
        target.display()
    )]
    Taken { target: PathBuf },
}

/// Why the records of a file were not all read.
#[derive(Debug)]
pub(crate) enum ReadFailure {
    /// A file or folder failed, or a node needs something that is not there now.
    Io(io::Error),
    /// This node (by its place) holds as much as it may.
    NoRoom { node: usize, reason: String },
    /// More of the file was rejected than the suspense limit allows.
    TooMuchRejected { reason: Reason },
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
            ReadFailure::NoRoom { reason, .. } => formatter.write_str(reason),
            ReadFailure::TooMuchRejected { reason } => reason.fmt(formatter),
        }
    }
}

impl From<io::Error> for ReadFailure {
    fn from(error: io::Error) -> Self {
        ReadFailure::Io(error)
    }
}
