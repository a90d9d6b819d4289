//! How a peer is let in: its capabilities, whether it may connect, and how often.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use diameter::capabilities::Capabilities;
use diameter::check::{Fault, check};
use diameter::frame::Message;
use diameter::node::Node;
use diameter::result::ResultCode;
use prepaid::{CreditControl, RefusedPeer, Rules};
use tokio::time::Instant;
use tokio_rustls::rustls::pki_types::CertificateDer;

use crate::end::End;
use crate::front::Front;
use crate::line::Line;
use crate::peers::{Link, beginning};
use crate::request::plain;

/// How long a connection has to prove that it is alive when its peer connects once more.
const PROVES_WITHIN: Duration = Duration::from_secs(2);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A peer that was let in, by some rules.
pub(crate) struct Met {
    pub(crate) link: Arc<Link>,
    pub(crate) rules: Arc<Rules>,
}

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

/// Answers the capabilities of a peer, and lets it in.
pub(crate) async fn meet(
    front: &Front,
    line: &Arc<Line>,
    message: &Message<'_>,
    origin: &Origin,
) -> Result<Met, End> {
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
    if !may_connect(terms, &peer.origin_host, origin.address) {
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
    Ok(Met { link, rules })
}

/// Returns whether a peer may connect from an address. Without any that are named, those of this machine may.
pub(crate) fn may_connect(terms: &CreditControl, host: &str, from: SocketAddr) -> bool {
    match terms.peers.is_empty() {
        true => from.ip().to_canonical().is_loopback(),
        false => terms.peer(host).is_some(),
    }
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
    let dead = others.iter().zip(&before).filter(|of| is_dead(*of)).map(|(dead, _)| dead);
    // Another one may have come meanwhile.
    if { dead }.any(|dead| front.peers.replace(dead, link)) {
        return Ok(());
    }
    let text = format!("\"{}\" is already connected", link.host);
    Err(plain(ResultCode::UNKNOWN_PEER, text))
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
        product: beginning(product).to_owned(),
        address: origin.address.to_string(),
        why: fault.text.clone(),
        unknown,
        at: runtime::time::shown(front.system.now_ms()),
        attempts: 1,
    });
}
