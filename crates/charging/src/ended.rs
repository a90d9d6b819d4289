//! What a session has used, from what is stored with it: for people who look at it, and for the record that is written
//! when it has ended.

use ledger::Session;

use crate::answer::Grant;
use crate::memo::{MemoDamaged, legs};
use crate::request::{EventKind, Quantity, Service};

/// A leg of a session, with all that it has used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionLeg<'m> {
    /// The leg.
    pub leg: u32,
    /// The service, with the numbers and the start.
    pub service: Service<'m>,
    /// The name of the client.
    pub client: &'m str,
    /// What the session was about, if it was an event.
    pub event: Option<EventKind>,
    /// What was used and charged, in the units that the client reported; without money. Of a session that had ended before,
    /// only what was reported last.
    pub used: Quantity,
    /// What it paid in money, in billionths, with tax; negative for a refund.
    pub price: i64,
}

/// Returns the legs of a session, from what is stored with it.
pub fn session_legs(memo: &[u8]) -> impl Iterator<Item = Result<SessionLeg<'_>, MemoDamaged>> {
    legs(memo).map(|stored| {
        let stored = stored?;
        let total = stored.progress.total;
        Ok(SessionLeg {
            leg: stored.leg,
            service: stored.service,
            client: stored.client,
            event: stored.event,
            used: total.used(),
            price: total.price,
        })
    })
}

/// Returns what was granted last for a leg of a session, as long as the session remembers it.
pub fn last_grant(session: &Session, leg: u32) -> Option<Grant> {
    Grant::of_receipt(&session.last_answer(leg)?)
}
