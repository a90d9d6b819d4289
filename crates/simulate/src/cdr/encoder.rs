//! Writes a call data record of `examples/msc-billing/asn1/msc.asn1` directly as BER.
//!
//! The layout is fixed by hand: every tag is one octet, every inner length is one octet, the outer length is two (81
//! nn). Change it together with the module. // ORDER MSC

use super::time;
use crate::random::Random;

/// First octet of every record: `[APPLICATION 10]`, constructed. No pair of decimal digits has this octet.
pub(crate) const ROOT_TAG: u8 = 0x6A;
/// Octets before a record's first element: the tag and the length in its long form.
pub(crate) const HEADER_BYTES: usize = 3;

/// The kind of a record (the numbers of TS 32.298's RecordType; forwarding is ours).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    Originated = 0,
    Terminated = 1,
    Roaming = 2,
    ShortMessage = 6,
    Forwarded = 100,
}

/// The properties of a call that are decided before it is written.
pub(crate) struct Call {
    pub(crate) kind: Kind,
    pub(crate) answer_second: u64,
    pub(crate) duration_seconds: u32,
    pub(crate) cause: u8,
    pub(crate) sequence_number: u32,
    pub(crate) unknown_extension: bool,
    pub(crate) has_location: bool,
}

/// The properties that all records of a file share.
pub(crate) struct Origin {
    pub(crate) version: u8,
    /// AddressString: nature of address, digits.
    pub(crate) msc_address: [u8; 7],
}

/// Appends the record. Returns where in `out` the length of its sequence number is.
pub(crate) fn encode(
    out: &mut Vec<u8>,
    random: &mut Random,
    origin: &Origin,
    call: &Call,
) -> usize {
    let start = out.len();
    out.extend_from_slice(&[ROOT_TAG, 0x81, 0, 0x80, 1, call.kind as u8, 0x81, 1, origin.version]);
    element(out, 0x82, &origin.msc_address);
    digits::<8>(out, 0x83, random); // servedIMSI
    *out.last_mut().expect("digits were just written") |= 0xF0; // Fifteen digits and a filler.
    digits::<8>(out, 0x84, random); // servedIMEI
    address(out, 0x85, random); // servedMSISDN
    address(out, 0x86, random); // callingNumber
    address(out, 0x87, random); // calledNumber
    element(out, 0x88, &time::stamp(call.answer_second));
    element(out, 0x89, &time::stamp(call.answer_second + u64::from(call.duration_seconds)));
    integer(out, 0x8A, call.duration_seconds);
    out.extend_from_slice(&[0x8B, 1, call.cause]);
    element(out, 0x8C, &random.next().to_be_bytes()[..5]); // callReference
    if call.has_location {
        location(out, random);
    }
    element(out, 0x93, b"MSC-EXCHANGE-A"); // exchangeIdentity
    services(out, random);
    details(out, random, call.kind);
    let sequence_number_length = out.len() + 1;
    integer(out, 0x90, call.sequence_number);
    if origin.version >= 8 {
        element(out, 0x91, &random.next().to_be_bytes()); // networkCallReference
        out.extend_from_slice(&[0x92, 1, random.below(4) as u8]); // radioTechnology
    }
    if call.unknown_extension {
        let unknown = random.next().to_be_bytes();
        out.extend_from_slice(&[0xB9, 6, 0x80, 4, unknown[0], unknown[1], unknown[2], unknown[3]]);
    }
    let content = out.len() - start - HEADER_BYTES;
    assert!(
        (0x80..=0xFF).contains(&content),
        "a record of {content} octets has another form of length"
    );
    out[start + 2] = content as u8;
    sequence_number_length
}

fn location(out: &mut Vec<u8>, random: &mut Random) {
    let [a, b, c, d, ..] = random.next().to_be_bytes();
    out.extend_from_slice(&[0xAD, 17, 0x80, 2, a, b, 0x81, 2, c, d]);
    out.extend_from_slice(&[0x82, 7, 0x13, 0x00, 0x14, a, b, c, d]); // Cell global identity.
}

fn services(out: &mut Vec<u8>, random: &mut Random) {
    let count = 1 + random.below(3) as u8;
    out.extend_from_slice(&[0xAE, 11 * count]);
    for _ in 0..count {
        let service = random.next().to_be_bytes();
        let used = if service[2] & 1 == 1 { 0xFF } else { 0 };
        out.extend_from_slice(&[
            0x30,
            9,
            0x80,
            1,
            service[0] & 3,
            0x81,
            1,
            service[1] & 0x3F,
            0x82,
            1,
            used,
        ]);
    }
}

fn details(out: &mut Vec<u8>, random: &mut Random, kind: Kind) {
    let length_at = out.len() + 1;
    out.extend_from_slice(&[0xAF, 0]);
    match kind {
        Kind::Originated => {
            out.extend_from_slice(&[0xA0, 29]);
            trunk(out, 0x80, random);
            trunk(out, 0x81, random);
            out.extend_from_slice(&[0x82, 1, 0x11]);
            four_octets(out, 0x83, random);
        }
        Kind::Terminated => {
            out.extend_from_slice(&[0xA1, 26]);
            trunk(out, 0x80, random);
            trunk(out, 0x81, random);
            four_octets(out, 0x82, random);
        }
        Kind::Forwarded => {
            out.extend_from_slice(&[0xA2, 21]);
            address(out, 0x80, random);
            trunk(out, 0x81, random);
            out.extend_from_slice(&[0x82, 0]);
        }
        Kind::Roaming => {
            out.extend_from_slice(&[0xA3, 24]);
            digits::<3>(out, 0x80, random);
            address(out, 0x81, random);
            trunk(out, 0x82, random);
        }
        Kind::ShortMessage => {
            out.extend_from_slice(&[0xA4, 21]);
            address(out, 0x80, random);
            four_octets(out, 0x81, random);
            out.extend_from_slice(&[0x82, 1, 1 + random.below(127) as u8]);
            out.extend_from_slice(&[0x83, 1, random.below(100) as u8]);
        }
    }
    out[length_at] = (out.len() - length_at - 1) as u8;
}

#[inline]
fn element(out: &mut Vec<u8>, tag: u8, content: &[u8]) {
    out.extend_from_slice(&[tag, content.len() as u8]);
    out.extend_from_slice(content);
}

/// Appends a non-negative INTEGER in its shortest form.
#[inline]
fn integer(out: &mut Vec<u8>, tag: u8, value: u32) {
    let octets = (1 + (value | 1).ilog2() as usize) / 8 + 1;
    element(out, tag, &u64::from(value).to_be_bytes()[8 - octets..]);
}

/// Appends the number of a connection or message.
#[inline]
fn four_octets(out: &mut Vec<u8>, tag: u8, random: &mut Random) {
    element(out, tag, &(random.next() as u32).to_be_bytes());
}

/// Appends `2 * N` decimal digits, two per octet.
#[inline]
fn digits<const N: usize>(out: &mut Vec<u8>, tag: u8, random: &mut Random) {
    let pairs: [u8; 8] =
        random.next().to_be_bytes().map(|octet| time::BCD[usize::from(octet) * 100 / 256]);
    const { assert!(N <= 8) };
    element(out, tag, &pairs[..N]);
}

/// Appends an AddressString: international E.164, twelve digits.
#[inline]
fn address(out: &mut Vec<u8>, tag: u8, random: &mut Random) {
    out.extend_from_slice(&[tag, 7, 0x91]);
    let pairs: [u8; 8] =
        random.next().to_be_bytes().map(|octet| time::BCD[usize::from(octet) * 100 / 256]);
    out.extend_from_slice(&pairs[..6]);
}

/// Appends a trunk group's name, eight letters and digits.
#[inline]
fn trunk(out: &mut Vec<u8>, tag: u8, random: &mut Random) {
    let number = random.next().to_be_bytes();
    let digit = |at: usize| b'0' + number[at] % 10;
    element(out, tag, &[b'T', b'R', b'K', b'-', digit(0), digit(1), digit(2), digit(3)]);
}
