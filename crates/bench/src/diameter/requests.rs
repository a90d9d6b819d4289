//! The requests of a session of packets: written once for a connection, and filled in for each request.

use credit_control::codes::{
    APPLICATION, CC_REQUEST_NUMBER, CC_REQUEST_TYPE, CC_TOTAL_OCTETS, COMMAND, EVENT_TIMESTAMP,
    MULTIPLE_SERVICES_CREDIT_CONTROL, RATING_GROUP, REQUESTED_SERVICE_UNIT, SERVICE_CONTEXT_ID,
    SUBSCRIPTION_ID, SUBSCRIPTION_ID_DATA, SUBSCRIPTION_ID_TYPE, USED_SERVICE_UNIT,
};
use diameter::avp::AvpCode;
use diameter::codes::command::{CAPABILITIES_EXCHANGE, DISCONNECT_PEER};
use diameter::codes::{
    AUTH_APPLICATION_ID, DESTINATION_REALM, DISCONNECT_CAUSE, HOST_IP_ADDRESS, ORIGIN_HOST,
    ORIGIN_REALM, PRODUCT_NAME, SESSION_ID, VENDOR_ID,
};
use diameter::header::{Header, VERSION, flags};
use diameter::write::{self, Writer};

/// The updates of a session, between its first request and its last one.
pub(super) const UPDATES: u32 = 2;

/// What a request wants, and what it has used of that before.
const WANTED_OCTETS: u64 = 1_000_000;
const USED_OCTETS: u64 = 500_000;

/// The realm of all nodes.
pub(super) const REALM: &str = "example.net";

/// The first number of the subscribers.
pub(super) const FIRST_NUMBER: u64 = 46_701_000_000;

/// In place of what each request fills in.
const NO_SESSION: [u8; 16] = *b"################";
const NO_SUBSCRIBER: [u8; 11] = *b"***********";
const NO_NUMBER: u32 = 0x2323_2a2a;

/// Where the identifiers of a message are in its header (RFC 6733 section 3).
const HOP_BY_HOP_AT: usize = 12;
const END_TO_END_AT: usize = 16;

/// The command of a request, its application, and its flags.
pub(super) const REQUEST: (u32, u32, u8) =
    (COMMAND, APPLICATION, flags::REQUEST | flags::PROXIABLE);

/// The requests of a connection: the first one of a session, an update, and the last one.
pub(super) struct Requests([Template; 3]);

/// A message with places that are filled in.
struct Template {
    octets: Vec<u8>,
    session_at: usize,
    subscriber_at: usize,
    number_at: usize,
}

/// A request.
#[derive(Clone, Copy)]
pub(super) struct SessionRequest {
    pub(super) session: u64,
    /// The subscriber among all.
    pub(super) subscriber: u64,
    /// Its number within the session.
    pub(super) number: u32,
}

impl Requests {
    /// Returns those of a client.
    pub(super) fn of(host: &str) -> Self {
        Requests([1, 2, 3].map(|kind| Template::new(host, kind)))
    }

    /// Appends a request with an identifier.
    pub(super) fn append(&self, to: &mut Vec<u8>, id: u32, request: SessionRequest) {
        let SessionRequest { session, subscriber, number } = request;
        let place = match number {
            0 => 0,
            number if number <= UPDATES => 1,
            _ => 2,
        };
        let Template { octets, session_at, subscriber_at, number_at } = &self.0[place];
        let from = to.len();
        to.extend_from_slice(octets);
        let message = &mut to[from..];
        message[HOP_BY_HOP_AT..][..4].copy_from_slice(&id.to_be_bytes());
        message[END_TO_END_AT..][..4].copy_from_slice(&id.to_be_bytes());
        fill_in_digits(&mut message[*session_at..][..NO_SESSION.len()], session);
        let subscriber = FIRST_NUMBER + subscriber;
        fill_in_digits(&mut message[*subscriber_at..][..NO_SUBSCRIBER.len()], subscriber);
        message[*number_at..][..4].copy_from_slice(&number.to_be_bytes());
    }
}

fn fill_in_digits(to: &mut [u8], mut number: u64) {
    for digit in to.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

impl Template {
    fn new(host: &str, kind: u32) -> Self {
        let session = [host.as_bytes(), b";1700000000;", &NO_SESSION].concat();
        let (session, subscriber, number) = (&session[..], &NO_SUBSCRIBER[..], NO_NUMBER);
        let avps = RequestAvps { host, session, subscriber, kind, number };
        let octets = message(REQUEST, |to| avps.write(to));
        let at = |part: &[u8]| {
            let place = octets.windows(part.len()).position(|of| of == part);
            place.expect("it was written")
        };
        let (session_at, subscriber_at) = (at(&NO_SESSION), at(&NO_SUBSCRIBER));
        let number_at = at(&NO_NUMBER.to_be_bytes());
        Template { octets, session_at, subscriber_at, number_at }
    }
}

/// What the 11 AVPs of a request have.
pub(super) struct RequestAvps<'r> {
    pub(super) host: &'r str,
    pub(super) session: &'r [u8],
    pub(super) subscriber: &'r [u8],
    /// 1 for the first request of a session, 2 for an update, and 3 for the last one.
    pub(super) kind: u32,
    pub(super) number: u32,
}

impl RequestAvps<'_> {
    pub(super) fn write(&self, to: &mut Writer<'_>) {
        to.octets(SESSION_ID, self.session);
        write_origin(to, self.host);
        to.text(DESTINATION_REALM, REALM);
        to.u32(AUTH_APPLICATION_ID, APPLICATION);
        to.text(SERVICE_CONTEXT_ID, "32251@3gpp.org");
        to.u32(CC_REQUEST_TYPE, self.kind);
        to.u32(CC_REQUEST_NUMBER, self.number);
        to.time(EVENT_TIMESTAMP, 1_700_000_000);
        to.group(SUBSCRIPTION_ID, |to| {
            to.i32(SUBSCRIPTION_ID_TYPE, 0);
            to.octets(SUBSCRIPTION_ID_DATA, self.subscriber);
        });
        to.group(MULTIPLE_SERVICES_CREDIT_CONTROL, |to| {
            let units = |to: &mut Writer<'_>, code: AvpCode, octets: u64| {
                to.group(code, |to| to.u64(CC_TOTAL_OCTETS, octets));
            };
            if self.kind < 3 {
                units(to, REQUESTED_SERVICE_UNIT, WANTED_OCTETS);
            }
            if self.kind > 1 {
                units(to, USED_SERVICE_UNIT, USED_OCTETS);
            }
            to.u32(RATING_GROUP, 100);
        });
    }
}

/// Returns the capabilities of a client.
pub(super) fn capabilities(host: &str) -> Vec<u8> {
    message((CAPABILITIES_EXCHANGE, 0, flags::REQUEST), |to| {
        write_origin(to, host);
        to.address(HOST_IP_ADDRESS, [127, 0, 0, 1].into());
        to.u32(VENDOR_ID, 0);
        to.avp(PRODUCT_NAME, 0, |to| to.extend(b"Tollgate bench"));
        to.u32(AUTH_APPLICATION_ID, APPLICATION);
    })
}

/// Returns what a client sends before it closes its connection.
pub(super) fn disconnection(host: &str) -> Vec<u8> {
    message((DISCONNECT_PEER, 0, flags::REQUEST), |to| {
        write_origin(to, host);
        to.i32(DISCONNECT_CAUSE, 2);
    })
}

pub(super) fn write_origin(to: &mut Writer<'_>, host: &str) {
    to.text(ORIGIN_HOST, host);
    to.text(ORIGIN_REALM, REALM);
}

/// Returns a message: its command, application and flags, and its AVPs.
pub(super) fn message(command: (u32, u32, u8), avps: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
    let mut octets = Vec::new();
    append_message(&mut octets, command, avps);
    octets
}

/// Appends a message.
pub(super) fn append_message(
    to: &mut Vec<u8>,
    (command, application, flags): (u32, u32, u8),
    avps: impl FnOnce(&mut Writer<'_>),
) {
    let (version, length, hop_by_hop, end_to_end) = (VERSION, 0, 1, 1);
    let header = Header { version, length, flags, command, application, hop_by_hop, end_to_end };
    write::message(to, header, avps);
}
