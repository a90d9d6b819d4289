//! Usage of sessions that are not known, which is not paid: an entry without an amount says that it was reported.

use crate::bucket::{Bucket, MAIN_BUCKET};
use crate::decide::{Decision, new, refused, repeated};
use crate::effect::{Effect, Entry};
use crate::operation::{Note, Outcome, Receipt, Refusal};
use crate::session::{Answered, SessionKey};
use crate::totals::{SystemAccount, SystemKind};
use crate::unit::Millis;

/// The system account of such entries. It gets nothing.
const ORPHAN: SystemAccount = SystemAccount { kind: SystemKind::Orphan, number: 0 };

/// Usage of a leg of a session that is not known. It is remembered as a session that has ended, so that a report that comes
/// again makes no second entry. It has no memo, and no record.
#[derive(Clone, Copy, Debug)]
pub struct Report<'o> {
    /// The session.
    pub session: SessionKey,
    /// The number of the request within the session. With the leg it is the key.
    pub number: u32,
    /// The leg.
    pub leg: u32,
    /// A digest of the request.
    pub digest: u64,
    /// Until when it is remembered.
    pub until: Millis,
    /// What the caller answers.
    pub note: Note,
    /// What is stored with its entry, such as what was used.
    pub remark: &'o [u8],
}

impl Decision<'_> {
    /// Makes the entry of a report, unless it came before. It is refused for a session in progress.
    pub(crate) fn report(&mut self, report: &Report<'_>) -> Outcome {
        let Report { session: key, number, leg, digest, until, note, .. } = *report;
        match self.account.session(key) {
            Some(session) => {
                if let Some(answered) = session.answered(number, leg) {
                    return repeated(answered.receipt, answered.digest == digest);
                }
                if !session.is_closed {
                    return refused(Refusal::NotOver);
                }
                if session.has_forgotten(number) {
                    return refused(Refusal::KeyReused);
                }
            }
            None => self.make(Effect::SessionBegun(key)),
        }
        let main = self.account.bucket(MAIN_BUCKET).expect("each account has one");
        let Bucket { id: bucket, unit, amount: balance, .. } = *main;
        let entry = self.account.entries + 1;
        self.make(Effect::Entry(Entry {
            number: entry,
            unit,
            bucket,
            source: None,
            amount: 0,
            balance,
            system: ORPHAN,
            session: Some(key),
            reverses: None,
        }));
        self.make(Effect::SessionUntil { session: key, until, is_closed: true });
        let receipt = Receipt { entry, note, ..Receipt::default() };
        self.make(Effect::answered(key, Answered { number, leg, digest, receipt }));
        new(receipt)
    }
}
