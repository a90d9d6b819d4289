//! Thresholds: when an account has little left of a unit, there is a notice, once.
//!
//! What counts is the sum of the buckets that are valid, with what is reserved from them: a call in progress has not used
//! what is reserved for it. So the sum changes by entries, and thresholds are looked at when one was made.

use crate::account::{Account, Standing};
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
    /// The level, above 0.
    pub level: i64,
    /// How far it must rise above the level, so that a sum around it does not make many notices.
    pub hysteresis: i64,
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
        is_amount(self.level) && (0..=AMOUNT_MAX).contains(&self.hysteresis)
    }
}

impl Account {
    /// Returns the thresholds.
    pub fn thresholds(&self) -> impl Iterator<Item = Threshold> {
        self.thresholds.iter().map(|watched| watched.threshold)
    }

    /// Returns how much of a unit there is at a time, with what is reserved of it.
    pub fn amount_of(&self, unit: Unit, at: Millis) -> i64 {
        let is_counted =
            |bucket: &&crate::Bucket| bucket.unit == unit && bucket.valid().contains(&at);
        let amounts = self.buckets().iter().filter(is_counted).map(|bucket| bucket.amount);
        amounts.fold(0, i64::saturating_add)
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
            let is_below = self.account.amount_of(threshold.unit, self.now()) < threshold.level;
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
            let Threshold { unit, level, hysteresis } = threshold;
            let amount = self.account.amount_of(unit, self.now());
            let place = place as u8;
            let is_reached = amount >= level;
            match state {
                ThresholdState::Armed if !is_reached => {
                    let state = ThresholdState::Noticed;
                    self.make(Effect::Threshold { place, threshold, state });
                    self.make(Effect::Notice(Notice::Low { unit, level, amount }));
                }
                ThresholdState::Below if is_reached => {
                    let state = ThresholdState::Armed;
                    self.make(Effect::Threshold { place, threshold, state });
                }
                ThresholdState::Noticed if amount > level + hysteresis => {
                    let state = ThresholdState::Armed;
                    self.make(Effect::Threshold { place, threshold, state });
                }
                _ => {}
            }
        }
    }
}

const _: () = assert!(THRESHOLDS_MAX <= u8::MAX as usize);
