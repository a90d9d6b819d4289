//! What a gateway runs: the definition of a flow, and each room's plan of its part. It is read from the flow file by
//! [`prepare`](crate::compile::prepare), never changes, and knows nothing of what happens while it runs.

use std::path::PathBuf;
use std::time::Duration;

use alarm::notification::ChannelSettings;

use crate::archive::ArchiveSettings;
use crate::assurance::Assurance;
use crate::collection::sources::Collection;
use crate::definition::fingerprint::Marks;
use crate::definition::groups::Groups;
use crate::definition::limits::AlarmLimits;
use crate::definition::topology::Topology;
use crate::distribution::Distribution;
use crate::lineage::TraceSettings;
use crate::state::groups::Keepings;

/// What a gateway runs.
pub(crate) struct Plan {
    pub(crate) topology: Topology,
    pub(crate) collection: Collection,
    pub(crate) distribution: Distribution,
    /// What becomes of files when they are done.
    pub(crate) archive: Option<ArchiveSettings>,
    pub(crate) assurance: Assurance,
    /// How records are kept that wait in nodes.
    pub(crate) keepings: Keepings,
    /// Whether records are traced.
    pub(crate) trace: TraceSettings,
    pub(crate) workload: Workload,
    pub(crate) reserves: Reserves,
    /// From when on something is an alarm.
    pub(crate) limits: AlarmLimits,
    /// Who is told of alarms.
    pub(crate) told: Vec<ChannelSettings>,
    /// How long files are kept in the journal, if the flow says it.
    pub(crate) kept: Option<Duration>,
    pub(crate) origin: Origin,
}

impl Plan {
    /// Whether several workers may read one file of a network element: what becomes of a record depends on none that came
    /// before.
    pub(crate) fn may_be_shared(&self, element: usize) -> bool {
        let of = &self.topology.elements[element];
        of.remembering.is_empty()
            && self.collection.sources[element].packed.is_none()
            && of.input.stretches().is_some()
            && !self.assurance.counted[element].looks_at_records()
    }
}

/// Who does the work on files, and how many of them may be in work.
#[derive(Default)]
pub(crate) struct Workload {
    /// Which network elements share threads.
    pub(crate) groups: Groups,
    /// By network element: most of its files that may be in work, if there is a bound.
    pub(crate) of_elements: Vec<Option<u64>>,
    /// By post-processing system: most files in work that may have records for it, if there is a bound.
    pub(crate) of_systems: Vec<Option<u64>>,
}

/// How much room there must be for work to go on.
#[derive(Default)]
pub(crate) struct Reserves {
    /// Octets that stay free on the flow's disks, if it says so.
    pub(crate) disk_free: Option<u64>,
    /// By post-processing system: octets that may lie in its folder, if there is a bound.
    pub(crate) folder_octets_max: Vec<Option<u64>>,
    /// By network element: octets of one of its files that may go to suspense.
    pub(crate) suspense_octets_max: Vec<u64>,
}

/// What a plan was made of.
pub(crate) struct Origin {
    pub(crate) files: Vec<PathBuf>,
    /// What they were then.
    pub(crate) marks: Marks,
}
