//! A request of credit control as one of the charging system.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use charging::{EventKind, LegRequest, Phase, Quantity, Service as LegService};
use credit_control::answer::ServiceAnswer;
use credit_control::codes::RATING_FAILED;
use credit_control::parties::{account_number, telephone_number};
use credit_control::profile::Profile;
use credit_control::request::{Action, Request, RequestError, RequestKind, Service};
use credit_control::service::name_of;
use credit_control::units::{Units, UnitsError};
use diameter::avp::AvpCode;
use diameter::check::Fault;
use diameter::codes::{ORIGIN_REALM, SESSION_ID};
use diameter::frame::{Frame, Message};
use diameter::result::ResultCode;
use diameter::write::Writer;
use ledger::SessionKey;
use prepaid::{CreditControl, Number, QueuedRequest, RequestAnswer, RequestHead, Rules, Useless};
use rating::{Currency, Moment};
use sha2::{Digest as _, Sha256};

use crate::answer;
use crate::front::Front;
use crate::keys;
use crate::peers::Link;
use crate::sessions::OpenSession;

/// The most services of a request.
const SERVICES_MAX: usize = 32;

/// After how long a client has given up (RFC 8506 section 13, Tx, is 10 seconds): a later answer is not sent, since clients take it
/// for one to something else. The request comes again, and gets the same answer.
const LATE: Duration = Duration::from_secs(9);

/// The reasons for which a service is reported that ask for no more (3GPP TS 32.299, 7.2.175): nothing was used for a time, and
/// the end.
const ENDS: [u32; 2] = [1, 2];

const SERVICE_CONTEXT_ID: AvpCode = AvpCode::ietf(461);
const CC_SUB_SESSION_ID: AvpCode = AvpCode::ietf(419);
const SUBSCRIPTION_ID: AvpCode = AvpCode::ietf(443);
const SESSION_ID_OCTETS_MAX: usize = 512;

/// The most octets of an AVP that a Failed-AVP repeats.
const FAILED_OCTETS_MAX: usize = 4_096;

/// What has the amounts of a request.
const WITH_UNITS: [AvpCode; 3] = [AvpCode::ietf(456), AvpCode::ietf(446), AvpCode::ietf(437)];

/// A request that waits for its answer.
pub(crate) struct QueuedCreditRequest {
    front: Arc<Front>,
    link: Arc<Link>,
    profile: Profile,
    arrived: Instant,
    /// The message.
    octets: Box<[u8]>,
    client: Arc<str>,
    session: Box<str>,
    key: SessionKey,
    digest: u64,
    number: u32,
    phase: Phase,
    /// For how long grants are valid.
    validity_seconds: u32,
    subscriber: Box<str>,
    /// The digits of the other number; empty without one.
    other: Box<str>,
    /// The network in which the subscriber roams; empty at home.
    partner: Box<str>,
    legs: Vec<Leg>,
    is_answered: Cell<bool>,
}

/// A service of a request.
struct Leg {
    leg: u32,
    /// Its name, if a rule fits.
    service: Option<Box<str>>,
    used: Option<Quantity>,
    wanted: Option<Quantity>,
}

impl fmt::Debug for QueuedCreditRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueuedCreditRequest")
            .field("session", &self.session)
            .finish_non_exhaustive()
    }
}

/// Where a request came from.
pub(crate) struct Arrival<'a> {
    pub(crate) front: &'a Arc<Front>,
    pub(crate) link: &'a Arc<Link>,
    /// The name of the client, if it is the one of the request before.
    pub(crate) client: &'a mut Arc<str>,
    /// What the peer of the connection needs.
    pub(crate) profile: &'a Profile,
    /// What requests go by.
    pub(crate) rules: &'a Rules,
}

impl QueuedCreditRequest {
    /// Reads a request that was checked against the dictionary.
    ///
    /// # Errors
    ///
    /// It cannot be charged: the answer says why.
    pub(crate) fn read(message: &Message<'_>, arrival: Arrival<'_>) -> Result<Self, Fault> {
        let Arrival { front, link, client, profile, rules } = arrival;
        let terms = &rules.credit_control;
        let request = Request::read(message).map_err(|why| value_fault(message, why))?;
        if request.session.is_empty() || request.session.len() > SESSION_ID_OCTETS_MAX {
            let text = format!("Session-Id has 1 to {SESSION_ID_OCTETS_MAX} octets");
            return Err(failed(message, SESSION_ID, ResultCode::INVALID_AVP_VALUE, text));
        }
        check_context(message, &request, terms)?;
        if **client != *request.origin_host {
            *client = request.origin_host.into();
        }
        // The client may be behind an agent.
        let profile = terms.peer(request.origin_host).map_or(profile, |peer| &peer.profile);
        let subscriber = subscriber(&request)?;
        let other = request.other_party().and_then(telephone_number).unwrap_or_default();
        let visited = request.visited_network().filter(|_| !terms.home_networks.is_empty());
        let partner = visited.filter(|of| !terms.home_networks.iter().any(|home| home == of));
        let phase = phase(&request);
        let legs = legs(&request, (terms, profile, rules.currency), phase);
        let legs = legs.map_err(|fault| with_units(message, fault))?;
        link.line.begin(message.octets.len());
        Ok(QueuedCreditRequest {
            front: Arc::clone(front),
            link: Arc::clone(link),
            profile: profile.clone(),
            arrived: Instant::now(),
            octets: message.octets.into(),
            client: Arc::clone(client),
            session: request.session.into(),
            key: keys::session(&request),
            digest: keys::digest(message),
            number: request.number,
            phase,
            validity_seconds: rules.charging.validity_seconds,
            subscriber,
            other: other.into(),
            partner: partner.unwrap_or_default().into(),
            legs,
            is_answered: Cell::new(false),
        })
    }

    fn write_answer(&self, answer: RequestAnswer<'_>) {
        let Ok(Frame::Message(message)) = Frame::read(&self.octets, self.octets.len()) else {
            return;
        };
        let Ok(request) = Request::read(&message) else { return };
        let services = answer::services(answer, self.phase, self.legs.iter().map(|leg| leg.used));
        self.note_session(&message, services.as_deref());
        let node = &self.front.node;
        self.link.line.append(|to| {
            let result = match services {
                Ok(services) => {
                    let of = (&message, &request);
                    let result =
                        credit_control::answer::write(to, node, of, &services, &self.profile);
                    // The message says success where a service is refused.
                    let refused = services.iter().map(|of| of.result);
                    let refused = refused.filter(|of| result.is_success() && !of.is_success());
                    refused.for_each(|of| self.link.meters.answered(of));
                    result
                }
                Err(fault) => {
                    credit_control::answer::refuse(to, node, &message, &fault);
                    fault.result
                }
            };
            self.link.meters.answered(result);
        });
    }
}

impl QueuedCreditRequest {
    /// Notes that the session goes on, or has ended.
    fn note_session(&self, message: &Message<'_>, services: Result<&[ServiceAnswer], &Fault>) {
        let sessions = &self.front.sessions;
        let services = match (self.phase, services) {
            (Phase::Event(_), _) => return,
            (Phase::Final, Ok(_)) => return sessions.forget(self.key),
            (_, Err(fault)) if fault.result == ResultCode::UNKNOWN_SESSION_ID => {
                return sessions.forget(self.key);
            }
            // It was not worked on: the session is as it was.
            (_, Err(_)) => return,
            (Phase::First, Ok(all)) if all.iter().all(|of| !of.result.is_success()) => return,
            (Phase::First | Phase::Next, Ok(all)) => all,
        };
        let is_at_end = |of: &ServiceAnswer| of.is_final || !of.result.is_success();
        let legs: Vec<u32> = self.legs.iter().map(|leg| leg.leg).collect();
        let at_end = legs.iter().zip(services).filter(|(_, of)| is_at_end(of));
        let text = |code| message.find(code).and_then(|avp| avp.text().ok()).unwrap_or_default();
        let now = self.front.system.now_ms();
        let session = OpenSession {
            session: self.session.clone(),
            client: Arc::clone(&self.client),
            realm: text(ORIGIN_REALM).into(),
            sub_session: message.find(CC_SUB_SESSION_ID).and_then(|avp| avp.u64().ok()),
            link: Arc::downgrade(&self.link),
            peer: Arc::clone(&self.link.host),
            at_end: at_end.map(|(leg, _)| *leg).collect(),
            // Each grant is valid for less than a tenth longer.
            until: now.saturating_add(3_000 * i64::from(self.validity_seconds)),
        };
        sessions.note(self.key, session, &legs, now);
    }
}

impl QueuedRequest for QueuedCreditRequest {
    fn head(&self) -> RequestHead<'_> {
        RequestHead {
            client: &self.client,
            session: &self.session,
            key: self.key,
            number: self.number,
            digest: self.digest,
            phase: self.phase,
        }
    }

    fn is_report(&self) -> bool {
        match self.phase {
            Phase::Final => true,
            Phase::Next => self.legs.iter().any(|leg| leg.used.is_some()),
            Phase::First | Phase::Event(_) => false,
        }
    }

    fn subscriber(&self) -> Result<Number, Useless> {
        Ok(Number::read(&self.subscriber)?)
    }

    fn legs<'r>(&'r self, served: &'r str, at: Moment) -> Vec<LegRequest<'r>> {
        let leg = |of: &'r Leg| LegRequest {
            leg: of.leg,
            service: of.service.as_deref().map(|name| LegService {
                name,
                served: served.as_bytes(),
                other: self.other.as_bytes(),
                subscriber: "",
                partner: &self.partner,
                start: at,
            }),
            used: of.used,
            wanted: of.wanted,
        };
        self.legs.iter().map(leg).collect()
    }

    fn answer(&self, answer: RequestAnswer<'_>) {
        self.is_answered.set(true);
        if self.arrived.elapsed() < LATE {
            self.write_answer(answer);
        }
        self.link.line.answered(self.octets.len());
    }
}

impl Drop for QueuedCreditRequest {
    fn drop(&mut self) {
        // At the end of the system, requests may be dropped without an answer.
        if !self.is_answered.get() {
            self.link.line.answered(self.octets.len());
        }
    }
}

/// Returns a fault without a Failed-AVP.
pub(crate) fn plain(result: ResultCode, text: String) -> Fault {
    Fault { result, failed: Vec::new(), text }
}

/// Returns the fault of an AVP that is there; its Failed-AVP has it.
fn failed(message: &Message<'_>, code: AvpCode, result: ResultCode, text: String) -> Fault {
    let mut failed = Vec::new();
    // A long one would make the answer long.
    if let Some(avp) = message.find(code).filter(|avp| avp.octets.len() <= FAILED_OCTETS_MAX) {
        Writer::new(&mut failed).copy(&avp);
    }
    Fault { result, failed, text }
}

/// Returns a fault of an amount with the first AVP that has any, since it may be in several.
fn with_units(message: &Message<'_>, fault: Fault) -> Fault {
    let has_failed = !fault.failed.is_empty() || fault.result != ResultCode::INVALID_AVP_VALUE;
    let code = WITH_UNITS.into_iter().find(|code| message.find(*code).is_some());
    match code.filter(|_| !has_failed) {
        Some(code) => failed(message, code, fault.result, fault.text),
        None => fault,
    }
}

fn value_fault(message: &Message<'_>, why: RequestError) -> Fault {
    let text = why.to_string();
    match why {
        RequestError::Value { code } => {
            failed(message, AvpCode::ietf(code), ResultCode::INVALID_AVP_VALUE, text)
        }
        RequestError::Units(_) => plain(ResultCode::INVALID_AVP_VALUE, text),
    }
}

/// Checks that some service has the context of a request (RFC 8506 section 4.1.2).
fn check_context(
    message: &Message<'_>,
    request: &Request<'_>,
    terms: &CreditControl,
) -> Result<(), Fault> {
    if terms.services.iter().any(|rule| rule.has_context(request.context)) {
        return Ok(());
    }
    let text = format!("no service has the context \"{}\"", request.context);
    Err(failed(message, SERVICE_CONTEXT_ID, RATING_FAILED, text))
}

/// Returns the number that pays.
fn subscriber(request: &Request<'_>) -> Result<Box<str>, Fault> {
    let Some(subscription) = request.subscriber() else {
        let mut example = Vec::new();
        Writer::new(&mut example).group(SUBSCRIPTION_ID, |_| {});
        let text = "Subscription-Id is missing: nothing else names the account".to_owned();
        return Err(Fault { result: ResultCode::MISSING_AVP, failed: example, text });
    };
    Ok(account_number(&subscription).into())
}

fn phase(request: &Request<'_>) -> Phase {
    match (request.kind, request.action) {
        (RequestKind::Initial, _) => Phase::First,
        (RequestKind::Update, _) => Phase::Next,
        (RequestKind::Termination, _) => Phase::Final,
        // Clients leave it out for what is debited, though it must be there (RFC 8506 section 8.41).
        (RequestKind::Event, None | Some(Action::DirectDebiting)) => Phase::Event(EventKind::Debit),
        (RequestKind::Event, Some(Action::RefundAccount)) => Phase::Event(EventKind::Refund),
        (RequestKind::Event, Some(Action::CheckBalance)) => Phase::Event(EventKind::BalanceCheck),
        (RequestKind::Event, Some(Action::PriceEnquiry)) => Phase::Event(EventKind::PriceEnquiry),
    }
}

/// Returns what is used and wanted of each service.
fn legs(
    request: &Request<'_>,
    (terms, profile, currency): (&CreditControl, &Profile, Currency),
    phase: Phase,
) -> Result<Vec<Leg>, Fault> {
    let invalid =
        |why: &dyn std::fmt::Display| plain(ResultCode::INVALID_AVP_VALUE, why.to_string());
    let mut legs: Vec<Leg> = Vec::new();
    for service in request.services() {
        let mut service = service.map_err(|why| invalid(&why))?;
        if service.identifier.is_none() {
            service.rating_group = service.rating_group.or(profile.default_rating_group);
        }
        check_currency(&service, currency)?;
        let leg = leg(request, (terms, &service), phase).map_err(|why| invalid(&why))?;
        // A session may end without a word of its services.
        if phase == Phase::Final && leg.used.is_none() && !request.has_multiple_services() {
            continue;
        }
        if legs.iter().any(|of| of.leg == leg.leg) {
            let text = format!("the service {} is there twice", leg.leg);
            return Err(plain(ResultCode::UNABLE_TO_COMPLY, text));
        }
        if legs.len() == SERVICES_MAX {
            let text = format!("a request has {SERVICES_MAX} services at most");
            return Err(plain(ResultCode::UNABLE_TO_COMPLY, text));
        }
        legs.push(leg);
    }
    Ok(legs)
}

/// Checks that amounts of money are in the currency of the accounts.
fn check_currency(service: &Service, currency: Currency) -> Result<(), Fault> {
    let units = [service.wanted, service.used, service.used_after_change].into_iter().flatten();
    let own = u32::from(currency.number());
    match units.filter_map(|of| of.currency).find(|of| *of != own) {
        None => Ok(()),
        Some(other) => {
            let text = format!("an amount is in the currency {other}; accounts are in {own}");
            Err(plain(ResultCode::INVALID_AVP_VALUE, text))
        }
    }
}

fn leg(
    request: &Request<'_>,
    (terms, service): (&CreditControl, &Service),
    phase: Phase,
) -> Result<Leg, UnitsError> {
    let name = name_of(&terms.services, request, service).map(Box::from);
    let used = match (service.used, service.used_after_change) {
        (Some(before), Some(after)) => Some(before.plus(after)?),
        (before, after) => before.or(after),
    };
    let is_end = service.reason.is_some_and(|reason| ENDS.contains(&reason));
    let wanted = service.wanted.filter(|_| phase != Phase::Final && !is_end).map(quantity);
    let used = used.map(quantity);
    let (used, wanted) = match phase {
        // Clients say what an event is about as what they want (RFC 8506 section 6.3), or say nothing: then it is one.
        Phase::Event(_) => {
            let given = |of: Option<Quantity>| of.filter(|of| *of != Quantity::default());
            let of = given(used).or(given(wanted));
            (Some(of.unwrap_or(Quantity { events: Some(1), ..Quantity::default() })), None)
        }
        _ => (used, wanted),
    };
    Ok(Leg { leg: number_of(service), service: name, used, wanted })
}

/// The bit of numbers of services that are not those of rating groups.
const MIXED: u32 = 1 << 31;

/// Returns the number of a service within its session: its rating group, or a number of its own if it has an identifier, which is
/// what counts then (RFC 8506 section 8.16). That is a digest of both: no two services of a session have the same one by chance.
fn number_of(service: &Service) -> u32 {
    let rating_group = service.rating_group.unwrap_or_default();
    if service.identifier.is_none() && rating_group < MIXED {
        return rating_group;
    }
    let mut hash = Sha256::new();
    for part in [service.rating_group, service.identifier] {
        hash.update([u8::from(part.is_some())]);
        hash.update(part.unwrap_or_default().to_be_bytes());
    }
    let hash: [u8; 32] = hash.finalize().into();
    MIXED | u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]])
}

fn quantity(Units { seconds, octets, specific, money, .. }: Units) -> Quantity {
    Quantity { seconds, octets, events: specific, money }
}
