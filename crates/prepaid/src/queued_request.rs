//! A request of a network and its answer, whatever protocol it came by.

use std::sync::Arc;

use charging::{Answer, Dialogue, LegAnswer, LegRequest, Phase, Request};
use ledger::{AccountId, Millis, SessionKey};
use rating::Moment;

use crate::interrogation::Useless;
use crate::numbers::Number;

/// A request that waits for its answer.
pub trait QueuedRequest: Send {
    /// Returns what identifies the request.
    fn head(&self) -> RequestHead<'_>;

    /// Returns whether it ends a session, or has usage of one that goes on. It is charged however late it comes.
    fn is_report(&self) -> bool;

    /// Returns the number that pays.
    ///
    /// # Errors
    ///
    /// The request has a mistake.
    fn subscriber(&self) -> Result<Number, Useless>;

    /// Returns another name of the subscriber. It counts if no account has the number that pays.
    fn alternative(&self) -> Option<Number> {
        None
    }

    /// Appends what is used and wanted, by a number that is served, at a time.
    fn add_legs<'r>(&'r self, to: &mut Vec<LegRequest<'r>>, served: &'r str, at: Moment);

    /// Gets the answer, with the number that pays if an account has it. It is called once.
    fn answer(&self, answer: RequestAnswer<'_>, payer: Option<&Number>);

    /// Is called when all requests that were worked on together have their answers: these are sent now, as few large writes.
    fn finish(self: Box<Self>) {}
}

/// What identifies a request.
#[derive(Clone, Copy, Debug)]
pub struct RequestHead<'r> {
    /// The client.
    pub client: &'r Arc<str>,
    /// The session, as the client names it.
    pub session: &'r str,
    /// A digest of the client and its session.
    pub key: SessionKey,
    /// The number of the request in the session.
    pub number: u32,
    /// A digest of what it asks: a request that comes again has the same one.
    pub digest: u64,
    /// Where the session is.
    pub phase: Phase,
    /// What the client makes of refusals.
    pub dialogue: Dialogue,
    /// Whether it says nothing of other parties and networks: services that begin have those of the session.
    pub inherits: bool,
}

/// The answer to a request.
#[derive(Clone, Copy, Debug)]
pub enum RequestAnswer<'a> {
    /// Each leg has an answer, in the order of the request.
    Legs(&'a [LegAnswer]),
    /// No account has the number.
    SubscriberUnknown,
    /// The session is not known, or has ended.
    SessionUnknown,
    /// The request has a mistake.
    Invalid(&'a Useless),
    /// The request waited too long to be of use. Nothing was done.
    TooBusy,
    /// The accounts cannot be used now. It is not known whether the request was charged: it may be sent again.
    Unavailable,
}

impl<'r> RequestHead<'r> {
    /// Returns the request to an account, at a time.
    pub(crate) fn request(
        &self,
        (account, at): (AccountId, Millis),
        legs: &'r [LegRequest<'r>],
    ) -> Request<'r> {
        let RequestHead { client, key: session, number, digest, phase, dialogue, inherits, .. } =
            *self;
        Request { account, session, number, digest, client, at, phase, dialogue, inherits, legs }
    }
}

impl<'a> RequestAnswer<'a> {
    pub(crate) fn of(answer: &Answer, legs: &'a [LegAnswer]) -> Self {
        match answer {
            Answer::Legs => RequestAnswer::Legs(legs),
            Answer::SubscriberUnknown => RequestAnswer::SubscriberUnknown,
            Answer::SessionUnknown => RequestAnswer::SessionUnknown,
        }
    }
}
