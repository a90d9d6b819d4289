//! Works on a request at the account that pays.

use accounts::{Desk, Task};
use ledger::{AccountId, Action, Begin, Millis, Receipt, Refusal};
use rating::{State, SubscriberCounters};

use crate::answer::{Answer, LegAnswer, LegRefusal, Noted, VALIDITY_MAX};
use crate::leg::Leg;
use crate::memo::{MemoDamaged, StoredLeg, TEXT_OCTETS_MAX, legs};
use crate::request::{LegRequest, Phase, Request};
use crate::settings::Charging;

/// A request that is worked on, and its answer.
#[derive(Debug)]
pub struct SessionTask<'r> {
    charging: &'r Charging,
    request: Request<'r>,
    scratch: Scratch,
    /// The answer.
    pub answer: Answer,
    /// The answers for the legs, if the session is known.
    pub legs: Vec<LegAnswer>,
}

/// Memory for the work on requests.
#[derive(Debug, Default)]
struct Scratch {
    state: State,
    counters: SubscriberCounters,
    /// What is stored with the session before and after a leg.
    memo: Vec<u8>,
    next_memo: Vec<u8>,
    /// The counters in their stored form.
    octets: Vec<u8>,
}

impl<'r> SessionTask<'r> {
    /// Creates the work on a request.
    pub fn new(charging: &'r Charging, request: Request<'r>) -> Self {
        let (scratch, answer, legs) = (Scratch::default(), Answer::Legs, Vec::new());
        SessionTask { charging, request, scratch, answer, legs }
    }

    fn until(&self, seconds: u32) -> Millis {
        self.request.at.saturating_add(i64::from(seconds) * 1_000)
    }

    /// Works on a leg, the first one or another one of the request.
    fn leg(&mut self, desk: &mut Desk<'_>, leg: &LegRequest<'_>, is_first: bool) -> LegAnswer {
        let Request { session, number, digest, .. } = self.request;
        let account = desk.account().expect("it was there before the legs");
        let currency = account.currency;
        let known = account.session(session);
        if let Some((known, receipt)) = known.and_then(|of| of.answer(number, leg.leg)) {
            let answer = match known == digest {
                true => LegAnswer::of(leg.leg, &receipt, currency),
                false => LegAnswer::refused(leg.leg, LegRefusal::NumberReused),
            };
            return LegAnswer { is_repeated: true, ..answer };
        }
        let begin = match (self.request.phase, is_first) {
            (Phase::First | Phase::Event(_), true) => Begin::Replace,
            (Phase::First | Phase::Event(_), false) => Begin::IfMissing,
            (Phase::Next | Phase::Final, _) => Begin::No,
        };
        self.scratch.memo.clear();
        if let Some(known) = known.filter(|_| begin != Begin::Replace) {
            self.scratch.memo.extend_from_slice(known.memo());
        }
        match self.charge(desk, leg, begin) {
            Ok(receipt) => LegAnswer::of(leg.leg, &receipt, currency),
            Err(refusal) => LegAnswer::refused(leg.leg, refusal),
        }
    }

    fn charge(
        &mut self,
        desk: &mut Desk<'_>,
        request: &LegRequest<'_>,
        begin: Begin,
    ) -> Result<Receipt, LegRefusal> {
        let validity = self.validity();
        let Scratch { memo, next_memo, state, counters, octets } = &mut self.scratch;
        let mut stored = None;
        for leg in legs(memo) {
            let leg = leg.map_err(|MemoDamaged| LegRefusal::Damaged)?;
            stored = stored.or(Some(leg).filter(|leg| leg.leg == request.leg));
        }
        let service = stored.map(|leg| leg.service).or(request.service);
        let service = service.ok_or(LegRefusal::NoService)?;
        if service.texts().iter().any(|text| text.len() > TEXT_OCTETS_MAX) {
            return Err(LegRefusal::ServiceTooLong);
        }
        let leg = Leg {
            charging: self.charging,
            request: &self.request,
            leg: request,
            service,
            progress: stored.map(|leg| leg.progress).unwrap_or_default(),
            validity,
        };
        let account = desk.account().expect("it was there before the legs");
        let mut decided = leg.decide(account, (state, counters))?;
        if decided.refund > 0 {
            match leg.refund(desk, decided.refund) {
                Ok(()) => {}
                Err(Refusal::AccountBarred) => decided.noted = Noted::Barred,
                Err(refusal) => return Err(refusal.into()),
            }
        }
        // The other legs stay as they are.
        next_memo.clear();
        for other in legs(memo).filter_map(Result::ok).filter(|other| other.leg != request.leg) {
            other.write(next_memo);
        }
        StoredLeg { leg: request.leg, service, progress: decided.progress }.write(next_memo);
        octets.clear();
        if decided.has_counted {
            counters.write(octets);
        }
        let counted = decided.has_counted.then_some(octets.as_slice());
        Ok(leg.perform(desk, &decided, (begin, next_memo, counted)))
    }

    /// Returns for how long grants are valid: a little less or more for each session, so that those that began together do
    /// not come back together.
    fn validity(&self) -> u32 {
        let usual = self.charging.validity_seconds.min(VALIDITY_MAX / 2);
        let spread = usual / 10;
        let by = (self.request.session.0 % u128::from(2 * spread + 1)) as u32;
        usual - spread + by
    }
}

impl Task for SessionTask<'_> {
    fn account(&self) -> AccountId {
        self.request.account
    }

    fn work(&mut self, desk: &mut Desk<'_>) {
        self.legs.clear();
        let Request { session, phase, legs, at, .. } = self.request;
        let Some(account) = desk.account() else {
            self.answer = Answer::SubscriberUnknown;
            return;
        };
        let is_known = account.session(session).is_some();
        if !is_known && matches!(phase, Phase::Next | Phase::Final) {
            self.answer = Answer::SessionUnknown;
            return;
        }
        self.answer = Answer::Legs;
        for (place, leg) in legs.iter().enumerate() {
            let answer = self.leg(desk, leg, place == 0);
            self.legs.push(answer);
        }
        if matches!(phase, Phase::Final | Phase::Event(_)) {
            let until = self.until(self.charging.remembered_seconds);
            // It is not there if no leg could begin it.
            desk.perform(at, Action::End { session, until });
        }
    }
}
