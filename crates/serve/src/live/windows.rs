//! What was done in the last 10 seconds, in the last 5 minutes, and today.
//!
//! Each second, the meters give a sample: all counts since the gateway was started. What was done in a window is the
//! difference of two samples, so counts add up in each window as they do in the meters. Samples are kept whether clients
//! watch or not, so a client has all windows at once.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use flow::meters::Tallies;

/// The length of a day, in milliseconds. A day begins at midnight in UTC, the zone of all times that users read.
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// How long to wait after the journal could not be read.
const READ_AGAIN: Duration = Duration::from_secs(10);

/// Half the time between two ticks: a tick may be that late or early.
const JITTER: Duration = Duration::from_millis(500);

/// The moment of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    /// The time since the gateway was started, by a clock that is never set.
    pub(super) elapsed: Duration,
    /// The time of day, in milliseconds since 1970.
    pub(super) time_ms: i64,
}

/// What was done in a window.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Window {
    /// The seconds that the window covers.
    pub(super) seconds: f64,
    pub(super) done: Tallies,
}

/// What was done in each window.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct AllWindows {
    pub(super) ten_seconds: Window,
    pub(super) five_minutes: Window,
    pub(super) today: Window,
}

/// The samples from which windows are computed.
#[derive(Debug)]
pub(super) struct Samples {
    last: Arc<Tallies>,
    ten_seconds: Ring,
    five_minutes: Ring,
    today: Today,
}

impl Samples {
    /// Begins with the start of the gateway, before which nothing was counted.
    pub(super) fn new(now: Moment) -> Self {
        let last = Arc::<Tallies>::default();
        let ring = |every: u64, length: u64| {
            let [every, length] = [every, length].map(Duration::from_secs);
            Ring { every, length, samples: [(now.elapsed, Arc::clone(&last))].into() }
        };
        Samples {
            ten_seconds: ring(1, 10),
            five_minutes: ring(10, 300),
            today: Today::new(now, &last),
            last,
        }
    }

    /// Adds a sample.
    pub(super) fn add(&mut self, now: Moment, tallies: Tallies) {
        // Samples of a gateway that does nothing share their memory.
        if *self.last != tallies {
            self.last = Arc::new(tallies);
        }
        if midnight_before(now.time_ms) != self.today.midnight_ms {
            self.today = Today::new(now, &self.last);
        }
        self.ten_seconds.add(now.elapsed, &self.last);
        self.five_minutes.add(now.elapsed, &self.last);
    }

    /// Returns the windows that end with the last sample, which was added at `now`.
    pub(super) fn windows(&self, now: Moment) -> AllWindows {
        AllWindows {
            ten_seconds: self.ten_seconds.window(now.elapsed, &self.last),
            five_minutes: self.five_minutes.window(now.elapsed, &self.last),
            today: self.today.window(now, &self.last),
        }
    }

    /// Returns what to read from the journal, if something is due.
    pub(super) fn wants(&mut self, now: Moment) -> Option<Wanted> {
        let today = &mut self.today;
        if today.is_read || now.elapsed < today.reads_at {
            return None;
        }
        today.reads_at = now.elapsed + READ_AGAIN;
        Some(Wanted { since_ms: today.midnight_ms, counted: Arc::clone(&self.last) })
    }

    /// Takes what was read.
    pub(super) fn take(&mut self, wanted: &Wanted, read: Tallies) {
        let today = &mut self.today;
        // It may have become another day since.
        if today.midnight_ms == wanted.since_ms {
            today.read = read;
            today.counted = Arc::clone(&wanted.counted);
            today.is_read = true;
        }
    }
}

/// The jobs to read from the journal: those that were done since a midnight, up to the last job that a sample counts.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) since_ms: i64,
    counted: Arc<Tallies>,
}

impl Wanted {
    pub(super) fn last_job(&self) -> i64 {
        self.counted.last_job
    }
}

/// The samples of a window, the oldest first: not more than the length of the window has steps, and two.
#[derive(Debug)]
struct Ring {
    every: Duration,
    length: Duration,
    samples: VecDeque<(Duration, Arc<Tallies>)>,
}

impl Ring {
    fn add(&mut self, now: Duration, sample: &Arc<Tallies>) {
        let is_due = |(last, _): &(Duration, Arc<Tallies>)| now + JITTER >= *last + self.every;
        if self.samples.back().is_none_or(is_due) {
            self.samples.push_back((now, Arc::clone(sample)));
        }
        // The first sample that is old enough begins the window. None is, if the gateway has just started.
        let is_old = |(at, _): &(Duration, Arc<Tallies>)| *at + self.length <= now + JITTER;
        while self.samples.get(1).is_some_and(is_old) {
            self.samples.pop_front();
        }
    }

    fn window(&self, now: Duration, last: &Tallies) -> Window {
        let Some((from, first)) = self.samples.front() else { return Window::default() };
        Window { seconds: now.saturating_sub(*from).as_secs_f64(), done: last.since(first) }
    }
}

/// The counts of a day: those of the journal up to a sample, and those since that sample.
#[derive(Debug)]
struct Today {
    midnight_ms: i64,
    /// When the counts begin, as long as the journal is not read.
    from: Duration,
    /// The earliest time to read the journal.
    reads_at: Duration,
    is_read: bool,
    read: Tallies,
    /// The sample that the journal has all jobs of.
    counted: Arc<Tallies>,
}

impl Today {
    fn new(now: Moment, sample: &Arc<Tallies>) -> Self {
        Today {
            midnight_ms: midnight_before(now.time_ms),
            from: now.elapsed,
            reads_at: now.elapsed,
            is_read: false,
            read: Tallies::default(),
            counted: Arc::clone(sample),
        }
    }

    fn window(&self, now: Moment, last: &Tallies) -> Window {
        let mut done = last.since(&self.counted);
        done.add(&self.read);
        let seconds = match self.is_read {
            true => (now.time_ms - self.midnight_ms).max(0) as f64 / 1_000.0,
            false => now.elapsed.saturating_sub(self.from).as_secs_f64(),
        };
        Window { seconds, done }
    }
}

fn midnight_before(time_ms: i64) -> i64 {
    time_ms - time_ms.rem_euclid(DAY_MS)
}

#[cfg(test)]
mod tests {
    use flow::meters::{OfElement, Outcomes};

    use super::*;

    /// Noon of a day, in milliseconds since 1970.
    const NOON_MS: i64 = 20_000 * DAY_MS + DAY_MS / 2;

    /// Returns the moment so many seconds after a start at noon.
    fn at(seconds: f64) -> Moment {
        let elapsed = Duration::from_secs_f64(seconds);
        Moment { elapsed, time_ms: NOON_MS + elapsed.as_millis() as i64 }
    }

    /// Returns the counts of a gateway that has delivered so many records, one a job.
    fn records(count: u64) -> Tallies {
        let mut tallies = Tallies { last_job: count as i64, ..Tallies::default() };
        if count > 0 {
            let records = Outcomes([count, 0, 0, 0, 0]);
            let of = OfElement { files: count, records, ..OfElement::default() };
            tallies.elements.insert("msc".into(), of);
        }
        tallies
    }

    /// Returns the seconds and the records of a window.
    fn shown(window: &Window) -> (f64, u64) {
        (window.seconds, window.done.elements.get("msc").map_or(0, |of| of.records.0[0]))
    }

    /// Returns samples of each second up to `seconds`, with so many records a second.
    fn run(seconds: u64, per_second: u64) -> Samples {
        let mut samples = Samples::new(at(0.0));
        for second in 1..=seconds {
            samples.add(at(second as f64), records(second * per_second));
        }
        samples
    }

    #[test]
    fn a_window_covers_what_there_is_from_the_first_second() {
        for (seconds, ten_seconds, five_minutes) in [
            (0, (0.0, 0), (0.0, 0)),
            (1, (1.0, 7), (1.0, 7)),
            (3, (3.0, 21), (3.0, 21)),
            (10, (10.0, 70), (10.0, 70)),
            (11, (10.0, 70), (11.0, 77)),
            (300, (10.0, 70), (300.0, 2_100)),
            (305, (10.0, 70), (305.0, 2_135)),
            (310, (10.0, 70), (300.0, 2_100)),
        ] {
            let windows = run(seconds, 7).windows(at(seconds as f64));
            assert_eq!(shown(&windows.ten_seconds), ten_seconds, "{seconds}");
            assert_eq!(shown(&windows.five_minutes), five_minutes, "{seconds}");
        }
    }

    #[test]
    fn a_window_says_how_long_it_is_if_samples_come_late() {
        let mut samples = run(60, 1);
        samples.add(at(95.0), records(95));
        let windows = samples.windows(at(95.0));
        assert_eq!(shown(&windows.ten_seconds), (35.0, 35));
        samples.add(at(96.2), records(96));
        assert_eq!(shown(&samples.windows(at(96.2)).ten_seconds).1, 36);
        for late in [0.3, -0.3].into_iter().cycle().zip(97..120) {
            samples.add(at(f64::from(late.1) + late.0), records(late.1 as u64));
        }
        let (seconds, _) = shown(&samples.windows(at(119.3)).ten_seconds);
        assert!((9.5..=10.5).contains(&seconds), "{seconds}");
    }

    #[test]
    fn samples_take_bounded_memory() {
        let samples = run(5_000, 1);
        assert!(samples.ten_seconds.samples.len() <= 12);
        assert!(samples.five_minutes.samples.len() <= 32);
    }

    #[test]
    fn a_gateway_that_does_nothing_has_one_sample_in_memory() {
        let samples = run(30, 0);
        let mut all = samples.ten_seconds.samples.iter().chain(&samples.five_minutes.samples);
        // The first one is that of the start.
        assert!(all.all(|(_, sample)| Arc::ptr_eq(sample, &samples.last)));
    }

    #[test]
    fn today_has_what_was_done_before_the_start() {
        let mut samples = Samples::new(at(0.0));
        // The journal has 100 jobs from before the start, and the first sample counts one more.
        let since_start = |count: u64| Tallies { last_job: 100 + count as i64, ..records(count) };
        samples.add(at(1.0), since_start(1));
        let wanted = samples.wants(at(1.0)).expect("the journal is not read yet");
        assert_eq!((wanted.since_ms, wanted.last_job()), (NOON_MS - DAY_MS / 2, 101));
        assert_eq!(shown(&samples.windows(at(1.0)).today), (1.0, 1), "until it is read");
        samples.add(at(2.0), since_start(5));
        // Of the 101 jobs, 41 were done today.
        samples.take(&wanted, records(41));
        assert_eq!(shown(&samples.windows(at(2.0)).today), (43_202.0, 45));
        assert!(samples.wants(at(60.0)).is_none());
    }

    #[test]
    fn a_journal_that_cannot_be_read_is_read_again() {
        let mut samples = run(1, 1);
        assert!(samples.wants(at(1.0)).is_some());
        assert!(samples.wants(at(5.0)).is_none());
        assert!(samples.wants(at(11.0)).is_some());
    }

    #[test]
    fn today_begins_at_midnight() {
        let mut samples = run(1, 1);
        let wanted = samples.wants(at(1.0)).unwrap();
        samples.take(&wanted, records(500));
        let midnight = DAY_MS as f64 / 2_000.0;
        samples.add(at(midnight - 1.0), records(70));
        assert_eq!(shown(&samples.windows(at(midnight - 1.0)).today).1, 569);
        samples.add(at(midnight), records(80));
        assert_eq!(shown(&samples.windows(at(midnight)).today), (0.0, 0));
        // What was read for the day before is not of this day.
        samples.take(&wanted, records(500));
        samples.add(at(midnight + 2.0), records(84));
        assert_eq!(shown(&samples.windows(at(midnight + 2.0)).today), (2.0, 4));
        let wanted = samples.wants(at(midnight + 2.0)).unwrap();
        samples.take(&wanted, records(6));
        assert_eq!(shown(&samples.windows(at(midnight + 2.0)).today), (2.0, 6));
    }

    #[test]
    fn a_name_that_is_new_counts_from_zero() {
        let mut samples = run(20, 1);
        let mut tallies = records(21);
        let of = OfElement { files: 3, ..OfElement::default() };
        tallies.elements.insert("new".into(), of.clone());
        samples.add(at(21.0), tallies);
        let windows = samples.windows(at(21.0));
        assert_eq!(windows.ten_seconds.done.elements["new"], of);
        assert_eq!(windows.five_minutes.done.elements["new"], of);
    }
}
