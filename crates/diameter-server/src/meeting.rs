//! How a peer is let in: its capabilities, whether it may connect, and how often.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use diameter::capabilities::{Capabilities, Security};
use diameter::check::{Fault, check};
use diameter::frame::Message;
use diameter::node::Node;
use diameter::result::ResultCode;
use prepaid::{CreditControl, RefusedPeer, Rules};
use tokio::time::Instant;
use tokio_rustls::rustls::pki_types::CertificateDer;

use crate::end::End;
use crate::faults::plain;
use crate::front::Front;
use crate::line::Line;
use crate::listener::Transport;
use crate::peers::{Link, beginning};

/// How long a connection has to prove that it is alive when its peer connects once more.
const PROVES_WITHIN: Duration = Duration::from_secs(2);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A peer that was let in, by some rules.
pub(crate) struct Met {
    pub(crate) link: Arc<Link>,
    pub(crate) rules: Arc<Rules>,
    /// The Origin-State-Id of the peer.
    pub(crate) state: Option<u32>,
}

/// Where a connection comes from.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    /// The address of the peer.
    pub(crate) address: SocketAddr,
    /// The addresses of this node that the connection may use: one, or all of an endpoint of SCTP.
    pub(crate) local: Vec<IpAddr>,
    pub(crate) transport: Transport,
    /// The certificate of the peer, if it has one.
    pub(crate) certificate: Option<CertificateDer<'static>>,
}

impl Origin {
    pub(crate) fn has_tls(&self) -> bool {
        self.transport == Transport::Tls
    }
}

/// How far a peer is let in after its capabilities.
pub(crate) enum Meeting {
    /// It is let in.
    Met(Met),
    /// It is let in after TLS has begun, which it begins when it has the answer.
    BeginsTls { peer: Capabilities, answer: Vec<u8> },
}

/// Answers the capabilities of a peer, and lets it in.
pub(crate) async fn meet(
    front: &Front,
    line: &Arc<Line>,
    message: &Message<'_>,
    origin: &Origin,
) -> Result<Meeting, End> {
    let node = Node { addresses: origin.local.clone(), ..front.node.clone() };
    let mut answer = Vec::new();
    let checked = check(message, &front.dictionary);
    if let Err(fault) = &checked {
        node.refuse_capabilities(&mut answer, message, fault);
    }
    let security = security(front, message, origin);
    let peer = checked.and_then(|()| node.meet(&mut answer, message, security));
    let met = match peer {
        Ok(peer) if security == Security::InbandTls => {
            return Ok(Meeting::BeginsTls { peer, answer });
        }
        Ok(peer) => match admit(front, line, &peer, origin).await {
            Ok(met) => Ok(met),
            Err(fault) => {
                answer.clear();
                node.refuse_capabilities(&mut answer, message, &fault);
                Err(fault)
            }
        },
        Err(fault) => Err(fault),
    };
    line.append(|to| to.extend_from_slice(&answer));
    met.map(Meeting::Met).map_err(|fault| {
        // What it says of itself, as far as that can be read.
        if let Ok(peer) = Capabilities::read(message) {
            note_refused(front, &peer, origin, &fault);
        }
        End::Refused(fault)
    })
}

/// Returns how a connection is protected: for some peers, TLS begins after their capabilities.
fn security(front: &Front, message: &Message<'_>, origin: &Origin) -> Security {
    if origin.has_tls() {
        return Security::Tls;
    }
    let rules = front.system.rules();
    let needs_tls = |peer: Capabilities| needs_inband_tls(&rules.credit_control, &peer.origin_host);
    let begins_here = origin.transport == Transport::Tcp && front.tls.is_some();
    match begins_here && Capabilities::read(message).is_ok_and(needs_tls) {
        true => Security::InbandTls,
        false => Security::None,
    }
}

/// Returns whether a peer begins TLS after its capabilities.
pub(crate) fn needs_inband_tls(terms: &CreditControl, host: &str) -> bool {
    terms.peer(host).is_some_and(|peer| peer.inband_tls)
}

/// Lets a peer in that has begun TLS after its capabilities. They were answered, so it learns of a refusal by the end.
pub(crate) async fn meet_again(
    front: &Front,
    line: &Arc<Line>,
    peer: &Capabilities,
    origin: &Origin,
) -> Result<Met, End> {
    admit(front, line, peer, origin).await.map_err(|fault| {
        note_refused(front, peer, origin, &fault);
        End::Refused(fault)
    })
}

/// Lets a peer in, if it may connect and proves who it is.
async fn admit(
    front: &Front,
    line: &Arc<Line>,
    peer: &Capabilities,
    origin: &Origin,
) -> Result<Met, Fault> {
    let rules = front.system.rules();
    let host = &peer.origin_host;
    let refused = |text: String| Err(plain(ResultCode::UNKNOWN_PEER, text));
    if !may_connect(&rules.credit_control, host, origin.address) {
        return refused(format!("\"{host}\" is no peer of this node"));
    }
    if needs_inband_tls(&rules.credit_control, host) && !origin.has_tls() {
        let text = format!("\"{host}\" must connect with TLS");
        return Err(plain(ResultCode::NO_COMMON_SECURITY, text));
    }
    // A name alone proves nothing.
    let is_proven = |certificate| server_tls::is_of_host(certificate, host);
    if !origin.certificate.as_ref().is_none_or(is_proven) {
        return refused(format!("the certificate is not that of \"{host}\""));
    }
    let shared = (Arc::clone(line), front.peers.meters(host));
    let from = (origin.address, origin.transport);
    let link = Arc::new(Link::new(peer, from, shared, front.system.now_ms()));
    let connections = rules.credit_control.peer(host).map_or(1, |peer| peer.connections);
    join(front, &link, connections).await?;
    front.peers.accepted(host);
    Ok(Met { link, rules, state: peer.state })
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

fn note_refused(front: &Front, peer: &Capabilities, origin: &Origin, fault: &Fault) {
    let Capabilities { origin_host, origin_realm, product, .. } = peer;
    let terms = &front.system.rules().credit_control;
    front.peers.refuse(RefusedPeer {
        host: origin_host.clone(),
        realm: origin_realm.clone(),
        product: beginning(product).to_owned(),
        address: origin.address.to_string(),
        why: fault.text.clone(),
        unknown: fault.result == ResultCode::UNKNOWN_PEER
            && !may_connect(terms, origin_host, origin.address),
        at: runtime::time::shown(front.system.now_ms()),
        attempts: 1,
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use credit_control::profile::Profile;
    use prepaid::Peer;

    #[test]
    fn without_peers_those_of_this_machine_may_connect_wherever_it_listens() {
        let from = |address: &str| SocketAddr::new(address.parse().unwrap(), 3_868);
        let mut terms = CreditControl::default();
        let may =
            |terms: &CreditControl, address| may_connect(terms, "SMF.example.net", from(address));
        for (address, expected) in
            [("127.0.0.1", true), ("::ffff:127.0.0.1", true), ("::1", true), ("192.0.2.1", false)]
        {
            assert_eq!(may(&terms, address), expected, "{address}");
        }
        let host = "smf.example.net".to_owned();
        let peer = Peer {
            host,
            profile: Profile::STANDARD,
            connections: 1,
            no_traffic: None,
            inband_tls: false,
        };
        terms.peers.push(peer);
        assert!(may(&terms, "192.0.2.1") && !may_connect(&terms, "pgw", from("127.0.0.1")));
    }
}
