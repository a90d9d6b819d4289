//! How far a leg has come: what buckets of units and what the plan's prices have paid of its usage.
//!
//! Buckets pay first. The plan prices the rest as a usage of its own: what buckets paid counts for no first interval, no
//! step and no limit of a price. Only the time of day goes on: the rest begins when the buckets had paid.

use rating::{Moment, Progress};

use crate::total::LegTotal;

/// How far a leg has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LegProgress {
    /// The seconds that buckets paid before the plan priced any.
    pub(crate) bucket_seconds: u64,
    /// What the plan has priced.
    pub(crate) priced: Option<Progress>,
    /// What it has used and cost altogether.
    pub(crate) total: LegTotal,
}

impl LegProgress {
    /// Adds seconds that a bucket paid.
    pub(crate) fn add_bucket_seconds(&mut self, seconds: u64) {
        // The time of day of a usage that is priced already stays.
        if self.priced.is_none_or(|priced| priced.used == 0) {
            self.bucket_seconds = self.bucket_seconds.saturating_add(seconds);
        }
    }

    /// Returns the seconds so far, of a service that is counted in seconds.
    pub(crate) fn seconds(&self) -> u64 {
        self.bucket_seconds.saturating_add(self.priced.map_or(0, |priced| priced.used))
    }

    /// Returns when the usage began that the plan prices, of a service that began at a moment.
    pub(crate) fn begin(&self, start: Moment) -> Moment {
        start.saturating_add_unsigned(self.bucket_seconds)
    }
}
