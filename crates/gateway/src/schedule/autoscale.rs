//! The number of threads if neither the flow nor the options give one. At first there are as many as processors. There
//! are more while files wait and processors are idle, for example with remote disks, and fewer when that is over.
//!
//! Each change is an attempt. It is measured, and taken back if it brings nothing; then the next attempt waits twice as
//! long. So the number settles under any load.

use std::thread;
use std::time::Instant;

use diagnostics::counted;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use runtime::time::now_ms;

use crate::schedule::queue::{Begun, Queue};
use flow::meters::{Decision, Meters};

/// The shortest time of a measurement.
const WINDOW_SECONDS: f64 = 3.0;

/// The fewest tasks that each thread has begun in a measurement. With a few large files, progress is unknown.
const TASKS: u64 = 4;

/// The most threads for each processor, as in the paper on the load balancing of the Billing Gateway (section 6).
const THREADS_MAX: usize = 4;

/// Below this share of busy time, processors have room for more threads. Above the other, only for as many as
/// processors.
const IDLE_BELOW: f64 = 0.85;
const BUSY_ABOVE: f64 = 0.97;

/// The least gain that more threads must bring, and the most loss that fewer may cost, as ratios of the throughput.
const GAIN_MIN: f64 = 1.05;
const LOSS_MAX: f64 = 0.98;

/// How many windows an attempt waits after one that brought nothing. It doubles each time, up to the maximum.
const REST: u32 = 4;
const REST_MAX: u32 = 512;

/// The number of threads, and the attempts to improve it.
#[derive(Debug)]
pub(crate) struct Balance {
    processors: usize,
    /// The number of threads by default, and the maximum.
    usual: usize,
    most: usize,
    threads: usize,
    attempt: Option<Attempt>,
    /// Windows until the next attempt, and how many follow an attempt that brings nothing.
    waits: u32,
    rest: u32,
    window: Window,
}

/// An attempt.
#[derive(Clone, Copy, Debug)]
struct Attempt {
    /// The threads before it, and the octets per second with them.
    before: usize,
    octets: f64,
}

/// A measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Window {
    pub(crate) seconds: f64,
    /// Octets of the files that were begun.
    pub(crate) octets: f64,
    /// Processor time used, in seconds.
    pub(crate) used: f64,
    /// Whether tasks waited all the time.
    pub(crate) has_waiting: bool,
    /// How many tasks were begun.
    pub(crate) tasks: u64,
    /// Whether memory is nearly full.
    pub(crate) is_memory_short: bool,
}

/// A change of the number of threads.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Change {
    pub(crate) threads: usize,
    /// The reason, for the log.
    pub(crate) why: String,
}

/// How many threads a balance may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadRange {
    /// At the beginning.
    pub(crate) usual: usize,
    pub(crate) most: usize,
}

impl Balance {
    pub(crate) fn new(processors: usize, ThreadRange { usual, most }: ThreadRange) -> Self {
        Balance {
            processors,
            usual,
            most,
            threads: usual,
            attempt: None,
            waits: 0,
            rest: REST,
            window: Window { has_waiting: true, ..Window::default() },
        }
    }

    /// Returns the most threads there may be, besides those that groups have of their own.
    pub(crate) fn most(processors: usize, own: usize) -> usize {
        (THREADS_MAX * processors).saturating_sub(own)
    }

    /// Adds a measurement. Returns the change to make, if any.
    pub(crate) fn look(&mut self, measured: Window) -> Option<Change> {
        if measured.is_memory_short && self.threads > 1 {
            return Some(self.fewer_for_memory());
        }
        let window = &mut self.window;
        window.seconds += measured.seconds;
        window.octets += measured.octets;
        window.used += measured.used;
        window.tasks += measured.tasks;
        window.has_waiting &= measured.has_waiting;
        let is_long = window.seconds >= WINDOW_SECONDS;
        let has_many = window.tasks >= TASKS * self.threads as u64;
        // A window in which work ran out says nothing.
        if is_long && !window.has_waiting {
            self.next_window();
        }
        if !(is_long && has_many && self.window.has_waiting) {
            return None;
        }
        let window = self.next_window();
        match self.attempt.take() {
            Some(attempt) => self.judge(attempt, window),
            None => self.attempt(window),
        }
    }

    fn next_window(&mut self) -> Window {
        std::mem::replace(&mut self.window, Window { has_waiting: true, ..Window::default() })
    }

    /// Halves the threads. Their number does not grow until the next attempt.
    fn fewer_for_memory(&mut self) -> Change {
        self.next_window();
        self.attempt = None;
        self.threads = self.threads.div_ceil(2);
        self.waits = self.rest;
        self.rest = (self.rest * 2).min(REST_MAX);
        Change { threads: self.threads, why: "there is hardly any memory left".into() }
    }

    /// Tries another number if processors are idle or busy.
    fn attempt(&mut self, window: Window) -> Option<Change> {
        if self.waits > 0 {
            self.waits -= 1;
            return None;
        }
        let busy = window.used / window.seconds / self.processors as f64;
        let more = self.threads + self.threads.div_ceil(4);
        let (threads, what) = match busy {
            busy if busy < IDLE_BELOW => (more.min(self.most), "waits for disks"),
            busy if busy > BUSY_ABOVE && self.threads > self.usual => {
                (self.usual.max(self.threads * 3 / 4), "is used by fewer threads too")
            }
            _ => return None,
        };
        if threads == self.threads {
            return None;
        }
        let octets = window.octets / window.seconds;
        self.attempt = Some(Attempt { before: self.threads, octets });
        self.threads = threads;
        let percent = (busy * 100.0).round();
        Some(Change {
            threads,
            why: format!("processors are used {percent} %: perhaps the rest {what}"),
        })
    }

    /// Keeps the change of an attempt, or takes it back.
    fn judge(&mut self, Attempt { before, octets }: Attempt, window: Window) -> Option<Change> {
        let ratio = window.octets / window.seconds / octets;
        let least = if self.threads > before { GAIN_MIN } else { LOSS_MAX };
        if ratio >= least {
            // If fewer threads do as much, still fewer might not: those attempts stay rare.
            if self.threads > before {
                self.rest = REST;
            }
            return None;
        }
        self.waits = self.rest;
        self.rest = (self.rest * 2).min(REST_MAX);
        self.threads = before;
        let percent = (ratio * 100.0).round();
        Some(Change {
            threads: before,
            why: format!("the change gave {percent} % of what was done before"),
        })
    }
}

/// Adjusts the number of threads while a gateway runs.
pub(crate) struct Autoscaler<'q> {
    balance: Balance,
    queue: &'q Queue,
    meters: &'q Meters,
    /// The time of the last measurement, and the processor time used by then.
    last: Instant,
    used: f64,
}

impl<'q> Autoscaler<'q> {
    /// Adjusts the threads that take from a queue.
    pub(crate) fn new(queue: &'q Queue, meters: &'q Meters, threads: ThreadRange) -> Self {
        let balance = Balance::new(processors(), threads);
        Autoscaler { balance, queue, meters, last: Instant::now(), used: used() }
    }

    /// Measures, and changes the number of threads if needed.
    pub(crate) fn look(&mut self) {
        let (now, used) = (Instant::now(), used());
        let Begun { octets, tasks, has_idled } = self.queue.take_begun();
        let window = Window {
            seconds: (now - self.last).as_secs_f64(),
            octets: octets as f64,
            used: used - self.used,
            tasks,
            has_waiting: !has_idled,
            is_memory_short: runtime::memory_pressure::is_short(),
        };
        (self.last, self.used) = (now, used);
        if let Some(Change { threads, why }) = self.balance.look(window) {
            self.queue.set_most(threads);
            let what = format!("files are processed by {} now", counted(threads, "thread"));
            tracing::info!(target: "flow::balance", threads, "{what}: {why}");
            self.meters.balanced(threads, Decision { at_ms: now_ms(), what, why });
        }
    }
}

/// Returns how many processors this process may use, by its affinity and its control group.
pub(crate) fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Returns the processor time that this process has used, in seconds.
fn used() -> f64 {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) else { return 0.0 };
    let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    seconds(usage.user_time()) + seconds(usage.system_time())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PROCESSORS: usize = 4;

    fn balance() -> Balance {
        Balance::new(
            PROCESSORS,
            ThreadRange { usual: PROCESSORS, most: Balance::most(PROCESSORS, 0) },
        )
    }

    /// A load: the time that files wait for disks as a multiple of their work, and the noise of the measurements.
    struct Load {
        waiting: f64,
        noise: Vec<f64>,
    }

    impl Load {
        fn steady(waiting: f64) -> Self {
            Load { waiting, noise: vec![1.0] }
        }

        /// Returns the measurements with `threads` threads.
        fn window(&self, threads: usize, at: usize) -> Window {
            let used = (threads as f64 / (1.0 + self.waiting)).min(PROCESSORS as f64);
            let octets = used * 1e6 * self.noise[at % self.noise.len()];
            let is_memory_short = false;
            Window { seconds: 1.0, octets, used, tasks: 1_000, has_waiting: true, is_memory_short }
        }
    }

    /// Returns the changes within `seconds` seconds, each with its second.
    fn run(balance: &mut Balance, load: &Load, seconds: usize) -> Vec<(usize, usize)> {
        let look = |second| {
            let change = balance.look(load.window(balance.threads, second))?;
            Some((second, change.threads))
        };
        (0..seconds).filter_map(look).collect()
    }

    #[test]
    fn processors_that_have_enough_to_do_get_no_more_threads() {
        let mut balance = balance();
        assert_eq!(run(&mut balance, &Load::steady(0.0), 10_000), []);
    }

    #[test]
    fn threads_that_wait_for_disks_get_company_until_processors_have_enough_to_do() {
        let mut balance = balance();
        let changes = run(&mut balance, &Load::steady(1.5), 1_000);
        assert_eq!(changes.last().map(|(_, threads)| *threads), Some(9), "{changes:?}");
        assert!(
            changes.len() <= 4 && changes.iter().all(|(second, _)| *second < 60),
            "{changes:?}"
        );
    }

    #[test]
    fn it_has_no_more_than_it_may_and_goes_back_when_that_is_over() {
        let mut balance = balance();
        run(&mut balance, &Load::steady(20.0), 1_000);
        assert_eq!(balance.threads, Balance::most(PROCESSORS, 0));
        run(&mut balance, &Load::steady(0.0), 1_000);
        assert_eq!(balance.threads, PROCESSORS);
    }

    #[test]
    fn threads_of_groups_count_among_the_most_there_are() {
        let mut balance =
            Balance::new(PROCESSORS, ThreadRange { usual: 1, most: Balance::most(PROCESSORS, 3) });
        run(&mut balance, &Load::steady(20.0), 1_000);
        assert_eq!(balance.threads, 13);
        // As many as do the work, whatever there was to begin with.
        run(&mut balance, &Load::steady(0.0), 10_000);
        assert_eq!(balance.threads, PROCESSORS);
    }

    #[test]
    fn what_brings_nothing_is_taken_back_and_tried_more_and_more_rarely() {
        let mut balance = balance();
        // The disk gives no more, however many threads read.
        let disk = |second: usize| Window {
            octets: 1e6,
            used: 1.0,
            ..Load::steady(3.0).window(4, second)
        };
        let changes = (0..100_000).filter(|second| balance.look(disk(*second)).is_some()).count();
        assert!(changes <= 2 * 80, "{changes}");
        assert_eq!(balance.threads, PROCESSORS);
    }

    #[test]
    fn fewer_that_are_found_late_to_do_as_much_are_no_reason_to_try_often_again() {
        let mut balance = balance();
        run(&mut balance, &Load::steady(20.0), 1_000);
        let load = Load::steady(1.8);
        // As long as measurements say so, fewer than the most do less.
        let unlucky = |second: usize, threads: usize| Window {
            octets: if threads < 16 { 0.9e6 } else { 1e6 },
            ..load.window(threads, second)
        };
        (0..4_000).for_each(|second| drop(balance.look(unlucky(second, balance.threads))));
        assert_eq!(balance.threads, 16);
        let changes = run(&mut balance, &load, 4_000);
        assert_eq!(balance.threads, 12);
        assert!(changes.len() <= 12, "{changes:?}");
    }

    #[test]
    fn where_nothing_waits_nothing_is_changed_and_memory_goes_first() {
        let mut balance = balance();
        let idle = Window { has_waiting: false, ..Load::steady(9.0).window(4, 0) };
        assert!((0..1_000).all(|_| balance.look(idle).is_none()));
        let short = Window { is_memory_short: true, ..idle };
        assert_eq!(balance.look(short).map(|change| change.threads), Some(2));
        assert_eq!(balance.look(short).map(|change| change.threads), Some(1));
        assert_eq!(balance.look(short), None);
    }

    proptest! {
        /// A load that varies, measured with noise of a few percent: after each change of it, the number of threads
        /// settles, and hardly ever moves then.
        #[test]
        fn it_settles_whatever_the_load_does(
            loads in prop::collection::vec(0.0..12.0, 1..5),
            noise in prop::collection::vec(0.98..1.02, 50..60),
        ) {
            let mut balance = balance();
            for waiting in loads {
                let load = Load { waiting, noise: noise.clone() };
                run(&mut balance, &load, 4_000);
                let late = run(&mut balance, &load, 4_000);
                prop_assert!(late.len() <= 12, "{late:?}");
            }
        }
    }
}
