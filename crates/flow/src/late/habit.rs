//! How long one usually waits for the next file, by hour of the week.
//!
//! Of each hour of a week it is known how long the longest pause was that it belonged to, in each of the last four weeks.
//! Of three weeks or more the second longest is usual, so that one that was out of order moves nothing. A file is late when
//! the pause is longer than was usual in this hour and those beside it, and a good deal:
//!
//! ```text
//! longest + max(min(longest, 2 hours), 6 deviations of the last pauses) + 5 minutes
//! ```
//!
//! So a file of each five minutes is late after some 15, one of each day after 26 hours, and where pauses differ anyway
//! they may. The deviation is 1.4826 times the median distance from the median, as of values that are spread normally.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::median::{deviation, median};

const SECOND_MS: i64 = 1_000;
const MINUTE_MS: i64 = 60 * SECOND_MS;
const HOUR_MS: i64 = 60 * MINUTE_MS;

/// Hours of a week.
const WEEK: i64 = 7 * 24;

/// Weeks that are remembered.
const WEEKS: usize = 4;

/// Weeks from which on the longest of them does not count.
const WEEKS_WITHOUT_LONGEST: usize = 3;

/// Pauses whose lengths are remembered one by one, and without which nothing is judged.
const PAUSES: usize = 32;
const PAUSES_MIN: usize = 10;

/// Without so long nothing is judged: a week has all its days, and the pause with which it began was cut.
const LEARN_MS: i64 = (WEEK + 24) * HOUR_MS;

/// How far away, in deviations, a pause is out of the usual.
const FAR: f64 = 6.0;

/// What a pause may be longer than usual.
const MORE_MS: i64 = 2 * HOUR_MS;
const LEAST_MS: i64 = 5 * MINUTE_MS;

/// What is known of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Habit {
    /// When the first file came.
    first_ms: i64,
    /// When the last one did.
    pub(super) last_ms: i64,
    /// How long the last pauses were, in seconds.
    pauses: VecDeque<u32>,
    /// The oldest first.
    weeks: VecDeque<Week>,
}

/// By hour: the longest pause that it belonged to, in seconds; 0 where nothing is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Week {
    /// Since 1970.
    number: i64,
    longest: Vec<u32>,
}

impl Habit {
    /// A first file came.
    pub(super) fn begin(now_ms: i64) -> Self {
        let (pauses, weeks) = (VecDeque::new(), VecDeque::new());
        Habit { first_ms: now_ms, last_ms: now_ms, pauses, weeks }
    }

    /// As the journal has it; none where that is not what this program writes.
    pub(super) fn read(text: &str) -> Option<Self> {
        let habit: Habit = serde_json::from_str(text).ok()?;
        let is_whole = |week: &Week| week.longest.len() == WEEK as usize;
        habit.weeks.iter().all(is_whole).then_some(habit)
    }

    /// For the journal.
    pub(super) fn written(&self) -> String {
        serde_json::to_string(self).expect("numbers only")
    }

    /// One more file came. A clock that was set back ends no pause.
    pub(super) fn file_came(&mut self, now_ms: i64) {
        let pause_ms = now_ms - self.last_ms;
        if pause_ms < 0 {
            self.last_ms = now_ms;
            return;
        }
        let seconds = u32::try_from(pause_ms / SECOND_MS).unwrap_or(u32::MAX).max(1);
        if self.pauses.len() == PAUSES {
            self.pauses.pop_front();
        }
        self.pauses.push_back(seconds);
        let (from, to) = (self.last_ms.div_euclid(HOUR_MS), now_ms.div_euclid(HOUR_MS));
        // What lies further back is forgotten anyway.
        for hour in from.max(to - WEEK * WEEKS as i64)..=to {
            let longest = &mut self.week(hour.div_euclid(WEEK)).longest;
            let longest = &mut longest[hour.rem_euclid(WEEK) as usize];
            *longest = seconds.max(*longest);
        }
        self.last_ms = now_ms;
    }

    /// The week of a number, which is the last one or one more.
    fn week(&mut self, number: i64) -> &mut Week {
        if self.weeks.back().is_none_or(|last| last.number < number) {
            if self.weeks.len() == WEEKS {
                self.weeks.pop_front();
            }
            self.weeks.push_back(Week { number, longest: vec![0; WEEK as usize] });
        }
        self.weeks.back_mut().expect("there is one")
    }

    /// How long the longest pause is that is usual at a time, in milliseconds; nothing where that is not known.
    pub(super) fn usual_ms(&self, now_ms: i64) -> Option<i64> {
        if now_ms - self.first_ms < LEARN_MS || self.pauses.len() < PAUSES_MIN {
            return None;
        }
        let hour = now_ms.div_euclid(HOUR_MS);
        let around = [hour - 1, hour, hour + 1].map(|hour| hour.rem_euclid(WEEK) as usize);
        let of_week = |week: &Week| around.iter().map(|hour| week.longest[*hour]).max();
        let mut longest: Vec<u32> = self.weeks.iter().filter_map(of_week).collect();
        longest.retain(|seconds| *seconds > 0);
        longest.sort_unstable();
        if longest.len() >= WEEKS_WITHOUT_LONGEST {
            longest.pop();
        }
        longest.last().map(|seconds| i64::from(*seconds) * SECOND_MS)
    }

    /// Whether a pause since a time is longer than is usual; returns how long is.
    pub(super) fn is_late(&self, since_ms: i64, now_ms: i64) -> Option<i64> {
        let usual_ms = self.usual_ms(now_ms)?;
        let pauses: Vec<f64> = self.pauses.iter().map(|seconds| f64::from(*seconds)).collect();
        let far = FAR * deviation(&pauses, median(&pauses));
        let deviation_ms = (far * SECOND_MS as f64) as i64;
        let more_ms = usual_ms.min(MORE_MS).max(deviation_ms) + LEAST_MS;
        (now_ms - since_ms > usual_ms + more_ms).then_some(usual_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY_MS: i64 = 24 * HOUR_MS;

    /// Files so many minutes apart for weeks, but for those that did not come; then how many minutes after the last one the
    /// next is late, nothing if it is not for a month.
    fn late_after(apart: i64, weeks: i64, comes: impl Fn(i64) -> bool) -> Option<i64> {
        let mut habit = Habit::begin(0);
        for at_ms in (0..weeks * WEEK * HOUR_MS).step_by((apart * MINUTE_MS) as usize) {
            if comes(at_ms) {
                assert_eq!(habit.is_late(habit.last_ms, at_ms), None, "{}", at_ms / MINUTE_MS);
                habit.file_came(at_ms);
            }
        }
        let last_ms = habit.last_ms;
        let is_late =
            |minutes: &i64| habit.is_late(last_ms, last_ms + minutes * MINUTE_MS).is_some();
        (0..31 * 24 * 60).find(is_late)
    }

    #[test]
    fn files_that_come_in_time_are_late_soon() {
        assert_eq!(late_after(5, 2, |_| true), Some(16));
        assert_eq!(late_after(60, 2, |_| true), Some(126));
        assert_eq!(late_after(24 * 60, 2, |_| true), Some(24 * 60 + 126));
    }

    #[test]
    fn nothing_is_judged_in_the_first_days_nor_by_a_few_files() {
        let mut habit = Habit::begin(0);
        (1..100).for_each(|hour| habit.file_came(hour * HOUR_MS));
        assert_eq!(habit.is_late(habit.last_ms, LEARN_MS - 1), None);
        assert!(habit.is_late(habit.last_ms, LEARN_MS).is_some());
        assert_eq!(late_after(24 * 60, 1, |_| true), None);
    }

    #[test]
    fn nights_and_weekends_have_pauses_of_their_own() {
        let by_day = |at_ms: i64| (6..22).contains(&(at_ms % DAY_MS / HOUR_MS));
        // The last file of a day came ten minutes before ten, the first of the next comes at six.
        assert_eq!(late_after(10, 3, by_day), Some(10 * 60 + 10));
        let mut habit = Habit::begin(0);
        let files = (0..3 * WEEK * HOUR_MS).step_by((10 * MINUTE_MS) as usize);
        files.filter(|at_ms| by_day(*at_ms)).for_each(|at_ms| habit.file_came(at_ms));
        let noon = 3 * WEEK * HOUR_MS + 12 * HOUR_MS;
        assert_eq!(habit.is_late(noon - 20 * MINUTE_MS, noon), None);
        assert_eq!(habit.is_late(noon - 40 * MINUTE_MS, noon), Some(10 * MINUTE_MS));
        let on_weekdays = |at_ms: i64| at_ms / DAY_MS % 7 < 5;
        assert_eq!(late_after(24 * 60, 4, on_weekdays), Some(3 * 24 * 60 + 120));
    }

    #[test]
    fn one_week_that_was_out_of_order_moves_nothing() {
        let comes = |at_ms: i64| !(9..12).contains(&(at_ms / DAY_MS));
        let mut habit = Habit::begin(0);
        let files = (0..4 * WEEK * HOUR_MS).step_by((10 * MINUTE_MS) as usize);
        files.filter(|at_ms| comes(*at_ms)).for_each(|at_ms| habit.file_came(at_ms));
        let then = (4 * 7 + 3) * DAY_MS;
        assert_eq!(habit.usual_ms(then), Some(10 * MINUTE_MS));
    }

    #[test]
    fn files_that_come_when_they_like_are_late_when_they_never_were_so_late() {
        let mut habit = Habit::begin(0);
        let (mut at_ms, mut random) = (0, 7_u64);
        let mut alarms = 0;
        while at_ms < 10 * WEEK * HOUR_MS {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let chance = (random >> 11) as f64 / (1_u64 << 53) as f64;
            // Exponential, an hour on an average.
            at_ms += (-(1.0 - chance).ln() * HOUR_MS as f64) as i64;
            alarms += i64::from(habit.is_late(habit.last_ms, at_ms).is_some());
            habit.file_came(at_ms);
        }
        assert!(alarms <= 10, "{alarms} in {} files", 10 * WEEK);
    }

    #[test]
    fn what_is_read_is_what_was_written_and_nothing_else() {
        let mut habit = Habit::begin(0);
        (1..30).for_each(|hour| habit.file_came(hour * HOUR_MS));
        assert_eq!(Habit::read(&habit.written()), Some(habit.clone()));
        habit.weeks[0].longest.pop();
        assert_eq!(Habit::read(&habit.written()), None);
        assert_eq!(Habit::read("{}"), None);
    }

    #[test]
    fn a_clock_that_is_set_does_no_harm() {
        let mut habit = Habit::begin(10 * DAY_MS);
        habit.file_came(0);
        habit.file_came(1_000 * 365 * DAY_MS);
        habit.file_came(i64::MAX / 2);
        assert_eq!(habit.is_late(habit.last_ms, habit.last_ms), None);
    }
}
