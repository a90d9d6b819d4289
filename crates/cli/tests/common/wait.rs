//! Waiting for the gateway.

use std::thread;
use std::time::{Duration, Instant};

/// Waits until a condition is true, which takes seconds at most on an idle machine.
pub(crate) fn wait_for(what: &str, mut is: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(120);
    while !is() {
        assert!(Instant::now() < end, "{what} takes too long");
        thread::sleep(Duration::from_millis(5));
    }
}
