//! What is usual of an hour of the week: the sums of the same hour in the weeks before, as [numbers](crate::numbers) of hours.
//!
//! The median and the median of the distances from it: a week that was odd, such as one with a holiday, moves them little (Leys,
//! Ley, Klein, Bernard and Licata, "Detecting outliers", 2013).

use crate::definition::{Moment, Window};
use crate::numbers::Records;

/// The weeks that say what is usual, at most and at least.
const WEEKS: u32 = 8;
const WEEKS_MIN: usize = 3;

/// The hours of a week.
const HOURS: u32 = 168;

/// The window of what is usual: the hours of the weeks before, and this one.
pub const USUAL: Window = Window::calendar(3_600, WEEKS * HOURS + 1);

/// Returns the sums of the hour of a moment in the weeks before, from the first one that is known on.
fn sums(octets: &[u8], moment: Moment) -> Vec<i64> {
    let hour = USUAL.step_of(moment);
    let records = Records::read(octets);
    let Some((first, _)) = records.iter().next() else { return Vec::new() };
    let hours = (1..=WEEKS).map(|week| hour.saturating_sub(week * HOURS));
    let of = |hour: u32| records.number_of(hour).unwrap_or_default();
    hours.take_while(|hour| *hour >= first).map(of).collect()
}

/// Returns the median of some numbers, one at least: of an even count, the smaller one in the middle.
fn median(numbers: &mut [i64]) -> i64 {
    numbers.sort_unstable();
    numbers[(numbers.len() - 1) / 2]
}

/// Returns the usual sum of the hour of a moment, if enough weeks are known.
pub(crate) fn value(octets: &[u8], moment: Moment) -> Option<i64> {
    let mut sums = sums(octets, moment);
    (sums.len() >= WEEKS_MIN).then(|| median(&mut sums))
}

/// Returns how far sums are from the usual one: 1.4826 times the median distance, which is the standard deviation of a normal
/// distribution; at least the square root of the usual sum, as of events that are independent, and 1.
pub(crate) fn deviation(octets: &[u8], moment: Moment) -> Option<i64> {
    let usual = value(octets, moment)?;
    let mut distances: Vec<i64> = sums(octets, moment)
        .into_iter()
        .map(|sum| sum.saturating_sub(usual).saturating_abs())
        .collect();
    let spread = i128::from(median(&mut distances)) * 14_826 / 10_000;
    let spread = i64::try_from(spread).unwrap_or(i64::MAX);
    Some(spread.max(usual.max(0).isqrt()).max(1))
}
