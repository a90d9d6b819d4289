//! What a counter that runs on has counted between two readings.

/// How many bits a counter has that runs on: 8 to 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Width(u8);

/// What became of a counter between two readings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Advance {
    /// It ran on.
    Ran {
        /// How much it has counted.
        by: f64,
    },
    /// It began again behind its greatest value.
    Wrapped {
        /// How much it has counted, those before it began again included.
        by: f64,
    },
    /// It began again for another reason, such as a restart. What it has counted is not known.
    Reset,
}

impl Width {
    /// Returns the width of so many bits; `None` if no counter has so many.
    pub fn new(bits: u8) -> Option<Width> {
        (8..=64).contains(&bits).then_some(Width(bits))
    }

    /// Returns the number of bits.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// Returns how many values a counter of this width has.
    fn values(self) -> u128 {
        1 << self.0
    }
}

impl Advance {
    /// Returns what became of a counter. One that is less than before has wrapped if it was in the last tenth of its values and is
    /// in the first one. Without a width, it was reset. The difference is exact before it becomes an `f64`.
    pub fn between(before: u64, after: u64, width: Option<Width>) -> Advance {
        if let Some(by) = after.checked_sub(before) {
            return Advance::Ran { by: by as f64 };
        }
        let Some(width) = width else { return Advance::Reset };
        let (before, after, values) = (u128::from(before), u128::from(after), width.values());
        // A reading beyond the width shows that the table has the wrong one.
        let is_within = before < values;
        let has_wrapped = before * 10 > values * 9 && after * 10 < values;
        match is_within && has_wrapped {
            true => Advance::Wrapped { by: (values - before + after) as f64 },
            false => Advance::Reset,
        }
    }

    /// Returns how much it has counted, if that is known.
    pub fn by(self) -> Option<f64> {
        match self {
            Advance::Ran { by } | Advance::Wrapped { by } => Some(by),
            Advance::Reset => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(before: u64, after: u64, bits: u8, expected: Advance) {
        let found = Advance::between(before, after, Width::new(bits));
        assert_eq!(found, expected, "{before} to {after} of {bits} bits");
    }

    #[test]
    fn a_counter_runs_on_wraps_or_is_reset() {
        let none = 0;
        check(100, 350, 32, Advance::Ran { by: 250.0 });
        check(100, 100, none, Advance::Ran { by: 0.0 });
        check(u64::from(u32::MAX) - 9, 90, 32, Advance::Wrapped { by: 100.0 });
        check(u64::from(u32::MAX) - 9, 90, none, Advance::Reset);
        check(1_000_000, 90, 32, Advance::Reset);
        check(u64::from(u32::MAX), 3_000_000_000, 32, Advance::Reset);
        check(255, 0, 8, Advance::Wrapped { by: 1.0 });
        check(u64::MAX, 0, 64, Advance::Wrapped { by: 1.0 });
        check(u64::MAX, 0, none, Advance::Reset);
    }

    #[test]
    fn the_tenths_are_exact() {
        // 0.9 of 2^10 is 921.6, 0.1 of it is 102.4.
        check(922, 102, 10, Advance::Wrapped { by: 204.0 });
        check(921, 102, 10, Advance::Reset);
        check(922, 103, 10, Advance::Reset);
    }

    #[test]
    fn great_counters_are_exact_in_their_difference() {
        check((1 << 60) + 1, (1 << 60) + 4, 64, Advance::Ran { by: 3.0 });
        check(u64::MAX - 1, 1, 64, Advance::Wrapped { by: 3.0 });
    }

    #[test]
    fn a_reading_beyond_the_width_does_not_wrap() {
        check(5_000_000_000, 5_000_000_100, 32, Advance::Ran { by: 100.0 });
        check(5_000_000_000, 100, 32, Advance::Reset);
        assert_eq!([7, 65].map(Width::new), [None; 2]);
    }

    proptest! {
        #[test]
        fn a_counter_that_is_polled_often_counts_right(bits in 8u8..=64, start: u64, steps in prop::collection::vec(0u64..1 << 40, 0..20)) {
            let width = Width::new(bits).unwrap();
            let values = width.values();
            let mut reading = (u128::from(start) % values) as u64;
            for step in steps {
                // Less than a tenth of its values.
                let step = u128::from(step) % (values / 10);
                let next = ((u128::from(reading) + step) % values) as u64;
                let found = Advance::between(reading, next, Some(width));
                prop_assert_eq!(found.by(), Some(step as f64));
                prop_assert_eq!(matches!(found, Advance::Wrapped { .. }), next < reading);
                reading = next;
            }
        }
    }
}
