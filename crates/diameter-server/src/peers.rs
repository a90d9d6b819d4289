//! The peers of a server: those that are connected, those that were, and those that were refused.

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use diameter::capabilities::Capabilities;
use ledger::{Millis, SessionKey};
use prepaid::{ConnectedPeer, PeerConnection, RefusedPeer};
use runtime::sync::lock;
use runtime::time;
use tokio::sync::Notify;

use crate::front::random;
use crate::line::Line;
use crate::listener::Transport;
use crate::messages::ConnectionLog;
use crate::peer_meters::PeerMeters;
use crate::spare_requests::SpareRequests;
use crate::watch::Watched;

/// The most refused peers that are remembered. The one that tried longest ago goes first.
const REFUSED_MAX: usize = 100;

/// The most peers that are remembered after their connections have ended, where any may connect.
const GONE_MAX: usize = 100;

/// A connection of a peer.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) host: Arc<str>,
    pub(crate) realm: Arc<str>,
    pub(crate) product: Box<str>,
    pub(crate) address: SocketAddr,
    pub(crate) transport: Transport,
    pub(crate) since: Millis,
    pub(crate) line: Arc<Line>,
    pub(crate) meters: Arc<PeerMeters>,
    /// Whether the peer does not answer the watchdog.
    pub(crate) is_suspect: AtomicBool,
    /// How often something came.
    pub(crate) received: AtomicU64,
    /// The time between the last question of the watchdog and its answer, in microseconds.
    pub(crate) round_trip: AtomicU64,
    /// The watchdog is to send a question now.
    pub(crate) probed: Notify,
    /// The connection ends at once: another one is in its place.
    pub(crate) replaced: Notify,
    /// Memory for requests.
    pub(crate) spare_requests: SpareRequests,
    /// The identifier of the next request of this node.
    hop_by_hop: AtomicU32,
    /// The requests of this node about sessions that have no answer yet, by their identifiers.
    unanswered: Mutex<HashMap<u32, SessionKey>>,
}

/// The most requests of this node that wait for an answer of one connection. Of more, answers are not awaited.
const UNANSWERED_MAX: usize = 10_000;

impl Link {
    /// Returns a connection of a peer with capabilities.
    pub(crate) fn new(
        peer: &Capabilities,
        (address, transport): (SocketAddr, Transport),
        (line, meters): (Arc<Line>, Arc<PeerMeters>),
        since: Millis,
    ) -> Self {
        Link {
            host: peer.origin_host.as_str().into(),
            realm: peer.origin_realm.as_str().into(),
            product: beginning(&peer.product).into(),
            address,
            transport,
            since,
            line,
            meters,
            is_suspect: AtomicBool::default(),
            received: AtomicU64::default(),
            round_trip: AtomicU64::default(),
            probed: Notify::default(),
            replaced: Notify::default(),
            spare_requests: SpareRequests::default(),
            hop_by_hop: random().into(),
            unanswered: Mutex::default(),
        }
    }

    /// Returns the identifier of the next request of this node.
    pub(crate) fn next_hop_by_hop(&self) -> u32 {
        self.hop_by_hop.fetch_add(1, Ordering::Relaxed)
    }

    /// Notes that a request of this node was sent.
    pub(crate) fn note_request(&self, hop_by_hop: u32, session: SessionKey) {
        let mut unanswered = lock(&self.unanswered);
        if unanswered.len() < UNANSWERED_MAX {
            unanswered.insert(hop_by_hop, session);
        }
    }

    /// Returns the session of a request of this node that is answered.
    pub(crate) fn take_request(&self, hop_by_hop: u32) -> Option<SessionKey> {
        lock(&self.unanswered).remove(&hop_by_hop)
    }
}

#[derive(Debug, Default)]
struct Peer {
    links: Vec<Arc<Link>>,
    meters: Arc<PeerMeters>,
    /// When the last connection ended, and why.
    ended: Option<(Millis, String)>,
    /// The last connection that has ended, for its messages.
    last: Option<Arc<Link>>,
}

/// The peers of a server.
#[derive(Debug, Default)]
pub(crate) struct Peers {
    table: Mutex<BTreeMap<Box<str>, Peer>>,
    refused: Mutex<BTreeMap<Box<str>, RefusedPeer>>,
}

impl Peers {
    /// Returns the meters of a peer.
    pub(crate) fn meters(&self, host: &str) -> Arc<PeerMeters> {
        let mut table = lock(&self.table);
        if table.len() > GONE_MAX {
            forget_gone(&mut table);
        }
        Arc::clone(&table.entry(key(host)).or_default().meters)
    }

    /// Adds a connection of a peer that may have some. Returns those that it has if there are as many.
    pub(crate) fn join(&self, link: &Arc<Link>, most: usize) -> Result<(), Vec<Arc<Link>>> {
        let mut table = lock(&self.table);
        let peer = table.entry(key(&link.host)).or_default();
        if peer.links.len() >= most {
            return Err(peer.links.clone());
        }
        peer.links.push(Arc::clone(link));
        Ok(())
    }

    /// Puts a connection in the place of one that is dead. Returns whether that was still there.
    pub(crate) fn replace(&self, dead: &Arc<Link>, link: &Arc<Link>) -> bool {
        let mut table = lock(&self.table);
        let links = &mut table.entry(key(&link.host)).or_default().links;
        let place = links.iter().position(|of| Arc::ptr_eq(of, dead));
        if let Some(place) = place {
            links[place] = Arc::clone(link);
            dead.replaced.notify_one();
        }
        place.is_some()
    }

    /// Removes a connection that has ended at a time, for a reason.
    pub(crate) fn leave(&self, link: &Arc<Link>, at: Millis, why: String) {
        let mut table = lock(&self.table);
        let Some(peer) = table.get_mut(&key(&link.host)) else { return };
        peer.links.retain(|of| !Arc::ptr_eq(of, link));
        peer.ended = Some((at, why));
        peer.last = Some(Arc::clone(link));
    }

    /// Returns a connection of a peer, if it has one.
    pub(crate) fn link_of(&self, host: &str) -> Option<Arc<Link>> {
        lock(&self.table).get(&key(host))?.links.last().cloned()
    }

    /// Returns the last messages of the connections of a peer, or of all.
    pub(crate) fn logs(&self, of: Option<&str>) -> Vec<ConnectionLog> {
        let links: Vec<Arc<Link>> = {
            let (table, of) = (lock(&self.table), of.map(key));
            let is_wanted = |host: &str| of.as_ref().is_none_or(|of| **of == *host);
            let peers = table.iter().filter(|(host, _)| is_wanted(host)).map(|(_, peer)| peer);
            peers.flat_map(|peer| peer.last.iter().chain(&peer.links)).cloned().collect()
        };
        let log = |link: Arc<Link>| {
            let octets = link.line.logged()?;
            Some(ConnectionLog { host: link.host.to_string(), address: link.address, octets })
        };
        links.into_iter().filter_map(log).collect()
    }

    /// Notes that a peer was refused.
    pub(crate) fn refuse(&self, refused: RefusedPeer) {
        let mut all = lock(&self.refused);
        let host = key(&refused.host);
        if let Some(before) = all.get_mut(&host) {
            let attempts = before.attempts.saturating_add(1);
            *before = RefusedPeer { attempts, ..refused };
            return;
        }
        if all.len() == REFUSED_MAX {
            let oldest = all
                .iter()
                .min_by(|(_, one), (_, other)| one.at.cmp(&other.at))
                .map(|(host, _)| host.clone());
            oldest.and_then(|host| all.remove(&host));
        }
        all.insert(host, refused);
    }

    /// Forgets that a peer was refused.
    pub(crate) fn accepted(&self, host: &str) {
        lock(&self.refused).remove(&key(host));
    }
}

/// The most octets of the name of a program.
const PRODUCT_OCTETS_MAX: usize = 100;

/// Returns the beginning of the name of a program, which may be long.
pub(crate) fn beginning(product: &str) -> &str {
    &product[..product.floor_char_boundary(PRODUCT_OCTETS_MAX)]
}

/// The names of nodes are the same in any case of letters.
fn key(host: &str) -> Box<str> {
    host.to_ascii_lowercase().into()
}

/// Removes the half of the peers without a connection that ended first.
fn forget_gone(table: &mut BTreeMap<Box<str>, Peer>) {
    let gone = |peer: &Peer| peer.links.is_empty().then(|| peer.ended.as_ref().map(|(at, _)| *at));
    let mut ends: Vec<Option<Millis>> = table.values().filter_map(gone).collect();
    ends.sort_unstable();
    let Some(middle) = ends.get(ends.len() / 2).copied() else { return };
    table.retain(|_, peer| gone(peer).is_none_or(|at| at > middle));
}

impl Peers {
    /// Returns what is judged of each peer.
    pub(crate) fn watched(&self) -> Vec<Watched> {
        let watched = |host: &str, peer: &Peer| Watched {
            host: peer.links.last().map_or(host, |link| &link.host).to_owned(),
            connected: peer.links.iter().map(|link| link.since).min(),
            ended: peer.ended.as_ref().map(|(at, _)| *at),
            requests: peer.meters.requests(),
            answers: peer.meters.answers_by_class(),
            orphans: peer.meters.orphan_count(),
        };
        lock(&self.table).iter().map(|(host, peer)| watched(host, peer)).collect()
    }

    /// Returns the peers and those that were refused, as people see them.
    pub(crate) fn list(&self) -> (Vec<ConnectedPeer>, Vec<RefusedPeer>) {
        let connected = lock(&self.table).iter().map(|(host, peer)| shown(host, peer)).collect();
        let mut refused: Vec<RefusedPeer> = lock(&self.refused).values().cloned().collect();
        refused.sort_by(|one, other| other.at.cmp(&one.at));
        (connected, refused)
    }
}

fn shown(host: &str, Peer { links, meters, ended, .. }: &Peer) -> ConnectedPeer {
    let connection = |link: &Arc<Link>| PeerConnection {
        address: link.address.to_string(),
        transport: link.transport.name().to_owned(),
        since: time::shown(link.since),
        suspect: link.is_suspect.load(Ordering::Relaxed),
        in_flight: link.line.in_flight() as u64,
        round_trip_us: Some(link.round_trip.load(Ordering::Relaxed)).filter(|of| *of > 0),
    };
    let last = links.last();
    ConnectedPeer {
        host: last.map_or_else(|| host.to_owned(), |link| link.host.to_string()),
        realm: last.map(|link| link.realm.to_string()),
        product: last.map(|link| link.product.to_string()),
        connections: links.iter().map(connection).collect(),
        requests: meters.requests(),
        results: meters.results(),
        discarded: meters.discarded_count(),
        orphans: meters.orphan_count(),
        unequal_octets: meters.unequal_octets_count(),
        ended: ended.as_ref().map(|(at, _)| time::shown(*at)),
        ended_because: ended.as_ref().map(|(_, why)| why.clone()),
    }
}
