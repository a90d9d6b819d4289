//! Worker processes, so that a file that crashes one does not stop the others. One more process scans folders, and one
//! handles outputs and done inputs.
//!
//! ```text
//! gateway: queue ─▶ thread ─▶ remote ═══ task ═══▶ process: thread ─▶ worker
//!                                    ◀══ rows, outputs under temporary names ══
//!                   commit ─▶ keep the nodes' state changes, or drop them ═══▶
//! ```
//!
//! The gateway has the queue and the journal, and commits. A process prepares the same flow itself and reads the
//! journal. It starts when there is work (the one for outputs starts with the gateway), and again when it has ended.
//! It holds the gateway's lock too, so that no old process runs beside the next gateway.

use crate::commit::file_ops::FileOps;
use crate::schedule::worker_plan::WorkerPlan;
use collection::sources::Collection;

mod error;
pub(crate) mod message;
pub(crate) mod process;
pub(crate) mod remembered;
mod remote;
pub(crate) mod rows;
pub(crate) mod watch;

pub use message::Wire;
pub(crate) use remembered::RememberedElsewhere;
pub(crate) use remote::{ProcessHost, Remote};
pub(crate) use watch::{ALARMS, watch};

/// The processes of a gateway besides its own.
pub(crate) struct Processes<'w> {
    pub(crate) processing: Vec<Remote<'w>>,
    /// The process that scans the folders of network elements.
    collection: Option<Remote<'w>>,
    /// The process that handles outputs and done inputs.
    distribution: Option<Remote<'w>>,
}

impl<'w> Processes<'w> {
    /// Returns the processes of a worker plan. There are none if `gateway` is none: they cannot be started.
    pub(crate) fn new(crew: &WorkerPlan, gateway: Option<ProcessHost<'w>>) -> Self {
        let Some(gateway) = gateway.filter(|_| !crew.beside.is_empty()) else {
            return Processes { processing: Vec::new(), collection: None, distribution: None };
        };
        let processing = crew
            .beside
            .iter()
            .zip(1..)
            .map(|(beside, number)| Remote::processing(gateway, number, beside));
        Processes {
            processing: processing.collect(),
            collection: Some(Remote::errands(gateway, "collection process")),
            distribution: Some(
                Remote::errands(gateway, "distribution process").needed_to_the_end(),
            ),
        }
    }

    /// Returns all of them.
    fn all(&self) -> impl Iterator<Item = &Remote<'w>> + use<'_, 'w> {
        self.processing.iter().chain(&self.collection).chain(&self.distribution)
    }

    /// Returns where folders are scanned.
    pub(crate) fn collection(&'w self, collection: &'w Collection) -> FileOps<'w> {
        self.collection
            .as_ref()
            .map_or(FileOps::Here(collection), |process| FileOps::There(process))
    }

    /// Returns where outputs and done inputs are handled.
    pub(crate) fn distribution(&'w self, collection: &'w Collection) -> FileOps<'w> {
        self.distribution
            .as_ref()
            .map_or(FileOps::Here(collection), |process| FileOps::There(process))
    }
}
