//! The stages of an account's life, and the dates on which they end.
//!
//! A pre-active account becomes active by its first charge or refill. An active one that is not refilled in time goes into
//! grace, is suspended, and is closed. A refill can move all dates, and makes an account active again that left that stage by
//! its date; one that the operator has suspended before its date stays so.

use crate::account::{Account, Standing};
use crate::bucket::{Bucket, MAIN_BUCKET};
use crate::decide::{Decision, Purpose, new, refused};
use crate::effect::Effect;
use crate::ending::EndCause;
use crate::notice::Notice;
use crate::operation::{Outcome, Receipt, Refusal};
use crate::session::SessionKey;
use crate::totals::{SystemAccount, SystemKind};
use crate::unit::Millis;

const DAY: Millis = 86_400_000;

/// Where the rest of a balance goes.
pub(crate) const EXPIRED: SystemAccount = SystemAccount { kind: SystemKind::Expired, number: 0 };

/// When the stages of an account's life end, in this order. [`Millis::MAX`] is never.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LifeCycle {
    /// The end of being active. Grace follows.
    pub active_until: Millis,
    /// The end of grace. The account is suspended then.
    pub grace_until: Millis,
    /// The end of being suspended. The account is closed then.
    pub suspended_until: Millis,
}

impl LifeCycle {
    /// Stages without an end.
    pub const ENDLESS: LifeCycle = LifeCycle {
        active_until: Millis::MAX,
        grace_until: Millis::MAX,
        suspended_until: Millis::MAX,
    };

    /// Returns the dates if the first stage ends later, and the others are as long as before.
    fn extended(self, active_until: Millis) -> Self {
        let by = active_until.saturating_sub(self.active_until);
        LifeCycle {
            active_until,
            grace_until: self.grace_until.saturating_add(by),
            suspended_until: self.suspended_until.saturating_add(by),
        }
    }
}

impl Account {
    /// Returns when the account's stage ends, and the one that follows, if it ends.
    pub fn next_stage(&self) -> Option<(Millis, Standing)> {
        let LifeCycle { active_until, grace_until, suspended_until } = self.life_cycle;
        let next = match self.standing {
            Standing::PreActive | Standing::Closed => return None,
            Standing::Active => (active_until, Standing::Grace),
            Standing::Grace => (grace_until, Standing::Suspended),
            Standing::Suspended => (suspended_until, Standing::Closed),
        };
        (next.0 < Millis::MAX).then_some(next)
    }
}

impl Decision<'_> {
    pub(crate) fn set_life_cycle(&mut self, dates: LifeCycle) -> Outcome {
        let LifeCycle { active_until, grace_until, suspended_until } = dates;
        match active_until <= grace_until && grace_until <= suspended_until {
            true => self.done(Effect::LifeCycle(dates)),
            false => refused(Refusal::DatesInvalid),
        }
    }

    /// Goes to the next stage if this one is over.
    pub(crate) fn age(&mut self) -> Outcome {
        match self.account.next_stage() {
            Some((until, next)) if until <= self.now() => {
                let aged = self.set_standing(next);
                self.make(Effect::Notice(Notice::Stage(next)));
                aged
            }
            _ => refused(Refusal::NotOver),
        }
    }

    pub(crate) fn set_standing(&mut self, standing: Standing) -> Outcome {
        match standing == Standing::Closed && self.account.standing != Standing::Closed {
            true => self.close(),
            false => self.done(Effect::Standing(standing)),
        }
    }

    /// Closes the account: ends its sessions and subscriptions, and takes what is left in its buckets. A debt stays.
    fn close(&mut self) -> Outcome {
        self.make(Effect::Standing(Standing::Closed));
        let open = self.account.sessions().iter().filter(|session| !session.is_closed);
        let open: Vec<(SessionKey, Millis)> =
            open.map(|session| (session.key, session.until)).collect();
        for (session, until) in open {
            self.finish(session, (self.now(), EndCause::Closed));
            self.make(Effect::SessionUntil { session, until, is_closed: true });
        }
        self.end_subscriptions();
        let mut receipt = Receipt::default();
        for Bucket { id, amount, .. } in self.account.buckets().to_vec() {
            if amount > 0 {
                receipt.entry = self.post(id, (-amount, 0), Purpose::of(EXPIRED));
            }
            if id != MAIN_BUCKET {
                self.make(Effect::BucketGone(id));
            }
        }
        new(receipt)
    }

    /// Makes a pre-active account active, by its first charge or refill.
    pub(crate) fn activate(&mut self) {
        if self.account.standing == Standing::PreActive {
            self.make(Effect::Standing(Standing::Active));
        }
    }

    /// Lets the account be active for some days from now, if it is not for longer.
    pub(crate) fn extend(&mut self, days: u16) {
        let (now, before) = (self.now(), self.account.life_cycle);
        let until = now.saturating_add(Millis::from(days) * DAY);
        if days == 0 || until <= before.active_until {
            return;
        }
        self.make(Effect::LifeCycle(before.extended(until)));
        let was_over = before.active_until <= now;
        if was_over && matches!(self.account.standing, Standing::Grace | Standing::Suspended) {
            self.make(Effect::Standing(Standing::Active));
        }
    }
}
