//! Random numbers that can be repeated: `SEED=n` gives the same numbers as the run that printed n.

use std::ops::Range;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// SplitMix64 (Steele, Lea and Flood, 2014).
#[derive(Debug)]
pub(crate) struct Chance(u64);

impl Chance {
    /// Takes the seed from the environment or from the clock; the seed is shown when the test fails.
    pub(crate) fn new() -> Self {
        let clock = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().subsec_nanos();
        let seed = number("SEED").unwrap_or_else(|| u64::from(clock()));
        eprintln!("seed {seed}");
        Chance(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn within(&mut self, range: Range<u64>) -> u64 {
        range.start + self.next() % (range.end - range.start)
    }

    pub(crate) fn milliseconds(&mut self, range: Range<u64>) -> Duration {
        Duration::from_millis(self.within(range))
    }
}

/// Returns a number from the environment.
pub(crate) fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().expect("a number"))
}
