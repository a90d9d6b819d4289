//! What finds requests that come again.

use credit_control::codes::{
    CC_REQUEST_TYPE, MULTIPLE_SERVICES_CREDIT_CONTROL, RATING_GROUP, REQUESTED_ACTION,
    REQUESTED_SERVICE_UNIT, SERVICE_CONTEXT_ID, SERVICE_IDENTIFIER, SUBSCRIPTION_ID,
    USED_SERVICE_UNIT,
};
use credit_control::request::{Request, RequestKind};
use diameter::avp::{Avp, AvpCode};
use diameter::frame::Message;
use ledger::SessionKey;
use sha2::{Digest as _, Sha256};

/// The AVPs that say what a request is about (RFC 8506 section 8). Others may differ when a request comes again: an agent adds its
/// own, and clients write the time at which they send.
const CONTENT: [AvpCode; 9] = [
    CC_REQUEST_TYPE,
    RATING_GROUP,
    REQUESTED_ACTION,
    REQUESTED_SERVICE_UNIT,
    SERVICE_IDENTIFIER,
    SUBSCRIPTION_ID,
    USED_SERVICE_UNIT,
    MULTIPLE_SERVICES_CREDIT_CONTROL,
    SERVICE_CONTEXT_ID,
];

/// Returns the key of the session of a request: of its client, its name, and that of the session within it. An event is a session
/// of its own: clients use one name for many of them, and one that is sent again has its End-to-End Identifier (RFC 6733 section
/// 3).
pub(crate) fn of_request(message: &Message<'_>, request: &Request<'_>) -> SessionKey {
    let event = (request.kind == RequestKind::Event).then_some(message.header.end_to_end);
    of_names((request.origin_host, request.session), (request.sub_session, event))
}

/// Returns the key of a session by its names.
pub(crate) fn session(client: &str, session: &str, sub_session: Option<u64>) -> SessionKey {
    of_names((client, session), (sub_session, None))
}

fn of_names(
    (client, session): (&str, &str),
    (sub_session, event): (Option<u64>, Option<u32>),
) -> SessionKey {
    let mut hash = Sha256::new();
    // A client of HTTP may have the name of a node: its sessions are others.
    hash.update("diameter\0");
    update_lowercase(&mut hash, client);
    hash.update([0]);
    hash.update(session);
    if let Some(sub_session) = sub_session {
        hash.update([0]);
        hash.update(sub_session.to_be_bytes());
    }
    if let Some(event) = event {
        hash.update([1]);
        hash.update(event.to_be_bytes());
    }
    let hash: [u8; 32] = hash.finalize().into();
    SessionKey(u128::from_le_bytes(std::array::from_fn(|place| hash[place])))
}

/// Hashes a name in which the case of letters does not count.
fn update_lowercase(hash: &mut Sha256, name: &str) {
    for part in name.as_bytes().chunks(64) {
        let mut lowercase = [0; 64];
        let lowercase = &mut lowercase[..part.len()];
        lowercase.copy_from_slice(part);
        lowercase.make_ascii_lowercase();
        hash.update(lowercase);
    }
}

/// Returns a digest of what a request is about.
pub(crate) fn digest(message: &Message<'_>) -> u64 {
    let mut hash = Sha256::new();
    let is_content = |avp: &Avp<'_>| CONTENT.contains(&avp.code);
    for avp in message.avps().map_while(Result::ok).filter(is_content) {
        hash.update(avp.octets);
    }
    let hash: [u8; 32] = hash.finalize().into();
    u64::from_le_bytes(std::array::from_fn(|place| hash[place]))
}
