//! A job: from the folder where its input file was found to the journal.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

use journal::JobId;
use serde::{Deserialize, Serialize};
use transport::{Mark, Staged, Written};

use crate::execute::crew::FileTurn;
use crate::execute::running::OutputsInHand;
use crate::execute::worker::{Expired, Retried};
use assurance::control_totals::AmountRow;
use assurance::sequence::Gathered;
use collection::duplicate_files::Original;
use collection::input::Digest;
use collection::sources::FileJob;
use distribution::Cuts;
use flow::report::{FileAccount, NodeAccount};
use flow::topology::Topology;
use lineage::TraceRow;
use state::changes::NodeChanges;
use state::groups::expiry::ExpiryJob;
use state::timers::due::TimerJob;
use suspense::{RetryJob, SetAside};

/// One piece of work for a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Task {
    File(FileJob),
    Retry(RetryJob),
    Expiry(ExpiryJob),
    Timers(TimerJob),
}

impl Task {
    /// Returns its name in logs.
    pub(crate) fn name(&self, flow: &Topology) -> String {
        match self {
            Task::File(job) => job.found.name.clone(),
            Task::Retry(job) => job.shown(),
            Task::Expiry(job) => job.name(flow),
            Task::Timers(job) => job.name(flow),
        }
    }

    /// Returns the file that it is about, if the journal has that file already.
    pub(crate) fn entry(&self) -> Option<JobId> {
        match self {
            Task::Retry(job) => Some(JobId(job.file)),
            Task::File(_) | Task::Expiry(_) | Task::Timers(_) => None,
        }
    }
}

/// The subject of a task, as logs show it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct About {
    pub(crate) network_element: String,
    /// The name of a file, or of a job without one.
    pub(crate) file: String,
    /// The number of the file in the journal. Before a job is done, only a retry has one: that of the file whose
    /// records it retries.
    pub(crate) job: Option<i64>,
}

/// A job whose records are all processed. Its outputs lie under temporary names and are removed on drop, unless the
/// journal has them.
pub(crate) struct ProcessedFile<'p> {
    pub(crate) job: FileJob,
    /// Its unpacked size in octets, if it is compressed.
    pub(crate) contents: Option<u64>,
    /// The digest of its contents.
    pub(crate) digest: Digest,
    /// The file that it is a duplicate of, if any.
    pub(crate) duplicate_of: Option<Original>,
    pub(crate) account: FileAccount,
    pub(crate) results: Results<'p>,
    pub(crate) aside: SetAside<'p>,
    /// The findings of assurance, if it checks the file.
    pub(crate) gathered: Option<Box<Gathered>>,
    pub(crate) claim: Claim<'p>,
    /// The file's turn, which ends when the file is committed.
    pub(crate) turn: Option<Box<dyn FileTurn>>,
}

/// The result of a task, which a worker passes to the commit.
pub(crate) enum Completed<'p> {
    /// A file to write to the journal.
    Made(Box<ProcessedFile<'p>>),
    /// A file that the journal has already. Only its input must be marked.
    Mark(FileJob, JobId, Mark),
    /// Retried records to write to the journal.
    Retried(Box<Retried<'p>>),
    /// Ended groups, or timers that fired, to write to the journal.
    Expired(Box<Expired<'p>>),
}

impl Completed<'_> {
    /// Returns how many records of files it has.
    pub(crate) fn records(&self) -> u64 {
        match self {
            Completed::Made(made) => made.account.records,
            Completed::Mark(..) | Completed::Retried(_) | Completed::Expired(_) => 0,
        }
    }

    /// Attaches the turn that a file has until it is committed.
    pub(crate) fn in_turn(mut self, turn: Option<Box<dyn FileTurn>>) -> Self {
        match &mut self {
            Completed::Made(made) => made.turn = turn,
            _ => turn.into_iter().for_each(FileTurn::settled),
        }
        self
    }
}

/// The results of a job of any kind.
#[derive(Default)]
pub(crate) struct Results<'p> {
    /// The counts of nodes and systems.
    pub(crate) accounts: Vec<NodeAccount>,
    /// The sums of its records.
    pub(crate) amounts: Vec<AmountRow>,
    pub(crate) outputs: Vec<MadeOutput<'p>>,
    /// The state changes of nodes.
    pub(crate) noted: Vec<NodeChanges<'p>>,
    /// The trace of its records.
    pub(crate) trace: TraceRow,
}

/// An output file of a job.
pub(crate) struct MadeOutput<'p> {
    pub(crate) post_processing_system: &'p str,
    pub(crate) written: Written,
    pub(crate) records: u64,
    /// Where it may be cut, if distribution splits or merges it.
    pub(crate) cuts: Option<Cuts>,
}

impl<'p> MadeOutput<'p> {
    /// Ends the output file for a system.
    pub(crate) fn of(
        staged: &mut Staged,
        post_processing_system: &'p str,
        records: u64,
        cuts: Option<Cuts>,
    ) -> Result<Self, OutputError> {
        let written = staged.end().map_err(|cause| OutputError::new(staged.target(), cause))?;
        Ok(MadeOutput { post_processing_system, written, records, cuts })
    }
}

/// An output cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("could not write \"{}\": {cause}", target.display())]
pub(crate) struct OutputError {
    pub(crate) target: PathBuf,
    pub(crate) cause: io::Error,
}

impl OutputError {
    pub(crate) fn new(target: &Path, cause: io::Error) -> Self {
        OutputError { target: target.into(), cause }
    }
}

/// Another job writes one of the outputs.
#[derive(Debug, thiserror::Error)]
#[error(
    "\"{whose}\" would be written to \"{}\", as another output in hand is; it is left for later",
    taken.display()
)]
pub(crate) struct OutputTaken {
    whose: String,
    taken: PathBuf,
}

/// The right to write some outputs. Only one job has it at a time.
pub(crate) struct Claim<'p> {
    in_hand: &'p OutputsInHand,
    pub(crate) targets: Vec<PathBuf>,
}

impl<'p> Claim<'p> {
    /// Claims the outputs of a file. Fails if another job has one of them.
    pub(crate) fn take(
        in_hand: &'p OutputsInHand,
        targets: Vec<PathBuf>,
        whose: &dyn Display,
    ) -> Result<Self, OutputTaken> {
        match in_hand.add(&targets) {
            Ok(()) => Ok(Claim { in_hand, targets }),
            Err(taken) => Err(OutputTaken { whose: whose.to_string(), taken }),
        }
    }

    /// Claims the outputs of a job that the journal has already.
    pub(crate) fn hold(in_hand: &'p OutputsInHand, targets: Vec<PathBuf>) -> Self {
        in_hand.add_noted(&targets);
        Claim { in_hand, targets }
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.in_hand.remove(&self.targets);
    }
}
