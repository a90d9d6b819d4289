//! A connection of a peer, from the exchange of capabilities to its end.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use credit_control::codes::COMMAND as CREDIT_CONTROL;
use credit_control::profile::Profile;
use diagnostics::visible;
use diameter::avp::AvpCode;
use diameter::capabilities::Capabilities;
use diameter::check::{Fault, check};
use diameter::codes::DISCONNECT_CAUSE;
use diameter::codes::command::{CAPABILITIES_EXCHANGE, DEVICE_WATCHDOG, DISCONNECT_PEER};
use diameter::frame::{Frame, FrameError, MESSAGE_OCTETS, Message};
use diameter::header::{HEADER_OCTETS, Header, flags};
use diameter::node::Node;
use diameter::peer::{PeerAction, PeerEvent, PeerState, Side};
use diameter::result::ResultCode;
use diameter::watchdog::{Received, Watchdog, WatchdogAction, timer};
use diameter::write::Writer;
use prepaid::{RefusedPeer, Rules};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_rustls::rustls::pki_types::CertificateDer;

use crate::LOG;
use crate::front::{Front, random};
use crate::line::Line;
use crate::peers::Link;
use crate::request::{Arrival, Waiting, plain};
use crate::server_requests;

/// How long a new connection has until its capabilities are there.
const MEETS_WITHIN: Duration = Duration::from_secs(10);

/// How long a connection that ends has until it is closed: for the answers of requests before, and for those of a peer.
const ENDS_WITHIN: Duration = Duration::from_secs(2);

/// How long requests that were there before a peer disconnects have.
const ANSWERED_WITHIN: Duration = Duration::from_secs(5);

/// How long a connection has to prove that it is alive when its peer connects once more.
const PROVES_WITHIN: Duration = Duration::from_secs(2);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The room for octets that are read at once.
const READ_OCTETS: usize = 64 << 10;

/// The causes of disconnecting (RFC 6733 section 5.4.3).
const REBOOTING: i32 = 0;
const DO_NOT_WANT_TO_TALK_TO_YOU: i32 = 2;
const CAUSES: [&str; 3] = ["rebooting", "busy", "it does not want to talk to us"];

/// Where a connection comes from.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    /// The address of the peer.
    pub(crate) address: SocketAddr,
    /// The address of this node at which the peer has connected.
    pub(crate) local: IpAddr,
    /// `tcp` or `tls`.
    pub(crate) transport: &'static str,
    /// The certificate of the peer, if it has one.
    pub(crate) certificate: Option<CertificateDer<'static>>,
}

impl Origin {
    fn has_tls(&self) -> bool {
        self.transport == "tls"
    }
}

/// Why a connection ends.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum End {
    #[error("the peer closed the connection")]
    Closed,
    #[error("the connection broke: {0}")]
    Broken(String),
    #[error("{0}")]
    Stream(#[from] FrameError),
    #[error("the first message is no Capabilities-Exchange-Request")]
    NoCapabilities,
    #[error("no capabilities came within {} seconds", MEETS_WITHIN.as_secs())]
    Silent,
    #[error("it was refused: {0}")]
    Refused(Fault),
    #[error("the peer sent its capabilities twice")]
    CapabilitiesTwice,
    #[error("the peer does not read what it is sent")]
    Deaf,
    #[error("the peer does not answer the watchdog")]
    Dead,
    #[error("the peer disconnected: {0}")]
    Disconnected(&'static str),
    #[error("the peer has connected again")]
    Replaced,
    #[error("it is no peer of this node any more")]
    NoPeer,
    #[error("the charging system stops")]
    Stopped,
}

/// Serves a connection until it ends.
pub(crate) async fn serve<R, W>(
    front: Arc<Front>,
    (reader, writer): (R, W),
    origin: Origin,
    stop: watch::Receiver<bool>,
) where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let (line, address) = (Arc::new(Line::new(front.log_octets)), origin.address);
    let reading = read(front, Arc::clone(&line), Stream::new(reader), origin, stop);
    let writing = line.write_to(writer);
    tokio::pin!(reading, writing);
    tokio::select! {
        () = &mut reading => {
            line.end();
            let _ = timeout(ENDS_WITHIN, &mut writing).await;
        }
        written = &mut writing => {
            line.gone();
            if let Err(error) = written {
                tracing::info!(target: LOG, "{address}: {error}");
            }
            // It notices that nothing can be read any more, and leaves.
            let _ = timeout(ENDS_WITHIN, &mut reading).await;
        }
    }
    line.gone();
}

async fn read<R: AsyncRead + Unpin>(
    front: Arc<Front>,
    line: Arc<Line>,
    mut stream: Stream<R>,
    origin: Origin,
    stop: watch::Receiver<bool>,
) {
    let met = timeout(MEETS_WITHIN, stream.first(&front, &line, &origin)).await;
    let link = match met.unwrap_or(Err(End::Silent)) {
        Ok(link) => link,
        Err(end) => return tracing::warn!(target: LOG, "{}: {end}", origin.address),
    };
    let Link { host, product, transport, .. } = &*link;
    tracing::info!(target: LOG, "\"{host}\" is connected from {} over {transport}: {}", origin.address, visible(product));
    let mut talk = Talk::new(Arc::clone(&front), Arc::clone(&link), stop);
    let mut membership = Membership { front: &front, link: &link, end: End::Deaf };
    membership.end = talk.run(&mut stream).await;
}

/// Removes a connection from those of its peer when it ends, also if its task is given up.
struct Membership<'c> {
    front: &'c Front,
    link: &'c Arc<Link>,
    end: End,
}

impl Drop for Membership<'_> {
    fn drop(&mut self) {
        let Membership { front, link, end } = self;
        tracing::info!(target: LOG, "\"{}\" at {}: {end}", link.host, link.address);
        front.peers.leave(link, front.system.now_ms(), end.to_string());
    }
}

/// The octets that a peer sends.
struct Stream<R> {
    from: R,
    /// What was read and not worked on.
    input: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Stream<R> {
    fn new(from: R) -> Self {
        Stream { from, input: Vec::with_capacity(READ_OCTETS) }
    }

    /// Reads more.
    async fn more(&mut self) -> Result<(), End> {
        if self.input.spare_capacity_mut().len() < READ_OCTETS / 4 {
            self.input.reserve(READ_OCTETS);
        }
        match self.from.read_buf(&mut self.input).await {
            Ok(0) => Err(End::Closed),
            Ok(_) => Ok(()),
            Err(error) => Err(End::Broken(error.to_string())),
        }
    }

    /// Reads the first message, which has the capabilities of the peer, and answers it.
    async fn first(
        &mut self,
        front: &Front,
        line: &Arc<Line>,
        origin: &Origin,
    ) -> Result<Arc<Link>, End> {
        let length = loop {
            // What is no Diameter gets no answer.
            match Frame::read(&self.input, MESSAGE_OCTETS)? {
                Frame::Message(message) => break message.octets.len(),
                Frame::Needs(_) => self.more().await?,
            }
        };
        let octets: Vec<u8> = self.input.drain(..length).collect();
        let Ok(Frame::Message(message)) = Frame::read(&octets, octets.len()) else {
            return Err(End::NoCapabilities);
        };
        let Header { command, application, .. } = message.header;
        if !message.header.is_request() || command != CAPABILITIES_EXCHANGE || application != 0 {
            return Err(End::NoCapabilities);
        }
        line.received(message.octets);
        meet(front, line, &message, origin).await
    }
}

/// Answers the capabilities of a peer, and lets it in.
async fn meet(
    front: &Front,
    line: &Arc<Line>,
    message: &Message<'_>,
    origin: &Origin,
) -> Result<Arc<Link>, End> {
    let node = Node { addresses: vec![origin.local], ..front.node.clone() };
    let refuse = |fault: Fault| {
        line.append(|to| node.refuse_capabilities(to, message, &fault));
        Err(End::Refused(fault))
    };
    if let Err(fault) = check(message, &front.dictionary) {
        return refuse(fault);
    }
    let mut answer = Vec::new();
    let met = node.meet(&mut answer, message, origin.has_tls());
    let Ok(peer) = &met else {
        line.append(|to| to.extend_from_slice(&answer));
        let fault = met.expect_err("it was refused");
        if let Ok(peer) = Capabilities::read(message) {
            note_refused(front, &peer, origin, (&fault, false));
        }
        return Err(End::Refused(fault));
    };
    let rules = front.system.rules();
    let terms = &rules.credit_control;
    let known = terms.peer(&peer.origin_host);
    if known.is_none() && !terms.peers.is_empty() {
        let text = format!("\"{}\" is no peer of this node", peer.origin_host);
        let fault = plain(ResultCode::UNKNOWN_PEER, text);
        note_refused(front, peer, origin, (&fault, true));
        return refuse(fault);
    }
    // A name alone proves nothing.
    let is_proven = |certificate| server_tls::is_of_host(certificate, &peer.origin_host);
    if !origin.certificate.as_ref().is_none_or(is_proven) {
        let text = format!("the certificate is not that of \"{}\"", peer.origin_host);
        let fault = plain(ResultCode::UNKNOWN_PEER, text);
        note_refused(front, peer, origin, (&fault, false));
        return refuse(fault);
    }
    let shared = (Arc::clone(line), front.peers.meters(&peer.origin_host));
    let from = (origin.address, origin.transport);
    let link = Arc::new(Link::new(peer, from, shared, front.system.now_ms()));
    if let Err(fault) = join(front, &link, known.map_or(1, |peer| peer.connections)).await {
        note_refused(front, peer, origin, (&fault, false));
        return refuse(fault);
    }
    front.peers.accepted(&peer.origin_host);
    line.append(|to| to.extend_from_slice(&answer));
    Ok(link)
}

/// Adds a connection to those of its peer. If it has as many as it may, those that are there must prove that they are alive.
async fn join(front: &Front, link: &Arc<Link>, most: usize) -> Result<(), Fault> {
    let Err(others) = front.peers.join(link, most) else { return Ok(()) };
    let before: Vec<u64> = others.iter().map(|of| of.received.load(Ordering::Relaxed)).collect();
    others.iter().for_each(|other| other.probed.notify_one());
    let is_dead = |(of, before): (&Arc<Link>, &u64)| of.received.load(Ordering::Relaxed) == *before;
    let until = Instant::now() + PROVES_WITHIN;
    while Instant::now() < until && others.iter().zip(&before).any(is_dead) {
        tokio::time::sleep(LOOK_EVERY).await;
        if front.peers.join(link, most).is_ok() {
            return Ok(());
        }
    }
    match others.iter().zip(&before).find(|of| is_dead(*of)) {
        Some((dead, _)) => {
            front.peers.replace(dead, link);
            Ok(())
        }
        None => {
            let text = format!("\"{}\" is already connected", link.host);
            Err(plain(ResultCode::UNKNOWN_PEER, text))
        }
    }
}

fn note_refused(
    front: &Front,
    peer: &Capabilities,
    origin: &Origin,
    (fault, unknown): (&Fault, bool),
) {
    let Capabilities { origin_host, origin_realm, product, .. } = peer;
    front.peers.refuse(RefusedPeer {
        host: origin_host.clone(),
        realm: origin_realm.clone(),
        product: product.clone(),
        address: origin.address.to_string(),
        why: fault.text.clone(),
        unknown,
        at: runtime::time::shown(front.system.now_ms()),
        attempts: 1,
    });
}

/// A connection whose peer is known.
struct Talk {
    front: Arc<Front>,
    link: Arc<Link>,
    stop: watch::Receiver<bool>,
    state: PeerState,
    watchdog: Watchdog,
    /// When the watchdog looks, or the connection that ends is closed.
    deadline: Instant,
    /// When the watchdog asked.
    asked: Option<Instant>,
    /// The request to disconnect that is answered when all before it is.
    disconnecting: Option<Vec<u8>>,
    /// Why it will end.
    end: Option<End>,
    /// What the peer is told of that.
    cause: i32,
    /// The client of the request before.
    client: Arc<str>,
    /// What the peer is treated by.
    rules: Arc<Rules>,
    profile: Profile,
}

impl Talk {
    fn new(front: Arc<Front>, link: Arc<Link>, stop: watch::Receiver<bool>) -> Self {
        let rules = front.system.rules();
        let profile = profile_of(&rules, &link.host);
        let mut watchdog = Watchdog::default();
        watchdog.connected();
        let (_, state) = PeerState::Closed.after(PeerEvent::ConnectionWithCer, false);
        let client = Arc::from(&*link.host);
        let deadline = Instant::now() + watchdog_timer(&front);
        Talk {
            front,
            link,
            stop,
            state,
            watchdog,
            deadline,
            asked: None,
            disconnecting: None,
            end: None,
            cause: REBOOTING,
            client,
            rules,
            profile,
        }
    }

    /// Goes by the rules of now. A peer that may no longer connect is to go.
    fn follow_rules(&mut self) {
        let rules = self.front.system.rules();
        if Arc::ptr_eq(&rules, &self.rules) {
            return;
        }
        self.profile = profile_of(&rules, &self.link.host);
        let terms = &rules.credit_control;
        if self.state.is_open() && !terms.peers.is_empty() && terms.peer(&self.link.host).is_none()
        {
            self.end = Some(End::NoPeer);
            self.cause = DO_NOT_WANT_TO_TALK_TO_YOU;
            self.event(PeerEvent::Stop);
        }
        self.rules = rules;
    }

    /// Works until the connection ends.
    async fn run<R: AsyncRead + Unpin>(&mut self, stream: &mut Stream<R>) -> End {
        loop {
            self.follow_rules();
            if let Err(end) = self.messages(&mut stream.input) {
                return end;
            }
            self.answer_disconnect();
            if *self.stop.borrow() && self.state.is_open() {
                self.end = Some(End::Stopped);
                self.event(PeerEvent::Stop);
            }
            let link = Arc::clone(&self.link);
            let may_read = !link.line.is_full() || !self.state.is_open();
            tokio::select! {
                read = stream.more(), if may_read => if let Err(end) = read {
                    return self.end.take().unwrap_or(end);
                },
                () = link.line.moved(), if !may_read || self.disconnecting.is_some() => {}
                () = sleep_until(self.deadline) => if let Err(end) = self.timer_over() {
                    return end;
                },
                () = link.probed.notified() => self.ask(),
                () = link.replaced.notified() => return End::Replaced,
                _ = self.stop.changed(), if self.state.is_open() => {}
            }
        }
    }

    /// Works on the messages that are whole, and removes them.
    fn messages(&mut self, input: &mut Vec<u8>) -> Result<(), End> {
        let mut at = 0;
        let end = loop {
            match Frame::read(&input[at..], MESSAGE_OCTETS) {
                Ok(Frame::Message(message)) => {
                    at += message.octets.len();
                    if let Err(end) = self.message(&message) {
                        break Err(end);
                    }
                }
                Ok(Frame::Needs(_)) => break Ok(()),
                Err(error) => {
                    self.answer_broken_stream(&error);
                    break Err(error.into());
                }
            }
            if self.link.line.is_full() && self.state.is_open() {
                break Ok(());
            }
        };
        input.drain(..at);
        end
    }

    fn message(&mut self, message: &Message<'_>) -> Result<(), End> {
        self.link.line.received(message.octets);
        self.link.received.fetch_add(1, Ordering::Relaxed);
        let is_dwa = !message.header.is_request() && message.header.command == DEVICE_WATCHDOG;
        let what = if is_dwa { Received::Dwa } else { Received::Other };
        if let Some(WatchdogAction::FailBack) = self.watchdog.received(what) {
            self.link.is_suspect.store(false, Ordering::Relaxed);
        }
        if self.state.is_open() {
            self.deadline = Instant::now() + watchdog_timer(&self.front);
        }
        match (message.header.is_request(), message.header.command) {
            (false, DEVICE_WATCHDOG) => self.note_round_trip(),
            (false, DISCONNECT_PEER) if self.state == PeerState::Closing => {
                return Err(self.end.take().unwrap_or(End::Closed));
            }
            (false, _) => {
                if !server_requests::answered(&self.front, &self.link, message) {
                    self.link.meters.discarded();
                }
            }
            (true, _) => return self.request(message),
        }
        Ok(())
    }

    fn request(&mut self, message: &Message<'_>) -> Result<(), End> {
        let Header { command, application, .. } = message.header;
        if !self.state.is_open() || self.disconnecting.is_some() {
            // The peer sends it elsewhere.
            self.link.meters.discarded();
            return Ok(());
        }
        let checked = self.front.node.is_for(message);
        if let Err(fault) = checked.and_then(|()| check(message, &self.front.dictionary)) {
            self.refuse(message, &fault);
            return Ok(());
        }
        match (application, command) {
            (0, CAPABILITIES_EXCHANGE) => {
                let text = "the capabilities were exchanged before".to_owned();
                self.refuse(message, &plain(ResultCode::UNABLE_TO_COMPLY, text));
                return Err(End::CapabilitiesTwice);
            }
            (0, DEVICE_WATCHDOG) => {
                let node = &self.front.node;
                self.link.line.append(|to| node.answer(to, message, ResultCode::SUCCESS, |_| {}));
            }
            (0, DISCONNECT_PEER) => self.disconnect(message),
            (credit_control::codes::APPLICATION, CREDIT_CONTROL) => self.credit_control(message),
            _ => {
                let text = format!("the command {command} is not one of this node");
                self.refuse(message, &plain(ResultCode::COMMAND_UNSUPPORTED, text));
            }
        }
        Ok(())
    }

    fn credit_control(&mut self, message: &Message<'_>) {
        self.link.meters.request();
        let arrival = Arrival {
            front: &self.front,
            link: &self.link,
            client: &mut self.client,
            profile: &self.profile,
        };
        match Waiting::read(message, arrival) {
            Ok(waiting) => self.front.queue.add(Box::new(waiting)),
            Err(fault) => self.refuse(message, &fault),
        }
    }

    fn refuse(&self, message: &Message<'_>, fault: &Fault) {
        let Header { command, application, .. } = message.header;
        let (node, meters) = (&self.front.node, &self.link.meters);
        meters.answered(fault.result);
        self.link.line.append(|to| match (application, command) {
            (credit_control::codes::APPLICATION, CREDIT_CONTROL) => {
                credit_control::answer::refuse(to, node, message, fault);
            }
            (0, CAPABILITIES_EXCHANGE) => node.refuse_capabilities(to, message, fault),
            _ => node.refuse(to, message, fault),
        });
    }

    /// Answers what is no message of this version, as far as that can be answered.
    fn answer_broken_stream(&self, error: &FrameError) {
        let (header, result) = match error {
            FrameError::Version { header: Some(header), .. } => {
                (*header, ResultCode::UNSUPPORTED_VERSION)
            }
            FrameError::Length { header } | FrameError::TooLong { header, .. } => {
                (*header, ResultCode::INVALID_MESSAGE_LENGTH)
            }
            FrameError::Version { header: None, .. } => return,
        };
        if !header.is_request() {
            return;
        }
        let header = Header { length: HEADER_OCTETS as u32, ..header };
        let octets = header.octets();
        let message = Message { header, octets: &octets };
        self.refuse(&message, &plain(result, error.to_string()));
    }

    /// Does what the state machine of the peer says.
    fn event(&mut self, event: PeerEvent) {
        let (actions, state) = self.state.after(event, false);
        self.state = state;
        for action in actions {
            match action {
                PeerAction::SendDpr(_) => {
                    let cause = self.cause;
                    self.send(DISCONNECT_PEER, |to| to.i32(DISCONNECT_CAUSE, cause));
                }
                PeerAction::SendDpa(_) => {
                    let Some(octets) = self.disconnecting.take() else { continue };
                    let Ok(Frame::Message(message)) = Frame::read(&octets, octets.len()) else {
                        continue;
                    };
                    let node = &self.front.node;
                    self.link
                        .line
                        .append(|to| node.answer(to, &message, ResultCode::SUCCESS, |_| {}));
                }
                // The capabilities were answered before, and the task that calls closes the connection.
                _ => {}
            }
        }
        if self.state == PeerState::Closing {
            self.deadline = Instant::now() + ENDS_WITHIN;
        }
    }

    /// Notes that the peer wants to disconnect. Requests before that are answered first.
    fn disconnect(&mut self, message: &Message<'_>) {
        let is_cause = |code: AvpCode| code == DISCONNECT_CAUSE;
        let cause = message.avps().map_while(Result::ok).find(|avp| is_cause(avp.code));
        let cause = cause.and_then(|avp| avp.u32().ok()).and_then(|of| CAUSES.get(of as usize));
        self.end = Some(End::Disconnected(cause.copied().unwrap_or("for another cause")));
        self.disconnecting = Some(message.octets.to_vec());
        self.deadline = Instant::now() + ANSWERED_WITHIN;
    }

    fn answer_disconnect(&mut self) {
        if self.disconnecting.is_some() && self.link.line.in_flight() == 0 {
            self.event(PeerEvent::Dpr(Side::Responder));
        }
    }

    fn timer_over(&mut self) -> Result<(), End> {
        if self.state == PeerState::Closing {
            return Err(self.end.take().unwrap_or(End::Closed));
        }
        if self.disconnecting.is_some() {
            self.event(PeerEvent::Dpr(Side::Responder));
            return Ok(());
        }
        self.deadline = Instant::now() + watchdog_timer(&self.front);
        match self.watchdog.timer_over() {
            Some(WatchdogAction::SendDwr) => self.ask(),
            Some(WatchdogAction::FailOver) => self.link.is_suspect.store(true, Ordering::Relaxed),
            Some(WatchdogAction::Close) => return Err(End::Dead),
            _ => {}
        }
        Ok(())
    }

    /// Asks the peer whether it is there.
    fn ask(&mut self) {
        self.asked = Some(Instant::now());
        self.send(DEVICE_WATCHDOG, |_| {});
    }

    fn note_round_trip(&mut self) {
        if let Some(asked) = self.asked.take() {
            let microseconds = u64::try_from(asked.elapsed().as_micros()).unwrap_or(u64::MAX);
            self.link.round_trip.store(microseconds.max(1), Ordering::Relaxed);
        }
    }

    /// Sends a request between peers.
    fn send(&self, command: u32, avps: impl FnOnce(&mut Writer<'_>)) {
        let (front, hop_by_hop) = (&self.front, self.link.next_hop_by_hop());
        let header = (command, 0, flags::REQUEST);
        self.link.line.append(|to| {
            front.write_request(to, header, hop_by_hop, |to| {
                front.node.write_origin(to);
                avps(to);
            });
        });
    }
}

fn profile_of(rules: &Rules, host: &str) -> Profile {
    let known = rules.credit_control.peer(host);
    known.map_or(Profile::STANDARD, |peer| peer.profile.clone())
}

/// Returns how long the watchdog waits.
fn watchdog_timer(front: &Front) -> Duration {
    let interval = u64::try_from(front.watchdog.as_millis()).unwrap_or(u64::MAX);
    Duration::from_millis(timer(interval, random().into()))
}
