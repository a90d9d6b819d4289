//! The plan of a gateway: the definition of a flow, and the settings of each room. [`prepare`](crate::compile::prepare)
//! makes it from the flow file. It never changes while the gateway runs, and has no state of the run.

use std::path::PathBuf;
use std::time::Duration;

use actions::ActionSettings;
use alarm::notification::ChannelSettings;

use archive::ArchiveSettings;
use assurance::Assurance;
use collection::sources::Collection;
use distribution::Distribution;
use flow::fingerprint::Marks;
use flow::groups::Groups;
use flow::limits::AlarmLimits;
use flow::topology::Topology;
use lineage::TraceSettings;
use state::groups::Keepings;
use state::timers::emitted::EmittedFormats;

/// The plan of a gateway.
pub struct Plan {
    /// The network elements, nodes and systems. All other plans refer to them by their places here.
    pub topology: Topology,
    /// The sources of the network elements.
    pub collection: Collection,
    pub(crate) distribution: Distribution,
    /// The archive of done files, if the flow has one.
    pub archive: Option<ArchiveSettings>,
    pub(crate) assurance: Assurance,
    /// How records that wait in nodes are stored.
    pub keepings: Keepings,
    /// How records that timers emit are stored when they are set aside.
    pub emitted_formats: EmittedFormats,
    /// Whether records are traced.
    pub(crate) trace: TraceSettings,
    pub(crate) workload: Workload,
    pub(crate) reserves: Reserves,
    /// The limits beyond which alarms are raised.
    pub(crate) limits: AlarmLimits,
    /// The channels that alarms are sent over.
    pub(crate) channels: Vec<ChannelSettings>,
    /// The actions that rules may request.
    pub(crate) actions: Vec<ActionSettings>,
    /// How long the journal keeps files, if the flow says so.
    pub(crate) retention: Option<Duration>,
    /// The files that the plan was made of. A gateway watches them for changes.
    pub origin: Origin,
}

impl Plan {
    /// Returns whether several workers may read one file of a network element. No record may depend on those before it.
    pub(crate) fn may_be_shared(&self, element: usize) -> bool {
        let of = &self.topology.elements[element];
        of.remembering.is_empty()
            && self.collection.sources[element].packed.is_none()
            && of.input.stretches().is_some()
            && !self.assurance.counted[element].looks_at_records()
    }
}

/// The shares of threads, and how many files may be in work.
#[derive(Default)]
pub(crate) struct Workload {
    /// The groups of network elements that share threads.
    pub(crate) groups: Groups,
    /// The most files in work of each network element, if limited.
    pub(crate) of_elements: Vec<Option<u64>>,
    /// The most files in work that may have records for each post-processing system, if limited.
    pub(crate) of_systems: Vec<Option<u64>>,
}

/// The space that work needs to continue.
#[derive(Default)]
pub(crate) struct Reserves {
    /// The octets that must stay free on the flow's disks, if the flow file sets them.
    pub(crate) disk_free: Option<u64>,
    /// The most octets in the folder of each post-processing system, if limited.
    pub(crate) folder_octets_max: Vec<Option<u64>>,
    /// The most octets of one file that may go to suspense, by network element.
    pub(crate) suspense_octets_max: Vec<u64>,
}

/// The files that a plan was made of.
pub struct Origin {
    /// The flow file, its ASN.1 modules, and the scripts, tables and secrets that nodes and network elements name.
    pub files: Vec<PathBuf>,
    /// The marks of these files at that time.
    pub(crate) marks: Marks,
}
