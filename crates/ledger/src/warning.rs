//! Warnings: some time before a balance or a stage of the account's life ends, there is a notice, once.
//!
//! The account has the time up to which ends were looked for. So each end is found once, also after a pause. What lasts shorter
//! than a warning comes before its end has none: a bundle for a day is not about to end when it is bought.

use crate::account::{Account, Standing};
use crate::bucket::{Bucket, BucketId, MAIN_BUCKET};
use crate::decide::{Decision, new, refused};
use crate::effect::Effect;
use crate::life_cycle::LifeCycle;
use crate::notice::Notice;
use crate::operation::{Outcome, Receipt, Refusal};
use crate::totals::SystemAccount;
use crate::unit::{Millis, Unit};

/// How long before an end there is a warning at most: ten years.
const BEFORE_MAX: Millis = 3_650 * 86_400_000;

/// How far an account was warned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Warned {
    /// How long before an end there is a notice; 0 for never.
    pub before: Millis,
    /// The ends up to this time had theirs.
    pub until: Millis,
}

impl Warned {
    /// Without warnings.
    pub(crate) const NEVER: Warned = Warned { before: 0, until: Millis::MIN };
}

/// What ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// A balance.
    Balance {
        /// Its bucket.
        bucket: BucketId,
        /// Its unit.
        unit: Unit,
        /// Where its first amount came from.
        source: Option<SystemAccount>,
        /// What it has.
        amount: i64,
    },
    /// The stage of the account's life. This one follows.
    Stage(Standing),
}

impl Account {
    /// Returns how long before an end there is a notice; 0 for never.
    pub fn warned_before(&self) -> Millis {
        self.warned.before
    }

    /// Returns when the next warning is due.
    pub fn next_warning(&self) -> Option<Millis> {
        let Warned { before, until } = self.warned;
        if before == 0 {
            return None;
        }
        let later = self.ends().map(|(end, _)| end).filter(|end| *end > until);
        later.min().map(|end| end.saturating_sub(before))
    }

    /// Returns what ends, and when, if it lasts longer than warnings come before its end. A balance that is given again at its
    /// end is not over.
    fn ends(&self) -> impl Iterator<Item = (Millis, Ending)> {
        let is_given_again = |of: &Bucket| self.subscriptions().iter().any(|next| next.follows(of));
        let is_ending = move |of: &&Bucket| {
            let is_long = of.until.saturating_sub(of.from) > self.warned.before;
            of.id != MAIN_BUCKET && of.until < Millis::MAX && is_long && !is_given_again(of)
        };
        let balances = self.buckets().iter().filter(is_ending).map(|of| {
            let Bucket { id, unit, source, amount, until, .. } = *of;
            (until, Ending::Balance { bucket: id, unit, source, amount })
        });
        let stage = self.next_stage().filter(|_| self.stage_length() > self.warned.before);
        balances.chain(stage.map(|(end, next)| (end, Ending::Stage(next))))
    }

    /// Returns how long the stage of the account's life is. That of being active has no known beginning.
    fn stage_length(&self) -> Millis {
        let LifeCycle { active_until, grace_until, suspended_until } = self.life_cycle;
        match self.standing {
            Standing::Grace => grace_until.saturating_sub(active_until),
            Standing::Suspended => suspended_until.saturating_sub(grace_until),
            Standing::PreActive | Standing::Active | Standing::Closed => Millis::MAX,
        }
    }
}

impl Decision<'_> {
    /// Changes how long before an end there is a notice. What had a notice has no other one.
    pub(crate) fn set_warning(&mut self, before: Millis) -> Outcome {
        match (0..=BEFORE_MAX).contains(&before) {
            true => {
                let until = self.account.warned.until.max(self.now());
                self.done(Effect::Warned(Warned { before, until }))
            }
            false => refused(Refusal::DatesInvalid),
        }
    }

    /// Makes the notices that are due. What is over already has none.
    pub(crate) fn warn(&mut self) -> Outcome {
        if self.account.next_warning().is_none_or(|due| due > self.now()) {
            return refused(Refusal::NotOver);
        }
        let Warned { before, until: from } = self.account.warned;
        let until = self.now().saturating_add(before);
        let is_due = |end: Millis| from.max(self.now()) < end && end <= until;
        let ends = self.account.ends().filter(|(end, _)| is_due(*end));
        let is_something = |of: &Ending| !matches!(of, Ending::Balance { amount: 0, .. });
        let ends: Vec<_> = ends.filter(|(_, ending)| is_something(ending)).collect();
        for (end, ending) in ends {
            self.make(Effect::Notice(Notice::Ends { end, ending }));
        }
        self.make(Effect::Warned(Warned { before, until }));
        new(Receipt::default())
    }
}
