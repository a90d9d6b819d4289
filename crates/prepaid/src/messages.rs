//! Messages of Diameter, as people see them. The server of Diameter has them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Which messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageFilter {
    /// Only those of sessions of this number.
    pub number: Option<String>,
    /// Only those of this session: its Session-Id, or the key that lists of sessions have.
    pub session: Option<String>,
    /// Only those of this peer.
    pub peer: Option<String>,
    /// The newest of them, so many at most.
    pub limit: usize,
}

impl MessageFilter {
    /// Returns which messages it lets through, for people: `number 46701234567, peer smf.example.net`.
    pub(crate) fn described(&self) -> String {
        described(&self.number, &self.session, &self.peer)
    }
}

/// Returns which messages a number, a session and a peer let through, for people.
pub(crate) fn described(
    number: &Option<String>,
    session: &Option<String>,
    peer: &Option<String>,
) -> String {
    let limits = [("number", number), ("session", session), ("peer", peer)];
    let limits =
        limits.into_iter().filter_map(|(what, of)| Some(format!("{what} {}", of.as_ref()?)));
    let limits: Vec<String> = limits.collect();
    if limits.is_empty() { "all messages".to_owned() } else { limits.join(", ") }
}

/// A message between a peer and this node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PeerMessage {
    /// When, to the microsecond.
    pub at: String,
    /// The name of the peer's node.
    pub peer: String,
    /// The address of the peer.
    pub address: String,
    /// Whether this node sent it.
    pub sent: bool,
    /// The command: `CCR`, `CCA`.
    pub command: String,
    /// What it says, in short.
    pub summary: String,
    /// The Session-Id; absent for messages of no session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The Result-Code of an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<u32>,
    /// The identifier that a request and its answer share on the connection.
    pub hop_by_hop: u32,
    /// How many octets it has.
    pub octets: u64,
    /// Its AVPs.
    pub avps: Vec<MessageAvp>,
}

/// An AVP of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MessageAvp {
    /// Its name; empty if the dictionary does not have it.
    pub name: String,
    /// Its code.
    pub code: u32,
    /// Its vendor; 0 for those of the IETF.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub vendor: u32,
    /// Its value; empty for a group.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// What is in it, if it is a group.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(no_recursion)]
    pub members: Vec<MessageAvp>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The form of a file of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MessageFile {
    /// For Wireshark, with what each message says as its comment.
    Pcapng,
    /// Each message with all its AVPs.
    Xml,
}
