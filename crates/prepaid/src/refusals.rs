//! What networks were refused lately, by account: when a subscriber asks why a call was cut off, it is here.
//!
//! It is held in memory only, so that a refusal writes nothing: subscribers without money try often. Each part has a
//! limit of its own, so that an account that is refused all the time takes the room of few others.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use ledger::{AccountId, Millis, SessionKey};

use crate::interrogation::{Answered, Interrogation, RefusedLeg};
use crate::numbers::Number;

/// The parts. Accounts are distributed over them.
const PARTS: usize = 64;

/// The most refusals of a part. The oldest ones go first.
const PART_MAX: usize = 1_000;

/// The last refusals of a system.
#[derive(Debug)]
pub(crate) struct Refusals([Mutex<VecDeque<Refusal>>; PARTS]);

impl Default for Refusals {
    fn default() -> Self {
        Refusals(std::array::from_fn(|_| Mutex::default()))
    }
}

/// What was refused once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) account: AccountId,
    pub(crate) at: Millis,
    /// The number that was to pay.
    pub(crate) served: Box<str>,
    /// The client that asked.
    pub(crate) client: Arc<str>,
    pub(crate) session: SessionKey,
    /// The service; empty if the request names none.
    pub(crate) service: Box<str>,
    /// The number that was called; empty without one.
    pub(crate) other: Box<str>,
    pub(crate) why: RefusedLeg,
}

/// An answered request.
pub(crate) struct AnsweredRequest<'r> {
    pub(crate) account: AccountId,
    pub(crate) at: Millis,
    pub(crate) served: &'r Number,
    pub(crate) client: &'r Arc<str>,
    pub(crate) session: SessionKey,
    pub(crate) of: &'r Interrogation,
}

impl Refusals {
    /// Adds what an answer refuses, or grants for the last time.
    pub(crate) fn add(&self, request: &AnsweredRequest<'_>, answered: &Answered) {
        let Answered::Legs { legs } = answered else { return };
        for answer in legs {
            let leg = request.of.legs.iter().find(|leg| leg.leg == answer.leg);
            let last = answer.granted.filter(|granted| granted.is_final);
            let why = match (&answer.refused, last) {
                _ if answer.repeated => continue,
                (Some(refused), _) => refused.clone(),
                (None, Some(granted)) => RefusedLeg::after_last(&granted),
                (None, None) => continue,
            };
            self.push(Refusal {
                account: request.account,
                at: request.at,
                served: request.served.as_str().into(),
                client: Arc::clone(request.client),
                session: request.session,
                service: leg.and_then(|leg| leg.service.as_deref()).unwrap_or_default().into(),
                other: leg.map_or("", |leg| &leg.other).into(),
                why,
            });
        }
    }

    fn push(&self, refusal: Refusal) {
        let mut part = self.part(refusal.account).lock().unwrap_or_else(PoisonError::into_inner);
        if part.len() == PART_MAX {
            part.pop_front();
        }
        part.push_back(refusal);
    }

    /// Returns the refusals of an account, the newest first.
    pub(crate) fn of(&self, account: AccountId) -> Vec<Refusal> {
        let part = self.part(account).lock().unwrap_or_else(PoisonError::into_inner);
        part.iter().rev().filter(|refusal| refusal.account == account).cloned().collect()
    }

    fn part(&self, account: AccountId) -> &Mutex<VecDeque<Refusal>> {
        &self.0[account.0 as usize % PARTS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(account: u64, at: Millis) -> Refusal {
        Refusal {
            account: AccountId(account),
            at,
            served: "46701234567".into(),
            client: "switch".into(),
            session: SessionKey(1),
            service: "call".into(),
            other: "".into(),
            why: RefusedLeg { code: "no-money".to_owned(), text: String::new() },
        }
    }

    #[test]
    fn the_newest_are_there_and_one_account_takes_the_room_of_few_others() {
        let refusals = Refusals::default();
        refusals.push(refusal(1, 0));
        refusals.push(refusal(2, 0));
        (0..PART_MAX as Millis).for_each(|at| refusals.push(refusal(1 + PARTS as u64, at)));
        assert_eq!(refusals.of(AccountId(1)), [], "it is in the same part");
        assert_eq!(refusals.of(AccountId(2)).len(), 1);
        let of = refusals.of(AccountId(1 + PARTS as u64));
        assert_eq!((of.len(), of[0].at), (PART_MAX, PART_MAX as Millis - 1));
    }
}
