//! Learns how long the pause between two files usually is, by hour of the week.
//!
//! For each week and hour, the longest pause that touched the hour is recorded. The usual pause at a time is the
//! longest of the last four weeks in its hour and the two beside it. Files that come irregularly may exceed that. So
//! the longest pause of each week, as a multiple of the usual pause, is kept for eight weeks. With three or more weeks,
//! the highest value of either is ignored: a single outage changes nothing. A file is late after
//!
//! ```text
//! limit = usual × highest multiple, 1 at least
//! limit + min(limit, 2 hours) + 5 minutes
//! ```
//!
//! So a file that comes every five minutes is late after a quarter of an hour, and a daily one after 26 hours. In a
//! simulation, files that come at random, one an hour on average (pauses with an exponential distribution), were late
//! once in eight weeks.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

const SECOND_MS: i64 = 1_000;
const MINUTE_MS: i64 = 60 * SECOND_MS;
const HOUR_MS: i64 = 60 * MINUTE_MS;

/// Hours of a week.
const WEEK: i64 = 7 * 24;

/// The number of weeks for which pauses are kept, and for which multiples are kept.
const WEEKS: usize = 4;
const MULTIPLES: usize = 8;

/// The fewest weeks of pauses for a judgement, and the number of weeks from which on the highest value is ignored.
const WEEKS_MIN: usize = 2;
const WEEKS_WITHOUT_HIGHEST: usize = 3;

/// The least time and the fewest files before a judgement.
const LEARN_MS: i64 = 15 * 24 * HOUR_MS;
const FILES_MIN: u32 = 10;

/// The most and the least that a pause may exceed the limit by.
const MORE_MS: i64 = 2 * HOUR_MS;
const LEAST_MS: i64 = 5 * MINUTE_MS;

/// If the clock goes back by more than this, it was ahead before.
const SET_BACK_MS: i64 = HOUR_MS;

/// The habit of one network element or post-processing system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Habit {
    /// When the first file came.
    first_ms: i64,
    /// When the last file came.
    pub(super) last_ms: i64,
    /// The number of files after the first.
    files: u32,
    /// The weeks with pauses, oldest first.
    weeks: VecDeque<Week>,
    /// The highest multiple of a usual pause, by week, oldest first.
    multiples: VecDeque<(i64, f64)>,
}

/// A week, numbered from 1970.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Week {
    number: i64,
    /// The longest pause that touched each hour, in seconds; 0 where none is known.
    longest: Vec<u32>,
}

impl Habit {
    /// Begins with the first file.
    pub(super) fn begin(now_ms: i64) -> Self {
        let (weeks, multiples) = (VecDeque::new(), VecDeque::new());
        Habit { first_ms: now_ms, last_ms: now_ms, files: 0, weeks, multiples }
    }

    /// Parses the journal's text. Returns `None` if this program did not write it.
    pub(super) fn read(text: &str) -> Option<Self> {
        let habit: Habit = serde_json::from_str(text).ok()?;
        let is_whole = |week: &Week| week.longest.len() == WEEK as usize;
        let is_bounded = habit.weeks.len() <= WEEKS && habit.multiples.len() <= MULTIPLES;
        (is_bounded && habit.weeks.iter().all(is_whole)).then_some(habit)
    }

    /// Returns the text for the journal.
    pub(super) fn written(&self) -> String {
        serde_json::to_string(self).expect("numbers only")
    }

    /// Learns from another file.
    pub(super) fn learn(&mut self, now_ms: i64) {
        if now_ms < self.last_ms - SET_BACK_MS {
            self.forget_after(now_ms);
        }
        let pause_ms = (now_ms - self.last_ms).max(0);
        let seconds = u32::try_from(pause_ms / SECOND_MS).unwrap_or(u32::MAX).max(1);
        if let Some(usual) = self.usual_seconds(now_ms) {
            self.add_multiple(week_of(now_ms), f64::from(seconds) / f64::from(usual));
        }
        let (from, to) = (self.last_ms.div_euclid(HOUR_MS), now_ms.div_euclid(HOUR_MS));
        // Older weeks are dropped anyway.
        for hour in from.max(to - WEEK * WEEKS as i64)..=to {
            let longest = &mut self.week(hour.div_euclid(WEEK)).longest;
            let longest = &mut longest[hour.rem_euclid(WEEK) as usize];
            *longest = seconds.max(*longest);
        }
        self.files = self.files.saturating_add(1);
        self.last_ms = now_ms;
    }

    /// Drops what was learned after `now_ms`, while the clock was ahead.
    fn forget_after(&mut self, now_ms: i64) {
        let last = week_of(now_ms);
        self.weeks.retain(|week| week.number <= last);
        self.multiples.retain(|(week, _)| *week <= last);
        self.first_ms = self.first_ms.min(now_ms);
        self.last_ms = now_ms;
    }

    fn add_multiple(&mut self, number: i64, multiple: f64) {
        match self.multiples.back_mut() {
            Some((last, highest)) if *last >= number => *highest = highest.max(multiple),
            _ => push(&mut self.multiples, MULTIPLES, (number, multiple)),
        }
    }

    /// Returns the week with this number. It is the last one or a new one.
    fn week(&mut self, number: i64) -> &mut Week {
        if self.weeks.back().is_none_or(|last| last.number < number) {
            let longest = vec![0; WEEK as usize];
            push(&mut self.weeks, WEEKS, Week { number, longest });
        }
        self.weeks.back_mut().expect("there is one")
    }

    /// Returns the usual pause at a time in seconds, before the multiple.
    fn usual_seconds(&self, now_ms: i64) -> Option<u32> {
        let hour = now_ms.div_euclid(HOUR_MS);
        let around = [hour - 1, hour, hour + 1].map(|hour| hour.rem_euclid(WEEK) as usize);
        let of_week = |week: &Week| around.iter().map(|hour| week.longest[*hour]).max();
        let longest = self.weeks.iter().filter_map(of_week).filter(|seconds| *seconds > 0);
        highest(longest.map(f64::from).collect(), WEEKS_MIN).map(|seconds| seconds as u32)
    }

    /// Returns the limit of a pause at a time, or `None` if too little is known.
    pub(super) fn limit_ms(&self, now_ms: i64) -> Option<i64> {
        if now_ms - self.first_ms < LEARN_MS || self.files < FILES_MIN {
            return None;
        }
        // If pauses are longer than a week, hours of the week tell nothing.
        let usual = self.usual_seconds(now_ms).filter(|usual| i64::from(*usual) <= WEEK * 3_600)?;
        let multiples = self.multiples.iter().map(|(_, multiple)| *multiple).collect();
        let multiple = highest(multiples, 1)?.max(1.0);
        Some((f64::from(usual) * multiple) as i64 * SECOND_MS)
    }

    /// Returns the limit if a pause is too long at a time.
    pub(super) fn is_late(&self, pause_ms: i64, now_ms: i64) -> Option<i64> {
        let limit_ms = self.limit_ms(now_ms)?;
        (pause_ms > limit_ms + limit_ms.min(MORE_MS) + LEAST_MS).then_some(limit_ms)
    }
}

fn week_of(at_ms: i64) -> i64 {
    at_ms.div_euclid(WEEK * HOUR_MS)
}

/// Appends a value. Drops the first one if there are `most` already.
fn push<T>(values: &mut VecDeque<T>, most: usize, value: T) {
    if values.len() >= most {
        values.pop_front();
    }
    values.push_back(value);
}

/// Returns the highest value that counts, or `None` if there are fewer than `least`.
fn highest(mut values: Vec<f64>, least: usize) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    if values.len() < least {
        return None;
    }
    if values.len() >= WEEKS_WITHOUT_HIGHEST {
        values.pop();
    }
    values.last().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY_MS: i64 = 24 * HOUR_MS;
    const WEEK_MS: i64 = 7 * DAY_MS;

    /// Learns files at these times and asserts that none is late.
    fn learned(times: impl Iterator<Item = i64>) -> Habit {
        let mut habit = Habit::begin(0);
        for at_ms in times {
            let pause_ms = at_ms - habit.last_ms;
            assert_eq!(habit.is_late(pause_ms, at_ms), None, "{} minutes", at_ms / MINUTE_MS);
            habit.learn(at_ms);
        }
        habit
    }

    fn every(apart_ms: i64, weeks: i64) -> impl Iterator<Item = i64> {
        (0..weeks * WEEK_MS).step_by(apart_ms as usize)
    }

    /// Returns after how many minutes the next file is late, if it is late within a month.
    fn late_after(habit: &Habit) -> Option<i64> {
        let is_late = |minutes: &i64| {
            let pause_ms = minutes * MINUTE_MS;
            habit.is_late(pause_ms, habit.last_ms + pause_ms).is_some()
        };
        (0..31 * 24 * 60).find(is_late)
    }

    #[test]
    fn files_that_come_in_time_are_late_soon() {
        assert_eq!(late_after(&learned(every(5 * MINUTE_MS, 4))), Some(16));
        assert_eq!(late_after(&learned(every(HOUR_MS, 4))), Some(126));
        assert_eq!(late_after(&learned(every(DAY_MS, 4))), Some(24 * 60 + 126));
    }

    #[test]
    fn two_files_one_behind_the_other_each_day_are_as_one() {
        let twice = every(DAY_MS, 4).flat_map(|at_ms| [at_ms, at_ms + 90 * SECOND_MS]);
        assert_eq!(late_after(&learned(twice)), Some(24 * 60 + 124));
        let twice = every(DAY_MS, 4).flat_map(|at_ms| [at_ms + 9 * HOUR_MS, at_ms + 17 * HOUR_MS]);
        assert_eq!(late_after(&learned(twice)), Some(18 * 60));
    }

    #[test]
    fn nothing_is_judged_before_it_is_known() {
        assert_eq!(late_after(&learned(every(2 * DAY_MS, 2))), None, "a few files");
        let habit = learned(every(HOUR_MS, 3));
        assert_eq!(habit.is_late(10 * HOUR_MS, LEARN_MS - 1), None);
        assert!(habit.is_late(10 * HOUR_MS, LEARN_MS).is_some());
        assert_eq!(late_after(&learned(every(30 * DAY_MS, 60))), None, "monthly files");
    }

    #[test]
    fn nights_and_weekends_have_pauses_of_their_own() {
        let is_day = |at_ms: &i64| (6..22).contains(&(at_ms % DAY_MS / HOUR_MS));
        let habit = learned(every(10 * MINUTE_MS, 4).filter(is_day));
        // The last file of a day comes at ten to ten, the first of the next at six.
        let late = late_after(&habit).expect("some time");
        assert!((8 * 60 + 10..11 * 60).contains(&late), "{late}");
        let noon = 4 * WEEK_MS + 12 * HOUR_MS;
        assert_eq!(habit.is_late(20 * MINUTE_MS, noon), None);
        assert!(habit.is_late(2 * HOUR_MS, noon).is_some());
        let is_weekday = |at_ms: &i64| at_ms / DAY_MS % 7 < 5;
        let late = late_after(&learned(every(DAY_MS, 6).filter(is_weekday))).expect("some time");
        assert!((3 * 24 * 60..4 * 24 * 60).contains(&late), "{late}");
    }

    #[test]
    fn one_outage_changes_nothing() {
        let is_up = |at_ms: &i64| !(16..19).contains(&(at_ms / DAY_MS));
        let mut habit = Habit::begin(0);
        every(10 * MINUTE_MS, 5).filter(is_up).for_each(|at_ms| habit.learn(at_ms));
        assert_eq!(late_after(&habit), Some(26));
    }

    #[test]
    fn files_that_come_at_random_are_rarely_late() {
        let (mut at_ms, mut random) = (0, 7_u64);
        let mut next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let chance = (random >> 11) as f64 / (1_u64 << 53) as f64;
            at_ms += (-(1.0 - chance).ln() * HOUR_MS as f64) as i64;
            at_ms
        };
        let (mut habit, mut late) = (Habit::begin(0), 0);
        loop {
            let at_ms = next();
            if at_ms > 24 * WEEK_MS {
                break;
            }
            late += i64::from(habit.is_late(at_ms - habit.last_ms, at_ms).is_some());
            habit.learn(at_ms);
        }
        assert!(late <= 6, "{late} in 24 weeks");
    }

    #[test]
    fn what_is_read_is_what_was_written_and_nothing_else() {
        let mut habit = learned(every(HOUR_MS, 6));
        assert_eq!(Habit::read(&habit.written()), Some(habit.clone()));
        habit.weeks[0].longest.pop();
        assert_eq!(Habit::read(&habit.written()), None);
        habit.weeks = std::iter::repeat_n(habit.weeks[1].clone(), 5).collect();
        assert_eq!(Habit::read(&habit.written()), None);
        assert_eq!(Habit::read("{}"), None);
    }

    #[test]
    fn of_a_clock_that_was_ahead_nothing_stays() {
        for ahead_ms in [5 * WEEK_MS, 10 * 365 * DAY_MS, i64::MAX / 2] {
            let mut habit = learned(every(10 * MINUTE_MS, 4));
            habit.learn(habit.last_ms + ahead_ms);
            (0..10).for_each(|_| habit.learn(habit.last_ms + MINUTE_MS));
            let back = (4 * WEEK_MS..8 * WEEK_MS).step_by(10 * MINUTE_MS as usize);
            back.for_each(|at_ms| habit.learn(at_ms));
            assert_eq!(late_after(&habit), Some(26), "{ahead_ms}");
        }
    }
}
