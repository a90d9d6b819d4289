//! The numbers of a network element: their range, and the position of each. Positions continue to grow when the numbers
//! start over.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// The most numbers of a counter: more than 32 bits, and few enough that a position can grow through millions of
/// rounds.
pub(crate) const NUMBERS_MAX: i64 = 1_000_000_000_000;

/// The last position at which numbers are taken. A real counter never gets there; arbitrary numbers may, by restarts.
pub(crate) const POSITION_MAX: i64 = i64::MAX / 2;

// From there, the next position is at most a restart and a gap away.
const _: () = assert!(POSITION_MAX < i64::MAX - 4 * NUMBERS_MAX);

/// The numbers that a network element gives.
///
/// `from` is below `to`, and the reach is less than half of the numbers, so that no number is both ahead and behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counter {
    /// The first number, 0 or more.
    pub from: i64,
    /// The last number. After it, the counter begins at `from` again.
    pub to: i64,
    /// How far a number may be from the expected position.
    pub reach: i64,
    /// Whether `from` is a restart where it would otherwise be a repeated number.
    pub restarts: bool,
}

impl Counter {
    /// Makes a counter of the numbers `from..=to`.
    ///
    /// # Errors
    ///
    /// If the reach is too far for them, the error is the farthest one.
    pub fn new(from: i64, to: i64, reach: i64) -> Result<Self, i64> {
        assert!(0 <= from && from < to && to < NUMBERS_MAX, "the flow file was checked");
        let farthest = (to - from) / 2;
        match (1..=farthest.max(1)).contains(&reach) {
            true => Ok(Counter { from, to, reach, restarts: false }),
            false => Err(farthest.max(1)),
        }
    }

    /// Makes a counter from the journal, for its numbers only.
    pub(crate) fn as_noted(from: i64, to: i64) -> Self {
        Counter { from, to, reach: 1, restarts: false }
    }

    /// Sets whether the network element begins at `from` again when it is restarted. If so, `from` is a restart where
    /// it would otherwise be a repeated number.
    pub(crate) fn that_restarts(self, restarts: bool) -> Self {
        Counter { restarts, ..self }
    }

    /// Returns whether the counter has this number.
    pub fn has(&self, number: i64) -> bool {
        (self.from..=self.to).contains(&number)
    }

    /// Returns the number at a position.
    pub fn number(&self, position: i64) -> i64 {
        self.from + position.rem_euclid(self.round())
    }

    /// Returns the first part of a stretch of positions whose numbers are `first` to `last`.
    pub fn part(&self, of: &Range<i64>, (first, last): (i64, i64)) -> Option<Range<i64>> {
        let is_one = |position: &i64| {
            let number = self.number(*position);
            match first <= last {
                true => (first..=last).contains(&number),
                false => number >= first || number <= last,
            }
        };
        if !self.has(first) || !self.has(last) {
            return None;
        }
        // The numbers begin at the next `first`; or they began before the stretch does.
        let round = self.round();
        let begin = of.start + (first - self.from - of.start).rem_euclid(round);
        let start =
            [of.start, begin].into_iter().find(|start| of.contains(start) && is_one(start))?;
        let length = (last - self.number(start)).rem_euclid(round) + 1;
        Some(start..of.end.min(start + length))
    }

    /// Returns whether the range `first` to `last` starts over and has more than half of all numbers. This is a
    /// mistake: `9-4` is `4-9` in the wrong order.
    pub(crate) fn goes_far_round(&self, first: i64, last: i64) -> bool {
        first > last && first.saturating_sub(last) <= self.round() / 2
    }

    /// Returns how many numbers the counter has.
    pub fn round(&self) -> i64 {
        self.to - self.from + 1
    }
}

/// Numbers that came one after another, `first..=last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Run {
    pub first: i64,
    pub last: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_in_a_stretch_of_positions() {
        let counter = Counter::new(1, 10, 3).unwrap();
        for (stretch, numbers, part) in [
            (0..5, (2, 3), Some(1..3)),
            (0..5, (4, 9), Some(3..5)),
            (3..5, (2, 4), Some(3..4)),
            (0..5, (6, 9), None),
            (8..13, (1, 2), Some(10..12)),
            (8..13, (10, 1), Some(9..11)),
            (12..15, (10, 4), Some(12..14)),
            (8..13, (9, 9), Some(8..9)),
            (0..1, (1, 1), Some(0..1)),
            (0..5, (2, 99), None),
        ] {
            assert_eq!(counter.part(&stretch, numbers), part, "{stretch:?} {numbers:?}");
        }
    }

    #[test]
    fn a_reach_is_less_than_half_of_the_numbers() {
        assert_eq!(Counter::new(1, 99, 50), Err(49));
        assert!(Counter::new(1, 99, 49).is_ok());
        assert_eq!(Counter::new(1, 99, 0), Err(49));
        assert!(Counter::new(0, 1, 1).is_ok());
    }
}
