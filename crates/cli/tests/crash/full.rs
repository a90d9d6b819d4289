//! A disk fills up under the gateway and is given room again: it waits, and goes on by itself.

use std::thread;
use std::time::Duration;

use crate::disk::Small;
use crate::left_out;
use crate::receiver::{Receiver, Wanted};
use crate::site::{Inputs, Running, Site, wait_until};

const INPUTS: Inputs = Inputs { files: 120, records: 6_000, damaged: 0.01, seed: 5 };

/// Room for the whole flow and for what comes of it.
const DISK_KIBIBYTES: u64 = 24 << 10;
/// Room that is left when the gateway begins: it comes to some of the files.
const LEFT_KIBIBYTES: usize = 500;

/// How long nothing may be done until the disk is taken to be full.
const NOTHING_DONE: Duration = Duration::from_secs(2);

/// Runs a flow one of whose folders is on a disk that fills up.
fn check(on_small_disk: &str) {
    let (folder, made) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let disk = match Small::new(&folder.path().join(on_small_disk), DISK_KIBIBYTES) {
        Ok(disk) => disk,
        Err(reason) => return left_out(&format!("a full disk under {on_small_disk}"), &reason),
    };
    let made = Site::with_inputs(made.path(), INPUTS);
    let (wanted, site) = (Wanted::of(&made), made.copied(folder.path()));
    disk.fill(LEFT_KIBIBYTES);
    // Where an operator's script puts it: beside the flow.
    let mut gateway = site.start_saying("run flow.toml", &site.path("gateway.log"));
    let done = until_nothing_is_done(&site, &mut gateway);
    assert!((1..INPUTS.files).contains(&done), "the disk was full when {done} files were done");
    disk.free();
    wait_until("the gateway goes on when there is room", || {
        assert!(!gateway.has_ended(), "the gateway has ended");
        site.marked() == INPUTS.files
    });
    gateway.kill();
    let mut receiver = Receiver::default();
    receiver.take(&site);
    wanted.check(&receiver);
}

/// How many files were done when the gateway did no more.
fn until_nothing_is_done(site: &Site, gateway: &mut Running) -> usize {
    let mut done = (site.marked(), 0);
    while done.0 != done.1 || done.0 == 0 {
        assert!(!gateway.has_ended(), "the gateway has ended");
        thread::sleep(NOTHING_DONE);
        done = (site.marked(), done.0);
    }
    done.0
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
