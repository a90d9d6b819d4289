//! Which hour of the week it is where a network is, and whether people are at work, have a holiday, or work on the network.
//!
//! What is usual depends on local time: when clocks change, the morning moves with the people. A moment is in seconds since 1970.

mod day;
mod holidays;
mod works;

pub use holidays::Holidays;
pub use works::{Work, Works};

use clocks::{Clock, DAY};

/// The weekday of 1970-01-01, a Thursday, from Monday.
const FIRST_WEEKDAY: i64 = 3;

/// How long a slot is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// An hour.
    Hour,
    /// A quarter of an hour.
    Quarter,
}

/// A part of the week, or of a holiday, by the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// The hour or quarter of the week, from Monday 00:00: up to 167 or 671.
    Week(u16),
    /// The hour or quarter of a holiday, on whatever weekday it is: up to 23 or 95.
    Holiday(u16),
}

/// The local time of a network, and its holidays.
#[derive(Clone, Debug)]
pub struct Calendar {
    clock: Clock,
    /// In days since 1970, in order.
    holidays: Vec<i64>,
}

impl Step {
    /// Returns its length in seconds.
    pub fn seconds(self) -> i64 {
        match self {
            Step::Hour => 3_600,
            Step::Quarter => 900,
        }
    }

    /// Returns how many slots a day has.
    pub fn of_day(self) -> u16 {
        (DAY / self.seconds()) as u16
    }

    /// Returns how many slots there are: those of a week, and those of a holiday behind them.
    pub fn slots(self) -> usize {
        usize::from(self.of_day()) * 8
    }
}

impl Slot {
    /// Returns its place among all [slots](Step::slots) of this length.
    pub fn place(self, step: Step) -> usize {
        match self {
            Slot::Week(slot) => slot.into(),
            Slot::Holiday(slot) => usize::from(step.of_day() * 7 + slot),
        }
    }
}

impl Calendar {
    /// Returns the calendar of a clock and of holidays, which are days since 1970, such as those [of a country](Holidays::of).
    pub fn new(clock: Clock, holidays: &[i64]) -> Calendar {
        let mut holidays = holidays.to_vec();
        holidays.sort_unstable();
        Calendar { clock, holidays }
    }

    /// Returns the slot of a moment. An hour that clocks show twice is the same slot twice; one that they pass over has none that day.
    pub fn slot(&self, moment: i64, step: Step) -> Slot {
        let local = self.clock.at(moment).local;
        let (day, second) = (local.div_euclid(DAY), local.rem_euclid(DAY));
        let slot = (second / step.seconds()) as u16;
        if self.holidays.binary_search(&day).is_ok() {
            return Slot::Holiday(slot);
        }
        let weekday = (day + FIRST_WEEKDAY).rem_euclid(7) as u16;
        Slot::Week(weekday * step.of_day() + slot)
    }
}
