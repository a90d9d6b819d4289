//! A request of credit control as one of the charging system.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use charging::{Dialogue, EventKind, LegRequest, Phase, Service as LegService};
use compact_str::CompactString;
use credit_control::answer::ServiceAnswer;
use credit_control::codes::{
    CC_SUB_SESSION_ID, CREDIT_LIMIT_REACHED, END_USER_SERVICE_DENIED, RATING_FAILED,
    SERVICE_CONTEXT_ID,
};
use credit_control::parties::{account_number, telephone_number};
use credit_control::profile::Profile;
use credit_control::request::{Action, Request, RequestKind};
use diameter::check::Fault;
use diameter::codes::{ORIGIN_REALM, SESSION_ID};
use diameter::frame::{Frame, Message};
use diameter::header::flags;
use diameter::result::ResultCode;
use ledger::SessionKey;
use prepaid::{CreditControl, Number, QueuedRequest, RequestAnswer, RequestHead, Rules, Useless};
use rating::Moment;

use crate::answer;
use crate::faults::{failed, no_subscriber, value_fault, with_units};
use crate::front::Front;
use crate::keys;
use crate::leg::{Leg, add_legs};
use crate::peers::Link;
use crate::restarts;
use crate::sessions::{OpenSession, known_until};

/// After how long a client has given up (RFC 8506 section 13, Tx, is 10 seconds): a later answer is not sent, since clients take it
/// for one to something else. The request comes again, and gets the same answer.
pub(crate) const LATE: Duration = Duration::from_secs(9);

const SESSION_ID_OCTETS_MAX: usize = 512;

/// The room of a message that is used again; that of a larger one is given back.
const SPARE_OCTETS_MAX: usize = 16 << 10;

/// A request that waits for its answer. It is used for another one of its connection after that, with the memory that it has.
pub(crate) struct QueuedCreditRequest {
    front: Arc<Front>,
    link: Arc<Link>,
    profile: Arc<Profile>,
    arrived: Instant,
    /// The message.
    octets: Vec<u8>,
    client: Arc<str>,
    session: String,
    key: SessionKey,
    digest: u64,
    number: u32,
    phase: Phase,
    /// For how long grants are valid, and sessions are remembered after their end.
    validity_seconds: u32,
    remembered_seconds: u32,
    /// The number that pays. Later requests of a session may leave it out.
    subscriber: Option<CompactString>,
    /// Another name of the subscriber.
    alternative: Option<CompactString>,
    /// The state of the client, which is greater after it has lost its sessions.
    client_state: u32,
    /// What the client makes of refusals.
    dialogue: Dialogue,
    /// When a stored event happened, if it is priced by that.
    happened: Option<Moment>,
    /// The digits of the other number; empty without one.
    other: CompactString,
    /// The network in which the subscriber roams; empty at home.
    partner: CompactString,
    /// Whether it says nothing of both, as clients do that say it once.
    inherits: bool,
    legs: Vec<Leg>,
    /// Memory for the answers of its services.
    services: Cell<Vec<ServiceAnswer>>,
    /// Whether the connection waits for its end.
    is_in_flight: bool,
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
    /// The client of the request before, which is often that of this one.
    pub(crate) client: &'a mut LastClient,
    /// What the peer of the connection needs.
    pub(crate) profile: &'a Arc<Profile>,
    /// What requests go by.
    pub(crate) rules: &'a Rules,
    /// When it came.
    pub(crate) at: Instant,
}

/// The client of a request.
#[derive(Clone, Debug)]
pub(crate) struct LastClient {
    pub(crate) name: Arc<str>,
    /// Its last Origin-State-Id; 0 for none.
    pub(crate) state: u32,
    /// What it needs.
    pub(crate) profile: Arc<Profile>,
}

impl LastClient {
    /// Goes by the client of a request, which may be behind an agent.
    fn follow(
        &mut self,
        request: &Request<'_>,
        front: &Arc<Front>,
        arrival: (&Rules, &Arc<Profile>),
    ) {
        if *self.name != *request.origin_host {
            self.name = request.origin_host.into();
            self.state = front.client_states.of(request.origin_host);
            self.follow_rules(arrival);
        }
    }

    /// Notes the state that a request has which can be charged. With a greater one, the client has lost its sessions.
    fn note_state(&mut self, request: &Request<'_>, front: &Arc<Front>, link: &Link) {
        let state = request.origin_state.filter(|state| *state > self.state);
        let Some(state) = state.filter(|_| self.profile.ends_sessions_at_restart) else { return };
        self.state = state;
        // Of a client that is connected itself, another peer cannot say that.
        if self.name == link.host || front.peers.link_of(&self.name).is_none() {
            restarts::note(front, request.origin_host, state);
        }
    }

    /// Goes by the rules of now. A client without a profile of its own has that of the peer of its connection.
    pub(crate) fn follow_rules(&mut self, (rules, of_peer): (&Rules, &Arc<Profile>)) {
        let own = rules.credit_control.peer(&self.name).map(|peer| Arc::new(peer.profile.clone()));
        self.profile = own.unwrap_or_else(|| Arc::clone(of_peer));
    }
}

impl QueuedCreditRequest {
    /// Returns memory for a request of a connection.
    pub(crate) fn new(front: &Arc<Front>, link: &Arc<Link>, profile: &Arc<Profile>) -> Self {
        QueuedCreditRequest {
            front: Arc::clone(front),
            link: Arc::clone(link),
            profile: Arc::clone(profile),
            arrived: Instant::now(),
            octets: Vec::new(),
            client: Arc::clone(&link.host),
            session: String::new(),
            key: SessionKey(0),
            digest: 0,
            number: 0,
            phase: Phase::First,
            validity_seconds: 0,
            remembered_seconds: 0,
            subscriber: None,
            alternative: None,
            client_state: 0,
            dialogue: Dialogue::default(),
            happened: None,
            other: CompactString::default(),
            partner: CompactString::default(),
            inherits: false,
            legs: Vec::new(),
            services: Cell::default(),
            is_in_flight: false,
        }
    }

    /// Reads a request that was checked against the dictionary.
    ///
    /// # Errors
    ///
    /// It cannot be charged: the answer says why.
    pub(crate) fn read(
        &mut self,
        message: &Message<'_>,
        arrival: Arrival<'_>,
    ) -> Result<(), Fault> {
        let Arrival { client, profile, rules, at } = arrival;
        let terms = &rules.credit_control;
        let request = Request::read(message).map_err(|why| value_fault(message, why))?;
        if request.session.is_empty() || request.session.len() > SESSION_ID_OCTETS_MAX {
            let text = format!("Session-Id has 1 to {SESSION_ID_OCTETS_MAX} octets");
            return Err(failed(message, SESSION_ID, ResultCode::INVALID_AVP_VALUE, text));
        }
        check_context(message, &request, terms)?;
        client.follow(&request, &self.front, (rules, profile));
        let profile = &Arc::clone(&client.profile);
        (self.subscriber, self.alternative) = subscribers(&request)?;
        self.other = request.other_party().and_then(telephone_number).unwrap_or_default();
        let visited = request.visited_network().filter(|_| !terms.home_networks.is_empty());
        let partner = visited.filter(|of| !terms.home_networks.iter().any(|home| home == of));
        self.partner = partner.unwrap_or_default().into();
        self.inherits = self.other.is_empty() && request.visited_network().is_none();
        self.phase = phase(&request);
        self.legs.clear();
        add_legs(&mut self.legs, &request, (terms, profile, rules.currency), self.phase)
            .map_err(|fault| with_units(message, fault))?;
        if !Arc::ptr_eq(&self.profile, profile) {
            self.profile = Arc::clone(profile);
        }
        self.arrived = at;
        self.octets.clear();
        self.octets.extend_from_slice(message.octets);
        if !Arc::ptr_eq(&self.client, &client.name) {
            self.client = Arc::clone(&client.name);
        }
        client.note_state(&request, &self.front, &self.link);
        self.client_state = client.state;
        self.session.clear();
        self.session.push_str(request.session);
        self.key = keys::of_request(message, &request);
        self.digest = keys::digest(message);
        self.number = request.number;
        self.validity_seconds = rules.charging.validity(self.key);
        self.remembered_seconds = rules.charging.remembered_seconds;
        self.dialogue = answer::dialogue(&request, self.legs.len(), profile);
        self.happened = happened(message, &request, profile);
        let unequal = self.legs.iter().filter(|leg| leg.octets_differ).count();
        if unequal > 0 {
            self.link.meters.unequal_octets(unequal as u64);
        }
        self.link.line.begin(message.octets.len());
        self.is_in_flight = true;
        Ok(())
    }

    fn write_answer(&self, answer: RequestAnswer<'_>, payer: Option<&Number>) {
        let Ok(Frame::Message(message)) = Frame::read(&self.octets, self.octets.len()) else {
            return;
        };
        let Ok(request) = Request::read(&message) else { return };
        let mut services = self.services.take();
        services.clear();
        let used = self.legs.iter().map(|leg| leg.used);
        if matches!(answer, RequestAnswer::SessionUnknown) && used.clone().any(|of| of.is_some()) {
            self.link.meters.orphan();
        }
        let of = (self.phase, self.dialogue, self.validity_seconds);
        let refused = answer::add_services(&mut services, answer, of, used).err();
        let legs = if let RequestAnswer::Legs(legs) = answer { legs } else { &[] };
        let is_over = self.phase == Phase::Final || self.dialogue.refuses_whole(legs);
        let answered = refused.as_ref().map_or(Ok(&*services), Err);
        self.note_session((&message, payer), answered, is_over);
        let node = &self.front.node;
        self.link.line.gather(|to| {
            let result = match &refused {
                None => {
                    let of = (&message, &request);
                    let result =
                        credit_control::answer::write(to, node, of, &services, &self.profile);
                    // The message says success where a service is refused.
                    let refused = services.iter().map(|of| of.result);
                    let refused = refused.filter(|of| result.is_success() && !of.is_success());
                    refused.for_each(|of| self.link.meters.answered(of));
                    result
                }
                Some(fault) => {
                    credit_control::answer::refuse(to, node, &message, fault);
                    fault.result
                }
            };
            self.link.meters.answered(result);
        });
        self.services.set(services);
    }
}

impl QueuedCreditRequest {
    /// Notes that the session goes on, or is over.
    fn note_session(
        &self,
        (message, payer): (&Message<'_>, Option<&Number>),
        services: Result<&[ServiceAnswer], &Fault>,
        is_over: bool,
    ) {
        let sessions = &self.front.sessions;
        let services = match (self.phase, services) {
            (Phase::Event(_), _) => return,
            (Phase::Next | Phase::Final, Ok(_)) if is_over => return self.note_end(),
            (_, Err(fault)) if fault.result == ResultCode::UNKNOWN_SESSION_ID => {
                return sessions.forget(self.key);
            }
            // It was not worked on: the session is as it was.
            (_, Err(_)) => return,
            (Phase::First, Ok(all)) if all.iter().all(|of| !of.result.is_success()) => return,
            (_, Ok(all)) => all,
        };
        let now = self.front.system.now_ms();
        let until = known_until(now, (self.validity_seconds, self.remembered_seconds));
        let begin = || OpenSession {
            session: self.session.as_str().into(),
            client: Arc::clone(&self.client),
            realm: self.realm(message),
            sub_session: message.find(CC_SUB_SESSION_ID).and_then(|avp| avp.u64().ok()),
            link: Arc::downgrade(&self.link),
            peer: Arc::clone(&self.link.host),
            at_end: Vec::new(),
            payer: None,
            state: 0,
            until,
        };
        sessions.note(self.key, now, begin, |session| {
            session.goes_on(&self.link, until);
            session.state = self.client_state;
            session.payer = session.payer.take().or_else(|| payer.cloned());
            for (leg, service) in self.legs.iter().zip(services) {
                // More money changes what it may use.
                let refused = [CREDIT_LIMIT_REACHED, END_USER_SERVICE_DENIED];
                let waits = service.is_final || refused.contains(&service.result);
                session.note_leg(leg.leg, waits);
            }
        });
    }

    /// Returns the realm of the client: most often that of the peer.
    fn realm(&self, message: &Message<'_>) -> Arc<str> {
        let realm = message.find(ORIGIN_REALM).and_then(|avp| avp.text().ok()).unwrap_or_default();
        if *self.link.realm == *realm { Arc::clone(&self.link.realm) } else { realm.into() }
    }

    /// Notes that the session has ended. Requests of it may come again.
    fn note_end(&self) {
        match self.subscriber.is_none() || self.profile.takes_session_termination {
            true => self.front.note_ended(self.key),
            false => self.front.sessions.forget(self.key),
        }
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
            dialogue: self.dialogue,
            inherits: self.inherits,
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
        match &self.subscriber {
            Some(number) => Ok(Number::read(number)?),
            None => self.front.payer(self.key),
        }
    }

    fn alternative(&self) -> Option<Number> {
        self.alternative.as_ref().and_then(|name| Number::read(name).ok())
    }

    fn add_legs<'r>(&'r self, to: &mut Vec<LegRequest<'r>>, served: &'r str, at: Moment) {
        let start = self.happened.map_or(at, |happened| happened.min(at));
        let leg = |of: &'r Leg| LegRequest {
            leg: of.leg,
            service: of.service.as_deref().map(|name| LegService {
                name,
                served: served.as_bytes(),
                other: self.other.as_bytes(),
                subscriber: "",
                partner: &self.partner,
                start,
            }),
            used: of.used,
            wanted: of.wanted,
        };
        to.extend(self.legs.iter().map(leg));
    }

    fn answer(&self, answer: RequestAnswer<'_>, payer: Option<&Number>) {
        if self.arrived.elapsed() < LATE {
            self.write_answer(answer, payer);
        }
    }

    fn finish(mut self: Box<Self>) {
        self.end();
        if self.octets.capacity() > SPARE_OCTETS_MAX {
            self.octets = Vec::new();
        }
        let link = Arc::clone(&self.link);
        link.spare_requests.add(self);
    }
}

impl QueuedCreditRequest {
    /// Notes that it is not worked on any more.
    pub(crate) fn end(&mut self) {
        if std::mem::take(&mut self.is_in_flight) {
            self.link.line.answered(self.octets.len());
        }
    }
}

impl Drop for QueuedCreditRequest {
    fn drop(&mut self) {
        // At the end of the system, requests may be dropped without an answer.
        self.end();
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

/// Returns the number that pays, and another name of the subscriber. `None` if the session has it: some clients name it in the first
/// request only.
fn subscribers(
    request: &Request<'_>,
) -> Result<(Option<CompactString>, Option<CompactString>), Fault> {
    let [best, other] = request.subscribers().map(|of| of.map(|of| account_number(&of)));
    match (best, request.kind) {
        (Some(best), _) => Ok((Some(best), other)),
        (None, RequestKind::Update | RequestKind::Termination) => Ok((None, None)),
        (None, _) => {
            Err(no_subscriber("Subscription-Id is missing: nothing else names the account"))
        }
    }
}

/// Returns when an event happened that its client has stored and sends later (RFC 8506 section 6.5), if it is priced by that.
fn happened(message: &Message<'_>, request: &Request<'_>, profile: &Profile) -> Option<Moment> {
    let is_stored = message.header.flags & flags::RETRANSMITTED != 0;
    let is_event = request.kind == RequestKind::Event;
    request.at.filter(|_| is_event && is_stored && profile.prices_stored_events_then)
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
