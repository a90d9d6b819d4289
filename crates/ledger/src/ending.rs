//! How sessions end: what is reserved for them is released, and an effect has what is recorded of them.
//!
//! Each session that ends has one such effect, also one that used and reserved nothing: operators want to see attempts
//! without an answer. Usage that is reported after the end is paid too, and has an effect of its own, so the sum of all
//! that is recorded is what sessions have paid. Reversals do not count: they are entries of their own.

use crate::decide::{Decision, refused};
use crate::effect::Effect;
use crate::operation::{Outcome, Receipt, Refusal};
use crate::session::SessionKey;
use crate::unit::Millis;

/// A session that has ended, or usage of one that was reported after its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndedSession {
    /// The session.
    pub session: SessionKey,
    /// When it ended. For one that lapsed, when its time was over; for late usage, when it was reported.
    pub at: Millis,
    /// Why it ended.
    pub cause: EndCause,
    /// The money that it paid altogether, in billionths. For late usage, what that cost alone.
    pub paid: i128,
}

/// Why a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndCause {
    /// The caller has ended it.
    Ended,
    /// No request came in time.
    Lapsed,
    /// Another session has its key now.
    Replaced,
    /// The account was closed.
    Closed,
    /// It had ended before: usage of this leg was reported later.
    LateUsage {
        /// The leg.
        leg: u32,
    },
}

impl EndCause {
    /// The causes without a leg, in the order of their numbers in the journal.
    pub(crate) const PLAIN: [EndCause; 4] =
        [EndCause::Ended, EndCause::Lapsed, EndCause::Replaced, EndCause::Closed];
}

impl Decision<'_> {
    /// Ends a session, unless it has ended.
    pub(crate) fn end(
        &mut self,
        key: SessionKey,
        until: Millis,
        (at, cause): (Millis, EndCause),
    ) -> Outcome {
        match self.account.session(key) {
            None => return refused(Refusal::SessionUnknown),
            Some(session) if session.is_closed => {
                return Outcome { receipt: Receipt::default(), is_repeated: true };
            }
            Some(_) => {}
        }
        self.finish(key, (at, cause));
        self.done(Effect::SessionUntil { session: key, until, is_closed: true })
    }

    /// Ends a session whose time is over, or forgets one that has ended.
    pub(crate) fn lapse(&mut self, key: SessionKey, until: Millis) -> Outcome {
        let Some(session) = self.account.session(key) else {
            return refused(Refusal::SessionUnknown);
        };
        let over = session.until;
        match (self.now() >= over, session.is_closed) {
            (false, _) => refused(Refusal::NotOver),
            (true, true) => self.done(Effect::SessionGone(key)),
            (true, false) => self.end(key, until, (over, EndCause::Lapsed)),
        }
    }

    /// Releases all that is reserved for an open session, and makes the effect of its end.
    pub(crate) fn finish(&mut self, key: SessionKey, (at, cause): (Millis, EndCause)) {
        self.release_all(key);
        let paid = self.paid(key);
        self.record(EndedSession { session: key, at, cause, paid });
    }

    /// Returns what a session has paid so far.
    pub(crate) fn paid(&self, key: SessionKey) -> i128 {
        self.account.session(key).map_or(0, |session| session.paid)
    }

    /// Makes the effect of an ended session, with its memo.
    pub(crate) fn record(&mut self, ended: EndedSession) {
        assert!(ended.paid >= 0, "a session pays, and gets nothing back");
        let (from, until) = self.stored_memo(ended.session);
        self.make(Effect::SessionEnded { ended, from, until });
    }

    fn release_all(&mut self, key: SessionKey) {
        let mut place = 0;
        while let Some(part) = self.reserved(key, place) {
            let bucket = self.account.bucket(part.bucket).expect("what is reserved is there");
            let (amount, reserved) = (bucket.amount, bucket.reserved - part.amount);
            self.make(Effect::Balance { bucket: part.bucket, amount, reserved });
            place += 1;
        }
        if place > 0 {
            self.make(Effect::Released { session: key, leg: None });
        }
    }
}
