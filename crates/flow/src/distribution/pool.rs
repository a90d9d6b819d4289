//! The threads that carry for receivers who share them. They outlive a flow that changes: who has a file in hand brings it
//! to its end, and whoever carries for the flow as it is now takes the next.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use runtime::sync::lock;

use super::destination::{Ends, Errand, Receiver};
use super::fair_share::{Seat, Turns};
use super::receivers::ReceiverSet;

/// How often it is looked what is to be carried, where nothing was.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Receivers and what their threads have in hand.
pub(super) struct Carriers {
    pub(super) receivers: Vec<Arc<Receiver>>,
    shift: Mutex<Shift>,
    /// A thread has ended what it had in hand.
    changed: Condvar,
    /// Nobody looks for what is to be done.
    relieved: Condvar,
    ends: Ends,
    /// Set when no more files will come.
    is_last: Arc<AtomicBool>,
}

struct Shift {
    turns: Turns,
    /// Whether a thread looks for what is to be done; the others wait until it has found something.
    has_lookout: bool,
}

impl Carriers {
    /// With those receivers whose places among all a set has, in its order.
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

    /// What a thread does, until there is no more.
    pub(super) fn work(&self) {
        while let Some((has, errand)) = self.take() {
            let receiver = &self.receivers[has.place];
            if let Err(error) = receiver.perform(errand) {
                let system = receiver.road.system.as_str();
                tracing::error!(target: "flow::delivery", receiver = system, "{system}: {error}");
                // Where the journal can be written no more, the gateway ends.
                thread::sleep(LOOK_EVERY);
            }
        }
        self.receivers.iter().for_each(|receiver| receiver.end_lines());
    }

    /// Waits for something to do; none when there is no more.
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

    /// The first thing to do of those receivers who may have a thread.
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

/// A receiver has a thread as long as this is there.
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
