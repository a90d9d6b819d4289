//! Requests of this node to clients: end a session, or ask again for it.

use std::sync::Arc;

use credit_control::codes::{APPLICATION, CC_SUB_SESSION_ID};
use credit_control::profile::Profile;
use diameter::codes::command::{ABORT_SESSION, RE_AUTH};
use diameter::codes::{
    AUTH_APPLICATION_ID, DESTINATION_HOST, DESTINATION_REALM, RE_AUTH_REQUEST_TYPE, RESULT_CODE,
    SESSION_ID,
};
use diameter::frame::Message;
use diameter::header::flags;
use diameter::result::ResultCode;
use ledger::SessionKey;

use crate::LOG;
use crate::front::Front;
use crate::peers::Link;
use crate::restarts;
use crate::sessions::OpenSession;

const AUTHORIZE_ONLY: i32 = 0;

/// The profile of a client without a table.
static STANDARD: Profile = Profile::STANDARD;

/// What a client is to do (RFC 6733 sections 8.3.1 and 8.5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServerRequest {
    /// It asks again: what it may use may have changed.
    ReAuth,
    /// It ends its session.
    AbortSession,
}

impl ServerRequest {
    fn command(self) -> u32 {
        match self {
            ServerRequest::ReAuth => RE_AUTH,
            ServerRequest::AbortSession => ABORT_SESSION,
        }
    }
}

/// Sends a request about a session, if its client is connected.
pub(crate) fn send(front: &Front, key: SessionKey, request: ServerRequest) {
    let Some(session) = front.sessions.get(key) else { return };
    let rules = front.system.rules();
    let peer = |host: &str| rules.credit_control.peer(host);
    let peer = peer(&session.client).or_else(|| peer(&session.peer));
    let Profile { takes_re_auth, takes_abort, .. } = *peer.map_or(&STANDARD, |peer| &peer.profile);
    let is_needed = match request {
        // It asks by itself before its grant is used.
        ServerRequest::ReAuth => !session.at_end.is_empty() && takes_re_auth,
        // It would end the others of its Session-Id, too.
        ServerRequest::AbortSession => session.sub_session.is_none() && takes_abort,
    };
    let Some(link) = reachable(front, &session).filter(|_| is_needed) else { return };
    let OpenSession { session: id, client, realm, sub_session, .. } = session;
    let hop_by_hop = link.next_hop_by_hop();
    link.note_request(hop_by_hop, key);
    let header = (request.command(), APPLICATION, flags::REQUEST | flags::PROXIABLE);
    link.line.append(|to| {
        front.write_request(to, header, hop_by_hop, |to| {
            to.text(SESSION_ID, &id);
            front.node.write_origin(to);
            to.text(DESTINATION_REALM, &realm);
            to.text(DESTINATION_HOST, &client);
            to.u32(AUTH_APPLICATION_ID, APPLICATION);
            if request == ServerRequest::ReAuth {
                to.i32(RE_AUTH_REQUEST_TYPE, AUTHORIZE_ONLY);
                if let Some(sub_session) = sub_session {
                    to.u64(CC_SUB_SESSION_ID, sub_session);
                }
            }
        });
    });
}

/// Returns the connection of the last request of a session, or another one to its client.
fn reachable(front: &Front, session: &OpenSession) -> Option<Arc<Link>> {
    let last = session.link.upgrade().filter(|link| !link.line.is_gone());
    let of = |host: &str| front.peers.link_of(host);
    last.or_else(|| of(&session.client)).or_else(|| of(&session.peer))
}

/// Takes the answer of a client. Returns whether it is one to a request of this node.
pub(crate) fn answered(front: &Arc<Front>, link: &Link, answer: &Message<'_>) -> bool {
    let Some(key) = link.take_request(answer.header.hop_by_hop) else { return false };
    let result =
        answer.find(RESULT_CODE).and_then(|avp| avp.u32().ok()).map_or(ResultCode(0), ResultCode);
    if result == ResultCode::UNKNOWN_SESSION_ID {
        restarts::end_one(front, &link.host, key);
    }
    if !result.is_success() {
        let command = answer.header.command;
        tracing::warn!(target: LOG, "\"{}\" answers {result} to the request {command} about a session", link.host);
    }
    true
}
