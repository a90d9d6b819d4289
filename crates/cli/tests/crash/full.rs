//! Tests with a disk that fills up under the gateway and gets room again: the gateway waits, and continues by itself.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::crash::disk::Small;
use crate::crash::left_out;
use crate::crash::receiver::{Receiver, Wanted};
use crate::crash::site::{Ended, Inputs, Site, wait_until};

const INPUTS: Inputs = Inputs { files: 240, records: 4_800, damaged: 0.01, seed: 5 };

/// Room for the whole flow and for its outputs.
const DISK_KIBIBYTES: u64 = 24 << 10;

/// Fewer records than a quarter of the files set aside.
const RECORDS_ASIDE: u64 = 60;

/// How long the disk is full. The gateway looks for work every second.
const FULL: Duration = Duration::from_secs(4);

/// Returns whether the list of alarms shows a full disk.
fn is_seen(site: &Site) -> bool {
    let ended = site.run("alarms flow.toml");
    assert!(matches!(ended.status, Some(0 | 1)), "{}", ended.said);
    let is_seen = ended.shown.contains("critical") && ended.shown.contains("disk-low");
    assert!(!is_seen || ended.status == Some(1));
    is_seen
}

/// Runs a flow with one of its folders on a disk that fills up when half of the files are done.
fn check(on_small_disk: &str) {
    let (folder, made) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let disk = match Small::new(&folder.path().join(on_small_disk), DISK_KIBIBYTES) {
        Ok(disk) => disk,
        Err(reason) => return left_out(&format!("a full disk under {on_small_disk}"), &reason),
    };
    let made = Site::with_inputs(made.path(), INPUTS);
    let (wanted, site) = (Wanted::of(&made), made.copied(folder.path()));
    let later = site.inputs().split_off(INPUTS.files / 2);
    let hidden = |path: &Path| path.with_extension("later");
    later.iter().for_each(|path| fs::rename(path, hidden(path)).unwrap());
    // An operator's script puts the log beside the flow.
    let mut gateway = site.start_saying("run flow.toml", &site.path("gateway.log"));
    wait_until("half of the files are done", || site.marked() == INPUTS.files / 2);
    disk.fill();
    later.iter().for_each(|path| fs::rename(hidden(path), path).unwrap());
    thread::sleep(FULL);
    assert!(site.marked() < INPUTS.files, "the disk was not full");
    assert!(is_seen(&site), "nobody is told");
    disk.free();
    wait_until("the gateway goes on when there is room", || {
        assert!(!gateway.has_ended(), "the gateway has ended");
        site.marked() == INPUTS.files
    });
    wait_until("the alarm is over", || !is_seen(&site));
    gateway.kill();
    let mut receiver = Receiver::default();
    receiver.take_the_rest(&site);
    wanted.check(&receiver);
}

#[test]
fn a_disk_that_is_full_for_a_while_costs_no_record() {
    check(".");
}

#[test]
fn outputs_that_have_no_room_for_a_while_cost_no_record() {
    check("out");
}

#[test]
fn a_journal_that_has_no_room_for_a_while_costs_no_record() {
    check("flow.state");
}

#[test]
fn a_gateway_that_is_started_on_a_full_disk_begins_when_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let disk = match Small::new(folder.path(), DISK_KIBIBYTES) {
        Ok(disk) => disk,
        Err(reason) => return left_out("a start on a full disk", &reason),
    };
    let made = tempfile::tempdir().unwrap();
    let site = Site::with_inputs(made.path(), INPUTS).copied(folder.path());
    let hidden = |path: &Path| path.with_extension("later");
    let inputs = site.inputs();
    inputs.iter().for_each(|path| fs::rename(path, hidden(path)).unwrap());
    assert_eq!(site.run("run flow.toml --once").status, Some(0));
    inputs.iter().for_each(|path| fs::rename(hidden(path), path).unwrap());
    disk.fill();
    let mut gateway = site.start("run flow.toml");
    wait_until("somebody is told", || is_seen(&site));
    thread::sleep(FULL);
    assert!(!gateway.has_ended(), "the gateway has ended");
    disk.free();
    wait_until("the gateway begins when there is room", || {
        assert!(!gateway.has_ended(), "the gateway has ended");
        site.marked() == INPUTS.files
    });
}

#[test]
fn a_journal_on_a_full_disk_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let disk = match Small::new(folder.path(), DISK_KIBIBYTES) {
        Ok(disk) => disk,
        Err(reason) => return left_out("a journal on a full disk", &reason),
    };
    let made = tempfile::tempdir().unwrap();
    let inputs = Inputs { damaged: 0.1, ..INPUTS };
    let site = Site::with_inputs(made.path(), inputs).copied(folder.path());
    let look = |when: &str| {
        for line in ["suspense list", "suspense show flow.toml 1", "audit", "trail", "alarms"] {
            let ended = site.run(line);
            assert!(matches!(ended.status, Some(0 | 1)), "{line} {when}: {}", ended.said);
            assert!(!ended.shown.is_empty() || matches!(line, "trail" | "alarms"), "{line} {when}");
        }
    };
    let discard = |record: u64| {
        site.run(&format!("suspense discard flow.toml {record} --because test --yes"))
    };
    let is_refused = |discard: Ended, when: &str| {
        assert_eq!(discard.status, Some(2), "{when}: {}", discard.said);
        assert!(discard.said.contains("no room on the disk of"), "{when}: {}", discard.said);
    };
    let gateway = site.start("run flow.toml");
    wait_until("a quarter of the files is done", || site.marked() >= INPUTS.files / 4);
    gateway.kill();
    disk.fill();
    look("killed before");
    // The log that the gateway left may have room for some records, which are discarded then. A command that closes the
    // journal removes its log, and the room of that is filled, too.
    let mut left = (2..RECORDS_ASIDE).map(|record| {
        disk.fill();
        discard(record)
    });
    is_refused(left.find(|discard| discard.status != Some(0)).unwrap(), "killed before");
    disk.free();
    site.run("run flow.toml --once");
    disk.fill();
    look("closed before");
    is_refused(discard(1), "closed before");
}
