//! What happens by itself when its time has come: open sessions without a request end, closed ones are forgotten, buckets
//! expire, accounts go to the next stage of their life, and there are notices of what ends soon. Subscriptions are charged by
//! the caller, who knows what they cost.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ledger::{
    Account, AccountId, Action, BucketId, Effect, Effects, Millis, SessionKey, SystemAccount,
};

use crate::desk::{Accounts as _, AccountsError, Desk, Task};
use crate::embedded::{Embedded, place_of};

/// The deadlines that are taken from a shard at once.
const DUE_AT_ONCE: usize = 500;

/// After how long a bucket that sessions have reserved from is tried to expire another time. They end by their own
/// deadlines.
const AGAIN_AFTER: Millis = 60_000;

/// The deadlines of a shard. What has another time now has an entry for each time that it had; only the last one counts.
#[derive(Debug, Default)]
pub(crate) struct Deadlines {
    /// When sessions are over or forgotten.
    sessions: Queue<SessionKey>,
    /// When buckets are over.
    buckets: Queue<BucketId>,
    /// When stages of accounts' lives are over.
    stages: Queue<()>,
    /// When periods of subscriptions are charged, by the bundle or the fee.
    renewals: Queue<SystemAccount>,
    /// When there are notices of what ends soon.
    warnings: Queue<()>,
}

impl Deadlines {
    /// Notes the deadlines among the effects of an account, which it has.
    pub(crate) fn note(&mut self, id: AccountId, account: &Account, effects: &Effects) {
        let is_stage = |effect| matches!(effect, &Effect::Standing(_) | &Effect::LifeCycle(_));
        if effects.list.iter().any(is_stage)
            && let Some((until, _)) = account.next_stage()
        {
            self.stages.add(until, id, ());
        }
        if effects.list.iter().any(moves_ends)
            && let Some(due) = account.next_warning()
        {
            self.warnings.add(due, id, ());
        }
        for effect in &effects.list {
            match *effect {
                Effect::SessionUntil { session, until, .. } => {
                    self.sessions.add(until, id, session)
                }
                Effect::Bucket(bucket) => self.buckets.add(bucket.until, id, bucket.id),
                Effect::BucketUntil { bucket, until } => self.buckets.add(until, id, bucket),
                Effect::Subscription(of) => self.renewals.add(of.due, id, of.of),
                _ => {}
            }
        }
    }
}

/// Returns whether an effect may change what ends next.
fn moves_ends(effect: &Effect) -> bool {
    matches!(
        effect,
        Effect::Warned(_)
            | Effect::Bucket(_)
            | Effect::BucketUntil { .. }
            | Effect::BucketGone(_)
            | Effect::Standing(_)
            | Effect::LifeCycle(_)
            | Effect::Subscription(_)
            | Effect::SubscriptionGone(_)
    )
}

/// Deadlines, the next first.
#[derive(Debug)]
struct Queue<T>(BinaryHeap<Reverse<(Millis, AccountId, T)>>);

impl<T: Ord> Default for Queue<T> {
    fn default() -> Self {
        Queue(BinaryHeap::new())
    }
}

impl<T: Copy + Ord> Queue<T> {
    fn add(&mut self, until: Millis, id: AccountId, of: T) {
        self.0.push(Reverse((until, id, of)));
    }

    /// Removes the next deadline if it is over.
    fn over(&mut self, at: Millis) -> Option<(AccountId, T)> {
        let Reverse((until, id, of)) = *self.0.peek()?;
        if until > at {
            return None;
        }
        self.0.pop();
        Some((id, of))
    }
}

/// The sessions whose time was over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lapsed {
    /// Those that were open, and have ended.
    pub ended: usize,
    /// Those that had ended, and are forgotten.
    pub forgotten: usize,
}

/// What is due for an account. It is refused if it is not: the deadline has changed.
struct Due {
    account: AccountId,
    at: Millis,
    action: Action<'static>,
    is_done: bool,
    /// Whether a session was open that has ended.
    has_ended: bool,
}

impl Task for Due {
    fn account(&self) -> AccountId {
        self.account
    }

    fn work(&mut self, desk: &mut Desk<'_>) {
        let is_open = match self.action {
            Action::Lapse { session, .. } => {
                let session = desk.account().and_then(|account| account.session(session));
                session.is_some_and(|session| !session.is_closed)
            }
            _ => false,
        };
        self.is_done = desk.perform(self.at, self.action).receipt.refusal.is_none();
        self.has_ended = self.is_done && is_open;
    }
}

impl Embedded {
    /// Ends the sessions whose time is over at a moment, and gives back what is reserved for them; they are remembered
    /// until another one. Those that are remembered no longer are forgotten.
    ///
    /// # Errors
    ///
    /// The journal fails.
    pub fn lapse(&self, at: Millis, until: Millis) -> Result<Lapsed, AccountsError> {
        let next = |deadlines: &mut Deadlines| {
            let (account, session) = deadlines.sessions.over(at)?;
            Some((account, Action::Lapse { session, until }))
        };
        let mut lapsed = Lapsed::default();
        self.each_due(at, next, |due| {
            lapsed.ended += usize::from(due.has_ended);
            lapsed.forgotten += usize::from(due.is_done && !due.has_ended);
        })?;
        Ok(lapsed)
    }

    /// Takes what is left of the buckets whose time is over at a moment. What sessions have reserved from one stays until
    /// they have settled; the rest of it is taken after that. Returns how many are gone.
    ///
    /// # Errors
    ///
    /// The journal fails.
    pub fn expire(&self, at: Millis) -> Result<usize, AccountsError> {
        let next = |deadlines: &mut Deadlines| {
            let (account, bucket) = deadlines.buckets.over(at)?;
            Some((account, Action::Expire { bucket }))
        };
        let mut count = 0;
        self.each_due(at, next, |due| {
            if let Action::Expire { bucket } = due.action {
                let is_gone = self.is_gone(due.account, bucket, at);
                count += usize::from(due.is_done && is_gone);
            }
        })?;
        Ok(count)
    }

    /// Moves the accounts whose stage of life is over at a moment to the next: to grace, suspended and closed. Returns the
    /// number of changes.
    ///
    /// # Errors
    ///
    /// The journal fails.
    pub fn age(&self, at: Millis) -> Result<usize, AccountsError> {
        let next = |deadlines: &mut Deadlines| {
            let (account, ()) = deadlines.stages.over(at)?;
            Some((account, Action::Age))
        };
        let mut count = 0;
        self.each_due(at, next, |due| count += usize::from(due.is_done))?;
        Ok(count)
    }

    /// Makes the notices of what ends soon, of the accounts for which they are due at a moment. Returns how many accounts had
    /// some.
    ///
    /// # Errors
    ///
    /// The journal fails.
    pub fn warn(&self, at: Millis) -> Result<usize, AccountsError> {
        let next = |deadlines: &mut Deadlines| {
            let (account, ()) = deadlines.warnings.over(at)?;
            Some((account, Action::Warn))
        };
        let mut count = 0;
        self.each_due(at, next, |due| match due.is_done {
            true => count += 1,
            // Another end is the next one now, or none.
            false => self.warn_again(due.account),
        })?;
        Ok(count)
    }

    /// Returns some of the subscriptions whose next period is due at a moment, each with its account, and forgets these
    /// deadlines; empty if no more are due. The caller renews them: a subscription that goes on has another deadline then. One
    /// whose deadline was another in the meantime is not due.
    pub fn renewals_due(&self, at: Millis) -> Vec<(AccountId, SystemAccount)> {
        let of_shard = |place| {
            let mut shard = self.shard(place);
            let next = std::iter::from_fn(|| shard.deadlines.renewals.over(at));
            next.take(DUE_AT_ONCE).collect::<Vec<_>>()
        };
        (0..self.shards.len()).flat_map(of_shard).collect()
    }

    /// Returns whether a bucket is gone. If not, and its time is over at a moment, it is tried again.
    fn is_gone(&self, id: AccountId, bucket: BucketId, at: Millis) -> bool {
        let mut shard = self.shard(place_of(id, self.shards.len()));
        let account = shard.book.account(id);
        let until = account.and_then(|account| account.bucket(bucket)).map(|bucket| bucket.until);
        if until.is_some_and(|until| until <= at) {
            shard.deadlines.buckets.add(at.saturating_add(AGAIN_AFTER), id, bucket);
        }
        until.is_none()
    }

    /// Notes when the next warning of an account is due.
    fn warn_again(&self, id: AccountId) {
        let mut shard = self.shard(place_of(id, self.shards.len()));
        let next = shard.book.account(id).and_then(|account| account.next_warning());
        if let Some(next) = next {
            shard.deadlines.warnings.add(next, id, ());
        }
    }

    /// Does what is due in each shard, some of it at once.
    fn each_due(
        &self,
        at: Millis,
        next: impl Fn(&mut Deadlines) -> Option<(AccountId, Action<'static>)>,
        mut done: impl FnMut(&Due),
    ) -> Result<(), AccountsError> {
        for place in 0..self.shards.len() {
            loop {
                let mut due: Vec<Due> = {
                    let mut shard = self.shard(place);
                    let next = std::iter::from_fn(|| next(&mut shard.deadlines));
                    let due = |(account, action)| Due {
                        account,
                        at,
                        action,
                        is_done: false,
                        has_ended: false,
                    };
                    next.take(DUE_AT_ONCE).map(due).collect()
                };
                if due.is_empty() {
                    break;
                }
                self.run(&mut due)?;
                due.iter().for_each(&mut done);
            }
        }
        Ok(())
    }
}
