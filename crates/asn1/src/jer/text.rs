//! JSON strings and numbers (RFC 8259).

/// A string, escaped where JSON needs it.
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

/// Characters of one octet, or UTF-8. What is not UTF-8 is taken for Latin-1, which network elements
/// send in strings of every type.
pub(super) fn octets(out: &mut Vec<u8>, octets: &[u8]) {
    match std::str::from_utf8(octets) {
        Ok(text) => string(out, text),
        Err(_) => {
            out.push(b'"');
            octets.iter().for_each(|octet| character(out, char::from(*octet)));
            out.push(b'"');
        }
    }
}

/// Characters of two octets (with surrogates) or four, big-endian.
pub(super) fn wide(out: &mut Vec<u8>, octets: &[u8], size: usize) {
    out.push(b'"');
    let units = octets
        .chunks(size)
        .map(|unit| unit.iter().fold(0_u32, |sum, octet| sum << 8 | u32::from(*octet)));
    if size == 2 {
        for found in char::decode_utf16(units.map(|unit| unit as u16)) {
            character(out, found.unwrap_or(char::REPLACEMENT_CHARACTER));
        }
    } else {
        for unit in units {
            character(out, char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
    }
    out.push(b'"');
}

/// Octets as hexadecimal digits.
pub(super) fn hex(out: &mut Vec<u8>, octets: &[u8]) {
    let digits = b"0123456789abcdef";
    out.push(b'"');
    for octet in octets {
        out.extend_from_slice(&[digits[usize::from(octet >> 4)], digits[usize::from(octet & 15)]]);
    }
    out.push(b'"');
}

/// The digits of TBCD by their value; 15 fills up the last octet.
pub(super) const TBCD: &[u8; 15] = b"0123456789*#abc";

/// Telephone digits, two an octet with the lower half first, filled up with 15 (3GPP TS 29.002,
/// TBCD-STRING).
pub(super) fn tbcd(out: &mut Vec<u8>, octets: &[u8]) {
    out.push(b'"');
    for octet in octets {
        for half in [octet & 15, octet >> 4] {
            out.extend(TBCD.get(usize::from(half)));
        }
    }
    out.push(b'"');
}

/// A whole number.
pub(super) fn decimal(out: &mut Vec<u8>, value: impl itoa::Integer) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}
