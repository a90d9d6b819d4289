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

/// Reads a result from `at` up to the next `<`, or the end of the octets. Elements of a list are added to `elements`.
/// Returns also where the result ends.
#[inline]
pub(crate) fn result(octets: &[u8], at: usize, elements: &mut Vec<Value>) -> (Value, usize) {
    let (first, end) = element(octets, at);
    match (first, octets.get(end)) {
        (Some(value), None | Some(b'<')) => (value, end),
        (Some(value), Some(b',')) => list(octets, (at, end), value, elements),
        _ => text(octets, at),
    }
}

/// Reads a list whose first element ends at `end`. It is a text if an element is no number.
fn list(
    octets: &[u8],
    (start, mut end): (usize, usize),
    first: Value,
    elements: &mut Vec<Value>,
) -> (Value, usize) {
    let begin = elements.len();
    elements.push(first);
    while octets.get(end) == Some(&b',') {
        match element(octets, end + 1) {
            (Some(value), behind) => {
                elements.push(value);
                end = behind;
            }
            (None, _) => {
                elements.truncate(begin);
                return text(octets, start);
            }
        }
    }
    let count = (elements.len() - begin) as u32;
    (Value::List { first: begin as u32, count }, end)
}

/// Reads a number, or nothing, up to the next `,` or `<`. `None` if it is neither.
#[inline]
fn element(octets: &[u8], at: usize) -> (Option<Value>, usize) {
    let (mut place, mut number) = (at, 0_u64);
    while let Some(digit) = octets.get(place).map(|octet| octet.wrapping_sub(b'0'))
        && digit < 10
    {
        number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
        place += 1;
    }
    let is_end = matches!(octets.get(place), None | Some(b',' | b'<'));
    match place - at {
        1..=DIGITS_MAX if is_end => (Some(Value::Integer(number as i64)), place),
        _ => rare_element(octets, at),
    }
}

/// Reads what is not digits alone: blanks around a number, a sign, a fraction, an exponent, or words for nothing.
fn rare_element(octets: &[u8], at: usize) -> (Option<Value>, usize) {
    let end = memchr2(b',', b'<', &octets[at..]).map_or(octets.len(), |found| at + found);
    let text = Text::at(octets, at, end);
    let written = text.of(octets);
    let value = if written.is_empty()
        || ABSENT_WORDS.iter().any(|word| written.eq_ignore_ascii_case(word))
    {
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
            for end in ["", "</r>", "<"] {
                let octets = format!("x{written}{end}").into_bytes();
                let mut elements = Vec::new();
                let (value, behind) = result(&octets, 1, &mut elements);
                assert_eq!(shown(&octets, value, &elements), expected, "{written}");
                assert_eq!(behind, 1 + written.len(), "{written}");
            }
        }
    }
}
