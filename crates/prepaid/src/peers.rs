//! The peers of Diameter of a system, as people see them. The server of Diameter knows them.

use ledger::Millis;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Lists peers.
pub trait ListPeers: Send + Sync {
    /// Returns the peers, and those that were refused.
    fn list(&self) -> PeerList;
}

/// The peers of Diameter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PeerList {
    /// Those that are or were connected, in the order of their names.
    pub peers: Vec<ConnectedPeer>,
    /// Those that were refused, the last one first; 100 at most.
    pub refused: Vec<RefusedPeer>,
}

/// A peer that is or was connected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConnectedPeer {
    /// The name of its node: its Origin-Host.
    pub host: String,
    /// Its realm, while it is connected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub realm: Option<String>,
    /// The name of its program, while it is connected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub product: Option<String>,
    /// Its connections.
    pub connections: Vec<PeerConnection>,
    /// The requests of credit control that it has sent since the start.
    pub requests: u64,
    /// Its answers, by their results.
    pub results: Vec<PeerResult>,
    /// The messages that were passed over: answers to no request, and requests behind its own end.
    pub discarded: u64,
    /// When its last connection ended, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Millis>,
    /// Why its last connection ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_because: Option<String>,
}

/// A connection of a peer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PeerConnection {
    /// Its address.
    pub address: String,
    /// How it is connected: `tcp` or `tls`.
    pub transport: String,
    /// Since when, in milliseconds since 1970.
    pub since: Millis,
    /// Whether it does not answer the watchdog.
    pub suspect: bool,
    /// The requests that have no answer yet.
    pub in_flight: u64,
    /// The time between the last question of the watchdog and its answer, in microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round_trip_us: Option<u64>,
}

/// How often a result was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PeerResult {
    /// The Result-Code; 0 for all that are rare.
    pub code: u32,
    /// How often.
    pub count: u64,
}

/// A peer that was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RefusedPeer {
    /// The name of its node.
    pub host: String,
    /// Its realm.
    pub realm: String,
    /// The name of its program.
    pub product: String,
    /// Its address.
    pub address: String,
    /// Why it was refused the last time.
    pub why: String,
    /// Whether a table of `[diameter.peers]` lets it in.
    pub unknown: bool,
    /// When it tried the last time, in milliseconds since 1970.
    pub at: Millis,
    /// How often it was refused.
    pub attempts: u64,
}
