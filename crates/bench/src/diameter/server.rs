//! A server that is measured: a process of its own.

use std::cell::RefCell;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::str::FromStr;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, SysconfVar, sysconf};

use crate::error::BenchError;
use crate::product::Product;

/// After so long without work, a server has caught up: it folds accounts every ten seconds.
const QUIET: Duration = Duration::from_secs(11);

/// The processor time of a quiet server meanwhile, at most.
const QUIET_SHARE: f64 = 0.02;

/// How long a server may take to catch up.
const CATCHES_UP_WITHIN: Duration = Duration::from_secs(120);

/// A server that is measured.
pub(super) struct Server {
    pub(super) name: String,
    pub(super) address: SocketAddr,
    process: u32,
    /// If it was started for the measurement.
    child: Option<Child>,
    /// What it says, if it is a process of this benchmark.
    says: Option<RefCell<BufReader<ChildStdout>>>,
}

/// A server that runs already: `NAME=ADDRESS,PID`.
#[derive(Clone, Debug)]
pub(super) struct Peer {
    name: String,
    address: SocketAddr,
    process: u32,
}

/// A text does not name a server.
#[derive(Debug, thiserror::Error)]
#[error("a server that runs is named NAME=ADDRESS,PID, such as \"go=127.0.0.1:3869,4711\"")]
pub(super) struct NoPeer;

impl FromStr for Peer {
    type Err = NoPeer;

    fn from_str(text: &str) -> Result<Self, NoPeer> {
        let (name, rest) = text.split_once('=').ok_or(NoPeer)?;
        let (address, process) = rest.rsplit_once(',').ok_or(NoPeer)?;
        let (Ok(address), Ok(process)) = (address.parse(), process.parse()) else {
            return Err(NoPeer);
        };
        Ok(Peer { name: name.to_owned(), address, process })
    }
}

impl Server {
    /// Returns one that runs already.
    pub(super) fn running(Peer { name, address, process }: &Peer) -> Self {
        let (child, says) = (None, None);
        Server { name: name.clone(), address: *address, process: *process, child, says }
    }

    /// Starts `tollgate charge run` with a definition.
    pub(super) fn charging(
        name: &str,
        product: &Product,
        definition: &Path,
    ) -> Result<Self, BenchError> {
        let mut command = Command::new(&product.executable);
        command.args(["charge", "run"]).arg(definition).stderr(Stdio::piped());
        let mut child = command.stdin(Stdio::null()).spawn()?;
        let log = BufReader::new(child.stderr.take().expect("it is piped"));
        let mut lines = log.lines();
        let address = loop {
            let Some(line) = lines.next().transpose()? else {
                return Err(no_server(name));
            };
            let words = line.starts_with("peers of Diameter").then(|| line.split(' ').next_back());
            if let Some(address) = words.flatten().and_then(|word| word.parse().ok()) {
                break address;
            }
        };
        // What it writes later must not fill the pipe.
        thread::spawn(move || lines.for_each(drop));
        let process = child.id();
        let (child, says) = (Some(child), None);
        Ok(Server { name: name.to_owned(), address, process, child, says })
    }

    /// Starts a process of this benchmark that serves, perhaps with another allocator.
    pub(super) fn serving(
        name: &str,
        product: &Product,
        serving: &Path,
        allocator: Option<&Path>,
    ) -> Result<Self, BenchError> {
        let mut command = Command::new(&product.executable);
        command.args(["bench", "diameter", "--serve"]).arg(serving);
        if let Some(allocator) = allocator {
            command.env("LD_PRELOAD", allocator);
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        let mut says = BufReader::new(child.stdout.take().expect("it is piped"));
        says.read_line(&mut line)?;
        let address = line.trim().parse().map_err(|_| no_server(name))?;
        let process = child.id();
        let (child, says) = (Some(child), Some(RefCell::new(says)));
        Ok(Server { name: name.to_owned(), address, process, child, says })
    }

    /// Returns its allocations so far, if it counts them.
    pub(super) fn allocations(&self) -> Result<Option<u64>, BenchError> {
        let (Some(child), Some(says)) = (&self.child, &self.says) else { return Ok(None) };
        let Some(mut stdin) = child.stdin.as_ref() else { return Ok(None) };
        stdin.write_all(b"\n")?;
        let mut line = String::new();
        says.borrow_mut().read_line(&mut line)?;
        Ok(line.trim().parse().ok())
    }

    /// Returns the processor time of the process, in user and system mode.
    pub(super) fn processor_time(&self) -> Result<Duration, BenchError> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.process))?;
        // The name of a program, in brackets, may have spaces.
        let behind = stat.rsplit_once(") ").map_or("", |(_, behind)| behind);
        let of = |place: usize| behind.split(' ').nth(place).and_then(|of| of.parse::<u64>().ok());
        let ticks = of(11).zip(of(12)).map_or(0, |(user, system)| user + system);
        let per_second = sysconf(SysconfVar::CLK_TCK).ok().flatten().unwrap_or(100);
        Ok(Duration::from_secs_f64(ticks as f64 / per_second as f64))
    }

    /// Waits until the server has nothing to do behind its answers.
    pub(super) fn catch_up(&self) -> Result<(), BenchError> {
        let begun = Instant::now();
        loop {
            let before = self.processor_time()?;
            thread::sleep(QUIET);
            let share = (self.processor_time()? - before).div_duration_f64(QUIET);
            if share <= QUIET_SHARE || begun.elapsed() > CATCHES_UP_WITHIN {
                return Ok(());
            }
        }
    }
}

fn no_server(name: &str) -> BenchError {
    BenchError::Answer { answer: format!("the server \"{name}\" does not start") }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            drop(child.stdin.take());
            let _ = kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGTERM);
            let _ = child.wait();
        }
    }
}
