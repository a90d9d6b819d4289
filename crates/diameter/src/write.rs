//! Messages are written at the end of a buffer. Lengths of messages and groups are filled in when they end.

use std::net::IpAddr;

use crate::avp::{AvpCode, flags};
use crate::header::{HEADER_OCTETS, Header};
use crate::value;

/// Where the length of a message or an AVP is in its header.
const MESSAGE_LENGTH_AT: usize = 1;
const AVP_LENGTH_AT: usize = 5;

/// The most octets that a length of 24 bits says.
const LENGTH_MAX: usize = 0x00ff_ffff;

/// Appends a message, and returns where it begins. `avps` writes its AVPs.
///
/// # Panics
///
/// The message has more octets than a length can say: 16 MB.
pub fn message(to: &mut Vec<u8>, header: Header, avps: impl FnOnce(&mut Writer<'_>)) -> usize {
    let from = to.len();
    to.extend_from_slice(&header.octets());
    debug_assert_eq!(to.len() - from, HEADER_OCTETS);
    avps(&mut Writer { to });
    fill_in(to, from, MESSAGE_LENGTH_AT);
    from
}

/// Writes the length of what begins at a place, and the padding behind it.
fn fill_in(to: &mut Vec<u8>, from: usize, length_at: usize) {
    let length = to.len() - from;
    assert!(length <= LENGTH_MAX, "a length has 24 bits");
    let [_, length @ ..] = (length as u32).to_be_bytes();
    to[from + length_at..][..length.len()].copy_from_slice(&length);
    to.resize(from + (to.len() - from).next_multiple_of(4), 0);
}

/// AVPs that are written once, and are in many messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template(Box<[u8]>);

impl Template {
    /// Returns what `avps` writes.
    pub fn new(avps: impl FnOnce(&mut Writer<'_>)) -> Self {
        let mut octets = Vec::new();
        avps(&mut Writer { to: &mut octets });
        Template(octets.into())
    }
}

/// Appends AVPs.
#[derive(Debug)]
pub struct Writer<'b> {
    to: &'b mut Vec<u8>,
}

impl<'b> Writer<'b> {
    /// Returns a writer of AVPs without a message, such as those of a Failed-AVP.
    pub fn new(to: &'b mut Vec<u8>) -> Self {
        Writer { to }
    }

    /// Appends AVPs that were written before.
    pub fn template(&mut self, Template(octets): &Template) {
        self.to.extend_from_slice(octets);
    }

    /// Appends an AVP. `data` writes its data. The V bit follows from the code.
    pub fn avp(&mut self, code: AvpCode, flags: u8, data: impl FnOnce(&mut Vec<u8>)) {
        let from = self.to.len();
        let vendor = if code.vendor == 0 { 0 } else { flags::VENDOR };
        let mut head = [0; 8];
        head[..4].copy_from_slice(&code.code.to_be_bytes());
        head[4] = flags & !flags::VENDOR | vendor;
        self.to.extend_from_slice(&head);
        if code.vendor != 0 {
            self.to.extend_from_slice(&code.vendor.to_be_bytes());
        }
        data(self.to);
        fill_in(self.to, from, AVP_LENGTH_AT);
    }

    /// Appends a group that the receiver must understand. `members` writes its AVPs.
    pub fn group(&mut self, code: AvpCode, members: impl FnOnce(&mut Writer<'_>)) {
        self.avp(code, flags::MANDATORY, |to| members(&mut Writer { to }));
    }

    /// Appends octets that the receiver must understand.
    pub fn octets(&mut self, code: AvpCode, octets: &[u8]) {
        self.avp(code, flags::MANDATORY, |to| to.extend_from_slice(octets));
    }

    /// Appends a text that the receiver must understand.
    pub fn text(&mut self, code: AvpCode, text: &str) {
        self.octets(code, text.as_bytes());
    }

    /// Appends an Unsigned32 that the receiver must understand.
    pub fn u32(&mut self, code: AvpCode, value: u32) {
        self.octets(code, &value.to_be_bytes());
    }

    /// Appends an Integer32 or an Enumerated that the receiver must understand.
    pub fn i32(&mut self, code: AvpCode, value: i32) {
        self.octets(code, &value.to_be_bytes());
    }

    /// Appends an Unsigned64 that the receiver must understand.
    pub fn u64(&mut self, code: AvpCode, value: u64) {
        self.octets(code, &value.to_be_bytes());
    }

    /// Appends an Integer64 that the receiver must understand.
    pub fn i64(&mut self, code: AvpCode, value: i64) {
        self.octets(code, &value.to_be_bytes());
    }

    /// Appends a Time that the receiver must understand, by its seconds since 1970-01-01 UTC.
    pub fn time(&mut self, code: AvpCode, seconds: i64) {
        self.u32(code, value::ntp_of(seconds));
    }

    /// Appends an Address that the receiver must understand.
    pub fn address(&mut self, code: AvpCode, address: IpAddr) {
        self.avp(code, flags::MANDATORY, |to| value::write_address(address, to));
    }

    /// Appends an AVP as it came.
    pub fn copy(&mut self, avp: &crate::avp::Avp<'_>) {
        self.to.extend_from_slice(avp.octets);
        self.to.resize(self.to.len() + avp.octets.len().next_multiple_of(4) - avp.octets.len(), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Frame, Message};
    use crate::header::VERSION;

    const HEADER: Header = Header {
        version: VERSION,
        length: 0,
        flags: 0,
        command: 272,
        application: 4,
        hop_by_hop: 7,
        end_to_end: 8,
    };

    fn read(octets: &[u8]) -> Message<'_> {
        match Frame::read(octets, octets.len()) {
            Ok(Frame::Message(message)) => message,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let mut octets = b"before".to_vec();
        let from = message(&mut octets, HEADER, |avps| {
            avps.text(AvpCode::ietf(263), "a;1");
            avps.group(AvpCode::ietf(456), |members| {
                members.group(AvpCode::ietf(431), |units| units.u64(AvpCode::ietf(421), 1 << 40));
                members.avp(AvpCode::tgpp(868), 0, |to| to.extend([0, 0, 0, 9]));
            });
            avps.address(AvpCode::ietf(257), [127, 0, 0, 1].into());
            avps.time(AvpCode::ietf(55), 1_795_000_000);
        });
        let message = read(&octets[from..]);
        assert_eq!((from, message.octets.len() % 4), (6, 0));
        let avps: Vec<_> = message.avps().collect::<Result<_, _>>().unwrap();
        let [session, group, address, time] = &avps[..] else { panic!("{avps:?}") };
        assert_eq!((session.text(), session.octets.len()), (Ok("a;1"), 11));
        let members: Vec<_> = group.members().collect::<Result<_, _>>().unwrap();
        let units = members[0].members().next().unwrap().unwrap();
        assert_eq!((units.u64(), members[1].flags, members[1].u32()), (Ok(1 << 40), 0x80, Ok(9)));
        assert!(address.address().is_ok());
        assert_eq!(time.time(), Ok(1_795_000_000));
    }

    #[test]
    fn an_avp_is_copied_with_its_padding() {
        let mut octets = Vec::new();
        Writer::new(&mut octets).avp(AvpCode::ietf(284), 0x20, |to| to.extend(b"state"));
        let avp = crate::avp::Avps::new(&octets).next().unwrap().unwrap();
        let mut copy = Vec::new();
        Writer::new(&mut copy).copy(&avp);
        assert_eq!(copy, octets);
    }
}
