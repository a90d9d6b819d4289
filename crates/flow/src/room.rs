//! Whether there is room to go on. Where there is none, no file is collected that needs it, an alarm says so, and
//! work goes on by itself when there is room again.

use std::collections::BTreeSet;
use std::path::Path;

use store::{Connection, StoreError};

use crate::alarm::{self, Subject};
use crate::journal::Journal;
use crate::prepare::Prepared;
use crate::time::now_ms;

const DISK_LOW: &str = "disk-low";
const FOLDER_FULL: &str = "folder-full";
const MEMORY_FULL: &str = "memory-full";
const KINDS: [&str; 3] = [DISK_LOW, FOLDER_FULL, MEMORY_FULL];

/// Octets that stay free on a disk, if nothing is said: at most this, and of a small one, that share.
const FREE_MAX: u64 = 1_000_000_000;
const FREE_SHARE: u64 = 50;

/// Something there is no room for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shortage {
    kind: &'static str,
    subject: String,
    pub(crate) text: String,
    /// The network elements whose files wait for it.
    elements: BTreeSet<usize>,
}

impl Shortage {
    /// Whether files of a network element wait.
    pub(crate) fn holds(&self, element: usize) -> bool {
        self.elements.contains(&element)
    }

    fn about(&self) -> Subject<'_> {
        Subject { kind: self.kind, subject: &self.subject }
    }
}

/// All that there is no room for.
pub(crate) fn shortages(flow: &Prepared) -> Vec<Shortage> {
    let mut shortages = disks(flow);
    let elements = |reaches: &dyn Fn(usize) -> bool| -> BTreeSet<usize> {
        (0..flow.elements.len()).filter(|element| reaches(*element)).collect()
    };
    for (place, system) in flow.systems.iter().enumerate() {
        let Some(limit) = system.limit else { continue };
        // What cannot be looked at is told by whoever writes to it.
        if transport::taken(system.dir()).unwrap_or(0) < limit {
            continue;
        }
        let text = format!(
            "{}: the files in \"{}\" have reached its limit of {}: no file is collected for it",
            system.name,
            system.dir().display(),
            octets(limit)
        );
        let elements = elements(&|element| flow.graph.reached(element).1.contains(&place));
        shortages.push(Shortage {
            kind: FOLDER_FULL,
            subject: system.name.clone(),
            text,
            elements,
        });
    }
    for (place, node) in flow.graph.nodes.iter().enumerate() {
        let Some(reason) = node.template.remembers().and_then(|remembers| remembers.refuses())
        else {
            continue;
        };
        let text = format!("{}: {reason}", node.name);
        let elements = elements(&|element| flow.elements[element].remembering.contains(&place));
        shortages.push(Shortage { kind: MEMORY_FULL, subject: node.name.clone(), text, elements });
    }
    shortages
}

/// The disks of all folders that are written to.
fn disks(flow: &Prepared) -> Vec<Shortage> {
    let mut disks = BTreeSet::new();
    let mut shortages = Vec::new();
    let folders = flow.systems.iter().map(|system| system.dir());
    for folder in std::iter::once(flow.state.as_path()).chain(folders) {
        let Ok(disk) = transport::disk(folder) else { continue };
        let least = flow.disk_free.unwrap_or(FREE_MAX.min(disk.size / FREE_SHARE));
        if !disks.insert(disk.id) || disk.free >= least {
            continue;
        }
        shortages.push(low(folder, least, (0..flow.elements.len()).collect()));
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

/// Raises the alarms of shortages, and clears those of what there is room for again.
pub(crate) fn alarm(
    shortages: &[Shortage],
    journal: &Journal,
    reader: &Connection,
) -> Result<(), StoreError> {
    let raised = journal.answer(alarm::raised(reader, &KINDS))?;
    let is_short = |kind: &str, subject: &str| {
        shortages.iter().any(|short| short.kind == kind && short.subject == subject)
    };
    let over: Vec<_> =
        raised.iter().filter(|(kind, subject)| !is_short(kind, subject)).cloned().collect();
    let is_raised = |short: &Shortage| {
        raised.iter().any(|(kind, subject)| *kind == short.kind && *subject == short.subject)
    };
    let new: Vec<Shortage> = shortages.iter().filter(|short| !is_raised(short)).cloned().collect();
    if over.is_empty() && new.is_empty() {
        return Ok(());
    }
    journal.commit(move |db| {
        let now = now_ms();
        for (kind, subject) in &over {
            alarm::clear(db, now, Subject { kind, subject })?;
        }
        new.iter().try_for_each(|short| alarm::raise(db, now, short.about(), &short.text))
    })
}

/// So many octets, as people say it.
fn octets(octets: u64) -> String {
    const UNITS: [(u64, &str); 4] =
        [(1_000_000_000_000, "TB"), (1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    match UNITS.iter().find(|(unit, _)| octets >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", octets as f64 / *unit as f64),
        None => format!("{octets} octets"),
    }
}
