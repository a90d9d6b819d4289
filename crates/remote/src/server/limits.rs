//! What our SFTP servers take at once: `limits@openssh.com`, without which clients send as little as any server takes
//! (OpenSSH's PROTOCOL, section 4.8).

use std::collections::HashMap;

use russh_sftp::extensions::LIMITS;
use russh_sftp::protocol::{ExtendedReply, Packet, Version};

/// Octets of a message, which the library takes, and of a file in one.
const MESSAGE_OCTETS: u64 = 256 << 10;
const FILE_OCTETS: u64 = 255 << 10;

/// What is said first.
pub(crate) fn version() -> Version {
    Version { extensions: HashMap::from([(LIMITS.into(), "1".into())]), ..Version::new() }
}

/// The answer to what is asked for beyond the draft, where so many files may be open: none where we do not know that.
pub(crate) fn answer(id: u32, request: &str, open_max: u64) -> Option<Packet> {
    let said = [MESSAGE_OCTETS, FILE_OCTETS, FILE_OCTETS, open_max];
    let data = said.iter().flat_map(|limit| limit.to_be_bytes()).collect();
    (request == LIMITS).then_some(Packet::ExtendedReply(ExtendedReply { id, data }))
}
