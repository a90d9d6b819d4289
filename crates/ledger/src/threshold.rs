//! Thresholds: when an account has little left of a unit, there is a notice, once.
//!
//! What counts is the sum of the buckets that are valid, with what is reserved from them: a call in progress has not used
//! what is reserved for it. So the sum changes by entries, and thresholds are looked at when one was made.

use crate::account::{Account, Standing};
use crate::bucket::{Bucket, MAIN_BUCKET};
use crate::decide::{Decision, new, refused};
use crate::effect::Effect;
use crate::notice::Notice;
use crate::operation::{Outcome, Receipt, Refusal};
use crate::subscription::Subscription;
use crate::unit::{AMOUNT_MAX, Millis, Unit, is_amount};

/// The maximum number of thresholds of an account.
pub const THRESHOLDS_MAX: usize = 4;

/// A level of what an account has of a unit. There is a notice when it falls below, and no other before it has risen above
/// the level and the hysteresis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threshold {
    /// The unit.
    pub unit: Unit,
    /// What the level is.
    pub measure: Measure,
    /// The level, above 0.
    pub level: i64,
    /// How far it must rise above the level, so that a sum around it does not make many notices.
    pub hysteresis: i64,
}

/// What the level of a threshold is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// An amount: the sum of all balances.
    Amount,
    /// A percentage of what all balances but the main one were given. Without such a balance, there is no percentage.
    Percent,
}

impl Measure {
    /// All measures, in the order of their numbers in the journal.
    pub(crate) const ALL: [Measure; 2] = [Measure::Amount, Measure::Percent];
}

/// A threshold of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Watched {
    pub(crate) threshold: Threshold,
    pub(crate) state: ThresholdState,
}

/// Whether there will be a notice when an account falls below a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThresholdState {
    /// There will be one.
    Armed,
    /// The account is below and there was none. There will be one after it has reached the level.
    Below,
    /// There was one. There will be another after the account has risen above the level and the hysteresis.
    Noticed,
}

impl ThresholdState {
    /// All states, in the order of their numbers in the journal.
    pub(crate) const ALL: [ThresholdState; 3] =
        [ThresholdState::Below, ThresholdState::Armed, ThresholdState::Noticed];
}

impl Threshold {
    fn is_valid(&self) -> bool {
        match self.measure {
            Measure::Amount => is_amount(self.level) && (0..=AMOUNT_MAX).contains(&self.hysteresis),
            // An account must be able to rise above it.
            Measure::Percent => {
                (1..100).contains(&self.level) && (0..100 - self.level).contains(&self.hysteresis)
            }
        }
    }
}

impl Account {
    /// Returns the thresholds.
    pub fn thresholds(&self) -> impl Iterator<Item = Threshold> {
        self.thresholds.iter().map(|watched| watched.threshold)
    }

    /// Returns how much of a unit there is at a time, with what is reserved of it.
    pub fn amount_of(&self, unit: Unit, at: Millis) -> i64 {
        let amounts = self.valid_buckets(unit, at).map(|bucket| bucket.amount);
        amounts.fold(0, i64::saturating_add)
    }

    fn valid_buckets(&self, unit: Unit, at: Millis) -> impl Iterator<Item = &Bucket> {
        let is_valid = move |of: &&Bucket| of.unit == unit && of.valid().contains(&at);
        self.buckets().iter().filter(is_valid)
    }

    /// Returns where the account is by the measure of a threshold, and what it has.
    fn measured(&self, threshold: &Threshold, at: Millis) -> Option<(i64, i64)> {
        let Threshold { unit, measure, .. } = *threshold;
        if measure == Measure::Amount {
            let amount = self.amount_of(unit, at);
            return Some((amount, amount));
        }
        let own = self.valid_buckets(unit, at).filter(|of| of.id != MAIN_BUCKET);
        let (amount, given) = own.fold((0_i128, 0_i128), |(amount, given), of| {
            (amount + i128::from(of.amount), given + i128::from(of.given))
        });
        let clamped = |sum: i128| sum.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        (given > 0).then(|| (clamped(100 * amount / given), clamped(amount)))
    }
}

impl Decision<'_> {
    /// Replaces the thresholds. One that the account had before stays as it is. One that the account is below already makes
    /// its first notice after it was reached.
    pub(crate) fn set_thresholds(&mut self, thresholds: &[Threshold]) -> Outcome {
        if thresholds.len() > THRESHOLDS_MAX || !thresholds.iter().all(Threshold::is_valid) {
            return refused(Refusal::AmountInvalid);
        }
        let before = self.account.thresholds.clone();
        self.make(Effect::ThresholdsGone);
        for (place, threshold) in (0..).zip(thresholds) {
            let known = before.iter().find(|watched| watched.threshold == *threshold);
            let measured = self.account.measured(threshold, self.now());
            let is_below = measured.is_some_and(|(measured, _)| measured < threshold.level);
            let state = match (known, is_below) {
                (Some(known), _) => known.state,
                (None, true) => ThresholdState::Below,
                (None, false) => ThresholdState::Armed,
            };
            self.make(Effect::Threshold { place, threshold: *threshold, state });
        }
        new(Receipt::default())
    }

    /// Makes the notices of an operation that made an entry. While a subscription is due, what it gives may be missing for a
    /// moment: this is looked at again when it is charged.
    pub(crate) fn watch(&mut self) {
        let is_due = |of: &Subscription| of.due <= self.now();
        if self.account.standing == Standing::Closed
            || self.account.subscriptions().iter().any(is_due)
        {
            return;
        }
        for place in 0..self.account.thresholds.len() {
            let Watched { threshold, state } = self.account.thresholds[place];
            let Threshold { unit, measure, level, hysteresis } = threshold;
            let Some((measured, amount)) = self.account.measured(&threshold, self.now()) else {
                continue;
            };
            let place = place as u8;
            let is_reached = measured >= level;
            match state {
                ThresholdState::Armed if !is_reached => {
                    let state = ThresholdState::Noticed;
                    self.make(Effect::Threshold { place, threshold, state });
                    self.make(Effect::Notice(Notice::Low { unit, measure, level, amount }));
                }
                ThresholdState::Below if is_reached => {
                    let state = ThresholdState::Armed;
                    self.make(Effect::Threshold { place, threshold, state });
                }
                ThresholdState::Noticed if measured > level + hysteresis => {
                    let state = ThresholdState::Armed;
                    self.make(Effect::Threshold { place, threshold, state });
                }
                _ => {}
            }
        }
    }
}

const _: () = assert!(THRESHOLDS_MAX <= u8::MAX as usize);
