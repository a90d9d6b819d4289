//! What all connections of a server share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use diameter::dictionary::Dictionary;
use diameter::header::{Header, VERSION, flags};
use diameter::node::Node;
use diameter::write::{self, Writer};
use prepaid::{Queue, System};

use crate::peers::Peers;

/// What all connections of a server share.
pub(crate) struct Front {
    pub(crate) node: Node,
    pub(crate) dictionary: Dictionary,
    pub(crate) system: Arc<System>,
    pub(crate) queue: Arc<Queue>,
    pub(crate) peers: Arc<Peers>,
    /// After how long a silent peer is asked whether it is there.
    pub(crate) watchdog: Duration,
    /// The identifiers of the next request of this node, end to end.
    pub(crate) end_to_end: AtomicU32,
}

/// The bits of an End-to-End identifier that are random at the start of a process (RFC 6733 section 3).
const RANDOM_BITS: u32 = 20;

/// Returns the first End-to-End identifier of a process that starts at a time, in seconds.
pub(crate) fn first_end_to_end(seconds: u64, random: u32) -> u32 {
    (seconds as u32) << RANDOM_BITS | random & ((1 << RANDOM_BITS) - 1)
}

impl Front {
    /// Appends a request of this node to a peer. `avps` writes what it has beside the origin.
    pub(crate) fn write_request(
        &self,
        to: &mut Vec<u8>,
        (command, hop_by_hop): (u32, u32),
        avps: impl FnOnce(&mut Writer<'_>),
    ) {
        let header = Header {
            version: VERSION,
            length: 0,
            flags: flags::REQUEST,
            command,
            application: 0,
            hop_by_hop,
            end_to_end: self.end_to_end.fetch_add(1, Ordering::Relaxed),
        };
        write::message(to, header, |to| {
            self.node.write_origin(to);
            avps(to);
        });
    }
}
