//! Tests that kill the gateway at random moments and start it again, while a receiver takes its files away.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::crash::chance::{Chance, number};
use crate::crash::receiver::{Receiver, Wanted};
use crate::crash::site::{FILES_OF_DAY, Inputs, Site};
use crate::crash::tally::Tally;

/// Kills that must have hit the gateway at work; `KILLS=1000` tests more.
const KILLS: u64 = 12;

/// Files of a site, each with `RECORDS_OF_FILE` records; `FILES=1000` tests more. There are as many sites as the kills
/// need.
const FILES: usize = 160;
const RECORDS_OF_FILE: usize = 50;

#[test]
fn no_kill_loses_a_record_or_sends_one_twice() {
    check(Site::with_inputs, usize::MAX);
}

#[test]
fn no_kill_splits_or_doubles_a_group_of_records_that_wait() {
    // Groups expire when all files that are there are done, so the days come one after the other.
    let site =
        |folder: &Path, inputs| Site::with_matching(folder, Inputs { damaged: 0.0, ..inputs });
    check(site, FILES_OF_DAY);
}

/// Which of the two files of a record is first is random.
#[test]
fn no_kill_lets_a_record_through_twice_that_comes_in_two_files() {
    check_as(Site::with_duplicates, usize::MAX, |_| (), by_record);
}

/// Returns both as if each record were a file.
pub(crate) fn by_record(wanted: Wanted, receiver: Receiver) -> (Wanted, Receiver) {
    (wanted.by_record(), receiver.by_record())
}

#[test]
fn no_kill_loses_or_doubles_a_unit_of_a_subscriber() {
    check(Site::with_counters, usize::MAX);
}

/// Kills gateways on sites of a kind, to which `at_once` files come at a time.
pub(crate) fn check(site: impl Fn(&Path, Inputs) -> Site, at_once: usize) {
    check_with(site, at_once, |_| ());
}

/// Does the same, with an additional step on each site where gateways are killed.
pub(crate) fn check_with<T>(
    site: impl Fn(&Path, Inputs) -> Site,
    at_once: usize,
    more: impl Fn(&Site) -> T,
) {
    check_as(site, at_once, more, |wanted, receiver| (wanted, receiver));
}

/// Does the same, with a conversion of the expected and the received files.
pub(crate) fn check_as<T>(
    site: impl Fn(&Path, Inputs) -> Site,
    at_once: usize,
    more: impl Fn(&Site) -> T,
    seen: impl Fn(Wanted, Receiver) -> (Wanted, Receiver),
) {
    let (mut chance, mut kills) = (Chance::new(), Tally::new("KILLS", KILLS));
    let files = number("FILES").map_or(FILES, |files| files as usize);
    let (mut sites, mut expired, mut met_ends) = (0, 0, 0);
    while kills.wants_more() {
        let folder = tempfile::tempdir().unwrap();
        let records = RECORDS_OF_FILE * files;
        let inputs = Inputs { files, records, damaged: 0.001, seed: chance.next() };
        let whole = site(&folder.path().join("whole"), inputs);
        let wanted = Wanted::of(&whole);
        let site = whole.copied(&folder.path().join("killed"));
        site.remove_inputs();
        let _more = more(&site);
        let mut receiver = Receiver::default();
        for inputs in whole.inputs_in_order().chunks(at_once) {
            assert!(inputs.iter().all(|input| site.put(&whole, input)));
            while kills.wants_more() {
                let after = chance.milliseconds(8..68).mul_f64(kills.patience());
                let expired = receiver.expired();
                match kill(&site, &mut receiver, after) {
                    Met::Work => {
                        met_ends += usize::from(receiver.expired() > expired);
                        kills.note(true);
                    }
                    Met::Nothing => kills.note(false),
                    Met::End => break,
                }
            }
        }
        // The work that the last kill left.
        let last = site.run("run flow.toml --once");
        receiver.take_the_rest(&site);
        let waiting = site.run("deliveries list flow.toml").shown;
        assert_eq!(waiting, "", "{}", last.said);
        let has_expired = receiver.expired();
        let (wanted, receiver) = seen(wanted, receiver);
        wanted.check(&receiver);
        assert!(site.parts().is_empty(), "kills left {:?} behind", site.parts());
        let audit = site.run("audit flow.toml");
        assert_eq!(audit.status, Some(0), "{}{}", audit.said, audit.shown);
        sites += 1;
        expired += has_expired;
    }
    let (at_work, files) = (kills.effective, sites * files);
    eprintln!("{at_work} kills met the gateway at work on {files} files");
    if expired > 0 {
        eprintln!("{expired} groups ended by time; {met_ends} kills came when some just had");
    }
    assert!(kills.is_full(), "the gateway does nothing any more");
}

/// The state of a gateway when it was killed.
enum Met {
    /// It had done something.
    Work,
    /// It had done nothing yet.
    Nothing,
    /// It had ended by itself: nothing was left to do.
    End,
}

fn kill(site: &Site, receiver: &mut Receiver, after: Duration) -> Met {
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
    match (killed, moved) {
        (false, _) => Met::End,
        (true, true) => Met::Work,
        (true, false) => Met::Nothing,
    }
}
