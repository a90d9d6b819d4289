//! What networks were refused lately, by account: when a subscriber asks why a call was cut off, it is here.
//!
//! It is held in memory only, so that a refusal writes nothing: subscribers without money try often. Each part has a
//! limit of its own, so that an account that is refused all the time takes the room of few others.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use charging::{LegAnswer, LegRefusal, LegRequest};
use ledger::{AccountId, Millis, SessionKey};

use crate::interrogation::{PriceText, RefusedLeg};
use crate::queued_request::{RequestAnswer, RequestHead};

/// The parts. Accounts are distributed over them.
const PARTS: usize = 64;

/// The most refusals of a part. The oldest ones go first.
const PART_MAX: usize = 1_000;

/// The last refusals of a system.
#[derive(Debug)]
pub(crate) struct Refusals([Mutex<Part>; PARTS]);

/// The refusals of some accounts.
#[derive(Debug, Default)]
struct Part {
    refusals: VecDeque<Refusal>,
    /// When the last one was that is no longer there.
    complete_since: Option<Millis>,
}

/// How many of the newest refusals of a part are looked at for an earlier grant of a session.
const EARLIER_MAX: usize = 50;

/// The most octets of a text of a request, and of a reason.
const TEXT_MAX: usize = 64;
const WHY_MAX: usize = 300;

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
    pub(crate) leg: u32,
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
    /// The number that was to pay.
    pub(crate) served: &'r str,
    pub(crate) head: RequestHead<'r>,
    pub(crate) legs: &'r [LegRequest<'r>],
    /// The legs of the answer; without a session, those whose usage has a price.
    pub(crate) answers: &'r [LegAnswer],
}

impl AnsweredRequest<'_> {
    /// Returns why a leg is refused whose session is not known, with what its usage costs.
    fn unknown_session(&self, leg: u32) -> RefusedLeg {
        let why = RefusedLeg::of(&LegRefusal::SessionUnknown);
        let answer = self.answers.iter().find(|of| of.leg == leg);
        match answer.and_then(PriceText::of_usage) {
            Some(price) => {
                RefusedLeg { text: format!("{}; what was used costs {price}", why.text), ..why }
            }
            None => why,
        }
    }

    fn refusal(&self, leg: u32, mut why: RefusedLeg) -> Refusal {
        // It may have texts of the request.
        why.text.truncate(why.text.floor_char_boundary(WHY_MAX));
        let service = self.legs.iter().find(|of| of.leg == leg).and_then(|of| of.service);
        let service = service.unwrap_or_default();
        Refusal {
            account: self.account,
            at: self.at,
            served: self.served.into(),
            client: Arc::clone(self.head.client),
            session: self.head.key,
            leg,
            service: cut(service.name),
            other: cut(std::str::from_utf8(service.other).unwrap_or_default()),
            why,
        }
    }
}

impl Part {
    fn push(&mut self, refusal: Refusal) {
        if self.refusals.len() == PART_MAX {
            self.complete_since = self.refusals.pop_front().map(|oldest| oldest.at);
        }
        self.refusals.push_back(refusal);
    }

    /// Returns a last grant, after the one before of its leg is removed. It has the service that this one named.
    fn in_place_of_earlier(&mut self, newer: Refusal) -> Refusal {
        let of_leg = |of: &Refusal| (of.account, of.session, of.leg);
        let is_earlier =
            |of: &Refusal| of_leg(of) == of_leg(&newer) && of.why.code == newer.why.code;
        let newest = self.refusals.len().saturating_sub(EARLIER_MAX);
        let place = self.refusals.range(newest..).rposition(is_earlier);
        match place.and_then(|place| self.refusals.remove(newest + place)) {
            Some(Refusal { service, other, .. }) if newer.service.is_empty() => {
                Refusal { service, other, ..newer }
            }
            _ => newer,
        }
    }
}

impl Refusals {
    /// Adds what an answer refuses, or grants for the last time.
    pub(crate) fn add(&self, request: &AnsweredRequest<'_>, answer: RequestAnswer<'_>) {
        let legs = match answer {
            RequestAnswer::Legs(legs) => legs,
            RequestAnswer::SessionUnknown => {
                let mut part = self.part(request.account);
                let is_repeated = |leg: &LegRequest<'_>| {
                    request.answers.iter().any(|of| of.leg == leg.leg && of.is_repeated)
                };
                return request.legs.iter().filter(|leg| !is_repeated(leg)).for_each(|leg| {
                    part.push(request.refusal(leg.leg, request.unknown_session(leg.leg)));
                });
            }
            _ => return,
        };
        for LegAnswer { leg, grant, is_repeated, .. } in legs {
            let last = grant.as_ref().ok().and_then(|grant| grant.filter(|grant| grant.is_final));
            let why = match (grant, last) {
                _ if *is_repeated => continue,
                (Err(refusal), _) => RefusedLeg::of(refusal),
                (Ok(_), Some(grant)) => RefusedLeg::after_last(&grant),
                (Ok(_), None) => continue,
            };
            let refusal = request.refusal(*leg, why);
            let mut part = self.part(request.account);
            let refusal = match last {
                // A session near its end gets grant after grant of what is left: the newest stands for all.
                Some(_) => part.in_place_of_earlier(refusal),
                None => refusal,
            };
            part.push(refusal);
        }
    }

    /// Returns the last refusals of an account, `most` at most, the newest first, and since when all are there; `None` for
    /// since the start. One whose request names no service has that of the session, if another one names it.
    pub(crate) fn of(&self, account: AccountId, most: usize) -> (Vec<Refusal>, Option<Millis>) {
        let part = self.part(account);
        let of_account = || part.refusals.iter().rev().filter(|refusal| refusal.account == account);
        let named = |session| {
            of_account().find(|refusal| refusal.session == session && !refusal.service.is_empty())
        };
        let complete = |refusal: &Refusal| match named(refusal.session) {
            Some(Refusal { service, other, .. }) if refusal.service.is_empty() => {
                Refusal { service: service.clone(), other: other.clone(), ..refusal.clone() }
            }
            _ => refusal.clone(),
        };
        let left_out = of_account().nth(most).map(|newest| newest.at);
        (of_account().take(most).map(complete).collect(), left_out.or(part.complete_since))
    }

    fn part(&self, account: AccountId) -> MutexGuard<'_, Part> {
        let part = &self.0[account.0 as usize % PARTS];
        part.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the begin of a text of a request.
fn cut(text: &str) -> Box<str> {
    text[..text.floor_char_boundary(TEXT_MAX)].into()
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
            leg: 0,
            service: "call".into(),
            other: "".into(),
            why: RefusedLeg { code: "no-money".to_owned(), text: String::new() },
        }
    }

    #[test]
    fn the_newest_are_there_and_one_account_takes_the_room_of_few_others() {
        let refusals = Refusals::default();
        let push = |refusal: Refusal| refusals.part(refusal.account).push(refusal);
        push(refusal(1, 0));
        push(refusal(2, 0));
        (0..PART_MAX as Millis).for_each(|at| push(refusal(1 + PARTS as u64, at)));
        let (of, complete_since) = refusals.of(AccountId(1), PART_MAX);
        assert_eq!((of, complete_since), (vec![], Some(0)), "it is in the same part");
        let (of, complete_since) = refusals.of(AccountId(2), PART_MAX);
        assert_eq!((of.len(), complete_since), (1, None));
        let (of, _) = refusals.of(AccountId(1 + PARTS as u64), PART_MAX);
        assert_eq!((of.len(), of[0].at), (PART_MAX, PART_MAX as Millis - 1));
        let (of, complete_since) = refusals.of(AccountId(1 + PARTS as u64), 10);
        let newest_left_out = PART_MAX as Millis - 11;
        assert_eq!((of.len(), complete_since), (10, Some(newest_left_out)));
    }
}
