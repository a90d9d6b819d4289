//! The number of records per hour, and the share of suspended ones: what is usual for the hour of the week.
//!
//! The usual value is the median `m` of the same hour in earlier weeks. The usual distance `s` is the greatest of:
//! 1.4826 times the median distance from `m` (for normally distributed values this is the standard deviation), the
//! square root of `m`, and a twentieth of `m`. A value is unusual if it is more than 6 `s` away from `m`. One odd week
//! changes neither of the two much, unlike a mean.

use serde::{Deserialize, Serialize};

/// Milliseconds of an hour.
pub(super) const HOUR_MS: i64 = 60 * 60 * 1_000;

/// Hours of a week.
const WEEK: i64 = 7 * 24;

/// The weeks that are kept for each hour.
const WEEKS: usize = 8;

/// The fewest earlier weeks for a judgement.
const WEEKS_MIN: usize = 4;

/// The number of usual distances beyond which a value is unusual.
const FAR: f64 = 6.0;

/// The factor from the median distance to a standard deviation.
const MAD_TO_DEVIATION: f64 = 1.482_6;

/// The least usual distance, as a share of the usual value.
const SHARE: f64 = 0.05;

/// The most hours whose share of suspended records is stored, and the fewest for a judgement.
const SHARES: usize = 168;
const SHARES_MIN: usize = 24;

/// How long after an hour its files may come. Files of the next hour are counted separately in that time.
pub(super) const LATE_MS: i64 = HOUR_MS / 4;

/// The number of suspended records that is never unusual.
const SUSPENDED_MIN: f64 = 5.0;

/// The counts of hours.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Hours {
    /// The current hour, in hours since 1970.
    hour: i64,
    /// The counts of that hour and the next.
    counted: [Count; 2],
    /// The numbers of records of the last weeks, by hour of the week.
    usual: Vec<Vec<f64>>,
    /// The shares of suspended records of the last hours.
    shares: Vec<f64>,
}

/// The number of records, and of those the suspended ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Count {
    records: u64,
    suspended: u64,
}

/// An unusual value and the usual bounds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Odd {
    pub(super) found: f64,
    pub(super) from: f64,
    pub(super) to: f64,
}

/// The judgement of an hour.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Closed {
    /// In milliseconds since 1970.
    pub(super) at_ms: i64,
    /// The deviation; `None` if the hour is usual, or if too little is known for a judgement.
    pub(super) odd: Option<Odd>,
}

impl Hours {
    /// Begins with the hour of a time.
    pub(super) fn begin(at_ms: i64) -> Self {
        let usual = vec![Vec::new(); WEEK as usize];
        Hours { hour: at_ms.div_euclid(HOUR_MS), usual, ..Hours::default() }
    }

    /// Returns when the current hour is closed if nothing comes.
    pub(super) fn closes_ms(&self) -> i64 {
        (self.hour + 1) * HOUR_MS + LATE_MS
    }

    /// Advances to the hour of a time, and closes the hours that are over by `now_ms`. Returns the judgements of the
    /// closed hours. An hour without files counts. After a gap of more than two weeks nothing is known of the hours
    /// between: the flow did not run.
    pub(super) fn go_on(&mut self, at_ms: i64, now_ms: i64) -> Vec<Closed> {
        let hour = at_ms.div_euclid(HOUR_MS);
        if hour - self.hour > 2 * WEEK {
            (self.hour, self.counted) = (hour, Default::default());
            return Vec::new();
        }
        let mut closed = Vec::new();
        while self.hour < hour && self.closes_ms() <= now_ms {
            closed.push(self.close());
        }
        closed
    }

    fn close(&mut self) -> Closed {
        let [Count { records, suspended }, next] = self.counted;
        let found = records as f64;
        let odd = self.bounds(self.hour).filter(|(from, to)| found < *from || found > *to);
        let odd = odd.map(|(from, to)| Odd { found, from, to });
        let closed = Closed { at_ms: self.hour * HOUR_MS, odd };
        remember(&mut self.usual[self.hour.rem_euclid(WEEK) as usize], found, WEEKS);
        if records > 0 {
            remember(&mut self.shares, suspended as f64 / found, SHARES);
        }
        self.hour += 1;
        self.counted = [next, Count::default()];
        closed
    }

    /// Adds a file to the hour of its time, or to the first hour that is not closed. Returns the hour's records if they
    /// are already too many, and the file's suspended records if they are.
    pub(super) fn add(
        &mut self,
        at_ms: i64,
        records: u64,
        suspended: u64,
    ) -> (Option<Odd>, Option<Odd>) {
        let place = (at_ms.div_euclid(HOUR_MS) - self.hour).clamp(0, 1);
        let count = &mut self.counted[place as usize];
        count.records += records;
        count.suspended += suspended;
        let found = count.records as f64;
        let much = self.bounds(self.hour + place).filter(|(_, to)| found > *to);
        let much = much.map(|(from, to)| Odd { found, from, to });
        (much, self.share_of(records as f64, suspended as f64))
    }

    /// Returns the usual bounds of the number of records of an hour.
    fn bounds(&self, hour: i64) -> Option<(f64, f64)> {
        let usual = &self.usual[hour.rem_euclid(WEEK) as usize];
        if usual.len() < WEEKS_MIN {
            return None;
        }
        let middle = median(usual);
        let away = deviation(usual, middle).max(middle.sqrt()).max(middle * SHARE);
        Some(((middle - FAR * away).max(0.0), middle + FAR * away))
    }

    /// Returns the suspended records of a file if they are more than chance explains at the usual share.
    fn share_of(&self, records: f64, suspended: f64) -> Option<Odd> {
        if self.shares.len() < SHARES_MIN {
            return None;
        }
        let middle = median(&self.shares);
        let often = middle + 3.0 * deviation(&self.shares, middle);
        // Where most hours have none, the median says nothing about the others.
        let share = often.max(trimmed_mean(&self.shares)).min(1.0);
        let chance = (records * share * (1.0 - share)).sqrt();
        let to = records * share + FAR * chance + SUSPENDED_MIN;
        (suspended > to).then_some(Odd { found: suspended, from: 0.0, to })
    }
}

/// Appends a value and keeps the last ones.
fn remember(values: &mut Vec<f64>, value: f64, most: usize) {
    if values.len() == most {
        values.remove(0);
    }
    values.push(value);
}

/// Returns the median; of an even number of values, the mean of the middle two.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match (sorted.len() / 2, sorted.len() % 2) {
        (_, _) if sorted.is_empty() => 0.0,
        (middle, 1) => sorted[middle],
        (middle, _) => (sorted[middle - 1] + sorted[middle]) / 2.0,
    }
}

/// Returns the mean of all but the highest tenth.
fn trimmed_mean(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.truncate(values.len() - values.len() / 10);
    sorted.iter().sum::<f64>() / sorted.len().max(1) as f64
}

/// Returns the standard deviation, estimated from the median distance, so that a few outliers do not matter.
fn deviation(values: &[f64], middle: f64) -> f64 {
    let distances: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    MAD_TO_DEVIATION * median(&distances)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A time long after all hours.
    const LATER: i64 = i64::MAX;

    /// Feeds weeks in which each hour has 20 times its hour of the week as records, then the given hours. Returns which
    /// of those are unusual.
    fn check(weeks: i64, hours: &[u64]) -> Vec<bool> {
        let mut known = Hours::begin(0);
        for hour in 0..weeks * WEEK {
            let at_ms = hour * HOUR_MS;
            assert!(known.go_on(at_ms, LATER).iter().all(|closed| closed.odd.is_none()));
            known.add(at_ms, 20 * (hour % WEEK) as u64, 0);
        }
        let mut odd = Vec::new();
        for (hour, records) in (weeks * WEEK..).zip(hours) {
            let _ = known.go_on(hour * HOUR_MS, LATER);
            known.add(hour * HOUR_MS, *records, 0);
            let mut closed = known.clone().go_on((hour + 1) * HOUR_MS, LATER);
            odd.push(closed.remove(0).odd.is_some());
        }
        odd
    }

    #[test]
    fn an_hour_is_held_against_the_same_hour_of_earlier_weeks() {
        assert_eq!(check(4, &[0, 20, 40, 60, 80]), [false; 5]);
        assert_eq!(check(4, &[0, 0, 79, 6, 200]), [false, false, true, true, true]);
        assert_eq!(check(3, &[0, 0, 79, 6, 200]), [false; 5], "the usual number is not known yet");
    }

    #[test]
    fn one_odd_week_moves_nothing() {
        let mut hours = Hours::begin(0);
        let at_ms = |week: i64| week * WEEK * HOUR_MS;
        for week in 0..7 {
            hours.go_on(at_ms(week), LATER);
            hours.add(at_ms(week), if week == 3 { 10_000 } else { 100 + week as u64 }, 0);
        }
        hours.go_on(at_ms(7), LATER);
        assert_eq!(hours.add(at_ms(7), 150, 0).0, None);
        let (much, _) = hours.add(at_ms(7), 30, 0);
        assert!(much.is_some_and(|odd| odd.to < 170.0 && odd.found == 180.0));
    }

    #[test]
    fn more_records_are_set_aside_than_chance_explains() {
        let mut hours = Hours::begin(0);
        for hour in 0..SHARES_MIN as i64 {
            hours.go_on(hour * HOUR_MS, LATER);
            assert_eq!(hours.add(hour * HOUR_MS, 1_000, 9 + hour as u64 % 3).1, None);
        }
        let at_ms = SHARES_MIN as i64 * HOUR_MS;
        hours.go_on(at_ms, LATER);
        let mut is_odd = |records, suspended| hours.add(at_ms, records, suspended).1.is_some();
        assert!(!is_odd(1_000, 30) && is_odd(1_000, 60));
        assert!(!is_odd(10, 3) && is_odd(10, 9), "of a few records chance explains much");
    }

    #[test]
    fn where_most_hours_have_none_that_is_set_aside_some_have_a_few() {
        let mut hours = Hours::begin(0);
        for hour in 0..100 {
            hours.go_on(hour * HOUR_MS, LATER);
            hours.add(hour * HOUR_MS, 50, u64::from(hour % 3 == 0) * 3);
        }
        assert!(hours.add(99 * HOUR_MS, 50, 7).1.is_none());
        assert!(hours.add(99 * HOUR_MS, 50, 20).1.is_some());
    }

    #[test]
    fn an_hour_waits_for_files_that_are_late_and_those_of_the_next_are_counted_apart() {
        let mut hours = Hours::begin(0);
        hours.add(0, 5, 0);
        let soon = HOUR_MS + LATE_MS - 1;
        assert_eq!(hours.go_on(HOUR_MS, soon), []);
        hours.add(HOUR_MS, 7, 0);
        hours.add(HOUR_MS - 1, 6, 0);
        assert_eq!(hours.go_on(HOUR_MS, soon + 1).len(), 1);
        assert_eq!((hours.usual[0].as_slice(), hours.counted[0].records), ([11.0].as_slice(), 7));
    }

    #[test]
    fn of_months_in_which_nobody_ran_the_flow_nothing_is_known() {
        let mut hours = Hours::begin(0);
        hours.add(0, 10, 0);
        assert_eq!(hours.go_on(3 * WEEK * HOUR_MS, LATER), []);
        assert_eq!(hours.closes_ms(), (3 * WEEK + 1) * HOUR_MS + LATE_MS);
    }
}
