//! The peers of Diameter of a system, as people see them. The server of Diameter knows them.

use ledger::SessionKey;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::messages::{MessageFile, MessageFilter, PeerMessage};
use crate::traces::{NewTrace, TraceCounts, TraceError};

/// The server that peers are connected to.
pub trait NetworkPeers: Send + Sync {
    /// Returns the peers that are or were connected, in the order of their names, and those that were refused, the last one
    /// first.
    fn peers(&self) -> (Vec<ConnectedPeer>, Vec<RefusedPeer>);

    /// Returns the name of this node.
    fn node(&self) -> String;

    /// Returns the last messages that a filter takes, in the order of time, and a file of them if one is wanted.
    fn messages(
        &self,
        filter: &MessageFilter,
        file: Option<MessageFile>,
    ) -> (Vec<PeerMessage>, Option<Vec<u8>>);

    /// Begins to write messages to the files of a trace.
    ///
    /// # Errors
    ///
    /// Too many traces run, or the file cannot be written.
    fn start_trace(&self, trace: NewTrace) -> Result<(), TraceError>;

    /// Ends a trace for a reason. Its file is whole then. Returns whether it was running.
    fn end_trace(&self, trace: u32, why: &str) -> bool;

    /// Returns what the traces that run have, by their numbers.
    fn running_traces(&self) -> Vec<(u32, TraceCounts)>;

    /// Returns the messages of whole blocks of the file of a trace as XML: elements without a document around them.
    fn trace_as_xml(&self, blocks: &[u8]) -> String;

    /// Asks the clients of sessions to end them. Sessions of other networks are passed over.
    fn abort_sessions(&self, sessions: &[SessionKey]);

    /// Asks the clients of sessions that have their last grant to ask again, since there may be more.
    fn reauthorize(&self, sessions: &[SessionKey]);
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
    /// Its answers since the start, by their results.
    pub results: Vec<PeerResult>,
    /// The messages that were passed over: answers to no request, and requests behind the end.
    pub discarded: u64,
    /// The reports of usage in sessions that are not known.
    pub orphans: u64,
    /// The services of which the total of octets was not the sum of both directions. The larger one is charged.
    pub unequal_octets: u64,
    /// When its last connection ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// Why its last connection ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_because: Option<String>,
}

/// A connection of a peer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PeerConnection {
    /// Its address.
    pub address: String,
    /// How it is connected: `tcp`, `tls` or `sctp`.
    pub transport: String,
    /// Since when.
    pub since: String,
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
    /// Whether no table of `[diameter.peers]` lets it in.
    pub unknown: bool,
    /// When it tried the last time.
    pub at: String,
    /// How often it was refused.
    pub attempts: u64,
}
