//! Whether messages are copied for traces, and when they are looked at.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use runtime::sync::lock;

/// The time between two looks at what was copied. What is in the taps is lost if the process is killed.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The most octets in all taps together.
const OCTETS_MAX: usize = 64 << 20;

#[derive(Debug, Default)]
pub(super) struct Switch {
    is_on: AtomicBool,
    /// The octets in all taps.
    octets: AtomicUsize,
    signal: Mutex<Signal>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Signal {
    /// A tap is half full.
    is_due: bool,
    /// The server ends.
    ends: bool,
}

impl Switch {
    /// Returns whether a trace runs.
    #[inline]
    pub(super) fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Relaxed)
    }

    /// Notes whether a trace runs.
    pub(super) fn turn(&self, is_on: bool) {
        let _signal = lock(&self.signal);
        self.is_on.store(is_on, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Takes room for some octets. Returns whether there was as much.
    pub(super) fn reserve(&self, octets: usize) -> bool {
        let has_room = self.octets.fetch_add(octets, Ordering::Relaxed) + octets <= OCTETS_MAX;
        if !has_room {
            self.release(octets);
        }
        has_room
    }

    /// Gives room back.
    pub(super) fn release(&self, octets: usize) {
        self.octets.fetch_sub(octets, Ordering::Relaxed);
    }

    /// Lets the writer look at once.
    pub(super) fn hurry(&self) {
        // If the lock is held, the writer is about to look, or another tap wakes it.
        if let Ok(mut signal) = self.signal.try_lock() {
            signal.is_due = true;
            self.changed.notify_all();
        }
    }

    /// Lets the writer end.
    pub(super) fn end(&self) {
        lock(&self.signal).ends = true;
        self.changed.notify_all();
    }

    /// Waits until it is time to look. Returns whether the writer goes on.
    pub(super) fn wait(&self) -> bool {
        let signal = lock(&self.signal);
        let is_off = |signal: &mut Signal| !signal.ends && !self.is_on();
        let signal =
            self.changed.wait_while(signal, is_off).unwrap_or_else(PoisonError::into_inner);
        let is_early = |signal: &mut Signal| !signal.ends && !signal.is_due;
        let waited = self.changed.wait_timeout_while(signal, LOOK_EVERY, is_early);
        let (mut signal, _) = waited.unwrap_or_else(PoisonError::into_inner);
        signal.is_due = false;
        !signal.ends
    }
}
