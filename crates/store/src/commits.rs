//! Counts committed transactions, by the time that each took.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The upper bounds of the buckets in seconds. Longer commits have a bucket of their own.
pub const COMMIT_SECONDS: [f64; 10] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0];

/// The committed transactions.
#[derive(Debug, Default)]
pub struct Commits {
    /// By [`COMMIT_SECONDS`]; the last bucket is for longer ones.
    buckets: [AtomicU64; COMMIT_SECONDS.len() + 1],
    microseconds: AtomicU64,
}

impl Commits {
    pub(crate) fn add(&self, took: Duration) {
        let seconds = took.as_secs_f64();
        let bucket = COMMIT_SECONDS.partition_point(|upto| *upto < seconds);
        self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        self.microseconds.fetch_add(took.as_micros() as u64, Ordering::Relaxed);
    }

    /// Returns the number of transactions per bucket: by [`COMMIT_SECONDS`], then longer ones.
    pub fn counts(&self) -> [u64; COMMIT_SECONDS.len() + 1] {
        std::array::from_fn(|bucket| self.buckets[bucket].load(Ordering::Relaxed))
    }

    /// Returns the total time of all transactions, in seconds.
    pub fn seconds(&self) -> f64 {
        self.microseconds.load(Ordering::Relaxed) as f64 / 1e6
    }
}
