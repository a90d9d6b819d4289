//! Joining threads that wait for other machines. A service that stops does not wait for a machine that hangs: after a deadline
//! its thread is left alone and ends with the process. So such a thread must leave its work as a kill of the process may
//! leave it.

use std::panic::resume_unwind;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long all threads together may take to end once the service stops.
const JOINED_WITHIN: Duration = Duration::from_secs(3);

/// How often a thread that has not ended is looked at.
const POLL_EVERY: Duration = Duration::from_millis(10);

/// Joins threads: without a limit while the service runs, up to three seconds for all of them once it stops.
pub struct Joiner<S> {
    is_stopping: S,
    /// When a thread was first waited for while the service was stopping.
    stopping_since: Option<Instant>,
}

impl<S: Fn() -> bool> Joiner<S> {
    /// Creates a joiner that calls `is_stopping` while it waits.
    pub fn new(is_stopping: S) -> Self {
        Joiner { is_stopping, stopping_since: None }
    }

    /// Waits for a thread and returns its result, or `None` if it was left alone. A panic of the thread goes on in the caller.
    pub fn join<T>(&mut self, thread: JoinHandle<T>) -> Option<T> {
        while !thread.is_finished() {
            if self.is_past_deadline() {
                tracing::warn!(target: "flow::patience", "another machine does not answer: it is not waited for");
                return None;
            }
            thread::sleep(POLL_EVERY);
        }
        Some(thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
    }

    fn is_past_deadline(&mut self) -> bool {
        (self.is_stopping)()
            && self.stopping_since.get_or_insert_with(Instant::now).elapsed() >= JOINED_WITHIN
    }
}
