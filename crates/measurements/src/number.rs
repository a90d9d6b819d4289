//! Results of counters: whole numbers, decimals, texts, lists of numbers, and what was not measured.
//!
//! Four fifths of the numbers of a base station are elements of lists, and nearly all are whole, so the loop over digits is
//! what decides the speed.

use memchr::{memchr, memchr2};

use crate::markup::{behind_blanks, is_blank};
use crate::row::Value;
use crate::text::Text;

/// Maximum digits of a whole number that cannot exceed 64 bits, whatever they are.
const DIGITS_MAX: usize = 18;

/// Words for what was not measured: `NIL` of 3GPP TS 32.435, and what floating point writes.
const ABSENT_WORDS: [&[u8]; 2] = [b"NIL", b"NaN"];

/// Reads a whole number of at most [`DIGITS_MAX`] digits and no sign. Returns also where it ends. It ends where it begins if
/// something else is there.
///
/// Eight octets are read at once, since the number of digits varies, and a loop over them would be predicted wrongly for
/// nearly each number.
#[inline(always)]
pub(crate) fn digits(octets: &[u8], at: usize) -> (i64, usize) {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let Some(eight) = octets.get(at..).and_then(|rest| rest.first_chunk::<8>()) else {
        return digits_one_by_one(octets, at);
    };
    // Digits become 0 to 9, and all else more. A carry goes to octets behind the first that is no digit.
    let eight = u64::from_le_bytes(*eight) ^ (EACH * u64::from(b'0'));
    let others = (eight.wrapping_add(EACH * (0x80 - 10)) | eight) & (EACH * 0x80);
    if others == 0 {
        return digits_one_by_one(octets, at);
    }
    let count = others.trailing_zeros() / 8;
    // Zeros stand before the digits, then neighbours are joined: to pairs, to fours, to all.
    let eight = (eight << 8) << (56 - 8 * count);
    let pairs = eight.wrapping_mul(10).wrapping_add(eight >> 8) & 0x00FF_00FF_00FF_00FF;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0xFFFF_0000_FFFF;
    let number = fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xFFFF_FFFF;
    (number as i64, at + count as usize)
}

#[cold]
fn digits_one_by_one(octets: &[u8], at: usize) -> (i64, usize) {
    let (mut place, mut number) = (at, 0_u64);
    while let Some(digit) = octets.get(place).map(|octet| octet.wrapping_sub(b'0'))
        && digit < 10
    {
        number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
        place += 1;
    }
    match place - at <= DIGITS_MAX {
        true => (number as i64, place),
        false => (0, at),
    }
}

/// Reads four numbers of one digit, each with a `,` behind it: most elements of lists are zero.
#[inline]
fn four_digits(octets: &[u8], at: usize) -> Option<[i64; 4]> {
    let eight = u64::from_le_bytes(*octets.get(at..)?.first_chunk()?) ^ 0x2C30_2C30_2C30_2C30;
    let is_four = (eight | eight.wrapping_add(0x0006_0006_0006_0006)) & 0xFFF0_FFF0_FFF0_FFF0 == 0;
    is_four.then(|| [0, 16, 32, 48].map(|place| (eight >> place & 0xF) as i64))
}

/// Reads a result from `at` up to the next `<`, or the end of the octets. Elements of a list are added to `elements`.
/// Returns also where the result ends.
pub(crate) fn result(octets: &[u8], at: usize, elements: &mut Vec<Value>) -> (Value, usize) {
    let (number, end) = digits(octets, at);
    match octets.get(end) {
        None | Some(b'<') if end > at => (Value::Integer(number), end),
        _ => list(octets, at, elements),
    }
}

/// Reads a list. It is a value of its own if there is only one, and a text if an element is no number.
fn list(octets: &[u8], start: usize, elements: &mut Vec<Value>) -> (Value, usize) {
    let (begin, mut at) = (elements.len(), start);
    loop {
        while let Some(four) = four_digits(octets, at) {
            elements.extend(four.map(Value::Integer));
            at += 8;
        }
        let (number, end) = digits(octets, at);
        let mut behind = end;
        match octets.get(end) {
            None | Some(b',' | b'<') if end > at => elements.push(Value::Integer(number)),
            _ => match other(octets, at) {
                (Some(value), end) => {
                    elements.push(value);
                    behind = end;
                }
                (None, _) => {
                    elements.truncate(begin);
                    return text(octets, start);
                }
            },
        }
        if octets.get(behind) == Some(&b',') {
            at = behind + 1;
            continue;
        }
        return match (elements.len() - begin, elements.last().copied()) {
            (1, Some(value)) => {
                elements.truncate(begin);
                (value, behind)
            }
            (count, _) => (Value::List { first: begin as u32, count: count as u32 }, behind),
        };
    }
}

/// Reads what is not digits alone up to the next `,` or `<`: blanks around a number, a sign, a fraction, an exponent, or words
/// for nothing. Returns `None` if it is none of these.
fn other(octets: &[u8], at: usize) -> (Option<Value>, usize) {
    let blank_to = behind_blanks(octets, at);
    if matches!(octets.get(blank_to), None | Some(b',' | b'<')) {
        return (Some(Value::Absent), blank_to);
    }
    let end = memchr2(b',', b'<', &octets[at..]).map_or(octets.len(), |found| at + found);
    let text = Text::at(octets, at, end);
    let written = text.of(octets);
    let value = if ABSENT_WORDS.iter().any(|word| written.eq_ignore_ascii_case(word)) {
        Some(Value::Absent)
    } else if let Some(number) = whole(written) {
        Some(Value::Integer(number))
    } else if is_decimal(written) {
        Some(Value::Decimal(text))
    } else {
        None
    };
    (value, end)
}

/// Returns a whole number of 64 bits.
fn whole(written: &[u8]) -> Option<i64> {
    std::str::from_utf8(written).ok()?.parse().ok()
}

/// Returns whether a text is a number: a sign, digits with perhaps a decimal point among them, an exponent.
fn is_decimal(written: &[u8]) -> bool {
    let unsigned = |text: &[u8]| usize::from(matches!(text.first(), Some(b'+' | b'-')));
    let mantissa = &written[unsigned(written)..];
    let (mantissa, exponent) = match memchr2(b'e', b'E', mantissa) {
        None => (mantissa, None),
        Some(at) => (&mantissa[..at], Some(&mantissa[at + 1..])),
    };
    let (whole, fraction) = match memchr(b'.', mantissa) {
        None => (mantissa, &b""[..]),
        Some(at) => (&mantissa[..at], &mantissa[at + 1..]),
    };
    let is_digits = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
    let has_exponent = |exponent: &[u8]| {
        let digits = &exponent[unsigned(exponent)..];
        !digits.is_empty() && is_digits(digits)
    };
    whole.len() + fraction.len() > 0
        && is_digits(whole)
        && is_digits(fraction)
        && exponent.is_none_or(has_exponent)
}

/// Reads a text up to the next `<`.
#[cold]
fn text(octets: &[u8], at: usize) -> (Value, usize) {
    let end = memchr(b'<', &octets[at..]).map_or(octets.len(), |found| at + found);
    (Value::Text(Text::at(octets, at, end)), end)
}

/// Returns the next result of a list that is separated by blanks, `at` or later in the octets.
pub(crate) fn next_word(octets: &[u8], at: usize) -> Option<(usize, usize)> {
    let start = behind_blanks(octets, at);
    let length = octets[start..].iter().take_while(|octet| !is_blank(**octet)).count();
    (length > 0).then_some((start, start + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(octets: &[u8], value: Value, elements: &[Value]) -> String {
        let text = |text: Text| String::from_utf8_lossy(text.of(octets)).into_owned();
        match value {
            Value::Absent => "-".into(),
            Value::Integer(number) => number.to_string(),
            Value::Decimal(place) => format!("d{}", text(place)),
            Value::Text(place) => format!("t{}", text(place)),
            Value::List { first, count } => {
                let all = &elements[first as usize..][..count as usize];
                let all: Vec<_> = all.iter().map(|value| shown(octets, *value, &[])).collect();
                format!("[{}]", all.join(" "))
            }
        }
    }

    #[test]
    fn results_are_numbers_lists_texts_or_absent() {
        for (written, expected) in [
            ("0", "0"),
            ("345", "345"),
            (" 345\n", "345"),
            ("007", "7"),
            ("-5", "-5"),
            ("+5", "5"),
            ("1234567", "1234567"),
            ("12345678", "12345678"),
            ("1234567890123456789", "1234567890123456789"),
            ("1/2", "t1/2"),
            ("1:2", "t1:2"),
            ("1\u{b2}", "t1\u{b2}"),
            ("12345678,1,1234567,", "[12345678 1 1234567 -]"),
            ("1,2,3,4,5,6,7,8,9", "[1 2 3 4 5 6 7 8 9]"),
            ("0,0,0,0,", "[0 0 0 0 -]"),
            ("1,2,3,:,5", "t1,2,3,:,5"),
            ("1,2,3,4-5", "t1,2,3,4-5"),
            ("999999999999999999", "999999999999999999"),
            ("9223372036854775807", "9223372036854775807"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("9223372036854775808", "d9223372036854775808"),
            ("18446744073709551615", "d18446744073709551615"),
            ("0.000000", "d0.000000"),
            (".5", "d.5"),
            ("5.", "d5."),
            ("-1.5e-3", "d-1.5e-3"),
            ("1e5", "d1e5"),
            ("", "-"),
            (" ", "-"),
            ("NIL", "-"),
            ("nil", "-"),
            ("NaN", "-"),
            ("...", "t..."),
            (".", "t."),
            ("1e", "t1e"),
            ("1.2.3", "t1.2.3"),
            ("12 34", "t12 34"),
            ("on", "ton"),
            ("a,b", "ta,b"),
            ("1,b", "t1,b"),
            ("1,0,3", "[1 0 3]"),
            ("1, ,3,", "[1 - 3 -]"),
            (" , , ", "[- - -]"),
            (",", "[- -]"),
            ("1,NIL,-2,0.5", "[1 - -2 d0.5]"),
        ] {
            for end in ["", "</r>", "<", "</r><r p=\"99\">"] {
                let octets = format!("x{written}{end}").into_bytes();
                let mut elements = Vec::new();
                let (value, behind) = result(&octets, 1, &mut elements);
                assert_eq!(shown(&octets, value, &elements), expected, "{written}");
                assert_eq!(behind, 1 + written.len(), "{written}");
            }
        }
    }
}
