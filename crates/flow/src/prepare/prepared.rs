//! What a flow is made of when it is ready to run.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use alarm::notification::ChannelSettings;
use format::coding::{Codecs, Input, Keeping, Output};
use transport::Collect;

use crate::archive::ArchiveSettings;
use crate::audit::Audited;
use crate::chains::{self, Role};
use crate::circle::Circle;
use crate::delivery::{Receivers, Road};
use crate::duplicates::DuplicateFiles;
use crate::fetching::Pull;
use crate::graph::Graph;
use crate::groups::Groups;
use crate::limits::AlarmLimits;
use crate::listening::Listened;
use crate::marks::Marks;
use crate::packed::Packed;
use crate::processes::{Remembered, RememberedElsewhere};
use crate::sequence::Counted;
use crate::trace::TraceSettings;

/// A flow that is ready to run.
pub(crate) struct Prepared {
    pub(crate) graph: Graph,
    pub(crate) elements: Vec<Element>,
    /// Which of them are looked at together.
    pub(crate) circles: Vec<Circle>,
    /// Which of them share threads.
    pub(crate) groups: Groups,
    /// Which receivers share threads that carry to them.
    pub(crate) receivers: Receivers,
    pub(crate) systems: Vec<System>,
    /// The far places that files are fetched from.
    pub(crate) pulls: Vec<Arc<Pull>>,
    /// Where files are pushed to, and by whom.
    pub(crate) listened: Arc<Listened>,
    /// By node: how records are kept that wait in it, if any do.
    pub(crate) keepings: Vec<Option<Box<dyn Keeping>>>,
    /// The folder of the flow's own state.
    pub(crate) state: PathBuf,
    /// Octets that stay free on its disks, if the flow says it.
    pub(crate) disk_free: Option<u64>,
    /// How long files are kept in the journal, if the flow says it.
    pub(crate) kept: Option<Duration>,
    /// What becomes of its files when they are done.
    pub(crate) archive: Option<ArchiveSettings>,
    /// From when on something is an alarm.
    pub(crate) limits: AlarmLimits,
    /// Whether its records are traced.
    pub(crate) trace: TraceSettings,
    /// Who is told of alarms.
    pub(crate) told: Vec<ChannelSettings>,
    /// The files it was made of.
    pub(crate) files: Vec<PathBuf>,
    /// What they were then.
    pub(crate) marks: Marks,
    /// The outputs that workers have in hand. Its lock is taken once a file.
    pub(crate) in_hand: Mutex<HashSet<PathBuf>>,
    /// How nodes in other processes stand that remember.
    pub(crate) remembered: Arc<RememberedElsewhere>,
    /// By node; found when the first worker asks.
    pub(crate) roles: OnceLock<Vec<Role>>,
    /// How records of its types are read and written.
    pub(crate) codecs: Arc<dyn Codecs>,
}

impl Prepared {
    /// What the nodes are to the records that come to them.
    pub(crate) fn roles(&self) -> &[Role] {
        self.roles.get_or_init(|| chains::roles(&self.graph))
    }

    /// By system, the file that the records of an element's file would go to.
    pub(crate) fn targets(&self, element: usize, file: &str) -> Vec<PathBuf> {
        let element = &self.elements[element].name;
        self.systems.iter().map(|system| system.target(element, file)).collect()
    }

    /// Those of the systems that its records may come to: what goes to others is nothing to it.
    pub(crate) fn reached_targets(&self, element: usize, file: &str) -> Vec<PathBuf> {
        let Element { name, systems, .. } = &self.elements[element];
        systems.iter().map(|system| self.systems[*system].target(name, file)).collect()
    }

    /// Whether a network element, a node or a system has this name.
    pub(crate) fn has_name(&self, name: &str) -> bool {
        self.elements.iter().any(|element| element.name == name)
            || self.graph.nodes.iter().any(|node| node.name == name)
            || self.systems.iter().any(|system| system.name == name)
    }

    /// How a node stands that remembers, in whichever process it is; none where it remembers nothing.
    pub(crate) fn remembered(&self, node: usize) -> Option<Remembered> {
        let here = self.graph.nodes[node].template.remembers()?;
        Some(self.remembered.of(node).unwrap_or_else(|| Remembered::of(here)))
    }
}

/// A network element.
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) collect: Collect,
    /// Whether its files are fetched from a far place: each of them is complete when it is here.
    pub(crate) is_fetched: bool,
    pub(crate) input: Box<dyn Input>,
    /// How its files are compressed, if they are.
    pub(crate) packed: Option<Packed>,
    pub(crate) duplicates: DuplicateFiles,
    /// The nodes that remember, hold or keep something and that its records may come to.
    pub(crate) remembering: Vec<usize>,
    /// Whether the order of its files matters to one of them.
    pub(crate) is_ordered: bool,
    /// Whether a node that its records may come to sees their numbers in their files.
    pub(crate) sees_numbers: bool,
    /// As the flow file says it.
    pub(super) files_at_once: Option<u64>,
    /// Octets of one of its files that may go to suspense.
    pub(crate) suspense_max: u64,
    /// The systems that its records may come to.
    pub(crate) systems: Vec<usize>,
    /// What is counted of its files.
    pub(crate) counted: Counted,
    /// What is summed of its records.
    pub(crate) audited: Audited,
}

impl Element {
    /// Most of its files that may be in work, if there is a bound.
    pub(crate) fn files_at_once(&self) -> Option<u64> {
        if self.is_ordered { Some(1) } else { self.files_at_once }
    }

    /// Whether several workers may read one file of it: what becomes of a record depends on none that came before.
    pub(crate) fn may_be_shared(&self) -> bool {
        self.remembering.is_empty()
            && self.packed.is_none()
            && self.input.stretches().is_some()
            && !self.counted.looks_at_records()
    }
}

/// A post-processing system.
pub(crate) struct System {
    pub(crate) name: String,
    pub(super) dir: PathBuf,
    /// How its files are carried on from there, if they are.
    pub(crate) road: Option<Arc<Road>>,
    /// The template of file names.
    pub(super) file: String,
    /// Octets that may lie in its folder.
    pub(crate) limit: Option<u64>,
    /// Most files in work that may have records for it.
    pub(crate) files_at_once: Option<u64>,
    pub(crate) output: Box<dyn Output>,
    /// How what was written for it is read back, for who looks into it.
    pub(crate) reads: Option<Box<dyn Input>>,
    /// What is summed of its records.
    pub(crate) audited: Audited,
}

impl System {
    /// The file that the records of an input file go to: always the same, so that a repeated job
    /// overwrites what an interrupted one left.
    pub(crate) fn target(&self, element: &str, file: &str) -> PathBuf {
        // The number of a part is filled in later, and not in what a network element calls its file.
        let has_parts = self.road.as_ref().is_some_and(|road| road.has_parts());
        let file = if has_parts { &*file.replace('{', "~") } else { file };
        let (stem, _) = file.rsplit_once('.').unwrap_or((file, ""));
        let name = self
            .file
            .replace("{network-element}", element)
            .replace("{post-processing-system}", &self.name)
            .replace("{stem}", stem)
            .replace("{file}", file);
        self.dir.join(transport::file_name(&name))
    }

    /// The folder its files go to.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// A pattern of the names that outputs of an element's files may have.
    pub(crate) fn names(&self, element: &Element) -> String {
        let files = element.collect.names();
        let name = self
            .file
            .replace("{network-element}", &element.name)
            .replace("{post-processing-system}", &self.name)
            .replace("{stem}", transport::stem(&files).unwrap_or("*"))
            .replace("{file}", &files);
        transport::file_name(&name)
    }

    /// Whether the network element is part of its names.
    pub(crate) fn has_element(&self) -> bool {
        self.file.contains("{network-element}")
    }

    /// Whether its names tell files apart by their stems alone.
    pub(crate) fn has_stem_only(&self) -> bool {
        self.file.contains("{stem}") && !self.file.contains("{file}")
    }
}
