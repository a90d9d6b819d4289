//! Thresholds: when an account has little left of a unit, there is a notice, once.
//!
//! What counts is the sum of the buckets that are valid, with what is reserved from them: a call in progress has not used
//! what is reserved for it. So the sum changes by entries, and thresholds are looked at when one was made.

use crate::account::{Account, Standing};
use crate::decide::{Decision, new, refused};
use crate::effect::Effect;
use crate::notice::Notice;
use crate::operation::{Outcome, Receipt, Refusal};
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

/// A threshold of an account, and whether there will be a notice when it falls below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Watched {
    pub(crate) threshold: Threshold,
    pub(crate) is_armed: bool,
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
    /// Replaces the thresholds. One that the account is below already makes its first notice after it was above.
    pub(crate) fn set_thresholds(&mut self, thresholds: &[Threshold]) -> Outcome {
        if thresholds.len() > THRESHOLDS_MAX || !thresholds.iter().all(Threshold::is_valid) {
            return refused(Refusal::AmountInvalid);
        }
        self.make(Effect::ThresholdsGone);
        for (place, threshold) in (0..).zip(thresholds) {
            let is_armed = self.account.amount_of(threshold.unit, self.now()) >= threshold.level;
            self.make(Effect::Threshold { place, threshold: *threshold, is_armed });
        }
        new(Receipt::default())
    }

    /// Makes the notices of an operation that made an entry.
    pub(crate) fn watch(&mut self) {
        if self.account.standing == Standing::Closed {
            return;
        }
        for place in 0..self.account.thresholds.len() {
            let Watched { threshold, is_armed } = self.account.thresholds[place];
            let Threshold { unit, level, hysteresis } = threshold;
            let amount = self.account.amount_of(unit, self.now());
            let place = place as u8;
            if is_armed && amount < level {
                self.make(Effect::Threshold { place, threshold, is_armed: false });
                self.make(Effect::Notice(Notice::Low { unit, level, amount }));
            } else if !is_armed && amount > level + hysteresis {
                self.make(Effect::Threshold { place, threshold, is_armed: true });
            }
        }
    }
}

const _: () = assert!(THRESHOLDS_MAX <= u8::MAX as usize);
