//! A Credit-Control-Request (RFC 8506 section 3.1), read in place.

use diameter::avp::{Avp, Avps};
use diameter::codes::{ORIGIN_HOST, ORIGIN_STATE_ID, SESSION_ID};
use diameter::frame::Message;

use crate::codes::{
    CC_REQUEST_NUMBER, CC_REQUEST_TYPE, CC_SUB_SESSION_ID, EVENT_TIMESTAMP,
    MULTIPLE_SERVICES_CREDIT_CONTROL, RATING_GROUP, REPORTING_REASON, REQUESTED_ACTION,
    REQUESTED_SERVICE_UNIT, SERVICE_CONTEXT_ID, SERVICE_IDENTIFIER, SUBSCRIPTION_ID,
    SUBSCRIPTION_ID_DATA, SUBSCRIPTION_ID_E164, SUBSCRIPTION_ID_EXTENSION, SUBSCRIPTION_ID_IMSI,
    SUBSCRIPTION_ID_NAI, SUBSCRIPTION_ID_PRIVATE, SUBSCRIPTION_ID_SIP_URI, SUBSCRIPTION_ID_TYPE,
    USED_SERVICE_UNIT,
};
use crate::units::{TariffChange, Units, UnitsError};

/// A request that was checked against a dictionary.
#[derive(Clone, Copy, Debug)]
pub struct Request<'m> {
    /// The session.
    pub session: &'m str,
    /// A session within the session (section 8.5).
    pub sub_session: Option<u64>,
    /// The node that asks.
    pub origin_host: &'m str,
    /// A number that is greater after this node has lost its sessions.
    pub origin_state: Option<u32>,
    /// What it is about: `32251@3gpp.org` for packets, `32260@3gpp.org` for calls.
    pub context: &'m str,
    /// Where the session is.
    pub kind: RequestKind,
    /// Its number in the session.
    pub number: u32,
    /// What an event asks for, if it says so.
    pub action: Option<Action>,
    /// When it happened, in seconds since 1970.
    pub at: Option<i64>,
    avps: Avps<'m>,
}

/// Where a session is (section 8.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKind {
    /// It begins.
    Initial,
    /// It goes on.
    Update,
    /// It ends.
    Termination,
    /// There is none.
    Event,
}

/// What an event asks for (section 8.41).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// An amount is taken.
    DirectDebiting,
    /// An amount goes back.
    RefundAccount,
    /// Whether there is enough.
    CheckBalance,
    /// What it costs.
    PriceEnquiry,
}

/// A name of the subscriber (sections 8.46 to 8.48).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subscription<'m> {
    /// What kind of a name: 0 for a number of E.164, 1 for an IMSI, 2 for an address of SIP, 3 for one of a network, 4 for another.
    pub kind: i32,
    /// The name.
    pub name: &'m str,
}

/// A service of a request: one of its Multiple-Services-Credit-Control, or what the request itself says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Service {
    /// The group of services with one price.
    pub rating_group: Option<u32>,
    /// The service, if it is named; the first of several.
    pub identifier: Option<u32>,
    /// What is wanted; empty units for as much as is usual.
    pub wanted: Option<Units>,
    /// What was used since the last request.
    pub used: Option<Units>,
    /// How much of it was after a change of the tariff.
    pub used_after_change: Option<Units>,
    /// Why it is reported (3GPP TS 32.299, 7.2.175).
    pub reason: Option<u32>,
}

/// Why a request cannot be worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// A value is none of those that an AVP can have.
    #[error("the AVP {code} has a value that it cannot have")]
    Value {
        /// The code of the AVP.
        code: u32,
    },
    /// An amount cannot be counted.
    #[error(transparent)]
    Units(#[from] UnitsError),
}

impl<'m> Request<'m> {
    /// Reads a request that was checked against a dictionary.
    ///
    /// # Errors
    ///
    /// The kind or the action is unknown.
    pub fn read(message: &Message<'m>) -> Result<Self, RequestError> {
        let mut request = Request {
            session: "",
            sub_session: None,
            origin_host: "",
            origin_state: None,
            context: "",
            kind: RequestKind::Event,
            number: 0,
            action: None,
            at: None,
            avps: message.avps(),
        };
        for avp in message.avps().map_while(Result::ok) {
            let text = || avp.text().unwrap_or_default();
            match avp.code {
                SESSION_ID => request.session = text(),
                CC_SUB_SESSION_ID => request.sub_session = avp.u64().ok(),
                ORIGIN_HOST => request.origin_host = text(),
                ORIGIN_STATE_ID => request.origin_state = avp.u32().ok(),
                SERVICE_CONTEXT_ID => request.context = text(),
                CC_REQUEST_TYPE => request.kind = RequestKind::read(&avp)?,
                CC_REQUEST_NUMBER => request.number = avp.u32().unwrap_or_default(),
                REQUESTED_ACTION => request.action = Some(Action::read(&avp)?),
                EVENT_TIMESTAMP => request.at = avp.time().ok(),
                _ => {}
            }
        }
        if request.kind != RequestKind::Event {
            // Clients send it in sessions too, where it has no meaning.
            request.action = None;
        }
        Ok(request)
    }

    /// Returns all that it has.
    pub(crate) fn avps(&self) -> Avps<'m> {
        self.avps
    }

    /// Returns the names of the subscriber.
    pub fn subscriptions(&self) -> impl Iterator<Item = Subscription<'m>> + use<'m> {
        let is_name =
            |avp: &Avp<'_>| matches!(avp.code, SUBSCRIPTION_ID | SUBSCRIPTION_ID_EXTENSION);
        let groups = self.avps.map_while(Result::ok).filter(is_name);
        groups.map(|group| {
            let mut read = Subscription { kind: 0, name: "" };
            for avp in group.members().map_while(Result::ok) {
                let text = avp.text().unwrap_or_default();
                match avp.code {
                    SUBSCRIPTION_ID_TYPE => read.kind = avp.i32().unwrap_or_default(),
                    SUBSCRIPTION_ID_DATA => read.name = text,
                    // A Subscription-Id-Extension has one of these (section 8.58).
                    SUBSCRIPTION_ID_E164 => read = Subscription { kind: 0, name: text },
                    SUBSCRIPTION_ID_IMSI => read = Subscription { kind: 1, name: text },
                    SUBSCRIPTION_ID_SIP_URI => read = Subscription { kind: 2, name: text },
                    SUBSCRIPTION_ID_NAI => read = Subscription { kind: 3, name: text },
                    SUBSCRIPTION_ID_PRIVATE => read = Subscription { kind: 4, name: text },
                    _ => {}
                }
            }
            read
        })
    }

    /// Returns the services. Without a Multiple-Services-Credit-Control, the request itself is about one.
    ///
    /// Clients use it whatever they say in Multiple-Services-Indicator, so that does not count.
    pub fn services(&self) -> impl Iterator<Item = Result<Service, RequestError>> + use<'m> {
        let groups = |avp: &Avp<'_>| avp.code == MULTIPLE_SERVICES_CREDIT_CONTROL;
        let has_groups = self.has_multiple_services();
        let each =
            self.avps.map_while(Result::ok).filter(groups).map(|of| Service::read(of.members()));
        let itself = (!has_groups).then(|| Service::read(self.avps));
        each.chain(itself)
    }

    /// Returns whether services are in groups of their own. The answer has them then, too (section 5.1.2).
    pub fn has_multiple_services(&self) -> bool {
        let mut avps = self.avps.map_while(Result::ok);
        avps.any(|avp| avp.code == MULTIPLE_SERVICES_CREDIT_CONTROL)
    }
}

impl RequestKind {
    fn read(avp: &Avp<'_>) -> Result<Self, RequestError> {
        Ok(match avp.u32() {
            Ok(1) => RequestKind::Initial,
            Ok(2) => RequestKind::Update,
            Ok(3) => RequestKind::Termination,
            Ok(4) => RequestKind::Event,
            _ => return Err(RequestError::Value { code: avp.code.code }),
        })
    }
}

impl Action {
    fn read(avp: &Avp<'_>) -> Result<Self, RequestError> {
        Ok(match avp.u32() {
            Ok(0) => Action::DirectDebiting,
            Ok(1) => Action::RefundAccount,
            Ok(2) => Action::CheckBalance,
            Ok(3) => Action::PriceEnquiry,
            _ => return Err(RequestError::Value { code: avp.code.code }),
        })
    }
}

impl Service {
    fn read(avps: Avps<'_>) -> Result<Self, RequestError> {
        let mut service = Service::default();
        for avp in avps.map_while(Result::ok) {
            match avp.code {
                RATING_GROUP => service.rating_group = avp.u32().ok(),
                SERVICE_IDENTIFIER if service.identifier.is_none() => {
                    service.identifier = avp.u32().ok()
                }
                REQUESTED_SERVICE_UNIT => service.wanted = Some(Units::read(avp.members())?.0),
                USED_SERVICE_UNIT => service.add_used(&avp)?,
                REPORTING_REASON => service.reason = avp.u32().ok(),
                _ => {}
            }
        }
        Ok(service)
    }

    /// Adds what was used. Several are of one service, before and after a change of the tariff (section 8.16).
    fn add_used(&mut self, group: &Avp<'_>) -> Result<(), UnitsError> {
        let (units, change) = Units::read(group.members())?;
        let place = match change {
            TariffChange::After => &mut self.used_after_change,
            TariffChange::Before | TariffChange::Unknown => &mut self.used,
        };
        *place = Some(place.unwrap_or_default().plus(units)?);
        let reasons =
            group.members().map_while(Result::ok).filter(|avp| avp.code == REPORTING_REASON);
        self.reason = reasons.filter_map(|avp| avp.u32().ok()).last().or(self.reason);
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::codes::{
        APPLICATION, CC_INPUT_OCTETS, CC_OUTPUT_OCTETS, CC_TIME, CC_TOTAL_OCTETS, COMMAND,
        TARIFF_CHANGE_USAGE,
    };
    use diameter::check::check;
    use diameter::codes::{AUTH_APPLICATION_ID, DESTINATION_REALM, ORIGIN_REALM};
    use diameter::dictionary::Dictionary;
    use diameter::frame::Frame;
    use diameter::header::{Header, VERSION};
    use diameter::write::{self, Writer};

    pub(crate) fn request_of(kind: u32, avps: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
        let header = Header {
            version: VERSION,
            length: 0,
            flags: 0xc0,
            command: COMMAND,
            application: APPLICATION,
            hop_by_hop: 1,
            end_to_end: 2,
        };
        let mut octets = Vec::new();
        write::message(&mut octets, header, |to| {
            to.text(SESSION_ID, "smf.example.net;1;1");
            to.text(ORIGIN_HOST, "smf.example.net");
            to.text(ORIGIN_REALM, "example.net");
            to.text(DESTINATION_REALM, "example.net");
            to.u32(AUTH_APPLICATION_ID, APPLICATION);
            to.text(SERVICE_CONTEXT_ID, "32251@3gpp.org");
            to.u32(CC_REQUEST_TYPE, kind);
            to.u32(CC_REQUEST_NUMBER, 3);
            avps(to);
        });
        octets
    }

    pub(crate) fn node() -> diameter::node::Node {
        diameter::node::Node {
            name: diameter::node::NodeName::new("charging.example.net", "example.net", None),
            addresses: vec![[127, 0, 0, 1].into()],
            vendor: 0,
            product: "Tollgate".to_owned(),
            applications: vec![APPLICATION],
            supported_vendors: vec![10_415],
        }
    }

    pub(crate) fn checked(octets: &[u8]) -> Message<'_> {
        let Ok(Frame::Message(message)) = Frame::read(octets, octets.len()) else { panic!() };
        check(&message, &Dictionary::standard(&[]).unwrap()).unwrap();
        message
    }

    #[test]
    fn a_session_of_a_packet_gateway_is_read() {
        // As open5gs sends it: one group without a name, an action that has no meaning, and octets without a total.
        let octets = request_of(2, |to| {
            for (kind, name) in [(1, "999700000000001"), (0, "46701234567")] {
                to.group(SUBSCRIPTION_ID, |to| {
                    to.i32(SUBSCRIPTION_ID_TYPE, kind);
                    to.text(SUBSCRIPTION_ID_DATA, name);
                });
            }
            to.i32(REQUESTED_ACTION, 0);
            to.time(EVENT_TIMESTAMP, 1_795_000_000);
            to.group(MULTIPLE_SERVICES_CREDIT_CONTROL, |to| {
                to.group(REQUESTED_SERVICE_UNIT, |to| to.u64(CC_TOTAL_OCTETS, 1_000_000));
                to.group(USED_SERVICE_UNIT, |to| {
                    to.u32(CC_TIME, 10);
                    to.u64(CC_INPUT_OCTETS, 300);
                    to.u64(CC_OUTPUT_OCTETS, 700);
                    to.avp(REPORTING_REASON, 0x40, |to| to.extend([0, 0, 0, 3]));
                });
            });
        });
        let message = checked(&octets);
        let request = Request::read(&message).unwrap();
        assert_eq!((request.kind, request.number, request.action), (RequestKind::Update, 3, None));
        assert_eq!((request.session, request.at), ("smf.example.net;1;1", Some(1_795_000_000)));
        let names: Vec<_> = request.subscriptions().map(|of| (of.kind, of.name)).collect();
        assert_eq!(names, [(1, "999700000000001"), (0, "46701234567")]);
        let services: Vec<Service> = request.services().collect::<Result<_, _>>().unwrap();
        let [service] = services[..] else { panic!("{services:?}") };
        assert_eq!(
            (service.rating_group, service.identifier, service.reason),
            (None, None, Some(3))
        );
        assert_eq!(service.wanted.unwrap().octets, Some(1_000_000));
        let used = service.used.unwrap();
        assert_eq!((used.seconds, used.octets), (Some(10), Some(1_000)));
    }

    #[test]
    fn what_is_used_is_added_on_each_side_of_a_tariff_change() {
        let octets = request_of(3, |to| {
            to.group(MULTIPLE_SERVICES_CREDIT_CONTROL, |to| {
                to.u32(RATING_GROUP, 7);
                to.u32(SERVICE_IDENTIFIER, 1_000);
                to.u32(SERVICE_IDENTIFIER, 1_001);
                for (side, seconds) in [(None, 1), (Some(0), 2), (Some(1), 4), (Some(2), 8)] {
                    to.group(USED_SERVICE_UNIT, |to| {
                        side.into_iter().for_each(|side| to.i32(TARIFF_CHANGE_USAGE, side));
                        to.u32(CC_TIME, seconds);
                    });
                }
            });
        });
        let message = checked(&octets);
        let service = Request::read(&message).unwrap().services().next().unwrap().unwrap();
        assert_eq!((service.rating_group, service.identifier), (Some(7), Some(1_000)));
        assert_eq!(service.used.unwrap().seconds, Some(11));
        assert_eq!(service.used_after_change.unwrap().seconds, Some(4));
    }

    #[test]
    fn a_request_without_groups_is_about_one_service() {
        let octets = request_of(4, |to| {
            to.i32(REQUESTED_ACTION, 2);
            to.group(REQUESTED_SERVICE_UNIT, |to| to.u32(CC_TIME, 60));
        });
        let message = checked(&octets);
        let request = Request::read(&message).unwrap();
        assert_eq!(request.action, Some(Action::CheckBalance));
        assert!(!request.has_multiple_services());
        let services: Vec<Service> = request.services().collect::<Result<_, _>>().unwrap();
        assert_eq!((services.len(), services[0].wanted.unwrap().seconds), (1, Some(60)));
    }

    #[test]
    fn an_unknown_kind_or_action_is_refused() {
        let octets = request_of(9, |_| {});
        assert_eq!(
            Request::read(&checked(&octets)).unwrap_err(),
            RequestError::Value { code: 416 }
        );
        let octets = request_of(4, |to| to.i32(REQUESTED_ACTION, -1));
        assert_eq!(
            Request::read(&checked(&octets)).unwrap_err(),
            RequestError::Value { code: 436 }
        );
    }
}
