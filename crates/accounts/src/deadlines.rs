//! Timeouts of sessions: open sessions without a request, and closed ones that are forgotten.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ledger::{AccountId, Action, Effect, Effects, Millis, SessionKey};

use crate::desk::{Accounts as _, AccountsError, Desk, Task};
use crate::embedded::Embedded;

/// The sessions that are taken from a shard at once.
const LAPSED_AT_ONCE: usize = 500;

/// When sessions are over or forgotten, the next first. A session has an entry for each time that it had; only the last
/// one counts.
#[derive(Debug, Default)]
pub(crate) struct Deadlines {
    entries: BinaryHeap<Reverse<(Millis, AccountId, SessionKey)>>,
}

impl Deadlines {
    /// Notes the times of sessions among the effects of an account.
    pub(crate) fn note(&mut self, id: AccountId, effects: &Effects) {
        for effect in &effects.list {
            if let Effect::SessionUntil { session, until, .. } = *effect {
                self.entries.push(Reverse((until, id, session)));
            }
        }
    }

    /// Removes the next entry that is over.
    fn over(&mut self, at: Millis) -> Option<(AccountId, SessionKey)> {
        let Reverse((until, id, session)) = *self.entries.peek()?;
        if until > at {
            return None;
        }
        self.entries.pop();
        Some((id, session))
    }
}

/// Ends a session if its time is over, or forgets it.
struct Lapse {
    account: AccountId,
    session: SessionKey,
    at: Millis,
    /// Until when it is remembered.
    until: Millis,
    has_lapsed: bool,
}

impl Task for Lapse {
    fn account(&self) -> AccountId {
        self.account
    }

    fn work(&mut self, desk: &mut Desk<'_>) {
        let Lapse { session, at, until, .. } = *self;
        let found = desk.account().and_then(|account| account.session(session));
        if found.is_some_and(|found| found.until <= at) {
            desk.perform(at, Action::Lapse { session, until });
            self.has_lapsed = true;
        }
    }
}

impl Embedded {
    /// Ends the sessions whose time is over at a moment, and gives back what is reserved for them; they are remembered
    /// until another one. Those that are remembered no longer are forgotten. Returns how many there were.
    ///
    /// # Errors
    ///
    /// The journal fails.
    pub fn lapse(&self, at: Millis, until: Millis) -> Result<usize, AccountsError> {
        let mut count = 0;
        for place in 0..self.shards.len() {
            loop {
                let mut lapses = self.over(place, (at, until));
                if lapses.is_empty() {
                    break;
                }
                self.run(&mut lapses)?;
                count += lapses.iter().filter(|lapse| lapse.has_lapsed).count();
            }
        }
        Ok(count)
    }

    fn over(&self, place: usize, (at, until): (Millis, Millis)) -> Vec<Lapse> {
        let mut shard = self.shard(place);
        let next = || shard.deadlines.over(at);
        let over = std::iter::from_fn(next).take(LAPSED_AT_ONCE);
        let lapse = |(account, session)| Lapse { account, session, at, until, has_lapsed: false };
        over.map(lapse).collect()
    }
}
