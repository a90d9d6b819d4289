//! Works on a request at the account that pays.

use accounts::{Desk, Task};
use ledger::{AccountId, Action, Begin, Receipt, Refusal};

use crate::answer::{Answer, LegAnswer, LegRefusal, Noted, Price};
use crate::leg::{Decided, Leg, Memory};
use crate::memo::{StoredLeg, legs};
use crate::request::{LegRequest, Phase, Request};
use crate::settings::{Charging, OrphanUsage};

/// A request that is worked on, and its answer.
#[derive(Debug)]
pub struct SessionTask<'r> {
    charging: &'r Charging,
    request: Request<'r>,
    scratch: Scratch,
    /// The answer.
    pub answer: Answer,
    /// The answers for the legs.
    pub legs: Vec<LegAnswer>,
}

/// Memory for the work on requests.
#[derive(Debug, Default)]
struct Scratch {
    rating: Memory,
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

    /// Works on a leg, unless it was answered before.
    fn leg(&mut self, desk: &mut Desk<'_>, leg: &LegRequest<'_>, begin: Begin) -> LegAnswer {
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
        let Scratch { memo, next_memo, rating, octets } = &mut self.scratch;
        let leg = Leg::find(self.charging, &self.request, request, memo)?;
        let account = desk.account().expect("it was there before the legs");
        let mut decided = leg.decide(account, rating)?;
        if begin == Begin::IfMissing && self.request.phase == Phase::Final {
            decided.noted = Noted::Orphan(decided.used.money);
        }
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
        let Decided { progress, unreserved, .. } = decided;
        let (leg_number, service) = (request.leg, leg.service);
        StoredLeg { leg: leg_number, service, progress, unreserved }.write(next_memo);
        octets.clear();
        if decided.has_counted {
            rating.spending.write(&self.charging.policy.spend_limits, octets);
            rating.counters.write(octets);
        }
        let counted = decided.has_counted.then_some(octets.as_slice());
        Ok(leg.perform(desk, &decided, (begin, next_memo, counted)))
    }

    fn all_legs(&mut self, desk: &mut Desk<'_>) {
        let Request { phase, legs, .. } = self.request;
        for (place, leg) in legs.iter().enumerate() {
            let begin = match phase {
                Phase::First | Phase::Event(_) if place == 0 => Begin::Replace,
                Phase::First | Phase::Event(_) => Begin::IfMissing,
                Phase::Next | Phase::Final => Begin::No,
            };
            let answer = self.leg(desk, leg, begin);
            self.legs.push(answer);
        }
        self.answer = match self.legs.iter().any(LegAnswer::is_orphan) {
            true => Answer::SessionUnknown,
            false => Answer::Legs,
        };
        if matches!(phase, Phase::Final | Phase::Event(_)) {
            self.end(desk);
        }
    }

    /// Ends the session. It is not there if no leg could begin it.
    fn end(&self, desk: &mut Desk<'_>) {
        let Request { session, at, .. } = self.request;
        let remembered = i64::from(self.charging.remembered_seconds) * 1_000;
        desk.perform(at, Action::End { session, until: at.saturating_add(remembered) });
    }

    /// Works on what was used in a session that is not known.
    fn orphans(&mut self, desk: &mut Desk<'_>) {
        self.answer = Answer::SessionUnknown;
        let orphan_usage = self.charging.policy.orphan_usage;
        if orphan_usage == OrphanUsage::Drop {
            return;
        }
        // Nothing is granted.
        self.request.phase = Phase::Final;
        for leg in self.request.legs.iter().filter(|leg| leg.used.is_some()) {
            let answer = match orphan_usage {
                OrphanUsage::Charge => self.leg(desk, leg, Begin::IfMissing),
                _ => self.reported(desk, leg),
            };
            self.legs.push(answer);
        }
        self.end(desk);
    }

    /// Returns the answer for a leg whose usage is reported and not charged.
    fn reported(&mut self, desk: &Desk<'_>, request: &LegRequest<'_>) -> LegAnswer {
        let account = desk.account().expect("it was there before the legs");
        let found = Leg::find(self.charging, &self.request, request, &[]);
        match found.and_then(|leg| leg.decide(account, &mut self.scratch.rating)) {
            Ok(Decided { used, notices, .. }) => {
                let price = Some(Price { amount: used.money, currency: account.currency });
                let unknown = LegAnswer::refused(request.leg, LegRefusal::SessionUnknown);
                LegAnswer { price, notices, ..unknown }
            }
            Err(refusal) => LegAnswer::refused(request.leg, refusal),
        }
    }
}

impl Task for SessionTask<'_> {
    fn account(&self) -> AccountId {
        self.request.account
    }

    fn work(&mut self, desk: &mut Desk<'_>) {
        self.legs.clear();
        self.answer = Answer::SubscriberUnknown;
        let Some(account) = desk.account() else { return };
        let is_known = account.session(self.request.session).is_some();
        match self.request.phase {
            Phase::Next | Phase::Final if !is_known => self.orphans(desk),
            _ => self.all_legs(desk),
        }
    }
}
