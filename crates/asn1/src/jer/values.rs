//! Content octets to JSON values, type by type.

use record::{Kind, TextKind, integer_from_octets};

use super::text;

type Written = Result<(), &'static str>;

/// Most octets of a whole number that are written as decimal digits; the time that takes grows with
/// their square. Keys of certificates have a few hundred.
const NUMBER_OCTETS_MAX: usize = 4096;

/// Most octets of one arc of an object identifier: 128 bits, as in UUIDs (X.667).
const ARC_OCTETS_MAX: usize = 18;

/// A number in a slot.
pub(super) fn number(out: &mut Vec<u8>, kind: &Kind, value: i64) {
    match kind {
        Kind::Boolean => out.extend_from_slice(if value == 0 { b"false" } else { b"true" }),
        Kind::Enumerated { items, .. } => match items.iter().find(|item| item.value == value) {
            Some(item) => text::string(out, &item.name),
            None => text::decimal(out, value),
        },
        _ => text::decimal(out, value),
    }
}

/// A value without slots below it.
pub(super) fn leaf(out: &mut Vec<u8>, kind: &Kind, octets: &[u8]) -> Written {
    match kind {
        Kind::Boolean => {
            let value = octets.first().ok_or("a BOOLEAN has no octet")?;
            number(out, kind, i64::from(*value));
        }
        Kind::Enumerated { .. } => {
            let value = integer_from_octets(octets).map_err(|_| "a number beyond 64 bits")?;
            number(out, kind, value);
        }
        Kind::Integer { .. } => integer(out, octets)?,
        Kind::Real => real(out, octets)?,
        Kind::Null => out.extend_from_slice(b"null"),
        Kind::OctetString | Kind::Open => text::hex(out, octets),
        Kind::BitString { fixed, .. } => bits(out, octets, *fixed)?,
        Kind::ObjectIdentifier => object_identifier(out, octets, true)?,
        Kind::RelativeObjectIdentifier => object_identifier(out, octets, false)?,
        Kind::Text(TextKind::Universal) => text::wide(out, octets, 4),
        Kind::Text(TextKind::Bmp) => text::wide(out, octets, 2),
        Kind::Text(_) | Kind::Time(_) => text::octets(out, octets),
        _ => return Err("a structure without slots"),
    }
    Ok(())
}

fn integer(out: &mut Vec<u8>, octets: &[u8]) -> Written {
    match integer_from_octets(octets) {
        Ok(value) => text::decimal(out, value),
        Err(_) if octets.is_empty() => return Err("a number has no octets"),
        Err(_) if octets.len() <= 16 => {
            let start = i128::from(octets[0] as i8);
            let value = octets[1..].iter().fold(start, |sum, octet| sum << 8 | i128::from(*octet));
            text::decimal(out, value);
        }
        Err(_) if octets.len() > NUMBER_OCTETS_MAX => return Err("a number of too many octets"),
        Err(_) => large_integer(out, octets),
    }
    Ok(())
}

#[cold]
fn large_integer(out: &mut Vec<u8>, octets: &[u8]) {
    let negative = octets[0] & 0x80 != 0;
    let mut magnitude = octets.to_vec();
    if negative {
        magnitude.iter_mut().for_each(|octet| *octet = !*octet);
        for octet in magnitude.iter_mut().rev() {
            let (sum, carried) = octet.overflowing_add(1);
            *octet = sum;
            if !carried {
                break;
            }
        }
        out.push(b'-');
    }
    let mut digits = Vec::new();
    while magnitude.iter().any(|octet| *octet != 0) {
        let mut rest = 0_u32;
        for octet in &mut magnitude {
            let part = rest << 8 | u32::from(*octet);
            *octet = (part / 10) as u8;
            rest = part % 10;
        }
        digits.push(b'0' + rest as u8);
    }
    out.extend(digits.iter().rev());
}

// X.690, 8.5; X.697, 23.
fn real(out: &mut Vec<u8>, octets: &[u8]) -> Written {
    let Some((first, rest)) = octets.split_first() else {
        out.push(b'0');
        return Ok(());
    };
    match first {
        0x40 => text::string(out, "INF"),
        0x41 => text::string(out, "-INF"),
        0x42 => text::string(out, "NaN"),
        0x43 => text::string(out, "-0"),
        first if first & 0x80 != 0 => float(out, binary_real(*first, rest)?)?,
        first if first & 0xC0 == 0 => {
            let written = std::str::from_utf8(rest).ok();
            let value = written.and_then(|text| text.trim().replace(',', ".").parse::<f64>().ok());
            float(out, value.ok_or("a REAL whose decimal form cannot be read")?)?;
        }
        _ => return Err("a REAL of an unknown form"),
    }
    Ok(())
}

fn binary_real(first: u8, rest: &[u8]) -> Result<f64, &'static str> {
    let short = "a REAL whose octets end too early";
    let (length, rest) = match first & 3 {
        3 => rest.split_first().map(|(length, rest)| (usize::from(*length), rest)).ok_or(short)?,
        length => (usize::from(length) + 1, rest),
    };
    let (exponent, mantissa) = rest.split_at_checked(length).ok_or(short)?;
    let exponent =
        integer_from_octets(exponent).map_err(|_| "a REAL with too large an exponent")?;
    let bits_per_digit = [1, 3, 4, 1][usize::from(first >> 4 & 3)];
    let scale = i64::from(first >> 2 & 3);
    let power = exponent.saturating_mul(bits_per_digit).saturating_add(scale);
    let power = power.clamp(-5000, 5000) as i32;
    let magnitude = mantissa.iter().fold(0.0_f64, |sum, octet| sum * 256.0 + f64::from(*octet));
    // In two steps, since 2^power alone may be too large or small while the value is not.
    let value = magnitude * 2_f64.powi(power / 2) * 2_f64.powi(power - power / 2);
    Ok(if first & 0x40 == 0 { value } else { -value })
}

fn float(out: &mut Vec<u8>, value: f64) -> Written {
    if !value.is_finite() {
        return Err("a REAL beyond the range of 64-bit floating point");
    }
    out.extend_from_slice(format!("{value:?}").as_bytes());
    Ok(())
}

// X.697, 24.
fn bits(out: &mut Vec<u8>, octets: &[u8], fixed: bool) -> Written {
    let (unused, bits) = octets.split_first().ok_or("a BIT STRING has no octets")?;
    let length = (bits.len() * 8).checked_sub(usize::from(*unused)).filter(|_| *unused < 8);
    let length = length.ok_or("a BIT STRING with more unused bits than bits")?;
    if fixed {
        text::hex(out, bits);
        return Ok(());
    }
    out.extend_from_slice(b"{\"value\":");
    text::hex(out, bits);
    out.extend_from_slice(b",\"length\":");
    text::decimal(out, length as i128);
    out.push(b'}');
    Ok(())
}

// X.690, 8.19 and 8.20.
fn object_identifier(out: &mut Vec<u8>, octets: &[u8], absolute: bool) -> Written {
    out.push(b'"');
    let mut first = true;
    for arc in octets.split_inclusive(|octet| octet & 0x80 == 0) {
        if arc.len() > ARC_OCTETS_MAX || arc[arc.len() - 1] & 0x80 != 0 {
            return Err("an object identifier with an endless arc");
        }
        let value = arc.iter().fold(0_i128, |sum, octet| sum << 7 | i128::from(octet & 0x7F));
        match (first, absolute) {
            (true, true) => {
                let top = (value / 40).min(2);
                text::decimal(out, top);
                out.push(b'.');
                text::decimal(out, value - top * 40);
            }
            (true, false) => text::decimal(out, value),
            _ => {
                out.push(b'.');
                text::decimal(out, value);
            }
        }
        first = false;
    }
    out.push(b'"');
    Ok(())
}
