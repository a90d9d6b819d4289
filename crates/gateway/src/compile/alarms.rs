//! All kinds of alarms that a gateway raises.

use alarm::{DISK_LOW, Registry};

use crate::compile::refused;
use crate::cycle::{admission, doubted};
use crate::execute::hangs;
use crate::processes;
use assurance::{drift, sequence};
use collection::{added, fetch, late, orphans, push, scan, strangers};
use state::{behind, counters, groups, in_memory, key_index, timers};

/// The kinds of alarms that each part of a gateway raises.
pub const ALARMS: Registry = Registry::of(&[
    &[DISK_LOW],
    actions::ALARMS,
    added::ALARMS,
    archive::ALARMS,
    doubted::ALARMS,
    distribution::ALARMS,
    drift::ALARMS,
    fetch::ALARMS,
    hangs::ALARMS,
    behind::ALARMS,
    groups::ALARMS,
    counters::ALARMS,
    late::ALARMS,
    push::ALARMS,
    scan::ALARMS,
    in_memory::ALARMS,
    key_index::ALARMS,
    alarm::notification::ALARMS,
    orphans::ALARMS,
    processes::ALARMS,
    refused::ALARMS,
    admission::ALARMS,
    sequence::ALARMS,
    strangers::ALARMS,
    suspense::ALARMS,
    timers::ALARMS,
]);

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;

    /// Returns the sources below a folder.
    fn sources(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let of_entry = |path: PathBuf| if path.is_dir() { sources(&path) } else { vec![path] };
        entries
            .flat_map(of_entry)
            .filter(|path| path.extension().is_some_and(|of| of == "rs"))
            .collect()
    }

    #[test]
    fn each_kind_that_there_is_is_registered_once() {
        // A constant of a kind, whose name is the first text in it.
        const CONSTANT: &str = concat!("&Kind", "::new(");
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let raising = [
            "actions",
            "archive",
            "assurance",
            "collection",
            "distribution",
            "flow",
            "gateway",
            "state",
            "suspense",
        ];
        let constants = raising.iter().flat_map(|name| sources(&crates.join(name).join("src")));
        let of_file = |path: &PathBuf| {
            let text = fs::read_to_string(path).unwrap();
            let names = text.split(CONSTANT).skip(1).filter_map(|rest| rest.split('"').nth(1));
            names.map(str::to_owned).collect::<Vec<_>>()
        };
        let of_crate = [DISK_LOW].into_iter().chain(alarm::notification::ALARMS.iter().copied());
        let of_crate = of_crate.map(|kind| kind.name.to_owned());
        let constants: BTreeSet<String> =
            constants.flat_map(|path| of_file(&path)).chain(of_crate).collect();
        let registered: Vec<String> = ALARMS.kinds().map(|kind| kind.name.to_owned()).collect();
        let once: BTreeSet<String> = registered.iter().cloned().collect();
        assert_eq!(once, constants);
        assert_eq!(once.len(), registered.len(), "{registered:?}");
    }
}
