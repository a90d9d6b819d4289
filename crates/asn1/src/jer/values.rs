//! Writes content octets as JSON values, by type.

use record::{Kind, TextKind, integer_from_octets};

use super::text;
use crate::contents::{self, Fault};
use crate::integers::NUMBER_OCTETS_MAX;

type Written = Result<(), Fault>;

/// Writes a number from a slot.
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

/// Writes a value without slots below it.
pub(super) fn leaf(out: &mut Vec<u8>, kind: &Kind, octets: &[u8]) -> Written {
    match kind {
        Kind::Boolean => number(out, kind, i64::from(contents::boolean(octets)?)),
        Kind::Enumerated { .. } => number(out, kind, contents::enumerated(octets)?),
        Kind::Integer { .. } => integer(out, contents::integer(octets)?)?,
        Kind::Real => real(out, octets)?,
        Kind::Null => {
            contents::null(octets)?;
            out.extend_from_slice(b"null");
        }
        Kind::OctetString | Kind::Open => text::hex(out, octets),
        Kind::BitString { fixed, .. } => bits(out, octets, *fixed)?,
        Kind::ObjectIdentifier => object_identifier(out, octets, true)?,
        Kind::RelativeObjectIdentifier => object_identifier(out, octets, false)?,
        Kind::Text(TextKind::Universal | TextKind::Bmp) => text::wide(out, kind, octets)?,
        Kind::Text(_) | Kind::Time(_) => text::string(out, &contents::text(kind, octets)?),
        _ => return Err("a structure without slots".into()),
    }
    Ok(())
}

fn integer(out: &mut Vec<u8>, octets: &[u8]) -> Written {
    match integer_from_octets(octets) {
        Ok(value) => text::decimal(out, value),
        Err(_) if octets.len() <= 16 => {
            let start = i128::from(octets[0] as i8);
            let value = octets[1..].iter().fold(start, |sum, octet| sum << 8 | i128::from(*octet));
            text::decimal(out, value);
        }
        Err(_) if octets.len() > NUMBER_OCTETS_MAX => {
            return Err("a number of too many octets".into());
        }
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

// X.697, 23.
fn real(out: &mut Vec<u8>, octets: &[u8]) -> Written {
    let value = contents::real(octets)?;
    match value {
        f64::INFINITY => text::string(out, "INF"),
        f64::NEG_INFINITY => text::string(out, "-INF"),
        value if value.is_nan() => text::string(out, "NaN"),
        0.0 if value.is_sign_negative() => text::string(out, "-0"),
        0.0 => out.push(b'0'),
        value => out.extend_from_slice(format!("{value:?}").as_bytes()),
    }
    Ok(())
}

// X.697, 24: a fixed-size type omits the length. A value of another length includes it anyway.
fn bits(out: &mut Vec<u8>, octets: &[u8], fixed: Option<u32>) -> Written {
    let (length, bits) = contents::bits(octets)?;
    if fixed.is_some_and(|fixed| fixed as usize == length) {
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

fn object_identifier(out: &mut Vec<u8>, octets: &[u8], absolute: bool) -> Written {
    out.push(b'"');
    for (place, arc) in contents::arcs(octets)?.enumerate() {
        let mut value = arc?;
        if place > 0 {
            out.push(b'.');
        } else if absolute {
            let top = (value / 40).min(2);
            text::decimal(out, top);
            out.push(b'.');
            value -= top * 40;
        }
        text::decimal(out, value);
    }
    out.push(b'"');
    Ok(())
}
