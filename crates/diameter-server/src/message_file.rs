//! Files of messages: pcapng for Wireshark (draft-ietf-opsawg-pcapng), and XML.

use std::fmt::Write as _;
use std::net::{IpAddr, SocketAddr};

use diameter::decoded::{DecodedAvp, decode};
use diameter::dictionary::Dictionary;
use runtime::time;

use crate::messages::{Found, command, microsecond};
use crate::summary::summary;

/// The link type of messages of a dissector that is named before each of them: WIRESHARK_UPPER_PDU.
const UPPER_PDU: u16 = 252;

/// The tags before a message, and its dissector.
mod tag {
    pub(super) const END: u16 = 0;
    pub(super) const DISSECTOR: u16 = 12;
    pub(super) const IPV4_SOURCE: u16 = 20;
    pub(super) const IPV4_DESTINATION: u16 = 21;
    pub(super) const IPV6_SOURCE: u16 = 22;
    pub(super) const IPV6_DESTINATION: u16 = 23;
    pub(super) const PORT_TYPE: u16 = 24;
    pub(super) const SOURCE_PORT: u16 = 25;
    pub(super) const DESTINATION_PORT: u16 = 26;
}
const DISSECTOR: &[u8] = b"diameter";
const PORT_OF_TCP: u32 = 2;

/// The blocks of the format and their options.
const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const PACKET: u32 = 6;
const BYTE_ORDER: u32 = 0x1a2b_3c4d;
const COMMENT: u16 = 1;
const UNKNOWN_LENGTH: i64 = -1;

/// Returns a file of messages for Wireshark. Each has what it says as its comment. `local` is the address of this node.
pub(crate) fn pcapng(messages: &[Found<'_>], local: SocketAddr) -> Vec<u8> {
    let mut file = Vec::new();
    block(&mut file, SECTION, |to| {
        to.extend(BYTE_ORDER.to_le_bytes());
        to.extend(1_u16.to_le_bytes());
        to.extend(0_u16.to_le_bytes());
        to.extend(UNKNOWN_LENGTH.to_le_bytes());
    });
    block(&mut file, INTERFACE, |to| {
        to.extend(UPPER_PDU.to_le_bytes());
        to.extend([0; 6]);
    });
    for found in messages {
        block(&mut file, PACKET, |to| packet(to, found, local));
    }
    file
}

/// Appends a block: its type, its length, its body and its length again.
fn block(file: &mut Vec<u8>, kind: u32, body: impl FnOnce(&mut Vec<u8>)) {
    let from = file.len();
    file.extend(kind.to_le_bytes());
    file.extend([0; 4]);
    body(file);
    pad(file);
    let length = (file.len() - from + 4) as u32;
    file[from + 4..from + 8].copy_from_slice(&length.to_le_bytes());
    file.extend(length.to_le_bytes());
}

fn pad(file: &mut Vec<u8>) {
    file.resize(file.len().next_multiple_of(4), 0);
}

fn packet(to: &mut Vec<u8>, found: &Found<'_>, local: SocketAddr) {
    let (peer, logged) = (found.connection.address, found.logged);
    let (source, destination) = if logged.is_sent { (local, peer) } else { (peer, local) };
    let mut data = head(source, destination);
    data.extend_from_slice(logged.octets);
    let at = logged.at.cast_unsigned();
    to.extend(0_u32.to_le_bytes());
    to.extend(((at >> 32) as u32).to_le_bytes());
    to.extend((at as u32).to_le_bytes());
    let length = (data.len() as u32).to_le_bytes();
    to.extend(length);
    to.extend(length);
    to.extend(data);
    pad(to);
    let comment = summary(&found.message);
    let comment = &comment[..comment.floor_char_boundary(usize::from(u16::MAX))];
    to.extend(COMMENT.to_le_bytes());
    to.extend((comment.len() as u16).to_le_bytes());
    to.extend(comment.as_bytes());
    pad(to);
    to.extend([0; 4]);
}

/// Returns what stands before a message: its dissector, and its addresses. It is in network order.
fn head(source: SocketAddr, destination: SocketAddr) -> Vec<u8> {
    let mut head = Vec::new();
    let mut tag = |tag: u16, value: &[u8]| {
        head.extend(tag.to_be_bytes());
        head.extend((value.len().next_multiple_of(4) as u16).to_be_bytes());
        head.extend(value);
        pad(&mut head);
    };
    tag(tag::DISSECTOR, DISSECTOR);
    let addresses = [
        (source.ip(), tag::IPV4_SOURCE, tag::IPV6_SOURCE),
        (destination.ip(), tag::IPV4_DESTINATION, tag::IPV6_DESTINATION),
    ];
    for (address, of_ipv4, of_ipv6) in addresses {
        match address {
            IpAddr::V4(address) => tag(of_ipv4, &address.octets()),
            IpAddr::V6(address) => tag(of_ipv6, &address.octets()),
        }
    }
    tag(tag::PORT_TYPE, &PORT_OF_TCP.to_be_bytes());
    tag(tag::SOURCE_PORT, &u32::from(source.port()).to_be_bytes());
    tag(tag::DESTINATION_PORT, &u32::from(destination.port()).to_be_bytes());
    tag(tag::END, &[]);
    head
}

/// Returns a file of messages with all their AVPs.
pub(crate) fn xml(messages: &[Found<'_>], dictionary: &Dictionary) -> String {
    let mut file = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<messages>\n".to_owned();
    for found in messages {
        let direction = if found.logged.is_sent { "sent" } else { "received" };
        let (host, command) =
            (escaped(&found.connection.host), command(&found.message, dictionary));
        let (at, header) = (microsecond(found.logged.at), found.message.header);
        let _ = writeln!(
            file,
            "  <message at=\"{at}\" {direction}=\"true\" peer=\"{host}\" address=\"{}\" command=\"{}\" \
             application=\"{}\" hop-by-hop=\"{}\" end-to-end=\"{}\">",
            found.connection.address,
            escaped(&command),
            header.application,
            header.hop_by_hop,
            header.end_to_end,
        );
        let time = |seconds: i64| time::shown(seconds.saturating_mul(1_000));
        for avp in decode(found.message.avps(), dictionary, &time) {
            xml_avp(&mut file, &avp, 2);
        }
        file.push_str("  </message>\n");
    }
    file + "</messages>\n"
}

fn xml_avp(file: &mut String, avp: &DecodedAvp, depth: usize) {
    let DecodedAvp { name, code, vendor, value, members, .. } = avp;
    let indent = "  ".repeat(depth);
    let vendor = if *vendor == 0 { String::new() } else { format!(" vendor=\"{vendor}\"") };
    let name = if name.is_empty() { String::new() } else { format!(" name=\"{}\"", escaped(name)) };
    let _ = write!(file, "{indent}<avp code=\"{code}\"{vendor}{name}");
    if members.is_empty() {
        let _ = writeln!(file, " value=\"{}\"/>", escaped(value));
        return;
    }
    file.push_str(">\n");
    members.iter().for_each(|member| xml_avp(file, member, depth + 1));
    let _ = writeln!(file, "{indent}</avp>");
}

/// Returns a text for an attribute. Characters that XML cannot have are replaced.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' => escaped.push_str("&#9;"),
            '\n' => escaped.push_str("&#10;"),
            '\r' => escaped.push_str("&#13;"),
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => {
                escaped.push('\u{fffd}');
            }
            letter => escaped.push(letter),
        }
    }
    escaped
}
