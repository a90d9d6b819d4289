//! What all connections of a server share.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use diameter::dictionary::Dictionary;
use diameter::header::{Header, VERSION};
use diameter::node::Node;
use diameter::write::{self, Writer};
use ledger::SessionKey;
use prepaid::{
    ConnectedPeer, MessageFile, MessageFilter, NetworkPeers, NewTrace, Number, PeerMessage, Queue,
    RefusedPeer, System, TraceCounts, TraceError, Useless,
};
use server_tls::Tls;

use crate::payers::{Payer, Payers};
use crate::peers::Peers;
use crate::restarts::ClientStates;
use crate::server_requests::{self, ServerRequest};
use crate::sessions::Sessions;
use crate::trace::Traces;
use crate::{message_xml, messages, pcapng};

/// What all connections of a server share.
pub(crate) struct Front {
    pub(crate) node: Node,
    pub(crate) dictionary: Dictionary,
    pub(crate) system: Arc<System>,
    pub(crate) queue: Arc<Queue>,
    pub(crate) peers: Peers,
    pub(crate) sessions: Sessions,
    pub(crate) payers: Arc<Payers>,
    pub(crate) client_states: ClientStates,
    /// After how long a silent peer gets a question of the watchdog.
    pub(crate) watchdog: Duration,
    /// The room for the last messages of a connection.
    pub(crate) log_octets: usize,
    /// The traces of messages that run.
    pub(crate) traces: Arc<Traces>,
    /// Where this node listens.
    pub(crate) local: SocketAddr,
    /// The certificate of this node, if it has one.
    pub(crate) tls: Option<Arc<Tls>>,
    /// The identifiers of the next request of this node, end to end.
    pub(crate) end_to_end: AtomicU32,
}

impl NetworkPeers for Front {
    fn peers(&self) -> (Vec<ConnectedPeer>, Vec<RefusedPeer>) {
        self.peers.list()
    }

    fn node(&self) -> String {
        self.node.name.host().to_owned()
    }

    fn messages(
        &self,
        filter: &MessageFilter,
        file: Option<MessageFile>,
    ) -> (Vec<PeerMessage>, Option<Vec<u8>>) {
        let logs = self.peers.logs(filter.peer.as_deref());
        let found = messages::find(&logs, filter);
        let file = file.map(|form| match form {
            MessageFile::Pcapng => pcapng::pcapng(&found, self.local),
            MessageFile::Xml => message_xml::document(&found, &self.dictionary).into_bytes(),
        });
        (found.iter().map(|found| messages::shown(found, &self.dictionary)).collect(), file)
    }

    fn start_trace(&self, trace: NewTrace) -> Result<(), TraceError> {
        self.traces.start(trace)
    }

    fn end_trace(&self, trace: u32, why: &str) -> bool {
        self.traces.end(trace, why)
    }

    fn running_traces(&self) -> Vec<(u32, TraceCounts)> {
        self.traces.running()
    }

    fn trace_as_xml(&self, blocks: &[u8]) -> String {
        let mut xml = String::new();
        pcapng::read(blocks).for_each(|of| message_xml::add(&mut xml, of, &self.dictionary));
        xml
    }

    fn abort_sessions(&self, sessions: &[SessionKey]) {
        for session in sessions {
            server_requests::send(self, *session, ServerRequest::AbortSession);
            // The client reports what it has used since.
            self.note_ended(*session);
        }
    }

    fn reauthorize(&self, sessions: &[SessionKey]) {
        for session in sessions {
            server_requests::send(self, *session, ServerRequest::ReAuth);
        }
    }
}

/// Returns a random number. Where the system has none, it is the same one: nothing depends on it but the spreading of load.
pub(crate) fn random() -> u32 {
    getrandom::u32().unwrap_or(0x5eed)
}

/// The bits of an End-to-End identifier that are random at the start of a process (RFC 6733 section 3).
const RANDOM_BITS: u32 = 20;

/// Returns the first End-to-End identifier of a process that starts at a time, in seconds.
pub(crate) fn first_end_to_end(seconds: i64, random: u32) -> u32 {
    (seconds as u32) << RANDOM_BITS | random & ((1 << RANDOM_BITS) - 1)
}

impl Front {
    /// Returns the number that pays for a session, by its earlier requests.
    ///
    /// # Errors
    ///
    /// There is no such session, or it is looked for.
    pub(crate) fn payer(&self, key: SessionKey) -> Result<Number, Useless> {
        let here = self.sessions.payer(key).map(Payer::Known);
        match here.unwrap_or_else(|| self.payers.of(key, &self.system)) {
            Payer::Known(number) => Ok(number),
            Payer::Unknown => Err(Useless::NoSubscriber),
            Payer::LookedFor => Err(Useless::SubscriberLookedFor),
        }
    }

    /// Notes that a session has ended whose last requests may come without the number that pays.
    pub(crate) fn note_ended(&self, key: SessionKey) {
        let now = self.system.now_ms();
        let number = self.sessions.payer(key).or_else(|| self.payers.known(key, now));
        self.sessions.forget(key);
        let Some(number) = number else { return };
        let remembered = i64::from(self.system.rules().charging.remembered_seconds) * 1_000;
        self.payers.note_ended(key, number, now, now.saturating_add(remembered));
    }

    /// Appends a request of this node: a command of an application, with flags. `avps` writes its AVPs.
    pub(crate) fn write_request(
        &self,
        to: &mut Vec<u8>,
        (command, application, flags): (u32, u32, u8),
        hop_by_hop: u32,
        avps: impl FnOnce(&mut Writer<'_>),
    ) {
        let end_to_end = self.end_to_end.fetch_add(1, Ordering::Relaxed);
        let header = Header {
            version: VERSION,
            length: 0,
            flags,
            command,
            application,
            hop_by_hop,
            end_to_end,
        };
        write::message(to, header, avps);
    }
}
