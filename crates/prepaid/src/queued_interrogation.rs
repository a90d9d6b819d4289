//! Requests in the words of JSON, in the queue.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

use charging::{Dialogue, LegRequest};
use ledger::SessionKey;
use rating::Moment;

use crate::interrogation::{Answered, Interrogation, Useless};
use crate::numbers::Number;
use crate::queued_request::{QueuedRequest, RequestAnswer, RequestHead};

/// Takes the answer to a request.
pub type Reply = Box<dyn FnOnce(Answered) + Send>;

/// A request of a client that waits for its answer.
pub struct QueuedInterrogation {
    client: Arc<str>,
    interrogation: Interrogation,
    key: SessionKey,
    digest: u64,
    reply: Cell<Option<Reply>>,
}

impl fmt::Debug for QueuedInterrogation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("QueuedInterrogation").field(&self.interrogation).finish()
    }
}

impl QueuedInterrogation {
    /// Returns a request of a client. `reply` gets its answer.
    pub fn new(client: Arc<str>, interrogation: Interrogation, reply: Reply) -> Self {
        let (key, digest) = (interrogation.session_key(&client), interrogation.digest());
        let reply = Cell::new(Some(reply));
        QueuedInterrogation { client, interrogation, key, digest, reply }
    }
}

impl QueuedRequest for QueuedInterrogation {
    fn head(&self) -> RequestHead<'_> {
        let Interrogation { session, number, .. } = &self.interrogation;
        RequestHead {
            client: &self.client,
            session,
            key: self.key,
            number: *number,
            digest: self.digest,
            phase: self.interrogation.phase(),
            dialogue: Dialogue::default(),
            inherits: false,
        }
    }

    fn is_report(&self) -> bool {
        self.interrogation.is_report()
    }

    fn subscriber(&self) -> Result<Number, Useless> {
        self.interrogation.check()?;
        Ok(Number::read(&self.interrogation.subscriber)?)
    }

    fn add_legs<'r>(&'r self, to: &mut Vec<LegRequest<'r>>, served: &'r str, at: Moment) {
        to.extend(self.interrogation.legs(served, at));
    }

    fn answer(&self, answer: RequestAnswer<'_>, _: Option<&Number>) {
        if let Some(reply) = self.reply.take() {
            reply(Answered::of(answer));
        }
    }
}
