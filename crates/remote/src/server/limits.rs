//! The limits of our SFTP servers, in `limits@openssh.com`. Without this extension, clients send the least that every
//! server accepts (OpenSSH's PROTOCOL, section 4.8).

use std::collections::HashMap;

use russh_sftp::extensions::LIMITS;
use russh_sftp::protocol::{ExtendedReply, Packet, Version};

/// The maximum octets of a message, which the library sets, and of file data in one.
const MESSAGE_OCTETS: u64 = 256 << 10;
const FILE_OCTETS: u64 = 255 << 10;

/// Returns the first message of the server.
pub(crate) fn version() -> Version {
    Version { extensions: HashMap::from([(LIMITS.into(), "1".into())]), ..Version::new() }
}

/// Returns the answer to an extended request, with `open_max` as the limit of open files; `None` if the request is
/// unknown.
pub(crate) fn answer(id: u32, request: &str, open_max: u64) -> Option<Packet> {
    let limits = [MESSAGE_OCTETS, FILE_OCTETS, FILE_OCTETS, open_max];
    let data = limits.iter().flat_map(|limit| limit.to_be_bytes()).collect();
    (request == LIMITS).then_some(Packet::ExtendedReply(ExtendedReply { id, data }))
}
