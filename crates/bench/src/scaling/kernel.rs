//! What the kernel counts of this process and of the processes that it starts.

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

/// How often it is looked how long each thread computed and waited: rarely enough not to be seen in the figures.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// How long processes have that are to end.
const ENDS_WITHIN: Duration = Duration::from_secs(10);

/// Of a run, with all its processes.
#[derive(Clone, Debug, Default)]
pub(super) struct Counted {
    /// How often a thread gave up its processor by itself: to wait for a lock, a message, a disk.
    pub(super) waits: u64,
    /// How often one was taken its processor away.
    pub(super) preempted: u64,
    /// Pages of memory that were touched for the first time.
    pub(super) faults: u64,
    /// Allocations of this process, without the other processes of the run; `None` in a build that
    /// does not count them.
    pub(super) allocations: Option<u64>,
    samples: Vec<Sample>,
}

/// Threads on average, while work was steady.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    /// That computed, or were ready to: the load average.
    pub(super) ready: f64,
    /// Those of them that waited for a processor.
    pub(super) waiting: f64,
}

impl Counted {
    /// Counts what comes of work, until the processes have ended that it started.
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

    /// The load between two moments, if they are far enough from each other.
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

/// How long the thread that asks has had a processor, to the nanosecond.
pub(super) fn computed() -> Duration {
    let (computed_ns, _) = scheduled("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(computed_ns)
}

/// Of this process and of those it started that have ended.
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

/// What all threads have had until a moment, beginning with the first.
#[derive(Clone, Copy, Debug)]
struct Sample {
    at: Instant,
    computed_ns: u64,
    /// For a processor, while ready.
    waited_ns: u64,
}

/// Looks at all threads again and again.
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

    /// What it has seen, and how often it waited itself.
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
            // A number that another thread has now begins anew.
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

/// Of those processes that this one has started and that process files, that which has computed longest.
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

/// How long each thread of this process and its children computed and waited, by where the kernel tells it.
fn all_scheduled() -> Vec<(String, (u64, u64))> {
    let processes = [std::process::id()].into_iter().chain(children());
    processes.flat_map(scheduled_threads).collect()
}

/// The same, of a process.
fn scheduled_threads(process: u32) -> Vec<(String, (u64, u64))> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let of_thread = |thread: fs::DirEntry| {
        let path = format!("{}/schedstat", thread.path().display());
        let figures = scheduled(&path)?;
        Some((path, figures))
    };
    threads.filter_map(of_thread).collect()
}

/// How long a thread computed, and waited for a processor, in nanoseconds (`Documentation/scheduler/sched-stats.rst` of
/// Linux); none where it is gone, or the system does not say.
fn scheduled(path: &str) -> Option<(u64, u64)> {
    let text = fs::read_to_string(path).ok()?;
    let mut figures = text.split_whitespace();
    Some((figures.next()?.parse().ok()?, figures.next()?.parse().ok()?))
}

/// The processes that this one has started and that have not been seen to end.
fn children() -> Vec<u32> {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let children =
        threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let all = children.collect::<Vec<_>>().join(" ");
    all.split_whitespace().filter_map(|number| number.parse().ok()).collect()
}

/// Waits until there are none: only then the kernel counts what they did.
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
