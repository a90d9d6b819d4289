//! Built-in functions on numbers: conversions from and to text and octets, bits.

use std::io::Write as _;

use super::CallContext;
use crate::fault::{Reason, shown};

type Result = std::result::Result<u64, Reason>;

/// Maximum octets of `toOctets`.
const OCTETS_MAX: i64 = 8;

pub(super) fn to_string(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    context.make(|_, out| {
        // Writing to memory does not fail.
        let _ = write!(out, "{}", arguments[0] as i64);
        Ok(())
    })
}

pub(super) fn boolean_to_string(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    context.make(|_, out| {
        out.extend_from_slice(if arguments[0] == 0 { b"FALSE" } else { b"TRUE" });
        Ok(())
    })
}

/// Parses a number in a base of 2 to 36. Only a sign may precede the digits.
pub(super) fn to_integer(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    let base = match arguments.get(1).map(|base| *base as i64) {
        None => 10,
        Some(base @ 2..=36) => base as u32,
        Some(base) => {
            return Err(Reason::argument(format!("the base {base} is not within 2 .. 36")));
        }
    };
    let octets = context.octets(arguments[0]);
    let number =
        std::str::from_utf8(octets).ok().and_then(|text| i64::from_str_radix(text, base).ok());
    match number {
        Some(number) => Ok(number as u64),
        None => Err(not_a_number(octets)),
    }
}

#[cold]
fn not_a_number(octets: &[u8]) -> Reason {
    Reason::NotANumber { text: shown(&octets[..octets.len().min(40)]) }
}

/// Returns a number as hexadecimal digits, filled with zeros to a width.
pub(super) fn to_hex(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    let width = match arguments.get(1).map(|width| *width as i64) {
        None => 1,
        Some(width @ 0..=64) => width as usize,
        Some(width) => {
            return Err(Reason::argument(format!("the width {width} is not within 0 .. 64")));
        }
    };
    context.make(|_, out| {
        let _ = write!(out, "{:0width$x}", arguments[0]);
        Ok(())
    })
}

/// Returns a non-negative number as so many octets, the highest first.
pub(super) fn to_octets(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    let (number, count) = (arguments[0] as i64, arguments[1] as i64);
    let fits = number >= 0
        && (1..=OCTETS_MAX).contains(&count)
        && (count == OCTETS_MAX || number < 1 << (8 * count));
    if !fits {
        return Err(Reason::argument(format!("{number} does not fit into {count} octets")));
    }
    context.make(|_, out| {
        out.extend_from_slice(&number.to_be_bytes()[8 - count as usize..]);
        Ok(())
    })
}

/// Returns octets as a non-negative number, the highest first.
pub(super) fn unsigned(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    context.octets(arguments[0]).iter().try_fold(0_u64, |number, octet| match number >> 55 {
        0 => Ok(number << 8 | u64::from(*octet)),
        _ => Err(Reason::Overflow),
    })
}

/// Returns bit `n` of octets. Bit 0 is the highest of the first octet.
pub(super) fn bit(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    let place = arguments[1];
    let octet = context.octets(arguments[0]).get((place / 8) as usize);
    Ok(octet.map_or(0, |octet| u64::from(octet >> (7 - place % 8) & 1)))
}

pub(super) fn bit_and(_: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    Ok(arguments[0] & arguments[1])
}

pub(super) fn bit_or(_: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    Ok(arguments[0] | arguments[1])
}

pub(super) fn shift_left(_: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    let (number, by) = (arguments[0] as i64, shift(arguments[1])?);
    let shifted = number << by;
    match shifted >> by == number {
        true => Ok(shifted as u64),
        false => Err(Reason::Overflow),
    }
}

pub(super) fn shift_right(_: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    Ok((arguments[0] as i64 >> shift(arguments[1])?) as u64)
}

fn shift(by: u64) -> std::result::Result<u32, Reason> {
    match by {
        0..=63 => Ok(by as u32),
        _ => Err(Reason::argument(format!("a shift by {} bits", by as i64))),
    }
}

pub(super) fn abs(_: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    (arguments[0] as i64).checked_abs().map(|number| number as u64).ok_or(Reason::Overflow)
}

pub(super) fn min(_: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    Ok((arguments[0] as i64).min(arguments[1] as i64) as u64)
}

pub(super) fn max(_: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    Ok((arguments[0] as i64).max(arguments[1] as i64) as u64)
}
