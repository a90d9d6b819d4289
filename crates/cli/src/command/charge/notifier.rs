//! Threads that send something to another program: notices to subscribers, and alarms.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use prepaid::System;
use runtime::shutdown::Shutdown;
use runtime::threads::{self, SpawnError};

/// How long the end waits for a message that is on its way. A receiver that hangs holds up no stop: the notice comes again.
const ENDS_WITHIN: Duration = Duration::from_secs(1);

/// The time between two looks whether the thread has ended.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Sends something until it is dropped.
pub(super) struct Notifier {
    end: Shutdown,
    thread: JoinHandle<()>,
}

impl Notifier {
    /// Starts a thread that sends until a stop.
    ///
    /// # Errors
    ///
    /// The system refuses a thread.
    pub(super) fn start(
        system: &Arc<System>,
        send: fn(&System, &Shutdown),
    ) -> Result<Self, SpawnError> {
        let end = Shutdown::default();
        let (system, until) = (Arc::clone(system), end.clone());
        let thread = threads::spawn(move || send(&system, &until))?;
        Ok(Notifier { end, thread })
    }
}

impl Drop for Notifier {
    fn drop(&mut self) {
        self.end.set();
        let looks = ENDS_WITHIN.div_duration_f32(LOOK_EVERY) as u32;
        for _ in 0..looks {
            if self.thread.is_finished() {
                return;
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }
}
