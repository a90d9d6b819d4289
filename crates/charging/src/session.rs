//! Works on a request at the account that pays.

use accounts::{Desk, Task};
use ledger::{AccountId, Action, Begin, Millis, Outcome, Receipt, Refusal, Report, Session};

use crate::answer::{Answer, LegAnswer, LegRefusal, Noted};
use crate::leg::{Decided, Leg, Stored};
use crate::memo::StoredLeg;
use crate::request::{EventKind, LegRequest, Phase, Request, SESSIONS_MAX};
use crate::settings::{Charging, OrphanUsage};
use crate::total::LegTotal;
use crate::workspace::{Scratch, Workspace};

/// A request that is worked on, and its answer.
#[derive(Debug)]
pub struct SessionTask<'r> {
    charging: &'r Charging,
    workspace: &'r Workspace,
    request: Request<'r>,
    /// The answer.
    pub answer: Answer,
    /// The answers for the legs.
    pub legs: Vec<LegAnswer>,
    /// Whether the request began in place of an open session, which it has ended.
    pub has_replaced: bool,
}

impl<'r> SessionTask<'r> {
    /// Creates the work on a request.
    pub fn new(charging: &'r Charging, workspace: &'r Workspace, request: Request<'r>) -> Self {
        let (answer, legs) = (Answer::Legs, workspace.answers());
        SessionTask { charging, workspace, request, answer, legs, has_replaced: false }
    }

    /// Works on a leg, unless it was answered before.
    fn leg(
        &mut self,
        desk: &mut Desk<'_>,
        scratch: &mut Scratch,
        (leg, begin): (&LegRequest<'_>, Begin),
    ) -> LegAnswer {
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
        scratch.memo.clear();
        if let Some(known) = known.filter(|_| begin != Begin::Replace) {
            scratch.memo.extend_from_slice(known.memo());
        }
        if begin == Begin::Replace && known.is_some_and(|known| !known.is_closed) {
            // What the other session has reserved is free before anything is decided.
            let Request { session, at, .. } = self.request;
            desk.perform(at, Action::Replace { session, until: self.remembered_until() });
            self.has_replaced = true;
        }
        match self.charge(desk, scratch, (leg, begin)) {
            Ok(receipt) => LegAnswer::of(leg.leg, &receipt, currency),
            Err(refusal) => LegAnswer::refused(leg.leg, refusal),
        }
    }

    fn charge(
        &self,
        desk: &mut Desk<'_>,
        Scratch { rating, memo, next_memo, octets, remark }: &mut Scratch,
        (request, begin): (&LegRequest<'_>, Begin),
    ) -> Result<Receipt, LegRefusal> {
        let account = desk.account().expect("it was there before the legs");
        let mut leg = Leg::find(self.charging, &self.request, request, (account, memo))?;
        let known = account.session(self.request.session);
        if known.is_none()
            && self.request.phase.begins()
            && account.sessions().len() >= SESSIONS_MAX
        {
            return Err(LegRefusal::TooMany);
        }
        let is_late = begin != Begin::Replace && known.is_some_and(|known| known.is_closed);
        if is_late {
            // What was used before the end is recorded.
            leg.progress.total = LegTotal::default();
        }
        let mut decided = leg.decide(account, rating)?;
        if begin == Begin::IfMissing && self.request.phase == Phase::Final {
            decided.noted = Noted::Orphan(decided.used.money);
        }
        if decided.refund > 0 {
            match leg.refund(desk, decided.refund) {
                Ok(0) => {}
                Ok(refund) => {
                    decided.progress.total.add(request.used.unwrap_or_default(), -refund)?;
                }
                Err(Refusal::AccountBarred) => decided.noted = Noted::Barred,
                Err(refusal) => return Err(refusal.into()),
            }
        }
        let Decided { progress, unreserved, .. } = decided;
        let (place, service) = (leg.place.clone(), leg.service);
        next_memo.clear();
        next_memo.extend_from_slice(&memo[..place.start]);
        let (client, event) = (self.request.client, self.event());
        StoredLeg { leg: request.leg, service, client, progress, unreserved, event }
            .write(next_memo);
        next_memo.extend_from_slice(&memo[place.end..]);
        // Of a session that has ended, a memo means late usage.
        let is_changed = if is_late { request.used.is_some() } else { next_memo != memo };
        let changed = is_changed.then_some(next_memo.as_slice());
        octets.clear();
        if decided.has_counted {
            rating.spending.write(&self.charging.policy.spend_limits, octets);
            rating.counters.write(octets);
        }
        let counted = decided.has_counted.then_some(octets.as_slice());
        remark.clear();
        leg.remark(&decided, remark);
        let stored = Stored { memo: changed, counters: counted, remark };
        let receipt = leg.perform(desk, &decided, begin, stored);
        // What was used is counted, too, if there is no grant.
        let is_charged =
            matches!(receipt.refusal, None | Some(Refusal::NotEnough | Refusal::AccountBarred));
        if decided.has_counted && is_charged {
            for notice in rating.spending.notices() {
                desk.perform(self.request.at, Action::Notify(*notice));
            }
        }
        Ok(receipt)
    }

    fn event(&self) -> Option<EventKind> {
        match self.request.phase {
            Phase::Event(kind) => Some(kind),
            Phase::First | Phase::Next | Phase::Final => None,
        }
    }

    fn all_legs(&mut self, desk: &mut Desk<'_>, scratch: &mut Scratch) {
        let Request { phase, legs, .. } = self.request;
        if self.reuses_number(desk) {
            // None of them is charged, since the client gets one answer for all.
            let refused = |leg: &LegRequest<'_>| LegAnswer {
                is_repeated: true,
                ..LegAnswer::refused(leg.leg, LegRefusal::NumberReused)
            };
            self.legs.extend(legs.iter().map(refused));
            self.answer = Answer::Legs;
            return;
        }
        let comes_again = self.comes_again(desk);
        for (place, leg) in legs.iter().enumerate() {
            let begin = match phase {
                Phase::First | Phase::Event(_) if place == 0 && !comes_again => Begin::Replace,
                Phase::First | Phase::Event(_) => Begin::IfMissing,
                Phase::Next | Phase::Final => Begin::No,
            };
            let answer = self.leg(desk, scratch, (leg, begin));
            self.legs.push(answer);
        }
        self.answer = match self.legs.iter().any(LegAnswer::is_orphan) {
            true => Answer::SessionUnknown,
            false => Answer::Legs,
        };
        if self.is_end() {
            self.end(desk);
        }
    }

    /// Returns whether the session is over with the answer (RFC 8506 section 7, table 6).
    fn is_end(&self) -> bool {
        let Request { phase, dialogue, .. } = self.request;
        match phase {
            // A session that gets nothing does not begin.
            Phase::First => self.legs.iter().all(|leg| dialogue.refuses(leg)),
            Phase::Next => dialogue.refuses_whole(&self.legs),
            Phase::Final | Phase::Event(_) => true,
        }
    }

    /// Returns whether another request has the number of this one, by one of its legs.
    fn reuses_number(&self, desk: &Desk<'_>) -> bool {
        let Request { session, number, digest, legs, .. } = self.request;
        let session = desk.account().and_then(|account| account.session(session));
        let is_other = |session: &Session, leg: &LegRequest<'_>| {
            session.answer(number, leg.leg).is_some_and(|(known, _)| known != digest)
        };
        session.is_some_and(|session| legs.iter().any(|leg| is_other(session, leg)))
    }

    /// Returns whether a leg of the request was answered before. It begins no other session then, though its first leg may
    /// not be stored, since it had no price.
    fn comes_again(&self, desk: &Desk<'_>) -> bool {
        let Request { session, number, legs, .. } = self.request;
        let session = desk.account().and_then(|account| account.session(session));
        session
            .is_some_and(|session| legs.iter().any(|leg| session.answer(number, leg.leg).is_some()))
    }

    /// Ends the session. It is not there if no leg could begin it.
    fn end(&self, desk: &mut Desk<'_>) {
        let Request { session, at, .. } = self.request;
        desk.perform(at, Action::End { session, until: self.remembered_until() });
    }

    /// Returns until when a session is remembered that ends now.
    fn remembered_until(&self) -> Millis {
        let remembered = i64::from(self.charging.remembered_seconds) * 1_000;
        self.request.at.saturating_add(remembered)
    }

    /// Works on what was used in a session that is not known.
    fn orphans(&mut self, desk: &mut Desk<'_>, scratch: &mut Scratch) {
        self.answer = Answer::SessionUnknown;
        let orphan_usage = self.charging.policy.orphan_usage;
        if orphan_usage == OrphanUsage::Drop {
            return;
        }
        // Nothing is granted. The work may be done another time, with the phase as it was.
        let phase = std::mem::replace(&mut self.request.phase, Phase::Final);
        let Request { legs, .. } = self.request;
        for leg in legs.iter().filter(|leg| leg.used.is_some()) {
            let answer = match orphan_usage {
                OrphanUsage::Charge => self.leg(desk, scratch, (leg, Begin::IfMissing)),
                _ => self.reported(desk, scratch, leg),
            };
            self.legs.push(answer);
        }
        self.end(desk);
        self.request.phase = phase;
    }

    /// Returns the answer for a leg whose usage is reported and not charged: an entry says so, once.
    fn reported(
        &self,
        desk: &mut Desk<'_>,
        Scratch { rating, remark, .. }: &mut Scratch,
        request: &LegRequest<'_>,
    ) -> LegAnswer {
        let Request { session, number, digest, at, .. } = self.request;
        let account = desk.account().expect("it was there before the legs");
        let currency = account.currency;
        let found = Leg::find(self.charging, &self.request, request, (account, &[]));
        let decided = found.and_then(|leg| {
            let decided = leg.decide(account, rating)?;
            remark.clear();
            leg.remark(&decided, remark);
            Ok(decided)
        });
        let Decided { used, notices, .. } = match decided {
            Ok(decided) => decided,
            Err(refusal) => return LegAnswer::refused(request.leg, refusal),
        };
        let (leg, note) = (request.leg, Noted::Orphan(used.money).note(notices));
        if account.session(session).is_none() && account.sessions().len() >= SESSIONS_MAX {
            let receipt = Receipt { note, ..Receipt::default() };
            return LegAnswer::of(leg, &receipt, currency);
        }
        let until = self.remembered_until();
        let report = Report { session, number, leg, digest, until, note, remark };
        let Outcome { receipt, is_repeated } = desk.perform(at, Action::Report(report));
        LegAnswer { is_repeated, ..LegAnswer::of(leg, &receipt, currency) }
    }
}

impl Task for SessionTask<'_> {
    fn account(&self) -> AccountId {
        self.request.account
    }

    fn work(&mut self, desk: &mut Desk<'_>) {
        self.legs.clear();
        self.has_replaced = false;
        self.answer = Answer::SubscriberUnknown;
        let Some(account) = desk.account() else { return };
        // One of which usage was only reported has ended without a memo.
        let known = account.session(self.request.session);
        let is_known = known.is_some_and(|of| !of.is_closed || !of.memo().is_empty());
        let workspace = self.workspace;
        let scratch = &mut *workspace.scratch.borrow_mut();
        match self.request.phase {
            Phase::Next | Phase::Final if !is_known => self.orphans(desk, scratch),
            _ => self.all_legs(desk, scratch),
        }
    }
}

impl Drop for SessionTask<'_> {
    fn drop(&mut self) {
        self.workspace.keep(std::mem::take(&mut self.legs));
    }
}
