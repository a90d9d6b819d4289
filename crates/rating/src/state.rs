//! What is carried from one usage, or one part of a usage, to the next: plain numbers, so that it can be kept wherever
//! those who rate keep theirs.

use crate::calendar::Place;
use crate::plan::{BUNDLES_MAX, DISCOUNTS_MAX};
use crate::time::Moment;

/// How far a subscriber has come: in the usage in hand, in bundles, and towards discounts.
///
/// It belongs to the plan it was first used with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    pub(crate) session: Option<Session>,
    pub(crate) counters: Counters,
}

/// What counts from usage to usage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counters {
    pub(crate) bundles: [Counter<u64>; BUNDLES_MAX],
    pub(crate) spent: [Counter<i128>; DISCOUNTS_MAX],
}

impl State {
    /// The usage in hand is over: what is rated next is another. What was taken of bundles stays taken.
    pub fn end_usage(&mut self) {
        self.session = None;
    }

    /// Whether the next usage is taken for a part of one that was rated before.
    pub fn is_in_usage(&self) -> bool {
        self.session.is_some()
    }
}

/// What was counted in a period; a later period begins at 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counter<T> {
    /// The number of the period; later ones have greater numbers.
    pub(crate) period: i64,
    pub(crate) used: T,
}

impl<T: Copy + Default> Counter<T> {
    /// The counter at a period.
    pub(crate) fn at(&mut self, period: i64) -> &mut T {
        if self.period != period {
            *self = Counter { period, used: T::default() };
        }
        &mut self.used
    }
}

/// A usage in hand. Amounts are measures, but for the charge.
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
    /// Units of the intervals that were begun.
    pub(crate) bought: u64,
    /// Of these, how many bundles paid.
    pub(crate) free: u64,
    /// What those that no bundle paid cost.
    pub(crate) sum: i128,
    pub(crate) charged: Charged,
}

/// What a usage was charged so far, in billionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Charged {
    pub(crate) net: i128,
    pub(crate) tax: i128,
}
