//! A peer that was let in, until its connection ends.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use credit_control::codes::{APPLICATION, COMMAND as CREDIT_CONTROL};
use credit_control::profile::Profile;
use diameter::check::{Fault, check};
use diameter::codes::command::{
    CAPABILITIES_EXCHANGE, DEVICE_WATCHDOG, DISCONNECT_PEER, SESSION_TERMINATION,
};
use diameter::codes::{DISCONNECT_CAUSE, ORIGIN_HOST, ORIGIN_STATE_ID};
use diameter::frame::{Frame, FrameError, MESSAGE_OCTETS, Message};
use diameter::header::{HEADER_OCTETS, Header, flags};
use diameter::peer::{PeerAction, PeerEvent, PeerState, Side};
use diameter::result::ResultCode;
use diameter::watchdog::{Received, Watchdog, WatchdogAction, timer};
use diameter::write::Writer;
use prepaid::{QueuedRequest, Rules};
use tokio::io::AsyncRead;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use crate::connection::Stream;
use crate::end::End;
use crate::faults::plain;
use crate::front::{Front, random};
use crate::listener::Transport;
use crate::meeting::{Met, may_connect, needs_inband_tls};
use crate::peers::Link;
use crate::request::{Arrival, LastClient, QueuedCreditRequest};
use crate::session_termination::QueuedTermination;
use crate::{restarts, server_requests};

/// How long requests have that were there before the peer or this node disconnects.
pub(crate) const ANSWERED_WITHIN: Duration = Duration::from_secs(5);

/// How long a connection has then until it is closed.
pub(crate) const ENDS_WITHIN: Duration = Duration::from_secs(2);

/// The causes of disconnecting (RFC 6733 section 5.4.3).
const REBOOTING: i32 = 0;
const DO_NOT_WANT_TO_TALK_TO_YOU: i32 = 2;
pub(crate) const CAUSES: [&str; 3] = ["rebooting", "busy", "it does not want to talk to us"];

/// Who wants to disconnect.
enum Leaving {
    /// The peer, by a request that is answered last.
    Peer { request: Vec<u8> },
    /// This node, for a cause.
    Node { cause: i32 },
}

/// A connection whose peer is known.
pub(crate) struct OpenPeer {
    front: Arc<Front>,
    link: Arc<Link>,
    stop: watch::Receiver<bool>,
    state: PeerState,
    watchdog: Watchdog,
    /// When the watchdog looks, or the connection that ends is closed.
    deadline: Instant,
    /// When the last messages came, if that was after the watchdog looked.
    heard: Option<Instant>,
    /// The last question of the watchdog if it has no answer yet: its Hop-by-Hop Identifier, and when it was sent.
    questioned: Option<(u32, Instant)>,
    /// Who wants to disconnect, once all requests before are answered.
    leaving: Option<Leaving>,
    /// Why the connection will end.
    end: Option<End>,
    /// The client of the request before.
    client: LastClient,
    /// What the peer is treated by.
    rules: Arc<Rules>,
    profile: Arc<Profile>,
    /// The requests of credit control that came together.
    requests: Vec<Box<dyn QueuedRequest>>,
    /// Memory for more of them.
    #[expect(clippy::vec_box, reason = "they are boxed where they go: in a queue")]
    spare: Vec<Box<QueuedCreditRequest>>,
}

impl OpenPeer {
    pub(crate) fn new(front: Arc<Front>, met: Met, stop: watch::Receiver<bool>) -> Self {
        let Met { link, rules, state: client_state } = met;
        let profile = profile_of(&rules, &link.host);
        let mut watchdog = Watchdog::default();
        watchdog.connected();
        let (_, state) = PeerState::Closed.after(PeerEvent::ConnectionWithCer, false);
        let (name, of_client) = (Arc::clone(&link.host), Arc::clone(&profile));
        let client = LastClient { name, state: 0, profile: of_client };
        let deadline = Instant::now() + watchdog_timer(&front);
        let mut peer = OpenPeer {
            front,
            link,
            stop,
            state,
            watchdog,
            deadline,
            heard: None,
            questioned: None,
            leaving: None,
            end: None,
            client,
            rules,
            profile,
            requests: Vec::new(),
            spare: Vec::new(),
        };
        peer.note_state(client_state);
        peer
    }

    /// Notes what the peer says of its state. With a greater one, it has lost its sessions.
    fn note_state(&mut self, state: Option<u32>) {
        if let Some(state) = state.filter(|_| self.profile.ends_sessions_at_restart) {
            restarts::note(&self.front, &self.link.host, state);
            if self.client.name == self.link.host {
                self.client.state = self.client.state.max(state);
            }
        }
    }

    /// Goes by the rules of now. A peer that may no longer connect is to go.
    fn follow_rules(&mut self) {
        let rules = self.front.system.rules();
        if Arc::ptr_eq(&rules, &self.rules) {
            return;
        }
        self.profile = profile_of(&rules, &self.link.host);
        self.client.follow_rules((&rules, &self.profile));
        let Link { host, address, transport, .. } = &*self.link;
        let needs_tls = needs_inband_tls(&rules.credit_control, host);
        let lacks_tls = needs_tls && *transport != Transport::Tls;
        if lacks_tls || !may_connect(&rules.credit_control, host, *address) {
            self.leave(End::NoPeer, DO_NOT_WANT_TO_TALK_TO_YOU);
        }
        self.rules = rules;
    }

    /// Works until the connection ends.
    pub(crate) async fn run<R: AsyncRead + Unpin>(&mut self, stream: &mut Stream<R>) -> End {
        let link = Arc::clone(&self.link);
        let timer = sleep_until(self.deadline);
        tokio::pin!(timer);
        loop {
            self.follow_rules();
            let is_full = match self.messages(&mut stream.input) {
                Ok(is_full) => is_full,
                Err(end) => return end,
            };
            if *self.stop.borrow() {
                self.leave(End::Stopped, REBOOTING);
            }
            if self.leaving.is_some() && self.link.line.in_flight() == 0 {
                self.disconnect();
            }
            if timer.deadline() != self.deadline {
                timer.as_mut().reset(self.deadline);
            }
            let may_stop = self.state.is_open() && self.leaving.is_none();
            tokio::select! {
                read = stream.more(), if !is_full => if let Err(end) = read {
                    return self.end.take().unwrap_or(end);
                },
                () = link.line.moved(), if is_full || self.leaving.is_some() => {}
                () = &mut timer => if let Err(end) = self.timer_over() {
                    return end;
                },
                () = link.probed.notified() => self.question(),
                () = link.replaced.notified() => return End::Replaced,
                _ = self.stop.changed(), if may_stop => {}
            }
        }
    }

    /// Works on the messages that are whole, and removes them. Returns whether it has stopped, since the peer does not read.
    fn messages(&mut self, input: &mut Vec<u8>) -> Result<bool, End> {
        let (mut at, now) = (0, Instant::now());
        let end = loop {
            if self.link.line.is_full() && self.state.is_open() {
                break Ok(true);
            }
            match Frame::read(&input[at..], MESSAGE_OCTETS) {
                Ok(Frame::Message(message)) => {
                    at += message.octets.len();
                    if let Err(end) = self.message(&message, now) {
                        break Err(end);
                    }
                }
                Ok(Frame::Needs(_)) => break Ok(false),
                Err(error) => {
                    self.answer_broken_stream(&error);
                    break Err(error.into());
                }
            }
        };
        input.drain(..at);
        if at > 0 {
            self.heard = Some(now);
        }
        self.front.queue.add_all(&mut self.requests, now.into_std());
        end
    }

    fn message(&mut self, message: &Message<'_>, now: Instant) -> Result<(), End> {
        self.link.line.received(message.octets);
        self.link.received.fetch_add(1, Ordering::Relaxed);
        let is_dwa = self.is_dwa(&message.header);
        let what = if is_dwa { Received::Dwa } else { Received::Other };
        if let Some(WatchdogAction::FailBack) = self.watchdog.received(what) {
            self.link.is_suspect.store(false, Ordering::Relaxed);
        }
        if message.header.command == DEVICE_WATCHDOG {
            self.note_state(message.find(ORIGIN_STATE_ID).and_then(|avp| avp.u32().ok()));
        }
        match (message.header.is_request(), message.header.command) {
            (false, DEVICE_WATCHDOG) if is_dwa => self.note_round_trip(),
            (false, DISCONNECT_PEER) if self.state == PeerState::Closing => {
                return Err(self.end.take().unwrap_or(End::Closed));
            }
            (false, _) => {
                if !server_requests::answered(&self.front, &self.link, message) {
                    self.link.meters.discarded();
                }
            }
            (true, _) => return self.request(message, now),
        }
        Ok(())
    }

    fn request(&mut self, message: &Message<'_>, now: Instant) -> Result<(), End> {
        let Header { command, application, .. } = message.header;
        let is_over = matches!(self.leaving, Some(Leaving::Peer { .. }));
        if !self.state.is_open() || is_over {
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
            (0, DISCONNECT_PEER) => self.let_go(message),
            (APPLICATION, CREDIT_CONTROL) => self.credit_control(message, now),
            (APPLICATION, SESSION_TERMINATION) if self.takes_termination(message) => {
                self.terminate(message);
            }
            _ => {
                let text = format!("the command {command} is not one of this node");
                self.refuse(message, &plain(ResultCode::COMMAND_UNSUPPORTED, text));
            }
        }
        Ok(())
    }

    /// Returns whether a Session-Termination-Request ends a session of its client.
    fn takes_termination(&self, message: &Message<'_>) -> bool {
        let client = message.find(ORIGIN_HOST).and_then(|avp| avp.text().ok());
        let known = client.and_then(|client| self.rules.credit_control.peer(client));
        known.map_or(&*self.profile, |peer| &peer.profile).takes_session_termination
    }

    fn terminate(&mut self, message: &Message<'_>) {
        match self.busy() {
            Some(busy) => self.refuse(message, &busy),
            None => {
                let request = QueuedTermination::read(message, &self.front, &self.link);
                self.requests.push(Box::new(request));
            }
        }
    }

    /// Returns why no request can be worked on now.
    fn busy(&self) -> Option<Fault> {
        let text = match (&self.leaving, self.link.line.is_busy()) {
            (Some(_), _) => "this connection ends: send it elsewhere, or connect again",
            (None, true) => "this connection has too many requests without an answer",
            (None, false) => return None,
        };
        Some(plain(ResultCode::TOO_BUSY, text.to_owned()))
    }

    fn credit_control(&mut self, message: &Message<'_>, now: Instant) {
        self.link.meters.request();
        let busy = self.busy();
        if let Some(busy) = busy.as_ref().filter(|_| self.link.line.is_overfull()) {
            return self.refuse(message, busy);
        }
        let mut request = self.spare_request();
        let arrival = Arrival {
            client: &mut self.client,
            profile: &self.profile,
            rules: &self.rules,
            at: now.into_std(),
        };
        let read = request.read(message, arrival);
        // What was used is charged, however much there is to do.
        let refused = read.err().or(busy.filter(|_| !request.is_report()));
        match refused {
            None => self.requests.push(request),
            Some(fault) => {
                request.end();
                self.spare.push(request);
                self.refuse(message, &fault);
            }
        }
    }

    /// Returns memory for a request.
    fn spare_request(&mut self) -> Box<QueuedCreditRequest> {
        if self.spare.is_empty() {
            self.link.spare_requests.take(&mut self.spare);
        }
        let new = || Box::new(QueuedCreditRequest::new(&self.front, &self.link, &self.profile));
        self.spare.pop().unwrap_or_else(new)
    }

    fn refuse(&self, message: &Message<'_>, fault: &Fault) {
        let Header { command, application, .. } = message.header;
        let (node, meters) = (&self.front.node, &self.link.meters);
        meters.answered(fault.result);
        self.link.line.append(|to| match (application, command) {
            (APPLICATION, CREDIT_CONTROL) => {
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
                    if let Some(Leaving::Node { cause }) = self.leaving {
                        self.send(DISCONNECT_PEER, |to| to.i32(DISCONNECT_CAUSE, cause));
                    }
                }
                PeerAction::SendDpa(_) => self.send_dpa(),
                // The capabilities were answered before, and the task that calls closes the connection.
                _ => {}
            }
        }
        if self.state == PeerState::Closing {
            self.deadline = Instant::now() + ENDS_WITHIN;
        }
    }

    fn send_dpa(&self) {
        let Some(Leaving::Peer { request }) = &self.leaving else { return };
        let Ok(Frame::Message(message)) = Frame::read(request, request.len()) else { return };
        let node = &self.front.node;
        self.link.line.append(|to| node.answer(to, &message, ResultCode::SUCCESS, |_| {}));
    }

    /// Notes that this node wants to disconnect, for a cause. Requests before that are answered first.
    fn leave(&mut self, end: End, cause: i32) {
        if self.state.is_open() && self.leaving.is_none() {
            self.end = Some(end);
            self.leaving = Some(Leaving::Node { cause });
            self.deadline = Instant::now() + ANSWERED_WITHIN;
        }
    }

    /// Notes that the peer wants to disconnect. Requests before that are answered first.
    fn let_go(&mut self, message: &Message<'_>) {
        let cause = message.find(DISCONNECT_CAUSE).and_then(|avp| avp.u32().ok());
        let cause = cause.and_then(|cause| CAUSES.get(cause as usize));
        self.end = Some(End::Disconnected(cause.copied().unwrap_or("for another cause")));
        self.leaving = Some(Leaving::Peer { request: message.octets.to_vec() });
        self.deadline = Instant::now() + ANSWERED_WITHIN;
    }

    /// Disconnects, now that all requests are answered or have had their time.
    fn disconnect(&mut self) {
        if self.state.is_open() {
            match self.leaving {
                Some(Leaving::Peer { .. }) => self.event(PeerEvent::Dpr(Side::Responder)),
                Some(Leaving::Node { .. }) => self.event(PeerEvent::Stop),
                None => {}
            }
        }
    }

    fn timer_over(&mut self) -> Result<(), End> {
        if self.state == PeerState::Closing {
            return Err(self.end.take().unwrap_or(End::Closed));
        }
        if self.leaving.is_some() {
            self.disconnect();
            return Ok(());
        }
        // What comes restarts the timer. That is done here, and not for each message.
        if let Some(heard) = self.heard.take() {
            self.deadline = heard + watchdog_timer(&self.front);
            return Ok(());
        }
        self.deadline = Instant::now() + watchdog_timer(&self.front);
        match self.watchdog.timer_over() {
            Some(WatchdogAction::SendDwr) => self.question(),
            Some(WatchdogAction::FailOver) => self.link.is_suspect.store(true, Ordering::Relaxed),
            Some(WatchdogAction::Close) => return Err(End::Dead),
            _ => {}
        }
        Ok(())
    }

    /// Asks the peer whether it is there.
    fn question(&mut self) {
        let begun = Instant::now();
        self.questioned = Some((self.send(DEVICE_WATCHDOG, |_| {}), begun));
    }

    /// Returns whether a message answers the last question of the watchdog.
    fn is_dwa(&self, header: &Header) -> bool {
        let Header { command, hop_by_hop, .. } = *header;
        let is_expected = self.questioned.is_some_and(|(question, _)| question == hop_by_hop);
        !header.is_request() && command == DEVICE_WATCHDOG && is_expected
    }

    fn note_round_trip(&mut self) {
        if let Some((_, questioned)) = self.questioned.take() {
            let microseconds = u64::try_from(questioned.elapsed().as_micros()).unwrap_or(u64::MAX);
            self.link.round_trip.store(microseconds.max(1), Ordering::Relaxed);
        }
    }

    /// Sends a request between peers, and returns its Hop-by-Hop Identifier.
    fn send(&self, command: u32, avps: impl FnOnce(&mut Writer<'_>)) -> u32 {
        let (front, hop_by_hop) = (&self.front, self.link.next_hop_by_hop());
        let header = (command, 0, flags::REQUEST);
        self.link.line.append(|to| {
            front.write_request(to, header, hop_by_hop, |to| {
                front.node.write_origin(to);
                avps(to);
            });
        });
        hop_by_hop
    }
}

fn profile_of(rules: &Rules, host: &str) -> Arc<Profile> {
    let known = rules.credit_control.peer(host);
    Arc::new(known.map_or(Profile::STANDARD, |peer| peer.profile.clone()))
}

/// Returns how long the watchdog waits.
fn watchdog_timer(front: &Front) -> Duration {
    let interval = u64::try_from(front.watchdog.as_millis()).unwrap_or(u64::MAX);
    Duration::from_millis(timer(interval, random().into()))
}
