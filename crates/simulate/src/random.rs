//! Pseudo-random numbers that are the same on every machine and in every release: splitmix64.
//!
//! Files generated from a seed serve as test cases, so the algorithm must never change; that is why it is here and not
//! from a library. It is not for secrets.

/// A sequence of numbers determined by its seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates the sequence `stream` of `seed`; different streams are unrelated.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut mixed = Random(seed ^ stream.wrapping_mul(0xD1B5_4A32_D192_ED03));
        Random(mixed.next())
    }

    #[inline]
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a number below `bound`, nearly uniform (the bias is below `bound` / 2^32).
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        (((self.next() >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// Returns true with probability `share`.
    #[inline]
    pub(crate) fn chance(&mut self, share: f64) -> bool {
        self.unit() < share
    }

    /// Returns an exponentially distributed number with the given mean.
    #[inline]
    pub(crate) fn exponential(&mut self, mean: f64) -> f64 {
        -(1.0 - self.unit()).ln() * mean
    }

    /// Returns a uniform number from 0 (included) to 1 (excluded).
    #[inline]
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn the_sequence_never_changes() {
        // The first numbers of splitmix64 from state 0, as its authors publish them.
        let mut random = Random(0);
        assert_eq!(random.next(), 0xE220_A839_7B1D_CDAF);
        assert_eq!(random.next(), 0x6E78_9E6A_A1B9_65F4);
    }
}
