//! A flow in a folder, as a user has it: its inputs, its gateway, its outputs.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use simulate::cdr::{Options, generate};

use crate::common::elements::elements;

const CENTRES: [&str; 2] = ["new-york", "boston"];
const OUTPUTS: [&str; 4] = ["out/home", "out/roaming", "out/statistics", "out/bundles"];

/// Nodes that combine three records from several files, or those that there are when the day is over, into one.
const BUNDLES: &str = "
[matching.boston]
from    = \"msc-boston\"
script  = \"scripts/bundle.dup\"
wait    = { record-time = \"1 hour\" }
late    = \"begin\"
history = \"3 days\"

[matching.new-york]
from    = \"msc-new-york\"
script  = \"scripts/bundle.dup\"
wait    = { record-time = \"1 hour\" }
late    = \"begin\"
history = \"3 days\"

[post-processing-system.bundles]
from    = [\"boston\", \"new-york\"]
encode  = { type = \"MSC.CallDataRecord\" }
deliver = { dir = \"out/bundles\", name = \"{network-element}-{stem}.ber\" }
";

/// The numbers of a file's records are the same as in every other file; the lengths of calls are not.
const BUNDLE: &str = "
INTEGER key(cdr CONST CallDataRecord) { return (cdr.sequenceNumber + 31 * cdr.callDuration) % 400; }
INTEGER time(cdr CONST CallDataRecord) { return timeStampSeconds(cdr.answerTime); }
BOOLEAN complete(cdrs CONST SEQUENCE OF CallDataRecord) { return count(cdrs) == 3; }
NULL combine(cdrs CONST SEQUENCE OF CallDataRecord, bundle CallDataRecord)
{
  declare place INTEGER;
  bundle := cdrs[0];
  for (place := 1; place < count(cdrs); place += 1) { bundle.callDuration += cdrs[place].callDuration; }
}
";

/// The number of a network element's files for one day: their records are made for that day.
pub(crate) const FILES_OF_DAY: usize = 40;

const DAY_SECONDS: u64 = 24 * 60 * 60;

/// Nodes that price records by the counters of seven subscribers: each has a bundle, which is used up on the way.
const COUNTING: &str = "
[rating.boston]
from     = \"msc-boston\"
type     = \"MSC.CallDataRecord\"
plan     = \"tariff\"
counters = \"kept\"
account  = \"record.sequenceNumber % 7\"
start    = \"record.answerTime\"
duration = \"record.callDuration\"
total    = \"record.exchangeIdentity\"

[rating.new-york]
from     = \"msc-new-york\"
type     = \"MSC.CallDataRecord\"
plan     = \"tariff\"
counters = \"kept\"
account  = \"record.sequenceNumber % 7\"
start    = \"record.answerTime\"
duration = \"record.callDuration\"
total    = \"record.exchangeIdentity\"

[post-processing-system.priced]
from    = [\"boston\", \"new-york\"]
encode  = { codec = \"csv\", columns = [\"sequenceNumber\", \"callDuration\", \"exchangeIdentity\"] }
deliver = { dir = \"out/bundles\", name = \"{network-element}-{stem}.csv\" }
";

/// The plan of these nodes: a hundredth a second, and half of that above a hundred.
const PLAN: [(&str, &str); 6] = [
    (
        "tariff.toml",
        "name = \"p\"\ncurrency = \"SEK\"\ntime-zone = \"UTC\"\n[rounding]\nunit = \"0.001\"\nmode = \"up\"\n",
    ),
    ("classes.csv", "class,unit\ncall,seconds\n"),
    ("analysis.csv", "service,class\n*,call\n"),
    ("prices.csv", "class,valid-from,price\ncall,2000-01-01 UTC,0.01\n"),
    ("bundles.csv", "bundle,class,unit,amount,valid-from\nb,call,seconds,20000,2000-01-01 UTC\n"),
    ("discounts.csv", "discount,class,above,percent\nd,call,100,50\n"),
];

/// A node that lets each record of a centre through once.
const ONCE: &str = "
[duplicate-check.once]
from = [\"msc-new-york\", \"msc-boston\"]
type = \"MSC.CallDataRecord\"
key  = [\"record.callReference\", \"record.servedIMSI\"]
";

const PROCESSES: &str = "
[processing]
processes = 2
threads   = 2
";

/// The longest time to wait for an expected condition.
const PATIENCE: Duration = Duration::from_secs(60);

/// The longest time that a command may need: thousands of files, each synced, while other tests run.
const ENDS_WITHIN: Duration = Duration::from_secs(900);

/// The example flow, with inputs of its own.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) folder: PathBuf,
    /// The environment of each process that runs here.
    environment: Vec<(&'static str, String)>,
}

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// `None` if it was killed.
    pub(crate) status: Option<i32>,
    pub(crate) said: String,
    pub(crate) shown: String,
}

impl Site {
    /// Creates a new flow without inputs.
    pub(crate) fn new(folder: &Path) -> Self {
        fs::create_dir_all(folder).unwrap();
        let site = Site { folder: folder.into(), environment: Vec::new() };
        assert_eq!(site.run("init .").status, Some(0));
        fs::remove_dir_all(site.path("in")).unwrap();
        site
    }

    /// Creates a new flow with inputs, which are as old as those that a network element has finished.
    pub(crate) fn with_inputs(folder: &Path, inputs: Inputs) -> Self {
        let (site, Inputs { files, records, damaged, seed }) = (Site::new(folder), inputs);
        let line = format!(
            "simulate cdr --files {files} --count {records} --flipped {damaged} --seed {seed} in"
        );
        let ended = site.run(&line);
        assert_eq!(ended.status, Some(0), "{}", ended.said);
        site.inputs().iter().for_each(|input| age(input));
        site
    }

    /// Creates a flow with files of several days, ordered by name. Their records wait for others.
    pub(crate) fn with_matching(folder: &Path, inputs: Inputs) -> Self {
        let site = Site::new(folder);
        for day in 0..inputs.files.div_ceil(FILES_OF_DAY) {
            let files = FILES_OF_DAY.min(inputs.files - day * FILES_OF_DAY);
            site.add_day(day as u64, files, inputs);
        }
        site.add_to_flow(BUNDLES);
        fs::write(site.path("scripts/bundle.dup"), BUNDLE).unwrap();
        site
    }

    fn add_day(&self, day: u64, files_of_day: usize, inputs: Inputs) {
        let Inputs { files, records, damaged, seed } = inputs;
        let usual = Options::default();
        let options = Options {
            files: files_of_day as u32,
            count: (records / files * files_of_day) as u64,
            flipped: damaged,
            seed: seed.wrapping_add(day),
            start_second: usual.start_second + day * DAY_SECONDS,
            ..usual
        };
        let made = self.path("made");
        generate(&options, &made).unwrap();
        for centre in CENTRES {
            fs::create_dir_all(self.path("in").join(centre)).unwrap();
            for path in files_of(&made.join(centre)) {
                age(&path);
                let name = path.file_name().unwrap().to_string_lossy();
                let name = format!("in/{centre}/{day:04}-{name}");
                fs::rename(&path, self.path(&name)).unwrap();
            }
        }
        fs::remove_dir_all(made).unwrap();
    }

    fn add_to_flow(&self, more: &str) {
        let flow = self.path("flow.toml");
        let text = fs::read_to_string(&flow).unwrap();
        fs::write(flow, text + more).unwrap();
    }

    /// Creates a flow whose records are priced by counters.
    pub(crate) fn with_counters(folder: &Path, inputs: Inputs) -> Self {
        let site = Site::with_inputs(folder, inputs);
        site.add_to_flow(COUNTING);
        fs::create_dir(site.path("tariff")).unwrap();
        for (name, text) in PLAN {
            fs::write(site.path("tariff").join(name), text).unwrap();
        }
        site
    }

    /// Creates a flow whose records come twice, in another file and in another order.
    pub(crate) fn with_duplicates(folder: &Path, inputs: Inputs) -> Self {
        let Inputs { files, records, .. } = inputs;
        let halves = Inputs { files: files / 2, records: records / 2, ..inputs };
        let site = Site::with_inputs(folder, halves);
        for input in site.inputs() {
            let octets = fs::read(&input).unwrap();
            let backwards = elements(&octets).into_iter().rev().map(|at| &octets[at]);
            let again = format!("again-{}", input.file_name().unwrap().to_string_lossy());
            let again = input.with_file_name(again);
            fs::write(&again, backwards.collect::<Vec<_>>().concat()).unwrap();
            age(&again);
        }
        let flow = site.path("flow.toml");
        let text = fs::read_to_string(&flow).unwrap();
        let from = "from   = [\"msc-new-york\", \"msc-boston\"]";
        assert!(text.contains(from));
        fs::write(flow, text.replacen(from, "from   = \"once\"", 1) + ONCE).unwrap();
        site
    }

    /// Returns whether the flow recognizes duplicate records.
    pub(crate) fn tells_duplicates(&self) -> bool {
        self.has(ONCE)
    }

    /// Returns whether records wait for others.
    pub(crate) fn makes_bundles(&self) -> bool {
        self.has(BUNDLES)
    }

    /// Returns whether records are priced by counters.
    pub(crate) fn has_prices(&self) -> bool {
        self.has(COUNTING)
    }

    fn has(&self, nodes: &str) -> bool {
        fs::read_to_string(self.path("flow.toml")).unwrap().contains(nodes)
    }

    /// Returns the same site, processed in two processes of two threads each.
    pub(crate) fn in_processes(self) -> Self {
        let flow = self.path("flow.toml");
        let text = fs::read_to_string(&flow).unwrap();
        fs::write(&flow, text + PROCESSES).unwrap();
        self
    }

    /// Copies the flow and its inputs into another folder.
    pub(crate) fn copied(&self, folder: &Path) -> Self {
        fs::create_dir_all(folder).unwrap();
        let from = self.path(".");
        let copied = Command::new("cp").arg("-a").arg(from).arg(folder).status().unwrap();
        assert!(copied.success(), "the flow is copied to {}", folder.display());
        Site { folder: folder.into(), environment: Vec::new() }
    }

    /// Returns the same flow, run by processes with this environment.
    pub(crate) fn under(&self, environment: &[(&'static str, String)]) -> Self {
        Site { folder: self.folder.clone(), environment: environment.into() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        command.current_dir(&self.folder).args(line.split(' '));
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs a command to its end; a command that takes too long is killed.
    pub(crate) fn run(&self, line: &str) -> Ended {
        let mut command = self.command(line);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let process = child.id().to_string();
        let (over, is_over) = channel::<()>();
        let output = thread::scope(|scope| {
            scope.spawn(move || {
                if is_over.recv_timeout(ENDS_WITHIN) == Err(RecvTimeoutError::Timeout) {
                    let _ = Command::new("kill").args(["-9", &process]).status();
                }
            });
            let output = child.wait_with_output().unwrap();
            drop(over);
            output
        });
        let text = |octets: &[u8]| String::from_utf8_lossy(octets).into_owned();
        Ended {
            status: output.status.code(),
            said: text(&output.stderr),
            shown: text(&output.stdout),
        }
    }

    /// Starts a command; its output is discarded.
    pub(crate) fn start(&self, line: &str) -> Running {
        let nowhere = (Stdio::null(), Stdio::null());
        Running(self.command(line).stdout(nowhere.0).stderr(nowhere.1).spawn().unwrap())
    }

    /// Starts a command that writes its output to a file.
    pub(crate) fn start_saying(&self, line: &str, to: &Path) -> Running {
        let said = File::options().create(true).append(true).open(to).unwrap();
        Running(self.command(line).stdout(Stdio::null()).stderr(said).spawn().unwrap())
    }

    /// Returns the input files, including those that are done.
    pub(crate) fn inputs(&self) -> Vec<PathBuf> {
        let all = self.centres().flat_map(|centre| files_of(&centre));
        all.filter(|path| !path.to_string_lossy().ends_with(".expected.json")).collect()
    }

    /// Returns the input files by their names, which is the order in which the gateway takes them.
    pub(crate) fn inputs_in_order(&self) -> Vec<PathBuf> {
        let mut inputs = self.inputs();
        inputs.sort_by_key(|path| path.file_name().map(OsStr::to_owned));
        inputs
    }

    /// Removes all inputs; the folders stay.
    pub(crate) fn remove_inputs(&self) {
        for path in self.centres().flat_map(|centre| files_of(&centre)) {
            fs::remove_file(path).unwrap();
        }
    }

    /// Returns how many inputs are marked as done.
    pub(crate) fn marked(&self) -> usize {
        self.inputs().iter().filter(|path| path.to_string_lossy().contains(".ber.done")).count()
    }

    /// Returns the folders of inputs.
    pub(crate) fn centres(&self) -> impl Iterator<Item = PathBuf> {
        CENTRES.iter().map(|centre| self.path("in").join(centre))
    }

    /// Adds a prefix to the name of each input.
    pub(crate) fn rename_inputs(&self, prefix: &str) {
        for path in self.centres().flat_map(|centre| files_of(&centre)) {
            let name = path.file_name().unwrap().to_string_lossy();
            fs::rename(&path, path.with_file_name(format!("{prefix}{name}"))).unwrap();
        }
    }

    /// Puts an input of another flow here, atomically; does nothing if a file of its name is there. Returns whether it
    /// was put.
    pub(crate) fn put(&self, from: &Site, input: &Path) -> bool {
        let to = self.folder.join(input.strip_prefix(&from.folder).unwrap());
        if to.exists() {
            return false;
        }
        let part = to.with_extension("part");
        fs::copy(input, &part).unwrap();
        age(&part);
        fs::rename(part, to).unwrap();
        true
    }

    /// Returns the folders in which receivers find their files.
    pub(crate) fn output_folders(&self) -> impl Iterator<Item = PathBuf> {
        OUTPUTS.iter().map(|made| self.path(made))
    }

    /// Returns the files that a receiver sees.
    pub(crate) fn outputs(&self) -> Vec<PathBuf> {
        self.output_folders().flat_map(|folder| files_of(&folder)).collect()
    }

    /// Returns the files that no receiver sees: those that were begun.
    pub(crate) fn parts(&self) -> Vec<PathBuf> {
        let all = self.output_folders().flat_map(|folder| entries(&folder));
        all.filter(|path| is_hidden(path)).collect()
    }
}

/// The parameters of a site's inputs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inputs {
    pub(crate) files: usize,
    pub(crate) records: usize,
    /// The share of records that go to suspense.
    pub(crate) damaged: f64,
    pub(crate) seed: u64,
}

/// A process, killed at the latest when this value is dropped.
#[derive(Debug)]
pub(crate) struct Running(Child);

impl Running {
    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.0.try_wait().unwrap().is_some()
    }

    /// Kills the process; returns whether it still ran.
    pub(crate) fn kill(mut self) -> bool {
        let was_there = !self.has_ended();
        self.0.kill().unwrap();
        self.0.wait().unwrap();
        was_there
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until a condition is true, which must become so; `what` describes it.
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < end, "in {PATIENCE:?} it was not so that {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Makes a file look as if it was not written to for a while.
fn age(path: &Path) {
    let written = SystemTime::now() - Duration::from_secs(3600);
    File::options().write(true).open(path).unwrap().set_modified(written).unwrap();
}

/// Returns the files of a folder without the hidden ones; none if there is no folder.
pub(crate) fn files_of(folder: &Path) -> Vec<PathBuf> {
    entries(folder).filter(|path| !is_hidden(path)).collect()
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(folder).map(|entries| entries.collect::<io::Result<Vec<_>>>());
    let entries = entries.map(Result::unwrap).unwrap_or_default();
    entries.into_iter().map(|entry| entry.path())
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().unwrap().to_string_lossy().starts_with('.')
}
