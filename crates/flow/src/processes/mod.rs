//! Processes beside the gateway's: workers in processes of their own, so that a file which brings one down stops nobody
//! else; and one each that looks into folders, and sees to files that are made.
//!
//! ```text
//! gateway: queue ─▶ thread ─▶ remote ═══ task ═══▶ process: thread ─▶ worker
//!                                    ◀══ rows, outputs under temporary names ══
//!                   settle ─▶ what its nodes noted is kept, or not ═══▶
//! ```
//!
//! The gateway has the queue, the journal, and settles. A process prepares the same flow itself and reads the journal; it
//! is started when there is something to do, the one that sees to files with the gateway, and again when it has ended. It
//! has the gateway's lock too, so that none is left behind beside the next gateway.

use crate::collection::sources::Collection;
use crate::commit::file_ops::FileOps;
use crate::schedule::worker_plan::WorkerPlan;

pub(crate) mod message;
pub(crate) mod process;
pub(crate) mod remembered;
mod remote;
pub(crate) mod rows;
pub(crate) mod watch;

pub use message::Wire;
pub(crate) use remembered::RememberedElsewhere;
pub(crate) use remote::{Gateway, Remote};
pub(crate) use watch::{ALARMS, watch};

/// The processes beside that of a gateway.
pub(crate) struct Processes<'w> {
    pub(crate) processing: Vec<Remote<'w>>,
    /// What looks into the folders of network elements.
    collection: Option<Remote<'w>>,
    /// What sees to outputs, and to inputs that are done.
    distribution: Option<Remote<'w>>,
}

impl<'w> Processes<'w> {
    /// Those of a crew; none where nobody can start them.
    pub(crate) fn new(crew: &WorkerPlan, gateway: Option<Gateway<'w>>) -> Self {
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

    /// All of them.
    fn all(&self) -> impl Iterator<Item = &Remote<'w>> + use<'_, 'w> {
        self.processing.iter().chain(&self.collection).chain(&self.distribution)
    }

    /// Who looks into folders.
    pub(crate) fn collection(&'w self, collection: &'w Collection) -> FileOps<'w> {
        self.collection.as_ref().map_or(FileOps::Here(collection), FileOps::There)
    }

    /// Who sees to outputs, and to inputs that are done.
    pub(crate) fn distribution(&'w self, collection: &'w Collection) -> FileOps<'w> {
        self.distribution.as_ref().map_or(FileOps::Here(collection), FileOps::There)
    }
}
