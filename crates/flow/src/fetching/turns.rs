//! Files that are fetched over several connections at once, and get their names in the order in which they are listed.

use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, PoisonError};

use super::STOP_SEEN;
use crate::locked::lock;

/// So many files, by their places in a list.
pub(super) struct Turns {
    count: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The first place that nobody has.
    next: usize,
    /// The first place that is not through.
    first: usize,
    /// Those behind it that are.
    through: BTreeSet<usize>,
    is_ended: bool,
}

impl Turns {
    pub(super) fn new(count: usize) -> Self {
        Turns { count, state: Mutex::default(), changed: Condvar::new() }
    }

    /// The next file that nobody has; none when there are no more, or no more are to be fetched.
    pub(super) fn take(&self) -> Option<Turn<'_>> {
        let mut state = lock(&self.state);
        let place = state.next;
        if state.is_ended || place >= self.count {
            return None;
        }
        state.next += 1;
        Some(Turn { turns: self, place })
    }

    /// Nobody gets another.
    pub(super) fn end(&self) {
        lock(&self.state).is_ended = true;
    }
}

/// One of the files. It is through when this is gone.
pub(super) struct Turn<'t> {
    turns: &'t Turns,
    pub(super) place: usize,
}

impl Turn<'_> {
    /// Waits until all files before this one are through; not if it is over meanwhile.
    pub(super) fn wait(&self, is_over: &dyn Fn() -> bool) -> bool {
        let mut state = lock(&self.turns.state);
        while state.first < self.place {
            if is_over() {
                return false;
            }
            let waited = self.turns.changed.wait_timeout(state, STOP_SEEN);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
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
                        // Some are not to be had, and wait for nobody.
                        if turn.place % 7 == 3 {
                            continue;
                        }
                        assert!(turn.wait(&|| false));
                        named.lock().unwrap().push(turn.place);
                    }
                });
            }
        });
        let all: Vec<usize> = (0..40).filter(|place| place % 7 != 3).collect();
        assert_eq!(named.into_inner().unwrap(), all);
    }

    #[test]
    fn nobody_waits_when_it_is_over_and_nobody_begins_when_it_ended() {
        let turns = Turns::new(3);
        let (_first, second) = (turns.take().unwrap(), turns.take().unwrap());
        assert!(!second.wait(&|| true));
        turns.end();
        assert!(turns.take().is_none());
    }
}
