//! A Session-Termination-Request (RFC 6733 section 8.4). Credit control has none (RFC 8506), but some clients send it in place of a
//! TERMINATION_REQUEST, or behind it: a session ends by it without usage.

use std::sync::Arc;
use std::time::Instant;

use charging::{Dialogue, LegRequest, Phase};
use credit_control::codes::USER_UNKNOWN;
use diameter::codes::{ORIGIN_HOST, SESSION_ID};
use diameter::frame::{Frame, Message};
use diameter::result::ResultCode;
use ledger::SessionKey;
use prepaid::{Number, QueuedRequest, RequestAnswer, RequestHead, Useless};
use rating::Moment;

use crate::front::Front;
use crate::keys;
use crate::peers::Link;
use crate::request::LATE;

/// A request that waits for its answer.
pub(crate) struct QueuedTermination {
    front: Arc<Front>,
    link: Arc<Link>,
    arrived: Instant,
    octets: Box<[u8]>,
    client: Arc<str>,
    session: Box<str>,
    key: SessionKey,
}

impl QueuedTermination {
    /// Reads a request that was checked against the dictionary.
    pub(crate) fn read(message: &Message<'_>, front: &Arc<Front>, link: &Arc<Link>) -> Self {
        let text = |code| message.find(code).and_then(|avp| avp.text().ok()).unwrap_or_default();
        let (client, session) = (text(ORIGIN_HOST), text(SESSION_ID));
        link.line.begin(message.octets.len());
        QueuedTermination {
            front: Arc::clone(front),
            link: Arc::clone(link),
            arrived: Instant::now(),
            octets: message.octets.into(),
            client: client.into(),
            session: session.into(),
            key: keys::session(client, session, None),
        }
    }
}

impl QueuedRequest for QueuedTermination {
    fn head(&self) -> RequestHead<'_> {
        RequestHead {
            client: &self.client,
            session: &self.session,
            key: self.key,
            // It is about no service, so it is not stored.
            number: 0,
            digest: 0,
            phase: Phase::Final,
            dialogue: Dialogue::default(),
            inherits: false,
        }
    }

    fn is_report(&self) -> bool {
        true
    }

    fn subscriber(&self) -> Result<Number, Useless> {
        self.front.payer(self.key)
    }

    fn add_legs<'r>(&'r self, _to: &mut Vec<LegRequest<'r>>, _served: &'r str, _at: Moment) {}

    fn answer(&self, answer: RequestAnswer<'_>, _: Option<&Number>) {
        let result = match answer {
            RequestAnswer::Legs(_) => ResultCode::SUCCESS,
            RequestAnswer::SubscriberUnknown => USER_UNKNOWN,
            RequestAnswer::Invalid(Useless::SubscriberLookedFor) => ResultCode::TOO_BUSY,
            RequestAnswer::SessionUnknown | RequestAnswer::Invalid(_) => {
                ResultCode::UNKNOWN_SESSION_ID
            }
            RequestAnswer::TooBusy | RequestAnswer::Unavailable => ResultCode::TOO_BUSY,
        };
        if result.is_success() {
            self.front.note_ended(self.key);
        }
        let message = Frame::read(&self.octets, self.octets.len());
        let Ok(Frame::Message(message)) = message else { return };
        if self.arrived.elapsed() < LATE {
            let node = &self.front.node;
            self.link.line.append(|to| node.answer(to, &message, result, |_| {}));
            self.link.meters.answered(result);
        }
    }
}

impl Drop for QueuedTermination {
    fn drop(&mut self) {
        self.link.line.answered(self.octets.len());
    }
}
