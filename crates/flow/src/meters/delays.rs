//! Delays of files, from their arrival to their delivery.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use journal::JobId;

/// The most files whose arrival is remembered until their outputs reach a receiver. If a receiver is unreachable for
/// days, more files wait; the oldest are forgotten, and their delay is not reported.
const WAITING_MAX: usize = 10_000;

/// Delays of a run.
#[derive(Debug, Default)]
pub(super) struct Delays {
    /// The longest delay since the last [`take_slowest`](Delays::take_slowest).
    slowest: Option<Duration>,
    /// Arrivals of files with outputs to transfer. The number of receivers that still wait is not counted.
    waiting: BTreeMap<JobId, SystemTime>,
}

impl Delays {
    /// Notes that the outputs of a file which arrived at `arrived_at` are where their receivers look for them.
    pub(super) fn delivered(&mut self, arrived_at: SystemTime, now: SystemTime) {
        // If the clock was set back meanwhile, there is no delay.
        self.slowest = self.slowest.max(now.duration_since(arrived_at).ok());
    }

    /// Remembers the arrival of a file with outputs to transfer.
    pub(super) fn remember(&mut self, file: JobId, arrived_at: SystemTime) {
        if self.waiting.len() == WAITING_MAX {
            self.waiting.pop_first();
        }
        self.waiting.insert(file, arrived_at);
    }

    /// Notes that an output of this file reached a receiver.
    pub(super) fn transferred(&mut self, file: JobId, now: SystemTime) {
        if let Some(arrived_at) = self.waiting.get(&file) {
            self.delivered(*arrived_at, now);
        }
    }

    /// Takes the longest delay since the last call.
    pub(super) fn take_slowest(&mut self) -> Option<Duration> {
        self.slowest.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn the_slowest_is_told_once() {
        let mut delays = Delays::default();
        assert_eq!(delays.take_slowest(), None);
        delays.delivered(at(10), at(13));
        delays.delivered(at(10), at(12));
        delays.delivered(at(20), at(12));
        assert_eq!(delays.take_slowest(), Some(Duration::from_secs(3)));
        assert_eq!(delays.take_slowest(), None);
    }

    #[test]
    fn an_output_is_late_once_it_is_transferred() {
        let mut delays = Delays::default();
        delays.remember(JobId(1), at(10));
        delays.remember(JobId(2), at(14));
        assert_eq!(delays.take_slowest(), None);
        delays.transferred(JobId(1), at(20));
        assert_eq!(delays.take_slowest(), Some(Duration::from_secs(10)));
        delays.transferred(JobId(3), at(90));
        assert_eq!(delays.take_slowest(), None, "the time of arrival in an earlier run is unknown");
    }

    #[test]
    fn of_the_oldest_it_is_forgotten_when_they_came() {
        let mut delays = Delays::default();
        (0..=WAITING_MAX as i64).for_each(|file| delays.remember(JobId(file), at(1)));
        assert_eq!(delays.waiting.len(), WAITING_MAX);
        delays.transferred(JobId(0), at(2));
        assert_eq!(delays.take_slowest(), None);
    }
}
