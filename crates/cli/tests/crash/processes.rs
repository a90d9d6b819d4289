//! Tests that kill gateways with child processes, and the child processes alone while the gateway goes on.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::thread;

use crate::common::children::{children, kill};
use crate::crash::chance::{Chance, number};
use crate::crash::kills;
use crate::crash::receiver::{Receiver, Wanted};
use crate::crash::site::{Inputs, Site};
use crate::crash::tally::Tally;

/// Kills that must have hit a process at work; `KILLS=1000` tests more.
const KILLS: u64 = 12;

/// The kinds of child processes, as the first words of their names. Some of each kind are killed.
const SORTS: [&str; 3] = ["collection", "distribution", "processing"];

/// Files of a site, each with `RECORDS_OF_FILE` records; `FILES=1000` tests more.
const FILES: usize = 160;
const RECORDS_OF_FILE: usize = 50;

#[test]
fn no_kill_of_a_gateway_with_processes_loses_a_record_or_sends_one_twice() {
    kills::check(|folder, inputs| Site::with_inputs(folder, inputs).in_processes(), usize::MAX);
}

#[test]
fn no_kill_of_a_process_loses_a_record_or_sends_one_twice() {
    check(|folder, inputs| Site::with_inputs(folder, inputs).in_processes());
}

#[test]
fn no_kill_of_a_process_splits_or_doubles_a_group_of_records_that_wait() {
    let site =
        |folder: &Path, inputs| Site::with_matching(folder, Inputs { damaged: 0.0, ..inputs });
    check(|folder, inputs| site(folder, inputs).in_processes());
}

#[test]
fn no_kill_of_a_process_loses_or_doubles_a_unit_of_a_subscriber() {
    check(|folder, inputs| Site::with_counters(folder, inputs).in_processes());
}

/// Kills processes of gateways on sites of a kind.
fn check(site: impl Fn(&Path, Inputs) -> Site) {
    let (mut chance, mut kills) = (Chance::new(), Kills::new());
    let files = number("FILES").map_or(FILES, |files| files as usize);
    while kills.tally.wants_more() {
        let folder = tempfile::tempdir().unwrap();
        let records = RECORDS_OF_FILE * files;
        let inputs = Inputs { files, records, damaged: 0.001, seed: chance.next() };
        let site = site(folder.path(), inputs);
        let wanted = Wanted::of(&site);
        let mut receiver = Receiver::default();
        receiver.beside(&site, Receiver::take, || kill_some(&site, &mut chance, &mut kills));
        // The work that is left, once there were enough kills.
        site.run("run flow.toml --once");
        receiver.take_the_rest(&site);
        assert_eq!(
            site.marked(),
            files,
            "a file is not done, though it was its process that was killed"
        );
        wanted.check(&receiver);
        assert!(site.parts().is_empty(), "kills left {:?} behind", site.parts());
        let audit = site.run("audit flow.toml");
        assert_eq!(audit.status, Some(0), "{}{}", audit.said, audit.shown);
    }
    eprintln!("kills that met a process at work: {:?}", kills.of_sorts);
    assert!(kills.tally.is_full(), "the processes do nothing any more");
    for sort in SORTS {
        assert!(kills.of_sorts.contains_key(sort), "no {sort} process was killed");
    }
}

/// The kills so far.
struct Kills {
    tally: Tally,
    of_sorts: BTreeMap<String, u64>,
}

impl Kills {
    fn new() -> Self {
        Kills { tally: Tally::new("KILLS", KILLS), of_sorts: BTreeMap::new() }
    }

    /// Kills one of some processes, of the kind that was killed least often.
    fn kill_one(&mut self, processes: Vec<u32>, chance: &mut Chance) {
        let killed = |sort: &String| self.of_sorts.get(sort).copied().unwrap_or(0);
        let named = processes.into_iter().filter_map(|process| Some((sort(process)?, process)));
        let next = named.min_by_key(|(sort, _)| (killed(sort), chance.next()));
        let Some((sort, process)) = next else { return };
        let was_there = kill(process);
        self.tally.note(was_there);
        if was_there {
            *self.of_sorts.entry(sort).or_default() += 1;
        }
    }
}

/// Returns the kind of a process; `None` if it has not begun, or has ended.
fn sort(process: u32) -> Option<String> {
    let line = fs::read_to_string(format!("/proc/{process}/cmdline")).ok()?;
    Some(line.strip_prefix("tollgate: ")?.split(' ').next()?.to_owned())
}

/// Lets a gateway do all the work that there is, and kills one of its processes from time to time, when it has done
/// something since the last kill.
fn kill_some(site: &Site, chance: &mut Chance, kills: &mut Kills) {
    let mut gateway = site.start("run flow.toml --once");
    let mut marked = site.marked();
    while !gateway.has_ended() {
        thread::sleep(chance.milliseconds(5..150));
        let processes = children(gateway.id());
        let now = site.marked();
        if kills.tally.wants_more() && !processes.is_empty() && now != marked {
            marked = now;
            kills.kill_one(processes, chance);
        }
    }
}
