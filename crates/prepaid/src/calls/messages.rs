//! The last messages between peers of Diameter and the charging system.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Call, Clerk};
use crate::messages::{MessageFile, MessageFilter, PeerMessage};
use crate::refused::Refused;

/// The messages of a list without a limit, and the most.
const LIMIT: usize = 100;
const LIMIT_MAX: usize = 1_000;

/// Lists the last messages between peers of Diameter and the charging system, in the order of time. They are in memory: those of
/// the time before a start are gone.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct ListMessages {
    /// Only messages of sessions of this number.
    pub number: Option<String>,
    /// Only messages of this session: its Session-Id, or the key that lists of sessions have.
    pub session: Option<String>,
    /// Only messages of this peer.
    pub peer: Option<String>,
    /// The newest of them, so many at most; 100 by default, and 1,000 at most.
    pub limit: Option<usize>,
    /// Puts them into a file, too: `pcapng` for Wireshark, or `xml`.
    pub file: Option<MessageFile>,
}

/// Messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Messages {
    /// The name of this node.
    pub node: String,
    /// The messages.
    pub messages: Vec<PeerMessage>,
    /// The file, in Base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

impl Call for ListMessages {
    type Reply = Messages;

    const NAME: &'static str = "charging messages";

    fn perform(self, clerk: &Clerk<'_>) -> Result<Messages, Refused> {
        let Some(server) = clerk.system.network_peers() else {
            return Err(Refused::NoPeers);
        };
        let filter = MessageFilter {
            number: given(&self.number),
            session: given(&self.session),
            peer: given(&self.peer),
            limit: self.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX),
        };
        let (messages, file) = server.messages(&filter, self.file);
        let file = file.map(|octets| STANDARD.encode(octets));
        Ok(Messages { node: server.node(), messages, file })
    }

    fn subject(&self) -> Option<String> {
        let named = [("number", &self.number), ("session", &self.session), ("peer", &self.peer)];
        let named = named.map(|(what, of)| given(of).map(|of| format!("{what} {of}")));
        let named: Vec<String> = named.into_iter().flatten().collect();
        Some(if named.is_empty() { "all messages".to_owned() } else { named.join(", ") })
    }
}

/// Returns a text, if it is not empty.
pub(super) fn given(text: &Option<String>) -> Option<String> {
    let text = text.as_deref().map(str::trim).filter(|text| !text.is_empty());
    text.map(str::to_owned)
}
