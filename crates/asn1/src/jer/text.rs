//! JSON strings and numbers (RFC 8259).

use record::Kind;

use crate::contents::{self, Fault};

/// Writes a string, escaped where JSON requires it.
pub(super) fn string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    for character in text.chars() {
        self::character(out, character);
    }
    out.push(b'"');
}

fn character(out: &mut Vec<u8>, character: char) {
    match character {
        '"' => out.extend_from_slice(b"\\\""),
        '\\' => out.extend_from_slice(b"\\\\"),
        '\n' => out.extend_from_slice(b"\\n"),
        '\r' => out.extend_from_slice(b"\\r"),
        '\t' => out.extend_from_slice(b"\\t"),
        '\0'..='\x1f' => {
            let digits = b"0123456789abcdef";
            let code = character as usize;
            out.extend_from_slice(b"\\u00");
            out.extend_from_slice(&[digits[code >> 4], digits[code & 15]]);
        }
        _ => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

/// Writes characters of two octets (with surrogates) or four, big-endian.
pub(super) fn wide(out: &mut Vec<u8>, kind: &Kind, octets: &[u8]) -> Result<(), Fault> {
    out.push(b'"');
    for found in contents::wide(octets, kind) {
        character(out, found?);
    }
    out.push(b'"');
    Ok(())
}

/// Writes octets as hexadecimal digits.
pub(super) fn hex(out: &mut Vec<u8>, octets: &[u8]) {
    let digits = b"0123456789abcdef";
    out.push(b'"');
    for octet in octets {
        out.extend_from_slice(&[digits[usize::from(octet >> 4)], digits[usize::from(octet & 15)]]);
    }
    out.push(b'"');
}

/// The digits of TBCD by their value; 15 fills the last octet.
pub(super) const TBCD: &[u8; 15] = b"0123456789*#abc";

/// Writes telephone digits, two per octet, low half first, padded with 15 (3GPP TS 29.002, TBCD-STRING). It stops at
/// the first 15.
pub(super) fn tbcd(out: &mut Vec<u8>, octets: &[u8]) {
    out.push(b'"');
    let halves = octets.iter().flat_map(|octet| [octet & 15, octet >> 4]);
    out.extend(halves.map_while(|half| TBCD.get(usize::from(half))));
    out.push(b'"');
}

/// Writes a whole number.
pub(super) fn decimal(out: &mut Vec<u8>, value: impl itoa::Integer) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}
