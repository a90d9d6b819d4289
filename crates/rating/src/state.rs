//! The state between usages, or between parts of a usage. It is plain numbers, so that callers can store it anywhere.

use crate::calendar::Place;
use crate::plan::{BUNDLES_MAX, DISCOUNTS_MAX};
use crate::time::Moment;

/// The state of a subscriber: the usage in progress, bundles and discounts.
///
/// It belongs to the plan it was first used with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    pub(crate) session: Option<Session>,
    pub(crate) counters: Counters,
}

/// The counters that last from usage to usage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counters {
    pub(crate) bundles: [Counter<u64>; BUNDLES_MAX],
    pub(crate) spent: [Counter<i128>; DISCOUNTS_MAX],
}

impl State {
    /// Ends the usage in progress: the next part is another usage. What it took from bundles stays taken.
    pub fn end_usage(&mut self) {
        self.session = None;
    }

    /// Returns whether the next usage is taken for a part of an earlier one.
    pub fn is_in_usage(&self) -> bool {
        self.session.is_some()
    }
}

/// The count of a period; a later period begins at 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counter<T> {
    /// The number of the period; later ones have greater numbers.
    pub(crate) period: i64,
    pub(crate) used: T,
}

impl<T: Copy + Default> Counter<T> {
    /// Returns the counter of a period, restarted at 0 if it was of another one.
    pub(crate) fn at(&mut self, period: i64) -> &mut T {
        if self.period != period {
            *self = Counter { period, used: T::default() };
        }
        &mut self.used
    }
}

/// A usage in progress. Amounts are in measures, except for the charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Session {
    pub(crate) class: u16,
    pub(crate) subscriber: Option<u16>,
    pub(crate) place: Place,
    pub(crate) start: Moment,
    pub(crate) version: u32,
    /// The group of the band it started in.
    pub(crate) group: u32,
    /// The tax, in billionths of a percent.
    pub(crate) percent: i128,
    /// Units used.
    pub(crate) used: u64,
    /// The units of the intervals that were begun.
    pub(crate) bought: u64,
    /// How many of these units bundles paid.
    pub(crate) free: u64,
    /// The cost of the units that no bundle paid.
    pub(crate) sum: i128,
    pub(crate) charged: Charged,
}

/// The charge for a usage so far, in billionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Charged {
    pub(crate) net: i128,
    pub(crate) tax: i128,
}
