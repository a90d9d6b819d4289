//! Waiting for what a gateway does.

use std::thread;
use std::time::{Duration, Instant};

/// Waits until something is so, which takes seconds at most where the machine has nothing else to do.
pub(crate) fn wait_for(what: &str, mut is: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(120);
    while !is() {
        assert!(Instant::now() < end, "{what} takes too long");
        thread::sleep(Duration::from_millis(5));
    }
}
