//! Tests that cut the power, or kill the gateway, while it fetches files from another machine and delivers its own to
//! one. The other machine keeps its power: a file that was fetched and deleted there exists nowhere else; a file that
//! was delivered twice is there twice.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::crash::chance::Chance;
use crate::crash::disk::Disk;
use crate::crash::faults::Shim;
use crate::crash::left_out;
use crate::crash::receiver::{Receiver, Wanted};
use crate::crash::site::{Inputs, Site};
use crate::crash::tally::Tally;
use crate::crash::transfers::{change, served_from};
use crate::servers::{Kind, Server};

/// Cuts with each protocol that must have hit the gateway at work; `POWER_CUTS=100` tests more.
const POWER_CUTS: u64 = 2;
/// Kills that must have hit the gateway at work; `KILLS=1000` tests more.
const KILLS: u64 = 6;
/// Cuts after which a gateway whose syncs do nothing must have lost a file that it fetched.
const CUTS_LIED_TO_MAX: u64 = 40;

const FILES: usize = 120;
const RECORDS: usize = 1_200;

/// A gateway, and the machine that its files come from and go to.
struct RemoteSite {
    site: Site,
    far: Site,
    _server: Server,
}

impl RemoteSite {
    /// Creates both from a flow with its inputs: the gateway in a folder, which may be on a disk whose power is cut,
    /// and the machine in another folder.
    fn new(whole: &Site, kind: Kind, (here, far): (&Path, &Path)) -> Self {
        let (site, far) = (whole.copied(here), whole.copied(far));
        site.remove_inputs();
        let server = served_from(&site, &far, kind);
        change(&site, "in", [("new-york", ""), ("boston", "")], |folder| {
            let from = kind.settings(&server, &far.folder, &format!("in/{folder}"));
            format!("{from}, every = \"1 second\", after = \"delete\"")
        });
        RemoteSite { site, far, _server: server }
    }

    /// Returns how many files wait to be fetched.
    fn waiting(&self) -> usize {
        self.far.inputs().len()
    }

    /// Returns the progress of the gateway, as the other machine sees it.
    fn seen(&self, receiver: &Receiver) -> (usize, usize) {
        (self.waiting(), receiver.count() + self.far.outputs().len())
    }

    /// Kills a gateway that runs without end; returns whether it had done something.
    fn kill_once(&self, receiver: &mut Receiver, within: Duration) -> bool {
        let (before, end) = (self.seen(receiver), Instant::now() + within);
        let gateway = self.site.start("run flow.toml");
        receiver.beside(&self.far, Receiver::take, || {
            while Instant::now() < end {
                thread::sleep(Duration::from_millis(1));
            }
            gateway.kill()
        });
        self.seen(receiver) != before
    }

    /// Does the remaining work, and returns what is wrong then.
    fn end(&self, wanted: &Wanted, receiver: &mut Receiver) -> Vec<String> {
        let ended = self.site.run("run flow.toml --once");
        // If a gateway cannot even start, its journal is not what it wrote.
        if ended.status == Some(2) {
            return vec![ended.said];
        }
        receiver.take(&self.far);
        receiver.take_the_rest(&self.site);
        let mut wrong = wanted.differences(receiver);
        let left = [self.far.inputs(), self.far.parts()].concat();
        wrong.extend(left.iter().map(|left| format!("{} is left", left.display())));
        let audit = self.site.run("audit flow.toml");
        if audit.status != Some(0) {
            wrong.push(format!("{}{}", audit.said, audit.shown));
        }
        if !wrong.is_empty() {
            wrong.push(ended.said);
        }
        wrong
    }

    /// Cuts the power; returns whether the cut hit a gateway that had done something.
    fn cut_once(&self, disk: &Disk, receiver: &mut Receiver, within: Duration) -> bool {
        let (before, end) = (self.seen(receiver), Instant::now() + within);
        let mut gateway = self.site.start("run flow.toml --once");
        receiver.beside(&self.far, Receiver::take, || {
            while Instant::now() < end && !gateway.has_ended() {
                thread::sleep(Duration::from_millis(1));
            }
            gateway.kill()
        });
        disk.cut_power();
        self.seen(receiver) != before
    }
}

/// Cuts the power of gateways until enough cuts have hit one at work, or something is wrong; returns what is wrong.
/// Syncs may be disabled within a folder.
fn cut(disk: &Disk, kind: Kind, lied_to_in: Option<&str>, cuts: &mut Tally) -> Vec<String> {
    let (mut chance, shim, mut wrong) = (Chance::new(), Shim::new(), Vec::new());
    while cuts.wants_more() && wrong.is_empty() {
        let elsewhere = tempfile::tempdir().unwrap();
        let inputs = Inputs { files: FILES, records: RECORDS, damaged: 0.005, seed: chance.next() };
        let whole = Site::with_inputs(&elsewhere.path().join("whole"), inputs);
        let wanted = Wanted::of(&whole);
        let folders = (disk.mounted().join("flow"), elsewhere.path().join("far"));
        let mut remote_site = RemoteSite::new(&whole, kind, (&folders.0, &folders.1));
        disk.sync();
        let lies = lied_to_in.map(|within| {
            let within = remote_site.site.path(within);
            shim.environment(&within, "LIE", 1)
        });
        remote_site.site = remote_site.site.under(&lies.map(Vec::from).unwrap_or_default());
        let mut receiver = Receiver::default();
        while remote_site.waiting() > 0 && cuts.wants_more() {
            let within = chance.milliseconds(100..1_500).mul_f64(cuts.patience());
            cuts.note(remote_site.cut_once(disk, &mut receiver, within));
        }
        wrong = remote_site.end(&wanted, &mut receiver);
        fs::remove_dir_all(&remote_site.site.folder).unwrap();
    }
    wrong
}

fn check(kind: Kind) {
    let disk = match Disk::new("ext4") {
        Ok(disk) => disk,
        Err(reason) => return left_out(&format!("power cuts over {kind:?}"), &reason),
    };
    let mut cuts = Tally::new("POWER_CUTS", POWER_CUTS);
    let wrong = cut(&disk, kind, None, &mut cuts);
    eprintln!("{} power cuts met the gateway at work over {kind:?}", cuts.effective);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cuts.is_full(), "the gateway does nothing any more");
}

/// Kills gateways that fetch, process and deliver at the same time, as gateways that run without end do.
fn check_kills(kind: Kind, site: impl Fn(&Path, Inputs) -> Site) {
    let (mut chance, mut kills) = (Chance::new(), Tally::new("KILLS", KILLS));
    while kills.wants_more() {
        let folder = tempfile::tempdir().unwrap();
        let inputs = Inputs { files: FILES, records: RECORDS, damaged: 0.005, seed: chance.next() };
        let whole = site(&folder.path().join("whole"), inputs);
        let wanted = Wanted::of(&whole);
        let folders = (folder.path().join("flow"), folder.path().join("far"));
        let remote_site = RemoteSite::new(&whole, kind, (&folders.0, &folders.1));
        let mut receiver = Receiver::default();
        while remote_site.waiting() > 0 && kills.wants_more() {
            let within = chance.milliseconds(1_000..2_500).mul_f64(kills.patience());
            kills.note(remote_site.kill_once(&mut receiver, within));
        }
        let wrong = remote_site.end(&wanted, &mut receiver);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
    eprintln!("{} kills met the gateway at work over {kind:?}", kills.effective);
    assert!(kills.is_full(), "the gateway does nothing any more");
}

#[test]
fn no_kill_loses_a_record_or_sends_one_twice_that_is_fetched_and_carried_over_sftp() {
    check_kills(Kind::Asyncssh, Site::with_inputs);
}

#[test]
fn no_kill_of_a_gateway_with_processes_does_where_files_are_fetched_and_carried_over_sftp() {
    check_kills(Kind::OpenSsh, |folder, inputs| Site::with_inputs(folder, inputs).in_processes());
}

#[test]
fn no_power_cut_loses_a_record_or_sends_one_twice_over_sftp() {
    check(Kind::Asyncssh);
}

#[test]
fn no_power_cut_loses_a_record_or_sends_one_twice_over_ftp() {
    check(Kind::Ftp);
}

/// A test that cannot fail tests nothing.
#[test]
fn a_gateway_that_does_not_sync_what_it_fetched_is_found_out() {
    let disk = match Disk::new("ext4") {
        Ok(disk) => disk,
        Err(reason) => return left_out("power cuts with what was fetched not synced", &reason),
    };
    let mut cuts = Tally::new("", CUTS_LIED_TO_MAX);
    let wrong = cut(&disk, Kind::Asyncssh, Some("flow.state/in"), &mut cuts);
    let effective = cuts.effective;
    let found = wrong.first();
    let found =
        found.unwrap_or_else(|| panic!("{effective} cuts lost nothing that was not synced"));
    eprintln!("found out after {effective} cuts: {} like \"{found}\"", wrong.len());
}
