//! Checks whether there is room to go on. If there is none, files that need it are not collected, and an alarm says so.
//! Work goes on by itself when there is room again.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use alarm::{AlarmKey, Condition, DISK_LOW, EventType, Kind, Severity};
use diagnostics::octets;
use journal::Journal;
use runtime::disk::Disk;
use runtime::shutdown::Shutdown;
use store::{Reader, StoreError};

use crate::plan::{Plan, Reserves};
use crate::processes::RememberedElsewhere;
use flow::topology::Topology;

const FOLDER_FULL: &Kind =
    &Kind::new("folder-full", Severity::Major, EventType::Processing, "storageCapacityProblem");
const MEMORY_FULL: &Kind = &Kind::new(
    "memory-full",
    Severity::Major,
    EventType::Processing,
    "resourceAtOrNearingCapacity",
);
/// The kinds of alarms that are raised here, beside the one of a full disk.
pub(crate) const ALARMS: &[&Kind] = &[FOLDER_FULL, MEMORY_FULL];
const KINDS: [&Kind; 3] = [DISK_LOW, FOLDER_FULL, MEMORY_FULL];

/// How long the result of a check holds.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Waits until there is room for a journal in the flow's state folder, or a stop. Returns whether there is room.
pub(crate) fn wait_for_room(state: &Path, stop: &Shutdown) -> bool {
    let mut reported = None;
    while let Some(no_room) = journal::no_room_to_write(state) {
        if reported.as_ref() != Some(&no_room) {
            tracing::error!(target: "flow::room", "{no_room}: the gateway begins when there is some");
            reported = Some(no_room);
        }
        if stop.wait(LOOK_EVERY) {
            return false;
        }
    }
    true
}

/// A resource that is short.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shortage {
    kind: &'static Kind,
    subject: String,
    text: String,
    /// The network elements whose files wait for it.
    elements: BTreeSet<usize>,
}

impl Shortage {
    fn wrong(&self) -> Condition {
        let Shortage { kind, subject, text, .. } = self.clone();
        Condition { kind, subject, text }
    }
}

/// Checks for room while workers take files, so that waiting files do not exceed it.
pub(crate) struct Room<'p> {
    plan: &'p Plan,
    remembered: &'p RememberedElsewhere,
    journal: &'p Journal,
    looked: Mutex<Looked>,
}

/// The result of the last check.
struct Looked {
    reader: Reader,
    at: Instant,
    shortages: Vec<Shortage>,
}

impl<'p> Room<'p> {
    /// Makes the first check.
    pub(crate) fn new(
        plan: &'p Plan,
        remembered: &'p RememberedElsewhere,
        journal: &'p Journal,
    ) -> Result<Self, StoreError> {
        let mut looked =
            Looked { reader: journal.reader()?, at: Instant::now(), shortages: Vec::new() };
        looked.look(plan, remembered, journal)?;
        Ok(Room { plan, remembered, journal, looked: Mutex::new(looked) })
    }

    /// Returns whether files of a network element must wait.
    pub(crate) fn holds(&self, element: usize) -> Result<bool, StoreError> {
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        if looked.at.elapsed() >= LOOK_EVERY {
            looked.look(self.plan, self.remembered, self.journal)?;
        }
        Ok(looked.shortages.iter().any(|short| short.elements.contains(&element)))
    }

    /// Returns what is short now and needed by some network elements, in words.
    pub(crate) fn short(&self, elements: &[usize]) -> Result<Vec<String>, StoreError> {
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        if looked.at.elapsed() >= LOOK_EVERY {
            looked.look(self.plan, self.remembered, self.journal)?;
        }
        let is_needed = |short: &&Shortage| elements.iter().any(|of| short.elements.contains(of));
        let short = looked.shortages.iter().filter(is_needed);
        Ok(short.map(|short| short.text.clone()).collect())
    }

    /// Checks now, so that files that were just taken count.
    pub(crate) fn look(&self) -> Result<(), StoreError> {
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        looked.look(self.plan, self.remembered, self.journal)
    }
}

impl Looked {
    fn look(
        &mut self,
        plan: &Plan,
        remembered: &RememberedElsewhere,
        journal: &Journal,
    ) -> Result<(), StoreError> {
        let raised = journal.answer(alarm::raised(&self.reader, &KINDS))?;
        self.shortages = shortages(plan, remembered, &raised);
        self.at = Instant::now();
        alarm::reconcile(self.shortages.iter().map(Shortage::wrong), &raised, journal)
    }
}

/// Returns all shortages. A shortage lasts until a tenth more than needed is free, so that its alarm does not flap.
fn shortages(
    Plan { topology, reserves, .. }: &Plan,
    remembered: &RememberedElsewhere,
    raised: &[Condition],
) -> Vec<Shortage> {
    let is_short = |kind: &'static Kind, subject: &str| {
        raised.iter().any(|raised| raised.key() == AlarmKey { kind, subject })
    };
    let mut shortages = disks(topology, reserves, &is_short);
    let elements = |reaches: &dyn Fn(usize) -> bool| -> BTreeSet<usize> {
        (0..topology.elements.len()).filter(|element| reaches(*element)).collect()
    };
    let limits = reserves.folder_octets_max.iter().enumerate();
    for (place, limit) in limits.filter_map(|(place, limit)| Some((place, (*limit)?))) {
        let system = &topology.systems[place];
        // Writers report folders that cannot be read.
        let enough = if is_short(FOLDER_FULL, &system.name) { limit - limit / 10 } else { limit };
        if transport::folder_octets(system.dir()).unwrap_or(0) < enough {
            continue;
        }
        let text = format!(
            "{}: the files in \"{}\" have reached its limit of {}: no file is collected for it",
            system.name,
            system.dir().display(),
            octets(limit)
        );
        let elements = elements(&|element| topology.graph.reached(element).1.contains(&place));
        shortages.push(Shortage {
            kind: FOLDER_FULL,
            subject: system.name.clone(),
            text,
            elements,
        });
    }
    for (place, node) in topology.graph.nodes.iter().enumerate() {
        let remembered = remembered.of(place, &*node.template);
        let Some(reason) = remembered.and_then(|node| node.refuses) else { continue };
        let text = format!("{}: {reason}", node.name);
        let elements = elements(&|element| topology.elements[element].remembering.contains(&place));
        shortages.push(Shortage { kind: MEMORY_FULL, subject: node.name.clone(), text, elements });
    }
    shortages
}

/// Returns the shortages of the disks that the gateway writes to.
fn disks(
    topology: &Topology,
    reserves: &Reserves,
    is_short: &dyn Fn(&'static Kind, &str) -> bool,
) -> Vec<Shortage> {
    let mut disks = BTreeSet::new();
    let mut shortages = Vec::new();
    let folders = topology.systems.iter().map(|system| system.dir());
    for folder in std::iter::once(topology.state.as_path()).chain(folders) {
        let Ok(disk) = Disk::of(folder) else { continue };
        let least = disk.reserve(reserves.disk_free);
        let more = if is_short(DISK_LOW, &folder.display().to_string()) { least / 10 } else { 0 };
        if !disks.insert(disk.id) || disk.free >= least.saturating_add(more) {
            continue;
        }
        shortages.push(low(folder, least, (0..topology.elements.len()).collect()));
    }
    shortages
}

fn low(folder: &Path, least: u64, elements: BTreeSet<usize>) -> Shortage {
    let subject = folder.display().to_string();
    let text = format!(
        "less than {} is free on the disk of \"{subject}\": no file is collected",
        octets(least)
    );
    Shortage { kind: DISK_LOW, subject, text, elements }
}
