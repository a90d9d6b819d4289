//! Messages as pcapng for Wireshark (draft-ietf-opsawg-pcapng), written and read.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use diameter::frame::{Frame, MESSAGE_OCTETS};

use crate::message_log::LoggedMessage;
use crate::messages::{Found, MessageOf};
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

/// The blocks of the format.
const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const STATISTICS: u32 = 5;
const PACKET: u32 = 6;
const BYTE_ORDER: u32 = 0x1a2b_3c4d;
const UNKNOWN_LENGTH: i64 = -1;

/// The options of blocks.
mod option {
    pub(super) const END: u16 = 0;
    pub(super) const COMMENT: u16 = 1;
    /// Of a packet: its flags.
    pub(super) const FLAGS: u16 = 2;
    /// Of statistics: the packets that came, and those that are missing.
    pub(super) const RECEIVED: u16 = 4;
    pub(super) const DROPPED: u16 = 5;
}

/// The directions in the flags of a packet.
const INBOUND: u32 = 1;
const OUTBOUND: u32 = 2;

/// What stands before the name of the peer in the second comment of a message.
const PEER: &str = "peer ";

/// Returns a file of messages for Wireshark. Each has what it says as its comment. `local` is the address of this node.
pub(crate) fn pcapng(messages: &[Found<'_>], local: SocketAddr) -> Vec<u8> {
    let mut file = begin("");
    for found in messages {
        add(&mut file, found.of(), local);
    }
    file
}

/// Returns the beginning of a file, with a comment on the whole if it is not empty.
pub(crate) fn begin(comment: &str) -> Vec<u8> {
    let mut file = Vec::new();
    block(&mut file, SECTION, |to| {
        to.extend(BYTE_ORDER.to_le_bytes());
        to.extend(1_u16.to_le_bytes());
        to.extend(0_u16.to_le_bytes());
        to.extend(UNKNOWN_LENGTH.to_le_bytes());
        if !comment.is_empty() {
            text(to, comment);
            end_of_options(to);
        }
    });
    block(&mut file, INTERFACE, |to| {
        to.extend(UPPER_PDU.to_le_bytes());
        to.extend([0; 6]);
    });
    file
}

/// Appends a message.
pub(crate) fn add(file: &mut Vec<u8>, of: MessageOf<'_>, local: SocketAddr) {
    block(file, PACKET, |to| packet(to, of, local));
}

/// Appends how many messages there were by a time, in microseconds, and how many of them are missing.
pub(crate) fn add_statistics(
    file: &mut Vec<u8>,
    at: i64,
    (received, dropped): (u64, u64),
    comment: &str,
) {
    block(file, STATISTICS, |to| {
        to.extend(0_u32.to_le_bytes());
        time(to, at);
        option(to, option::RECEIVED, &received.to_le_bytes());
        option(to, option::DROPPED, &dropped.to_le_bytes());
        text(to, comment);
        end_of_options(to);
    });
}

/// Appends a block: its type, its length, its body and its length again.
fn block(file: &mut Vec<u8>, kind: u32, body: impl FnOnce(&mut Vec<u8>)) {
    let from = file.len();
    file.extend(kind.to_le_bytes());
    file.extend([0; 4]);
    body(file);
    pad(file, from);
    let length = (file.len() - from + 4) as u32;
    file[from + 4..from + 8].copy_from_slice(&length.to_le_bytes());
    file.extend(length.to_le_bytes());
}

/// Pads what begins at `from` to whole words.
fn pad(to: &mut Vec<u8>, from: usize) {
    to.resize(from + (to.len() - from).next_multiple_of(4), 0);
}

fn option(to: &mut Vec<u8>, code: u16, value: &[u8]) {
    let from = to.len();
    to.extend(code.to_le_bytes());
    to.extend((value.len() as u16).to_le_bytes());
    to.extend(value);
    pad(to, from);
}

/// Appends a comment, or as much of it as there is room for.
fn text(to: &mut Vec<u8>, comment: &str) {
    let comment = &comment[..comment.floor_char_boundary(usize::from(u16::MAX))];
    option(to, option::COMMENT, comment.as_bytes());
}

fn end_of_options(to: &mut Vec<u8>) {
    option(to, option::END, &[]);
}

fn time(to: &mut Vec<u8>, at: i64) {
    let at = at.cast_unsigned();
    to.extend(((at >> 32) as u32).to_le_bytes());
    to.extend((at as u32).to_le_bytes());
}

fn packet(to: &mut Vec<u8>, of: MessageOf<'_>, local: SocketAddr) {
    let MessageOf { host, address, logged, message } = of;
    let (source, destination) = if logged.is_sent { (local, address) } else { (address, local) };
    let mut data = head(source, destination);
    data.extend_from_slice(logged.octets);
    to.extend(0_u32.to_le_bytes());
    time(to, logged.at);
    let length = (data.len() as u32).to_le_bytes();
    to.extend(length);
    to.extend(length);
    let from = to.len();
    to.extend(data);
    pad(to, from);
    let direction = if logged.is_sent { OUTBOUND } else { INBOUND };
    text(to, &summary(&message));
    text(to, &format!("{PEER}{host}"));
    option(to, option::FLAGS, &direction.to_le_bytes());
    end_of_options(to);
}

/// Returns what stands before a message: its dissector, and its addresses. It is in network order.
fn head(source: SocketAddr, destination: SocketAddr) -> Vec<u8> {
    let mut head = Vec::new();
    let mut tag = |tag: u16, value: &[u8]| {
        head.extend(tag.to_be_bytes());
        head.extend((value.len().next_multiple_of(4) as u16).to_be_bytes());
        head.extend(value);
        pad(&mut head, 0);
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

/// Returns the messages in blocks that this module has written. What is none of them is passed over.
pub(crate) fn read(mut blocks: &[u8]) -> impl Iterator<Item = MessageOf<'_>> {
    std::iter::from_fn(move || {
        loop {
            let length = usize::try_from(word(blocks, 4)?).ok()?;
            let (block, rest) = blocks.split_at_checked(length).filter(|_| length > 0)?;
            blocks = rest;
            if word(block, 0) == Some(PACKET)
                && let Some(message) = read_packet(block)
            {
                return Some(message);
            }
        }
    })
}

/// The octets of the head of a block of a packet, and of the length at its end.
const PACKET_HEAD: usize = 28;
const TRAILER: usize = 4;

fn read_packet(block: &[u8]) -> Option<MessageOf<'_>> {
    let at = (u64::from(word(block, 12)?) << 32 | u64::from(word(block, 16)?)).cast_signed();
    let length = usize::try_from(word(block, 20)?).ok()?;
    let rest = block.get(PACKET_HEAD..block.len().checked_sub(TRAILER)?)?;
    let data = rest.get(..length)?;
    let options = rest.get(length.checked_next_multiple_of(4)?..)?;
    let (mut host, mut flags) = ("", 0);
    for (code, value) in values(options, u16::from_le_bytes) {
        match code {
            option::END => break,
            option::FLAGS => flags = word(value, 0)?,
            // The last comment counts: the first one has texts of the peer.
            option::COMMENT => {
                host = str::from_utf8(value).ok()?.strip_prefix(PEER).unwrap_or(host)
            }
            _ => {}
        }
    }
    let is_sent = flags == OUTBOUND;
    let (address, octets) = read_head(data, is_sent)?;
    let Ok(Frame::Message(message)) = Frame::read(octets, MESSAGE_OCTETS) else { return None };
    let logged = LoggedMessage { at, is_sent, octets: message.octets };
    Some(MessageOf { host, address, logged, message })
}

/// Returns the address of the peer in what stands before a message, and the message.
fn read_head(data: &[u8], is_sent: bool) -> Option<(SocketAddr, &[u8])> {
    let [of_ipv4, of_ipv6, of_port] = match is_sent {
        true => [tag::IPV4_DESTINATION, tag::IPV6_DESTINATION, tag::DESTINATION_PORT],
        false => [tag::IPV4_SOURCE, tag::IPV6_SOURCE, tag::SOURCE_PORT],
    };
    let (mut ip, mut port, mut at) = (IpAddr::from([0; 4]), 0, 0);
    for (tag, value) in values(data, u16::from_be_bytes) {
        at += 4 + value.len().next_multiple_of(4);
        match tag {
            tag::END => break,
            tag if tag == of_ipv4 => ip = Ipv4Addr::from(*value.first_chunk()?).into(),
            tag if tag == of_ipv6 => ip = Ipv6Addr::from(*value.first_chunk::<16>()?).into(),
            tag if tag == of_port => port = u32::from_be_bytes(*value.first_chunk()?) as u16,
            _ => {}
        }
    }
    Some((SocketAddr::new(ip, port), data.get(at..)?))
}

/// Returns the values of a list, each behind its code and its length, and with padding.
fn values(mut list: &[u8], number: impl Fn([u8; 2]) -> u16) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let (code, rest) = list.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let length = usize::from(number(*length));
        let value = rest.get(..length)?;
        list = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some((number(*code), value))
    })
}

fn word(octets: &[u8], at: usize) -> Option<u32> {
    octets.get(at..)?.first_chunk().map(|word| u32::from_le_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use diameter::avp::AvpCode;
    use diameter::header::{Header, VERSION};
    use diameter::write;

    fn message(text: &str) -> Vec<u8> {
        let (flags, command, application) = (0x80, 280, 0);
        let header = Header {
            version: VERSION,
            length: 0,
            flags,
            command,
            application,
            hop_by_hop: 1,
            end_to_end: 2,
        };
        let mut octets = Vec::new();
        write::message(&mut octets, header, |to| to.text(AvpCode::ietf(1), text));
        octets
    }

    fn file() -> Vec<u8> {
        let mut file = begin("a trace");
        let local = "192.0.2.1:3868".parse().unwrap();
        for (at, address) in [(1, "192.0.2.7:40000"), (1 << 40, "[2001:db8::7]:1")] {
            let octets = message("anna");
            let Ok(Frame::Message(message)) = Frame::read(&octets, MESSAGE_OCTETS) else {
                panic!()
            };
            let logged = LoggedMessage { at, is_sent: at > 1, octets: &octets };
            let address = address.parse().unwrap();
            add(&mut file, MessageOf { host: "smf.example.net", address, logged, message }, local);
        }
        add_statistics(&mut file, 5, (2, 1), "1 message is missing");
        file
    }

    #[test]
    fn what_is_written_is_read() {
        let file = file();
        let read: Vec<MessageOf<'_>> = read(&file).collect();
        let peers = read.iter().map(|of| (of.logged.at, of.logged.is_sent, of.address.to_string()));
        let expected = [(1, false, "192.0.2.7:40000"), (1 << 40, true, "[2001:db8::7]:1")];
        assert!(peers.eq(expected.map(|(at, sent, of)| (at, sent, of.to_owned()))));
        assert!(read.iter().all(|of| of.host == "smf.example.net"));
        assert!(read.iter().all(|of| of.logged.octets == message("anna")));
    }

    #[test]
    fn a_file_that_is_cut_or_damaged_is_read_as_far_as_it_goes() {
        let whole = file();
        for at in 0..whole.len() {
            assert!(read(&whole[..at]).count() <= 2);
            let mut damaged = whole.clone();
            damaged[at] ^= 0xff;
            assert!(read(&damaged).count() <= 2);
        }
    }
}
