//! The gateway is killed at random moments and started again, while a receiver takes its files away.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::chance::{Chance, number};
use crate::receiver::{Receiver, Wanted};
use crate::site::{Inputs, Site};
use crate::tally::Tally;

/// Kills that must have met the gateway at work; `KILLS=1000` asks for more.
const KILLS: u64 = 30;

/// Files of a run, of so many records each; `FILES=4000` asks for more.
const FILES: usize = 400;
const RECORDS_OF_FILE: usize = 50;

#[test]
fn no_kill_loses_a_record_or_sends_one_twice() {
    check(Site::with_inputs);
}

#[test]
fn no_kill_splits_or_doubles_a_group_of_records_that_wait() {
    check(|folder, inputs| Site::with_matching(folder, Inputs { damaged: 0.0, ..inputs }));
}

#[test]
fn no_kill_loses_or_doubles_a_unit_of_a_subscriber() {
    check(Site::with_counters);
}

/// Kills gateways on sites of a sort.
pub(crate) fn check(site: impl Fn(&Path, Inputs) -> Site) {
    let (mut chance, mut kills) = (Chance::new(), Tally::new("KILLS", KILLS));
    let files = number("FILES").map_or(FILES, |files| files as usize);
    while kills.wants_more() {
        let folder = tempfile::tempdir().unwrap();
        let records = RECORDS_OF_FILE * files;
        let inputs = Inputs { files, records, damaged: 0.001, seed: chance.next() };
        let site = site(folder.path(), inputs);
        let wanted = Wanted::of(&site);
        let mut receiver = Receiver::default();
        while site.marked() < files && kills.wants_more() {
            let after = chance.milliseconds(8..68) * kills.patience();
            kills.note(kill(&site, &mut receiver, after));
        }
        // What the last kill left to do.
        site.run("run flow.toml --once");
        receiver.take_the_rest(&site);
        wanted.check(&receiver);
        assert!(site.parts().is_empty(), "kills left {:?} behind", site.parts());
        let audit = site.run("audit flow.toml");
        assert_eq!(audit.status, Some(0), "{}{}", audit.said, audit.shown);
    }
    eprintln!("{} kills met the gateway at work", kills.effective);
    assert!(kills.is_full(), "the gateway does nothing any more");
}

/// Whether the kill met a gateway that had done something.
fn kill(site: &Site, receiver: &mut Receiver, after: Duration) -> bool {
    let before = (site.marked(), receiver.count());
    let end = Instant::now() + after;
    let mut gateway = site.start("run flow.toml --once");
    let killed = receiver.beside(site, Receiver::take, || {
        while Instant::now() < end && !gateway.has_ended() {
            thread::sleep(Duration::from_millis(1));
        }
        gateway.kill()
    });
    let moved = (site.marked(), receiver.count()) != before;
    killed && moved
}
