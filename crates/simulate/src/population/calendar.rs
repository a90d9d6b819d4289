//! Hours and days: when people do things.

use std::ops::Range;

use crate::random::Random;

pub(super) const MINUTE: u64 = 60;
pub(super) const HOUR: u64 = 3_600;
pub(super) const DAY: u64 = 86_400;

/// How what is done in a day is spread over its hours, in thousandths.
pub(super) type Hours = [u32; 24];

/// Those of people.
pub(super) const PRIVATE: Hours =
    [4, 2, 1, 1, 1, 3, 10, 30, 50, 55, 55, 60, 65, 60, 60, 65, 75, 85, 85, 75, 65, 50, 28, 15];

/// Those of offices.
pub(super) const OFFICE: Hours =
    [0, 0, 0, 0, 0, 0, 0, 20, 100, 130, 130, 110, 70, 120, 120, 100, 60, 30, 10, 0, 0, 0, 0, 0];

/// Those of services that never close, such as taxis.
pub(super) const ALWAYS: Hours = [
    45, 40, 30, 20, 15, 20, 30, 50, 55, 45, 40, 40, 40, 40, 40, 45, 55, 60, 60, 50, 45, 45, 45, 45,
];

/// Returns whether a time is on a Saturday or Sunday.
pub(super) fn is_weekend(time: u64) -> bool {
    // 1970 began on a Thursday.
    (time / DAY + 3) % 7 >= 5
}

/// Returns the hour of a time.
pub(super) fn hour(time: u64) -> u64 {
    time % DAY / HOUR
}

/// Returns a number that is `mean` on average.
pub(super) fn about(random: &mut Random, mean: f64) -> u32 {
    mean as u32 + u32::from(random.chance(mean.fract()))
}

/// Returns moments of the day that begins at `day`, so many on average, in order of their hours.
pub(super) fn moments(random: &mut Random, day: u64, mean: f64, hours: &Hours) -> Vec<u64> {
    let mut moments = Vec::new();
    for (hour, share) in (0..).zip(hours) {
        let count = about(random, mean * f64::from(*share) / 1_000.0);
        let second = |_| day + hour * HOUR + u64::from(random.below(HOUR as u32));
        moments.extend((0..count).map(second));
    }
    moments
}

/// Returns a number of a range.
pub(super) fn between(random: &mut Random, range: Range<u32>) -> u32 {
    range.start + random.below(range.end - range.start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_thousandths_of_a_day_and_weeks_begin_on_monday() {
        for hours in [PRIVATE, OFFICE, ALWAYS] {
            assert_eq!(hours.iter().sum::<u32>(), 1_000);
        }
        // 3 January 2026 was a Saturday.
        let saturday = 1_767_398_400;
        let days = [saturday - 1, saturday, saturday + 2 * DAY - 1, saturday + 2 * DAY];
        assert_eq!(days.map(is_weekend), [false, true, true, false]);
    }
}
