//! The time to wait before a retry: exponential back-off with jitter.
//!
//! The jitter is "equal jitter": half of the time is certain, the other half random. So the clients that wait for a
//! machine do not retry at the same moment when it comes back, and no client retries at once.

use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

/// Waits that double with each failure in a row, up to a limit.
///
/// ```
/// use std::time::Duration;
/// use runtime::backoff::Backoff;
///
/// let backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(300));
/// let wait = backoff.after(3);
/// assert!(wait >= Duration::from_secs(2) && wait <= Duration::from_secs(4));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    min: Duration,
    max: Duration,
}

impl Backoff {
    /// Waits up to `min` after the first failure, and never longer than `max`, even where that is less than `min`.
    pub const fn new(min: Duration, max: Duration) -> Self {
        Backoff { min, max }
    }

    /// Returns a random time between half of [`longest_after`](Self::longest_after) and the whole.
    pub fn after(&self, failures: u32) -> Duration {
        self.with_jitter(failures, random())
    }

    /// Returns the longest time to wait after so many failures in a row: `min` after the first, twice as long after each
    /// further one, at most `max`; nothing after none.
    pub fn longest_after(&self, failures: u32) -> Duration {
        let Some(doublings) = failures.checked_sub(1) else { return Duration::ZERO };
        self.min.saturating_mul(1 << doublings.min(u32::BITS - 1)).min(self.max)
    }

    fn with_jitter(&self, failures: u32, chance: f64) -> Duration {
        self.longest_after(failures).mul_f64(0.5 + chance / 2.0)
    }
}

/// Returns a number from 0 to 1. Each `RandomState` has other keys, and those of each process come from the system.
fn random() -> f64 {
    RandomState::new().hash_one(0) as f64 / u64::MAX as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn waits_double_up_to_the_limit_and_half_of_each_is_random() {
        let backoff = Backoff::new(SECOND, 60 * SECOND);
        let waits = |chance| {
            [0, 1, 2, 3, 6, 7, 100, u32::MAX].map(|failures| backoff.with_jitter(failures, chance))
        };
        assert_eq!(waits(1.0), [0, 1, 2, 4, 32, 60, 60, 60].map(Duration::from_secs));
        let halves = [0, 500, 1_000, 2_000, 16_000, 30_000, 30_000, 30_000];
        assert_eq!(waits(0.0), halves.map(Duration::from_millis));
        for failures in 0..100 {
            let (wait, longest) = (backoff.after(failures), backoff.longest_after(failures));
            assert!(wait >= longest / 2 && wait <= longest, "{failures}: {wait:?}");
        }
    }

    #[test]
    fn a_limit_below_the_first_wait_holds() {
        assert_eq!(Backoff::new(60 * SECOND, SECOND).longest_after(1), SECOND);
        assert_eq!(
            Backoff::new(SECOND, Duration::MAX).longest_after(u32::MAX),
            (1_u32 << 31) * SECOND
        );
    }

    #[test]
    fn chance_is_a_share() {
        assert!((0..1_000).all(|_| (0.0..=1.0).contains(&random())));
    }
}
