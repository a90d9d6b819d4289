//! Ending threads that wait for other machines: whoever stops does not wait for one that hangs. What such a thread has in hand
//! lies in the journal as after a kill, and it ends with the process.

use std::panic::resume_unwind;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The part that says it in the log: a name that users give levels to.
const LOG: &str = "flow::patience";

/// How long those have to end who could.
const STOP_WITHIN: Duration = Duration::from_secs(3);

/// How often it is looked meanwhile.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Waits for threads, and no longer than they may take once it stops.
pub struct Patience<S> {
    stops: S,
    since: Option<Instant>,
}

impl<S: Fn() -> bool> Patience<S> {
    /// Until this says that it stops, all are waited for.
    pub fn new(stops: S) -> Self {
        Patience { stops, since: None }
    }

    /// What a thread returns; none if it is left alone.
    pub fn join<T>(&mut self, thread: JoinHandle<T>) -> Option<T> {
        while !thread.is_finished() {
            if self.is_over() {
                tracing::warn!(target: LOG, "another machine does not answer: it is not waited for");
                return None;
            }
            thread::sleep(LOOK_EVERY);
        }
        Some(thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
    }

    fn is_over(&mut self) -> bool {
        (self.stops)() && self.since.get_or_insert_with(Instant::now).elapsed() >= STOP_WITHIN
    }
}
