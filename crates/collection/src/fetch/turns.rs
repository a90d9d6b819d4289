//! Orders files that are fetched over several connections: they get their names in the order of the listing.

use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use runtime::shutdown::Shutdown;
use runtime::sync::lock;

use super::STOP_CHECK_INTERVAL;

/// How often a waiting file's connection calls `meanwhile`.
const MEANWHILE_EVERY: Duration = Duration::from_secs(5);

/// The files of a list, by their places.
pub(super) struct Turns {
    count: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The first place that no connection has taken.
    next: usize,
    /// The first place that is not finished.
    first: usize,
    /// The finished places after it.
    through: BTreeSet<usize>,
    /// The first place whose file ended the pass.
    ended: Option<usize>,
}

impl Turns {
    pub(super) fn new(count: usize) -> Self {
        Turns { count, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Takes the next file. Returns `None` when there are no more, or when the pass has ended.
    pub(super) fn take(&self) -> Option<Turn<'_>> {
        let mut state = lock(&self.state);
        let place = state.next;
        if state.ended.is_some() || place >= self.count {
            return None;
        }
        state.next += 1;
        Some(Turn { turns: self, place })
    }

    /// Returns whether a file is not taken yet.
    pub(super) fn are_left(&self) -> bool {
        let state = lock(&self.state);
        state.ended.is_none() && state.next < self.count
    }
}

/// A file that a connection has taken. It is finished when this is dropped.
pub(super) struct Turn<'t> {
    turns: &'t Turns,
    pub(super) place: usize,
}

impl Turn<'_> {
    /// Waits until all files before this one are finished, and calls `meanwhile` now and then. Returns false if `end`
    /// is set or if this file or one before it ended the pass.
    pub(super) fn wait(&self, end: &Shutdown, mut meanwhile: impl FnMut()) -> bool {
        let mut since = Instant::now();
        let mut state = lock(&self.turns.state);
        while state.first < self.place && !end.is_set() {
            if since.elapsed() >= MEANWHILE_EVERY {
                drop(state);
                meanwhile();
                since = Instant::now();
                state = lock(&self.turns.state);
            }
            let waited = self.turns.changed.wait_timeout(state, STOP_CHECK_INTERVAL);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.first >= self.place && state.ended.is_none_or(|ended| ended > self.place)
    }

    /// Ends the pass: no more files are taken, and files after this one get no name.
    pub(super) fn end(&self) {
        let mut state = lock(&self.turns.state);
        let ended = state.ended.map_or(self.place, |ended| ended.min(self.place));
        state.ended = Some(ended);
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.turns.state);
        state.through.insert(self.place);
        while state.through.first() == Some(&state.first) {
            state.through.pop_first();
            state.first += 1;
        }
        self.turns.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn whoever_is_faster_waits_for_those_before_him() {
        let (turns, named) = (Turns::new(40), Mutex::new(Vec::new()));
        thread::scope(|scope| {
            for line in 0..4_u64 {
                let (turns, named) = (&turns, &named);
                scope.spawn(move || {
                    while let Some(turn) = turns.take() {
                        thread::sleep(Duration::from_micros(300 * (line % 3)));
                        // Some files fail and wait for no other.
                        if turn.place % 7 == 3 {
                            continue;
                        }
                        assert!(turn.wait(&Shutdown::default(), || {}));
                        named.lock().unwrap().push(turn.place);
                    }
                });
            }
        });
        let all: Vec<usize> = (0..40).filter(|place| place % 7 != 3).collect();
        assert_eq!(named.into_inner().unwrap(), all);
    }

    #[test]
    fn nobody_waits_when_it_is_over_and_nobody_goes_on_behind_what_ended_it() {
        let turns = Turns::new(4);
        let (first, second) = (turns.take().unwrap(), turns.take().unwrap());
        let third = turns.take().unwrap();
        let end = Shutdown::default();
        end.set();
        assert!(!second.wait(&end, || {}));
        second.end();
        drop(second);
        assert!(!turns.are_left() && turns.take().is_none());
        assert!(first.wait(&Shutdown::default(), || {}), "it is before that");
        drop(first);
        assert!(!third.wait(&Shutdown::default(), || {}), "its turn came since the second ended");
    }
}
