//! Tests all disturbances at once, for as long as one likes: steady input, receivers that take files away, and a kill,
//! a power cut or a failing disk every few seconds; then a calm phase, in which memory and open files must not grow;
//! then the account.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::common::memory::resident;
use crate::crash::chance::Chance;
use crate::crash::disk::Disk;
use crate::crash::faults::{KINDS, Shim};
use crate::crash::left_out;
use crate::crash::receiver::{Receiver, Wanted};
use crate::crash::site::{Inputs, Running, Site, wait_until};

/// `MINUTES=n` runs longer.
const MINUTES: f64 = 0.4;
/// The longest time that files are gathered before the account is made.
const CHAPTER: Duration = Duration::from_secs(60);
/// The share of a chapter that is calm.
const CALM: f64 = 0.3;

/// A batch of files.
const BATCH: Inputs = Inputs { files: 10, records: 500, damaged: 0.01, seed: 0 };
/// The approximate number of calls on the disk that a gateway makes in a few seconds.
const CALLS: u64 = 600;

/// How long a gateway that has nothing to do needs to close its open files.
const REST: Duration = Duration::from_secs(1);
/// How much more memory it may use at the end of the calm phase than near its beginning.
const MEMORY_GROWTH_KIBIBYTES_MAX: u64 = 8 << 10;
const OPEN_FILES_GROWTH_MAX: u64 = 4;

struct Soak {
    folder: TempDir,
    disk: Option<Disk>,
    shim: Shim,
    site: Site,
    receiver: Receiver,
    wanted: Wanted,
    chance: Chance,
    batches: u64,
    counts: BTreeMap<String, u64>,
}

#[test]
fn disturbed_all_the_time_each_record_goes_out_once() {
    let minutes = std::env::var("MINUTES").map_or(MINUTES, |value| value.parse().expect("minutes"));
    let (start, length) = (Instant::now(), Duration::from_secs_f64(minutes * 60.0));
    let mut soak = Soak::new();
    while start.elapsed() < length {
        let chapter = CHAPTER.min(length - start.elapsed());
        soak.disturbed(chapter.mul_f64(1.0 - CALM));
        soak.calm(chapter.mul_f64(CALM));
        soak.account();
        let counts: Vec<_> =
            soak.counts.iter().map(|(what, count)| format!("{count} {what}")).collect();
        eprintln!("{:>4} s: {}", start.elapsed().as_secs(), counts.join(", "));
    }
}

impl Soak {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let disk = Disk::new("ext4");
        if let Err(reason) = &disk {
            left_out("power cuts in the soak", reason);
        }
        let disk = disk.ok();
        let on = disk.as_ref().map_or(folder.path().to_owned(), Disk::mounted);
        let site = Site::new(&on.join("flow"));
        for centre in site.centres() {
            fs::create_dir_all(centre).unwrap();
        }
        let (receiver, wanted) = (Receiver::default(), Wanted::default());
        let (shim, chance, counts) = (Shim::new(), Chance::new(), BTreeMap::new());
        Soak { folder, disk, shim, site, receiver, wanted, chance, batches: 0, counts }
    }

    fn count(&mut self, what: &str, count: u64) {
        *self.counts.entry(what.to_owned()).or_default() += count;
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("gateway.log")
    }

    /// Adds new files under names that were never used before; they stay, whatever happens then.
    fn feed(&mut self) {
        let made = tempfile::tempdir().unwrap();
        let made = Site::with_inputs(made.path(), Inputs { seed: self.chance.next(), ..BATCH });
        self.batches += 1;
        made.rename_inputs(&format!("{:06}-", self.batches));
        self.wanted.and(Wanted::of(&made));
        assert!(made.inputs().iter().all(|input| self.site.put(&made, input)));
        self.disk.iter().for_each(Disk::sync);
        self.count("files", BATCH.files as u64);
        self.count("records", BATCH.records as u64);
    }

    /// Adds files for about the given time, while a receiver takes away the files that are made of them.
    fn work(&mut self, length: Duration) {
        let end = Instant::now() + length;
        while Instant::now() < end {
            self.feed();
            let pause = self.chance.milliseconds(50..400);
            self.receiver.beside(&self.site, Receiver::take_for_good, || thread::sleep(pause));
        }
    }

    fn disturbed(&mut self, length: Duration) {
        let end = Instant::now() + length;
        while Instant::now() < end {
            self.turn();
        }
    }

    /// Runs one gateway, from its start to what ends it.
    fn turn(&mut self) {
        let before = (self.site.marked(), self.receiver.count());
        let kind = KINDS[self.chance.within(0..KINDS.len() as u64) as usize];
        let faults = self.shim.environment(&self.site.folder, kind, self.chance.within(1..CALLS));
        let disturbance = self.chance.within(0..3);
        let site = if disturbance == 2 { self.site.under(&faults) } else { self.site.under(&[]) };
        let mut gateway = site.start_saying("run flow.toml", &self.log());
        let length = self.chance.milliseconds(500..2_500);
        self.work(length);
        // Only the gateway syncs anything now.
        thread::sleep(self.chance.milliseconds(0..1_500));
        let has_ended = gateway.has_ended();
        gateway.kill();
        let moved = (self.site.marked(), self.receiver.count()) != before;
        let what = match (disturbance, &self.disk) {
            (0, Some(disk)) => {
                disk.cut_power();
                "power cuts".to_owned()
            }
            (2, _) if self.shim.went_wrong().is_some() => format!("calls gone wrong by {kind}"),
            _ => {
                assert!(
                    !has_ended,
                    "nothing was wrong, and the gateway has ended: {}",
                    self.said()
                );
                "kills".to_owned()
            }
        };
        if moved {
            self.count(&what, 1);
        }
    }

    fn said(&self) -> String {
        fs::read_to_string(self.log()).unwrap_or_default()
    }

    /// Runs a gateway undisturbed; it needs no more at the end than when it was warm.
    fn calm(&mut self, length: Duration) {
        let gateway = self.site.start_saying("run flow.toml", &self.log());
        self.work(length / 3);
        let warm = self.needs_at_rest(&gateway);
        self.work(length * 2 / 3);
        let last = self.needs_at_rest(&gateway);
        eprintln!("{warm:?}, then {last:?}");
        assert!(last.kibibytes <= warm.kibibytes + MEMORY_GROWTH_KIBIBYTES_MAX, "memory grows");
        assert!(last.open_files <= warm.open_files + OPEN_FILES_GROWTH_MAX, "open files grow");
    }

    /// Returns what the gateway needs when nothing is left to do.
    fn needs_at_rest(&mut self, gateway: &Running) -> Needs {
        let (receiver, site) = (&mut self.receiver, &self.site);
        wait_until("all files are done", || {
            receiver.take_for_good(site);
            site.marked() == site.inputs().len()
        });
        thread::sleep(REST);
        Needs::of(gateway)
    }

    /// Compares the receiver's files with the expected ones, and starts over.
    fn account(&mut self) {
        self.receiver.take_the_rest(&self.site);
        self.wanted.check(&self.receiver);
        assert!(!self.said().contains("panicked"), "{}", self.said());
        for input in self.site.inputs() {
            fs::remove_file(input).unwrap();
        }
        self.wanted.keep_suspense();
        self.receiver = Receiver::default();
        fs::write(self.log(), "").unwrap();
    }
}

/// The resources that a process uses.
#[derive(Debug)]
struct Needs {
    kibibytes: u64,
    open_files: u64,
}

impl Needs {
    fn of(process: &Running) -> Self {
        let kibibytes = resident(process.id()) >> 10;
        let open_files = fs::read_dir(format!("/proc/{}/fd", process.id())).unwrap().count() as u64;
        Needs { kibibytes, open_files }
    }
}
