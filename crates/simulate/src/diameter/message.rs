//! The messages of simulated clients.

use credit_control::codes::{
    APPLICATION, CC_REQUEST_NUMBER, CC_REQUEST_TYPE, CC_SERVICE_SPECIFIC_UNITS, CC_TOTAL_OCTETS,
    COMMAND, FINAL_UNIT_INDICATION, GRANTED_SERVICE_UNIT, MULTIPLE_SERVICES_CREDIT_CONTROL,
    RATING_GROUP, REQUESTED_ACTION, REQUESTED_SERVICE_UNIT, SERVICE_CONTEXT_ID, SERVICE_IDENTIFIER,
    SUBSCRIPTION_ID, SUBSCRIPTION_ID_DATA, SUBSCRIPTION_ID_TYPE, USED_SERVICE_UNIT,
};
use diameter::avp::Avp;
use diameter::codes::command::CAPABILITIES_EXCHANGE;
use diameter::codes::{
    AUTH_APPLICATION_ID, DESTINATION_REALM, ERROR_MESSAGE, HOST_IP_ADDRESS, ORIGIN_HOST,
    ORIGIN_REALM, PRODUCT_NAME, RESULT_CODE, SESSION_ID, VENDOR_ID,
};
use diameter::frame::Message;
use diameter::header::{Header, VERSION, flags};
use diameter::write::{self, Writer};

const PACKETS: &str = "32251@3gpp.org";
const MESSAGES: &str = "32274@3gpp.org";

/// The kinds of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Initial = 1,
    Update = 2,
    Termination = 3,
    Event = 4,
}

/// Who asks.
#[derive(Clone, Debug)]
pub(super) struct Client {
    pub(super) host: String,
    pub(super) realm: String,
}

/// A request of credit control.
#[derive(Clone, Copy, Debug)]
pub(super) struct CreditRequest<'r> {
    pub(super) session: &'r str,
    pub(super) subscriber: u64,
    /// The rating group, and the identifier of the service.
    pub(super) service: (u32, Option<u32>),
    pub(super) kind: Kind,
    pub(super) number: u32,
    /// The octets that are wanted; for an event, how many there are.
    pub(super) wanted: Option<u64>,
    pub(super) used: Option<u64>,
}

impl Client {
    fn write_origin(&self, to: &mut Writer<'_>) {
        to.text(ORIGIN_HOST, &self.host);
        to.text(ORIGIN_REALM, &self.realm);
    }

    /// Returns a request between peers, with more AVPs.
    pub(super) fn of_base(
        &self,
        command: u32,
        id: u32,
        avps: impl FnOnce(&mut Writer<'_>),
    ) -> Vec<u8> {
        message((command, 0, flags::REQUEST), (id, id), |to| {
            self.write_origin(to);
            avps(to);
        })
    }

    /// Returns its capabilities.
    pub(super) fn capabilities(&self) -> Vec<u8> {
        self.of_base(CAPABILITIES_EXCHANGE, 1, |to| {
            to.address(HOST_IP_ADDRESS, [127, 0, 0, 1].into());
            to.u32(VENDOR_ID, 0);
            to.avp(PRODUCT_NAME, 0, |to| to.extend(b"Tollgate load"));
            to.u32(AUTH_APPLICATION_ID, APPLICATION);
        })
    }

    /// Returns the answer to a request of the server, with success.
    pub(super) fn answer(&self, request: &Message<'_>) -> Vec<u8> {
        let Header { command, application, hop_by_hop, end_to_end, .. } = request.header;
        let flags = request.header.flags & flags::PROXIABLE;
        message((command, application, flags), (hop_by_hop, end_to_end), |to| {
            if let Some(session) = request.find(SESSION_ID) {
                to.copy(&session);
            }
            to.u32(RESULT_CODE, 2001);
            self.write_origin(to);
        })
    }

    /// Returns a request of credit control.
    pub(super) fn credit_request(&self, id: u32, of: CreditRequest<'_>) -> Vec<u8> {
        let header = (COMMAND, APPLICATION, flags::REQUEST | flags::PROXIABLE);
        let context = if of.kind == Kind::Event { MESSAGES } else { PACKETS };
        message(header, (id, id), |to| {
            to.text(SESSION_ID, of.session);
            self.write_origin(to);
            to.text(DESTINATION_REALM, &self.realm);
            to.u32(AUTH_APPLICATION_ID, APPLICATION);
            to.text(SERVICE_CONTEXT_ID, context);
            to.u32(CC_REQUEST_TYPE, of.kind as u32);
            to.u32(CC_REQUEST_NUMBER, of.number);
            to.group(SUBSCRIPTION_ID, |to| {
                to.i32(SUBSCRIPTION_ID_TYPE, 0);
                to.text(SUBSCRIPTION_ID_DATA, &of.subscriber.to_string());
            });
            if of.kind == Kind::Event {
                to.i32(REQUESTED_ACTION, 0);
                return to.group(REQUESTED_SERVICE_UNIT, |to| {
                    to.u64(CC_SERVICE_SPECIFIC_UNITS, of.wanted.unwrap_or(1))
                });
            }
            to.group(MULTIPLE_SERVICES_CREDIT_CONTROL, |to| {
                let (rating_group, identifier) = of.service;
                to.u32(RATING_GROUP, rating_group);
                if let Some(identifier) = identifier {
                    to.u32(SERVICE_IDENTIFIER, identifier);
                }
                let amount = |to: &mut Writer<'_>, code, octets: Option<u64>| {
                    if let Some(octets) = octets {
                        to.group(code, |to| to.u64(CC_TOTAL_OCTETS, octets));
                    }
                };
                amount(to, REQUESTED_SERVICE_UNIT, of.wanted);
                amount(to, USED_SERVICE_UNIT, of.used);
            });
        })
    }
}

fn message(
    (command, application, flags): (u32, u32, u8),
    (hop_by_hop, end_to_end): (u32, u32),
    avps: impl FnOnce(&mut Writer<'_>),
) -> Vec<u8> {
    let header =
        Header { version: VERSION, length: 0, flags, command, application, hop_by_hop, end_to_end };
    let mut octets = Vec::with_capacity(512);
    write::message(&mut octets, header, avps);
    octets
}

/// Returns the copy of a request that is sent once more, with another identifier on the connection.
pub(super) fn again(request: &[u8], hop_by_hop: u32) -> Vec<u8> {
    const FLAGS_AT: usize = 4;
    const HOP_BY_HOP_AT: std::ops::Range<usize> = 12..16;
    let mut copy = request.to_vec();
    copy[FLAGS_AT] |= flags::RETRANSMITTED;
    copy[HOP_BY_HOP_AT].copy_from_slice(&hop_by_hop.to_be_bytes());
    copy
}

/// What an answer says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) result: u32,
    pub(super) text: String,
    pub(super) session: String,
    pub(super) number: Option<u32>,
    /// The result of the service, if it has one.
    pub(super) service: Option<u32>,
    pub(super) granted: Option<u64>,
    pub(super) is_final: bool,
}

impl Answer {
    pub(super) fn read(message: &Message<'_>) -> Self {
        let mut answer = Answer::default();
        for avp in message.avps().map_while(Result::ok) {
            match avp.code {
                RESULT_CODE => answer.result = avp.u32().unwrap_or_default(),
                ERROR_MESSAGE => answer.text = avp.text().unwrap_or_default().to_owned(),
                SESSION_ID => answer.session = avp.text().unwrap_or_default().to_owned(),
                CC_REQUEST_NUMBER => answer.number = avp.u32().ok(),
                MULTIPLE_SERVICES_CREDIT_CONTROL => answer.read_service(&avp),
                _ => {}
            }
        }
        answer
    }

    fn read_service(&mut self, group: &Avp<'_>) {
        for avp in group.members().map_while(Result::ok) {
            match avp.code {
                RESULT_CODE => self.service = avp.u32().ok(),
                FINAL_UNIT_INDICATION => self.is_final = true,
                GRANTED_SERVICE_UNIT => {
                    let units = avp.members().map_while(Result::ok);
                    let octets = units.filter(|of| of.code == CC_TOTAL_OCTETS).last();
                    self.granted = octets.and_then(|of| of.u64().ok());
                }
                _ => {}
            }
        }
    }
}
