//! The kernel's counts of this process and its child processes.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use flow::WORKER_THREAD;
use nix::sys::resource::{Usage, UsageWho, getrusage};

use crate::allocations;

/// The interval between samples of all threads: so long that sampling does not affect the figures.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// The maximum time for child processes to end.
const ENDS_WITHIN: Duration = Duration::from_secs(10);

/// The counts of a run, with all its processes.
#[derive(Clone, Debug, Default)]
pub(super) struct Counted {
    /// How often a thread gave up its processor voluntarily: to wait for a lock, a message, a disk.
    pub(super) waits: u64,
    /// How often a thread was preempted.
    pub(super) preempted: u64,
    /// Page faults: pages of memory that were touched for the first time.
    pub(super) faults: u64,
    /// Allocations of this process, without the other processes of the run; `None` in a build that does not count them.
    pub(super) allocations: Option<u64>,
    samples: Vec<Sample>,
}

/// The average number of threads in the steady phase.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    /// Threads that computed or were ready to: the load average.
    pub(super) ready: f64,
    /// Threads of these that waited for a processor.
    pub(super) waiting: f64,
}

impl Counted {
    /// Runs `work` and waits until its child processes have ended. Returns the counts and the result.
    pub(super) fn of<R>(work: impl FnOnce() -> R) -> io::Result<(Counted, R)> {
        let before = Usages::now()?;
        let watch = Watch::start();
        let (allocations, result) = allocations::of(work);
        let (samples, own) = watch.end();
        children_end()?;
        let usages = Usages::now()?;
        let counted = Counted {
            waits: (usages.waits - before.waits).saturating_sub(own),
            preempted: usages.preempted - before.preempted,
            faults: usages.faults - before.faults,
            allocations,
            samples,
        };
        Ok((counted, result))
    }

    /// Returns the load between two moments, if they are far enough apart.
    pub(super) fn load(&self, begin: Instant, end: Instant) -> Option<Load> {
        let mut within =
            self.samples.iter().filter(|sample| sample.at >= begin && sample.at <= end);
        let (first, last) = (within.next()?, within.next_back()?);
        let elapsed = last.at.duration_since(first.at).as_nanos() as f64;
        let computed = (last.computed_ns - first.computed_ns) as f64 / elapsed;
        let waiting = (last.waited_ns - first.waited_ns) as f64 / elapsed;
        Some(Load { ready: computed + waiting, waiting })
    }
}

/// Returns the processor time of the calling thread.
pub(super) fn computed() -> Duration {
    let (computed_ns, _) = scheduled("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(computed_ns)
}

/// The usage of this process and of its ended children.
struct Usages {
    waits: u64,
    preempted: u64,
    faults: u64,
}

impl Usages {
    fn now() -> io::Result<Self> {
        let of = |who| getrusage(who).map_err(io::Error::from);
        let both = [of(UsageWho::RUSAGE_SELF)?, of(UsageWho::RUSAGE_CHILDREN)?];
        let sum = |figure: fn(&Usage) -> i64| -> u64 {
            both.iter().map(|usage| u64::try_from(figure(usage)).unwrap_or(0)).sum()
        };
        Ok(Usages {
            waits: sum(|usage| usage.voluntary_context_switches()),
            preempted: sum(|usage| usage.involuntary_context_switches()),
            faults: sum(|usage| usage.minor_page_faults()),
        })
    }
}

/// The times of all threads since the first sample.
#[derive(Clone, Copy, Debug)]
struct Sample {
    at: Instant,
    computed_ns: u64,
    /// Waiting for a processor.
    waited_ns: u64,
}

/// Samples all threads periodically.
struct Watch {
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<(Vec<Sample>, u64)>,
}

impl Watch {
    fn start() -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        Watch { is_over, thread: thread::spawn(move || watch(&over)) }
    }

    /// Stops. Returns the samples, and how often the sampling thread itself waited.
    fn end(self) -> (Vec<Sample>, u64) {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.thread().unpark();
        self.thread.join().unwrap_or_default()
    }
}

fn watch(is_over: &AtomicBool) -> (Vec<Sample>, u64) {
    let (mut samples, mut threads) = (Vec::new(), HashMap::new());
    let (mut computed_ns, mut waited_ns) = (0, 0);
    while !is_over.load(Ordering::Relaxed) {
        for (path, now) in all_scheduled() {
            let (computed, waited) = now;
            let (computed_before, waited_before) = threads.insert(path, now).unwrap_or_default();
            // The counts restart at 0 if another thread gets the number of an ended one.
            computed_ns += computed.saturating_sub(computed_before);
            waited_ns += waited.saturating_sub(waited_before);
        }
        samples.push(Sample { at: Instant::now(), computed_ns, waited_ns });
        thread::park_timeout(LOOK_AGAIN);
    }
    let own = own_usage().map_or(0, |usage| usage.voluntary_context_switches());
    (samples, u64::try_from(own).unwrap_or(0))
}

#[cfg(target_os = "linux")]
fn own_usage() -> Option<Usage> {
    getrusage(UsageWho::RUSAGE_THREAD).ok()
}

#[cfg(not(target_os = "linux"))]
fn own_usage() -> Option<Usage> {
    None
}

/// Returns the child process that processes files and has computed longest.
pub(super) fn busiest_processing() -> Option<u32> {
    let computed = |child: &u32| {
        let threads = scheduled_threads(*child);
        threads.iter().map(|(_, (computed, _))| computed).sum::<u64>()
    };
    children().into_iter().filter(has_worker).max_by_key(computed)
}

fn has_worker(process: &u32) -> bool {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let mut names =
        threads.filter_map(|thread| fs::read_to_string(thread.path().join("comm")).ok());
    names.any(|name| name.trim_end() == WORKER_THREAD)
}

/// Returns the times computed and waited of each thread of this process and its children, by the path of its file.
fn all_scheduled() -> Vec<(String, (u64, u64))> {
    let processes = [std::process::id()].into_iter().chain(children());
    processes.flat_map(scheduled_threads).collect()
}

/// Returns the same for one process.
fn scheduled_threads(process: u32) -> Vec<(String, (u64, u64))> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let of_thread = |thread: fs::DirEntry| {
        let path = format!("{}/schedstat", thread.path().display());
        let figures = scheduled(&path)?;
        Some((path, figures))
    };
    threads.filter_map(of_thread).collect()
}

/// Returns how long a thread computed, and waited for a processor, in nanoseconds
/// (`Documentation/scheduler/sched-stats.rst` of Linux); `None` if it has ended, or the system does not tell.
fn scheduled(path: &str) -> Option<(u64, u64)> {
    let text = fs::read_to_string(path).ok()?;
    let mut figures = text.split_whitespace();
    Some((figures.next()?.parse().ok()?, figures.next()?.parse().ok()?))
}

/// Returns the child processes that were not waited for yet.
fn children() -> Vec<u32> {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let children =
        threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let all = children.collect::<Vec<_>>().join(" ");
    all.split_whitespace().filter_map(|number| number.parse().ok()).collect()
}

/// Waits until all children have ended: only then does the kernel count what they did.
fn children_end() -> io::Result<()> {
    let end = Instant::now() + ENDS_WITHIN;
    while !children().is_empty() {
        if Instant::now() > end {
            return Err(io::Error::other("processing processes do not end"));
        }
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}
