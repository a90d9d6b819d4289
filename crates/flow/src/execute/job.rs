//! A job: an input file on its way from the folder it was found in to the journal.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

use journal::JobId;
use serde::{Deserialize, Serialize};
use transport::{Mark, Staged, Written};

use crate::assurance::control_totals::AmountRow;
use crate::assurance::sequence::Gathered;
use crate::collection::duplicate_files::Original;
use crate::collection::input::Digest;
use crate::collection::sources::FileJob;
use crate::definition::report::{FileAccount, NodeAccount};
use crate::definition::topology::Topology;
use crate::distribution::Cuts;
use crate::execute::running::OutputsInHand;
use crate::execute::worker::{Expired, Retried};
use crate::lineage::TraceRow;
use crate::schedule::queue::Turn;
use crate::state::groups::expiry::ExpiryJob;
use crate::state::replayed::NodeChanges;
use crate::suspense::{RetryJob, SetAside};

/// What a worker does in one piece.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Task {
    File(FileJob),
    Retry(RetryJob),
    Expiry(ExpiryJob),
}

impl Task {
    /// What the log calls it.
    pub(crate) fn name(&self, flow: &Topology) -> String {
        match self {
            Task::File(job) => job.found.name.clone(),
            Task::Retry(job) => job.shown(),
            Task::Expiry(job) => job.name(flow),
        }
    }

    /// The file that it is about, where the journal has that already.
    pub(crate) fn entry(&self) -> Option<JobId> {
        match self {
            Task::Retry(job) => Some(JobId(job.file)),
            Task::File(_) | Task::Expiry(_) => None,
        }
    }
}

/// What a task is about, as the log has it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct About {
    pub(crate) network_element: String,
    /// A file's name, or what stands for one.
    pub(crate) file: String,
    /// The number of the file in the journal, as soon as it has one: before it is done only those have whose records are
    /// retried.
    pub(crate) job: Option<i64>,
}

/// A job whose records were all processed: what was made of them lies under temporary names, which go away with
/// this unless the journal has it.
pub(crate) struct Made<'p> {
    pub(crate) job: FileJob,
    /// How many octets are in it, where it is compressed.
    pub(crate) contents: Option<u64>,
    /// Of its contents.
    pub(crate) digest: Digest,
    /// The file that it is again, if it is.
    pub(crate) duplicate_of: Option<Original>,
    pub(crate) account: FileAccount,
    pub(crate) results: Results<'p>,
    pub(crate) aside: SetAside<'p>,
    /// What was counted of it, if anything is.
    pub(crate) gathered: Option<Box<Gathered>>,
    pub(crate) claim: Claim<'p>,
    /// Over when the file is settled.
    pub(crate) turn: Option<Turn>,
}

/// What a worker is through with.
pub(crate) enum Completed<'p> {
    /// A job that is to be journaled.
    Made(Box<Made<'p>>),
    /// One that the journal has already, of which only the input is to be marked.
    Mark(FileJob, JobId, Mark),
    /// Records that were put through again, to be journaled.
    Retried(Box<Retried<'p>>),
    /// Groups whose time is over, to be journaled.
    Expired(Box<Expired<'p>>),
}

impl Completed<'_> {
    /// With the turn that a file has until it is settled.
    pub(crate) fn in_turn(mut self, turn: Option<Turn>) -> Self {
        match &mut self {
            Completed::Made(made) => made.turn = turn,
            _ => turn.into_iter().for_each(Turn::settled),
        }
        self
    }
}

/// What came of the records of a job, of whatever sort it is.
#[derive(Default)]
pub(crate) struct Results<'p> {
    /// Of the nodes and systems.
    pub(crate) accounts: Vec<NodeAccount>,
    /// The sums of its records.
    pub(crate) amounts: Vec<AmountRow>,
    pub(crate) outputs: Vec<MadeOutput<'p>>,
    /// What nodes noted of its records.
    pub(crate) noted: Vec<NodeChanges<'p>>,
    /// From where its records came, and to where.
    pub(crate) trace: TraceRow,
}

/// A file that was made of an input.
pub(crate) struct MadeOutput<'p> {
    pub(crate) post_processing_system: &'p str,
    pub(crate) written: Written,
    pub(crate) records: u64,
    /// Where it may be cut, if it is not to be carried as it is.
    pub(crate) cuts: Option<Cuts>,
}

impl<'p> MadeOutput<'p> {
    /// Ends the file of a system.
    pub(crate) fn of(
        staged: &mut Staged,
        post_processing_system: &'p str,
        records: u64,
        cuts: Option<Cuts>,
    ) -> Result<Self, String> {
        let written = staged.end().map_err(|error| could_not_write(staged.target(), &error))?;
        Ok(MadeOutput { post_processing_system, written, records, cuts })
    }
}

/// What is said of an output that cannot be written.
pub(crate) fn could_not_write(target: &Path, error: &io::Error) -> String {
    format!("could not write \"{}\": {error}", target.display())
}

/// The right to write some outputs, which one job has at a time.
pub(crate) struct Claim<'p> {
    in_hand: &'p OutputsInHand,
    pub(crate) targets: Vec<PathBuf>,
}

impl<'p> Claim<'p> {
    /// Takes the outputs of a file, unless another has one of them.
    pub(crate) fn take(
        in_hand: &'p OutputsInHand,
        targets: Vec<PathBuf>,
        whose: &dyn Display,
    ) -> Result<Self, String> {
        match in_hand.add(&targets) {
            Ok(()) => Ok(Claim { in_hand, targets }),
            Err(taken) => Err(format!(
                "\"{whose}\" would be written to \"{}\", as another output in hand is; it is left for later",
                taken.display()
            )),
        }
    }

    /// Those of a job that is in the journal.
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
