//! Tests that cut the power while the gateway works: afterwards the disk has only what was synced.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::crash::chance::Chance;
use crate::crash::disk::Disk;
use crate::crash::faults::Shim;
use crate::crash::left_out;
use crate::crash::receiver::{Receiver, Wanted, differences};
use crate::crash::site::{Inputs, Site};
use crate::crash::tally::Tally;

/// Cuts on each file system that must have hit the gateway at work; `POWER_CUTS=100` tests more.
const POWER_CUTS: u64 = 2;
/// Cuts after which a gateway whose syncs do nothing must have lost something, or sent it twice.
const CUTS_LIED_TO_MAX: u64 = 40;

const FILES: usize = 300;
const RECORDS: usize = 3_000;

/// The environment of gateways, which may disable their syncs.
type Environment = Vec<(&'static str, String)>;

/// Cuts the power of gateways until enough cuts have hit one at work, or something is wrong; returns what is wrong.
fn cut(
    disk: &Disk,
    site: impl Fn(&Path, Inputs) -> Site,
    environment: impl Fn(&Site) -> Environment,
    cuts: &mut Tally,
) -> Vec<String> {
    let (mut chance, mut wrong) = (Chance::new(), Vec::new());
    while cuts.wants_more() && wrong.is_empty() {
        let inputs = Inputs { files: FILES, records: RECORDS, damaged: 0.005, seed: chance.next() };
        let site = site(&disk.mounted().join("flow"), inputs);
        let wanted = Wanted::of(&site);
        disk.sync();
        let files = site.inputs().len();
        let site = site.under(&environment(&site));
        let mut receiver = Receiver::default();
        while site.marked() < files && cuts.wants_more() {
            let patience = cuts.patience();
            cuts.note(cut_once(disk, &site, &mut receiver, &mut chance, patience));
        }
        let ended = site.run("run flow.toml --once");
        // If a gateway cannot even start, its journal is not what it wrote.
        if ended.status == Some(2) {
            return vec![ended.said];
        }
        receiver.take_the_rest(&site);
        wrong = differences(&site, wanted, receiver);
        if !wrong.is_empty() {
            wrong.push(ended.said);
        }
        fs::remove_dir_all(&site.folder).unwrap();
    }
    wrong
}

/// Returns whether the cut hit a gateway that had done something. In every second round a receiver takes files away,
/// which syncs the files that it takes and thereby much of the gateway's work; it always stops before the cut.
fn cut_once(
    disk: &Disk,
    site: &Site,
    receiver: &mut Receiver,
    chance: &mut Chance,
    patience: f64,
) -> bool {
    let before = (site.marked(), receiver.count() + site.outputs().len());
    let mut gateway = site.start("run flow.toml --once");
    let mut work = |within: Duration| {
        let end = Instant::now() + within;
        while Instant::now() < end && !gateway.has_ended() {
            thread::sleep(Duration::from_millis(1));
        }
    };
    if chance.within(0..2) == 0 {
        let within = chance.milliseconds(8..300).mul_f64(patience);
        receiver.beside(site, Receiver::take_for_good, || work(within));
    }
    work(chance.milliseconds(0..200).mul_f64(patience));
    gateway.kill();
    let moved = (site.marked(), receiver.count() + site.outputs().len()) != before;
    disk.cut_power();
    moved
}

fn check(kind: &str, site: impl Fn(&Path, Inputs) -> Site) {
    let disk = match Disk::new(kind) {
        Ok(disk) => disk,
        Err(reason) => return left_out(&format!("power cuts of {kind}"), &reason),
    };
    let mut cuts = Tally::new("POWER_CUTS", POWER_CUTS);
    let wrong = cut(&disk, site, |_| Environment::new(), &mut cuts);
    eprintln!("{} power cuts of {kind} met the gateway at work", cuts.effective);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cuts.is_full(), "the gateway does nothing any more");
}

#[test]
fn no_power_cut_of_ext4_loses_a_record_or_sends_one_twice() {
    check("ext4", Site::with_inputs);
}

#[test]
fn no_power_cut_of_xfs_loses_a_record_or_sends_one_twice() {
    check("xfs", Site::with_inputs);
}

#[test]
fn no_power_cut_loses_or_doubles_a_unit_of_a_subscriber() {
    check("xfs", Site::with_counters);
}

#[test]
fn no_power_cut_lets_a_record_through_twice_that_comes_in_two_files() {
    check("ext4", Site::with_duplicates);
}

#[test]
fn no_power_cut_splits_or_doubles_a_group_of_records_that_wait() {
    check("ext4", |folder, inputs| Site::with_matching(folder, Inputs { damaged: 0.0, ..inputs }));
}

/// Asserts that a missing sync is detected: something is lost or sent twice. A test that cannot fail tests nothing.
fn is_found_out(unsynced: &str, environment: impl Fn(&Site) -> Environment) {
    let disk = match Disk::new("ext4") {
        Ok(disk) => disk,
        Err(reason) => return left_out(&format!("power cuts with {unsynced} not synced"), &reason),
    };
    let mut cuts = Tally::new("", CUTS_LIED_TO_MAX);
    let wrong = cut(&disk, Site::with_inputs, environment, &mut cuts);
    let effective = cuts.effective;
    let found = wrong.first();
    let found =
        found.unwrap_or_else(|| panic!("{effective} cuts lost nothing that was not synced"));
    eprintln!("found out after {effective} cuts: {} like \"{found}\"", wrong.len());
}

/// Does the same for a gateway whose syncs do nothing within a folder of its site.
fn is_found_out_within(unsynced: &str) {
    let shim = Shim::new();
    is_found_out(unsynced, |site| shim.environment(&site.path(unsynced), "LIE", 1).into());
}

#[test]
fn a_gateway_that_does_not_sync_its_outputs_is_found_out() {
    is_found_out_within("out");
}

#[test]
fn a_gateway_that_does_not_sync_its_journal_is_found_out() {
    is_found_out_within("flow.state");
}

/// None of the gateway's syncs does anything.
#[test]
fn a_gateway_under_eatmydata_is_found_out() {
    match Command::new("eatmydata").arg("true").status() {
        Ok(status) if status.success() => {
            let preload = ("LD_PRELOAD", "libeatmydata.so".to_owned());
            is_found_out("anything", |_| vec![preload.clone()]);
        }
        _ => left_out("power cuts under eatmydata", "it is not installed"),
    }
}
