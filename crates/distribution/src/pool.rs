//! The threads that deliver for receivers that share them. They outlive a change of the flow: each finishes the file
//! that it works on, and the threads of the new flow take the next.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use runtime::sync::lock;

use super::destination::{Ends, Errand, Receiver};
use super::fair_share::{Seat, Turns};
use super::receivers::ReceiverSet;

/// How often idle threads look for work.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The receivers and their shared threads.
pub(super) struct Carriers {
    pub(super) receivers: Vec<Arc<Receiver>>,
    shift: Mutex<Shift>,
    /// A thread has finished its work.
    changed: Condvar,
    /// No thread looks for work now.
    relieved: Condvar,
    ends: Ends,
    /// Set when no more files will come.
    is_last: Arc<AtomicBool>,
}

struct Shift {
    turns: Turns,
    /// Whether a thread looks for work. The others wait until it has found some.
    has_lookout: bool,
}

impl Carriers {
    /// Makes the state for the receivers of a set, in the order of its members.
    pub(super) fn new(
        receivers: Vec<Arc<Receiver>>,
        set: &ReceiverSet,
        ends: Ends,
        is_last: &Arc<AtomicBool>,
    ) -> Self {
        let seats = receivers.iter().zip(&set.members);
        let seat = |(receiver, (_, group)): (&Arc<Receiver>, &(usize, usize))| Seat {
            group: *group,
            at_once: receiver.road.at_once,
            has: 0,
            is_doubtful: false,
        };
        let turns = Turns::new(set.threads, set.parts.clone(), seats.map(seat).collect());
        let shift = Mutex::new(Shift { turns, has_lookout: false });
        let (changed, relieved, is_last) = (Condvar::new(), Condvar::new(), Arc::clone(is_last));
        Carriers { receivers, shift, changed, relieved, ends, is_last }
    }

    /// Works until there is nothing left to do. Each thread runs this.
    pub(super) fn work(&self) {
        while let Some((has, errand)) = self.take() {
            let receiver = &self.receivers[has.place];
            if let Err(error) = receiver.perform(errand) {
                let system = receiver.road.system.as_str();
                tracing::error!(target: "flow::delivery", receiver = system, "{system}: {error}");
                // If the journal cannot be written any more, the gateway ends.
                thread::sleep(LOOK_EVERY);
            }
        }
        self.receivers.iter().for_each(|receiver| receiver.end_lines());
    }

    /// Waits for work. Returns `None` when there will be no more.
    fn take(&self) -> Option<(Has<'_>, Errand)> {
        let mut shift = lock(&self.shift);
        while shift.has_lookout && !self.ends.is_over() {
            shift = self.relieved.wait(shift).unwrap_or_else(PoisonError::into_inner);
        }
        shift.has_lookout = true;
        let mut taken = None;
        while !self.ends.is_over() {
            let is_last = self.is_last.load(Ordering::Relaxed);
            taken = self.find(&mut shift, is_last);
            if taken.is_some() || is_last && shift.turns.are_all_free() {
                break;
            }
            let waited = self.changed.wait_timeout(shift, LOOK_EVERY);
            shift = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        shift.has_lookout = false;
        self.relieved.notify_one();
        taken.map(|(place, errand)| (Has { carriers: self, place }, errand))
    }

    /// Finds the first work of the receivers that may have a thread.
    fn find(&self, shift: &mut Shift, is_last: bool) -> Option<(usize, Errand)> {
        let turns = &mut shift.turns;
        for place in turns.order() {
            let receiver = &self.receivers[place];
            let reader = receiver.journal.reader();
            match reader.and_then(|reader| receiver.next(&reader, is_last)) {
                Ok(Some(errand)) => {
                    turns.take(place);
                    return Some((place, errand));
                }
                Ok(None) => {}
                Err(error) => {
                    let system = receiver.road.system.as_str();
                    tracing::error!(target: "flow::delivery", receiver = system, "{system}: {error}");
                }
            }
        }
        None
    }
}

/// The hold of a receiver on a thread, until it is dropped.
struct Has<'c> {
    carriers: &'c Carriers,
    place: usize,
}

impl Drop for Has<'_> {
    fn drop(&mut self) {
        let Has { carriers, place } = self;
        let is_doubtful = carriers.receivers[*place].is_doubtful();
        lock(&carriers.shift).turns.give_back(*place, is_doubtful);
        carriers.changed.notify_one();
    }
}
