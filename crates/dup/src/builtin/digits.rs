//! Built-in functions on digits in octets: TBCD (3GPP TS 29.002, 17.7.8), BCD, hexadecimal.

use super::CallContext;
use crate::fault::Reason;

type Result = std::result::Result<u64, Reason>;

/// The digits of TBCD by their value; 15 fills the last octet.
const TBCD: &[u8; 15] = b"0123456789*#abc";

/// Converts TBCD octets to text: the low half first, up to the filler.
pub(super) fn digits(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    context.make(|context, out| {
        let octets = context.octets(arguments[0]);
        out.reserve(octets.len() * 2);
        for octet in octets {
            match (TBCD.get(usize::from(octet & 15)), TBCD.get(usize::from(octet >> 4))) {
                (Some(first), Some(second)) => out.extend_from_slice(&[*first, *second]),
                (first, _) => {
                    out.extend(first);
                    break;
                }
            }
        }
        Ok(())
    })
}

/// Converts text to TBCD octets, filled with 1111.
pub(super) fn tbcd(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    context.make(|context, out| {
        for pair in context.octets(arguments[0]).chunks(2) {
            let low = tbcd_value(pair[0])?;
            let high = pair.get(1).map_or(Ok(15), |digit| tbcd_value(*digit))?;
            out.push(high << 4 | low);
        }
        Ok(())
    })
}

fn tbcd_value(digit: u8) -> std::result::Result<u8, Reason> {
    let place = TBCD.iter().position(|known| *known == digit);
    place
        .map(|place| place as u8)
        .ok_or_else(|| Reason::argument(format!("'{}' is no digit of TBCD", char::from(digit))))
}

/// Converts BCD octets to text: the high half first, up to a half that is no decimal digit.
pub(super) fn bcd_digits(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    context.make(|context, out| {
        let halves = context.octets(arguments[0]).iter().flat_map(|octet| [octet >> 4, octet & 15]);
        out.extend(halves.take_while(|half| *half < 10).map(|half| b'0' + half));
        Ok(())
    })
}

/// Converts text to BCD octets, the high half first, filled with 1111.
pub(super) fn bcd(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    context.make(|context, out| {
        for pair in context.octets(arguments[0]).chunks(2) {
            let high = decimal(pair[0])?;
            let low = pair.get(1).map_or(Ok(15), |digit| decimal(*digit))?;
            out.push(high << 4 | low);
        }
        Ok(())
    })
}

fn decimal(digit: u8) -> std::result::Result<u8, Reason> {
    match digit {
        b'0'..=b'9' => Ok(digit - b'0'),
        _ => Err(Reason::argument(format!("'{}' is no decimal digit", char::from(digit)))),
    }
}

/// Converts octets to hexadecimal digits in lower case.
pub(super) fn hex(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    context.make(|context, out| {
        let halves = context.octets(arguments[0]).iter().flat_map(|octet| [octet >> 4, octet & 15]);
        out.extend(halves.map(|half| b"0123456789abcdef"[usize::from(half)]));
        Ok(())
    })
}

/// Converts hexadecimal digits to octets.
pub(super) fn unhex(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    context.make(|context, out| {
        let text = context.octets(arguments[0]);
        let half = |digit: u8| char::from(digit).to_digit(16).map(|value| value as u8);
        let wrong = || Reason::argument("not an even number of hexadecimal digits");
        if text.len() % 2 != 0 {
            return Err(wrong());
        }
        for pair in text.chunks(2) {
            let (high, low) = (half(pair[0]).ok_or_else(wrong)?, half(pair[1]).ok_or_else(wrong)?);
            out.push(high << 4 | low);
        }
        Ok(())
    })
}

/// Returns the check digit of decimal digits (ISO/IEC 7812-1, annex B), as in an IMEI.
pub(super) fn luhn(context: &mut CallContext<'_, '_>, arguments: &[u64]) -> Result {
    let mut sum = 0;
    for (place, digit) in context.octets(arguments[0]).iter().rev().enumerate() {
        let digit = u64::from(decimal(*digit)?);
        let doubled = digit * 2;
        sum += match place % 2 {
            0 => doubled / 10 + doubled % 10,
            _ => digit,
        };
    }
    Ok((10 - sum % 10) % 10)
}
