//! Contents octets of types without components: which encodings X.690 allows.
//!
//! The decoder does not check them, since most values of a record are never read; codecs that write
//! values in another format do. Two deviations are accepted: integers with leading octets they do
//! not need, and text outside the type's character set ([`text`]).

use std::borrow::Cow;

use reason::Coded;
use record::{Kind, TextKind, integer_from_octets};

/// The reason why contents octets are not a value of their type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("contents")]
pub enum Fault {
    /// X.690 does not allow these contents octets.
    #[code("contents-not-allowed")]
    #[error("{fault}", fault = .0)]
    Contents(&'static str),
    /// A string contains an octet that is not valid UTF-8.
    #[error("octet {octet:02X} at {at} of the string is no UTF-8")]
    NotUtf8 {
        /// The octet.
        octet: u8,
        /// Its offset in the string, from 0.
        at: usize,
    },
    /// A string contains an octet that is valid neither in UTF-8 nor in ISO 8859-1, which the type accepts, too.
    #[error("octet {octet:02X} at {at} of the string is no UTF-8, and the string is no ISO 8859-1")]
    NotText {
        /// The octet.
        octet: u8,
        /// Its offset in the string, from 0.
        at: usize,
    },
}

impl From<&'static str> for Fault {
    fn from(fault: &'static str) -> Self {
        Fault::Contents(fault)
    }
}

/// Maximum octets of one arc of an object identifier: 128 bits, as in UUIDs (X.667).
const ARC_OCTETS_MAX: usize = 19;

/// A value, or the reason its octets do not encode one. The reason names the type.
type Read<T> = Result<T, &'static str>;

/// Checks that octets are contents octets of a value of this type.
pub fn check(kind: &Kind, octets: &[u8]) -> Result<(), Fault> {
    match kind {
        Kind::Boolean => boolean(octets).map(drop)?,
        Kind::Integer { .. } => integer(octets).map(drop)?,
        Kind::Enumerated { .. } => enumerated(octets).map(drop)?,
        Kind::Real => real(octets).map(drop)?,
        Kind::Null => null(octets)?,
        Kind::BitString { .. } => bits(octets).map(drop)?,
        Kind::ObjectIdentifier | Kind::RelativeObjectIdentifier => {
            arcs(octets)?.try_for_each(|arc| arc.map(drop))?;
        }
        Kind::Text(TextKind::Universal | TextKind::Bmp) => {
            wide(octets, kind).try_for_each(|found| found.map(drop))?;
        }
        Kind::Text(_) | Kind::Time(_) => text(kind, octets).map(drop)?,
        Kind::OctetString | Kind::Open => {}
        _ => Err("a structure is no value")?,
    }
    Ok(())
}

/// Reads a BOOLEAN (X.690, 8.2).
pub(crate) fn boolean(octets: &[u8]) -> Read<bool> {
    match octets {
        [octet] => Ok(*octet != 0),
        [] => Err("a BOOLEAN has no octet"),
        _ => Err("a BOOLEAN has more than one octet"),
    }
}

/// Returns the octets of an integer; there is at least one (X.690, 8.3).
pub(crate) fn integer(octets: &[u8]) -> Read<&[u8]> {
    if octets.is_empty() { Err("an INTEGER has no octets") } else { Ok(octets) }
}

/// Reads an ENUMERATED (X.690, 8.4).
pub(crate) fn enumerated(octets: &[u8]) -> Read<i64> {
    if octets.is_empty() {
        return Err("an ENUMERATED has no octets");
    }
    integer_from_octets(octets).map_err(|_| "an ENUMERATED has a number beyond 64 bits")
}

/// Reads a NULL (X.690, 8.8).
pub(crate) fn null(octets: &[u8]) -> Read<()> {
    if octets.is_empty() { Ok(()) } else { Err("a NULL has octets") }
}

/// Returns the number of bits and the octets that contain them (X.690, 8.6.2).
pub(crate) fn bits(octets: &[u8]) -> Read<(usize, &[u8])> {
    let (unused, bits) =
        octets.split_first().ok_or("a BIT STRING has no number of its unused bits")?;
    let length = (bits.len() * 8).checked_sub(usize::from(*unused)).filter(|_| *unused < 8);
    Ok((length.ok_or("a BIT STRING has more unused bits than it has bits")?, bits))
}

/// Returns the numbers encoded in an object identifier. The first one combines the first two arcs (X.690, 8.19 and
/// 8.20).
pub(crate) fn arcs(octets: &[u8]) -> Read<impl Iterator<Item = Read<u128>>> {
    if octets.is_empty() {
        return Err("an object identifier has no octets");
    }
    Ok(octets.split_inclusive(|octet| octet & 0x80 == 0).map(|arc| {
        if arc[arc.len() - 1] & 0x80 != 0 {
            return Err("an object identifier ends within a number");
        }
        if arc[0] == 0x80 {
            return Err("a number of an object identifier begins with an octet 80");
        }
        let value = arc
            .iter()
            .take(ARC_OCTETS_MAX)
            .try_fold(0_u128, |sum, octet| Some(sum.checked_mul(0x80)? | u128::from(octet & 0x7F)));
        let value = value.filter(|_| arc.len() <= ARC_OCTETS_MAX);
        value.ok_or("a number of an object identifier has more than 128 bits")
    }))
}

/// Reads a real number, rounded to the nearest 64-bit floating-point value (X.690, 8.5).
pub(crate) fn real(octets: &[u8]) -> Read<f64> {
    let Some((first, rest)) = octets.split_first() else { return Ok(0.0) };
    let value = match (first, rest) {
        (0x40, []) => return Ok(f64::INFINITY),
        (0x41, []) => return Ok(f64::NEG_INFINITY),
        (0x42, []) => return Ok(f64::NAN),
        (0x43, []) => return Ok(-0.0),
        (0x80.., rest) => binary_real(*first, rest)?,
        (0x00..=0x3F, rest) => decimal_real(*first, rest)?,
        _ => return Err("a REAL has a special value that is reserved"),
    };
    if value.is_finite() { Ok(value) } else { Err(BEYOND_FLOATING_POINT) }
}

const BEYOND_FLOATING_POINT: &str = "a REAL is beyond the range of 64-bit floating point";

// X.690, 8.5.7.
fn binary_real(first: u8, rest: &[u8]) -> Read<f64> {
    let short = "a REAL ends within its exponent";
    let bits_per_digit = match first >> 4 & 3 {
        0 => 1,
        1 => 3,
        2 => 4,
        _ => return Err("a REAL has a base that is reserved"),
    };
    let (length, rest) = match first & 3 {
        3 => rest.split_first().map(|(length, rest)| (usize::from(*length), rest)).ok_or(short)?,
        length => (usize::from(length) + 1, rest),
    };
    let (exponent, mantissa) = rest.split_at_checked(length).ok_or(short)?;
    let exponent = integer_from_octets(exponent)
        .map_err(|_| "a REAL has an exponent beyond 64 bits, or none")?;
    if mantissa.is_empty() {
        return Err("a REAL has no mantissa");
    }
    let scale = i64::from(first >> 2 & 3);
    let power = exponent.saturating_mul(bits_per_digit).saturating_add(scale);
    let magnitude = scaled(mantissa, power)?;
    Ok(if first & 0x40 == 0 { magnitude } else { -magnitude })
}

/// Returns mantissa * 2^power, rounded to floating point.
fn scaled(mantissa: &[u8], power: i64) -> Read<f64> {
    let start = mantissa.iter().position(|octet| *octet != 0);
    let Some(start) = start else { return Ok(0.0) };
    let mantissa = &mantissa[start..];
    let magnitude =
        mantissa.iter().take(16).fold(0_u128, |sum, octet| sum << 8 | u128::from(*octet));
    let behind = mantissa.len().saturating_sub(16) as i64 * 8;
    let power = power.saturating_add(behind).clamp(-5000, 5000) as i32;
    // In two steps, since 2^power alone can overflow or underflow although the value does not.
    let value = magnitude as f64 * 2_f64.powi(power / 2) * 2_f64.powi(power - power / 2);
    if value == 0.0 { Err(BEYOND_FLOATING_POINT) } else { Ok(value) }
}

/// Reads the decimal forms of ISO 6093 that X.690, 8.5.8 allows: NR1, NR2 and NR3.
fn decimal_real(first: u8, rest: &[u8]) -> Read<f64> {
    let fault = "a REAL has characters that are no number of its form (ISO 6093)";
    let text = std::str::from_utf8(rest).map_err(|_| fault)?.trim_start_matches(' ');
    let number = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match number.split_once(['E', 'e']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (number, None),
    };
    let (whole, fraction) = match mantissa.split_once(['.', ',']) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let is_digits = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
    let has_digits = !whole.is_empty() || fraction.is_some_and(|fraction| !fraction.is_empty());
    let exponent_digits = exponent.map(|text| text.strip_prefix(['-', '+']).unwrap_or(text));
    let is_sound = has_digits
        && is_digits(whole)
        && fraction.is_none_or(is_digits)
        && exponent_digits.is_none_or(|digits| !digits.is_empty() && is_digits(digits));
    let is_form = match first {
        1 => fraction.is_none() && exponent.is_none(),
        2 => fraction.is_some() && exponent.is_none(),
        // Many senders omit the decimal mark.
        3 => exponent.is_some(),
        _ => return Err("a REAL has a form that is reserved"),
    };
    if !is_sound || !is_form {
        return Err(fault);
    }
    let value: f64 = text.replace(',', ".").parse().map_err(|_| fault)?;
    let is_zero = mantissa.bytes().all(|digit| matches!(digit, b'0' | b'.' | b','));
    if value == 0.0 && !is_zero { Err(BEYOND_FLOATING_POINT) } else { Ok(value) }
}

/// Returns the characters of two octets (with surrogate pairs) or four, big-endian.
pub(crate) fn wide(octets: &[u8], kind: &Kind) -> impl Iterator<Item = Read<char>> {
    let is_universal = *kind == Kind::Text(TextKind::Universal);
    let size = if is_universal { 4 } else { 2 };
    let (whole, rest) = octets.split_at(octets.len() - octets.len() % size);
    let number = |unit: &[u8]| unit.iter().fold(0_u32, |sum, octet| sum << 8 | u32::from(*octet));
    let universal = whole.chunks(size).filter(move |_| is_universal).map(move |unit| {
        char::from_u32(number(unit)).ok_or("a UniversalString has a number that is no character's")
    });
    let units =
        whole.chunks(size).filter(move |_| !is_universal).map(move |unit| number(unit) as u16);
    let bmp = char::decode_utf16(units)
        .map(|found| found.map_err(|_| "a BMPString has half of a surrogate pair"));
    let end = (!rest.is_empty()).then_some(Err("a string ends within a character"));
    universal.chain(bmp).chain(end)
}

/// Decodes a string as UTF-8, which includes the character sets of most string types. For types older than UTF-8,
/// network elements also send ISO 8859-1. A string is read as ISO 8859-1 only if it contains no UTF-8 sequences and no
/// C1 controls (80 to 9F), which are frequent in text of other encodings.
pub fn text<'o>(kind: &Kind, octets: &'o [u8]) -> Result<Cow<'o, str>, Fault> {
    match std::str::from_utf8(octets) {
        Ok(text) => Ok(Cow::Borrowed(text)),
        Err(error) => latin_1(kind, octets, error.valid_up_to()).map(Cow::Owned),
    }
}

/// Decodes ISO 8859-1. `at` is the offset of the first octet that is not valid UTF-8.
#[cold]
fn latin_1(kind: &Kind, octets: &[u8], at: usize) -> Result<String, Fault> {
    let octet = octets[at];
    if matches!(kind, Kind::Text(TextKind::Utf8) | Kind::Time(_)) {
        return Err(Fault::NotUtf8 { octet, at });
    }
    let has_controls = octets.iter().any(|octet| (0x80..0xA0).contains(octet));
    let is_partly_utf_8 = octets.utf8_chunks().any(|chunk| !chunk.valid().is_ascii());
    if has_controls || is_partly_utf_8 {
        return Err(Fault::NotText { octet, at });
    }
    Ok(octets.iter().map(|octet| char::from(*octet)).collect())
}
