//! Converts integers of any size between decimal digits and octets. 64-bit unsigned counters and longer serial numbers
//! must survive a round trip through every text format.

use record::{Arena, Slot};

/// Maximum octets of an integer that is converted to or from decimal; the time grows with the square of the size.
/// Cryptographic keys in certificates have a few hundred octets.
pub(crate) const NUMBER_OCTETS_MAX: usize = 4096;

/// Maximum digits of such a number: 8 * log10(2) per octet, rounded up.
const DIGITS_MAX: usize = NUMBER_OCTETS_MAX * 2409 / 1000 + 1;

/// Decimal digits converted per step; 18 digits fit into 60 bits.
const DIGITS_AT_ONCE: usize = 18;

/// An integer as slots store it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Integer {
    /// A signed 64-bit integer.
    Number(i64),
    /// Any other integer, in the shortest two's complement form (X.690, 8.3.2).
    Octets(Vec<u8>),
}

impl Integer {
    /// The "expected" part of messages about text that is not an integer.
    pub const EXPECTED: &str = "a whole number";

    /// Parses decimal digits with an optional sign.
    ///
    /// ```
    /// # use asn1::Integer;
    /// assert_eq!(Integer::parse("-1"), Some(Integer::Number(-1)));
    /// let unsigned_max = Integer::parse("18446744073709551615").unwrap();
    /// assert_eq!(unsigned_max, Integer::Octets(vec![0, 255, 255, 255, 255, 255, 255, 255, 255]));
    /// assert_eq!(Integer::parse("60.0"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        if let Ok(number) = text.parse() {
            return Some(Integer::Number(number));
        }
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let is_read = !digits.is_empty()
            && digits.len() <= DIGITS_MAX
            && digits.bytes().all(|digit| digit.is_ascii_digit());
        is_read.then(|| large(digits.as_bytes(), text.starts_with('-')))
    }

    /// Returns the slot for this integer, ready to be stored.
    pub fn slot(&self, arena: &mut Arena) -> Slot {
        match self {
            Integer::Number(number) => Slot::number(*number),
            Integer::Octets(octets) => Slot::owned(arena.store(octets), octets.len() as u32),
        }
    }
}

/// Parses a number that may exceed 64 bits.
#[cold]
fn large(digits: &[u8], is_negative: bool) -> Integer {
    // Little-endian until the end of this function.
    let mut octets: Vec<u8> = Vec::new();
    for group in digits.chunks(DIGITS_AT_ONCE) {
        let base = 10_u64.pow(group.len() as u32);
        let mut carried = group.iter().fold(0_u64, |sum, digit| sum * 10 + u64::from(digit - b'0'));
        for octet in &mut octets {
            let product = u128::from(*octet) * u128::from(base) + u128::from(carried);
            *octet = product as u8;
            carried = (product >> 8) as u64;
        }
        while carried > 0 {
            octets.push(carried as u8);
            carried >>= 8;
        }
    }
    // Leave room for the sign bit, then shorten to the minimal form.
    octets.push(0);
    if is_negative {
        negate(&mut octets);
    }
    let sign = if is_negative { 0xFF } else { 0 };
    while let [.., below, last] = octets.as_slice()
        && *last == sign
        && (below ^ sign) & 0x80 == 0
    {
        octets.pop();
    }
    octets.reverse();
    match record::integer_from_octets(&octets) {
        Ok(number) => Integer::Number(number), // Leading zeros.
        Err(_) => Integer::Octets(octets),
    }
}

/// Negates a little-endian number in two's complement.
fn negate(octets: &mut [u8]) {
    let mut carried = true;
    for octet in octets {
        (*octet, carried) = (!*octet).overflowing_add(u8::from(carried));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, octets: &[u8]) {
        let expected = match record::integer_from_octets(octets) {
            Ok(number) => Integer::Number(number),
            Err(_) => Integer::Octets(octets.to_vec()),
        };
        assert_eq!(Integer::parse(text), Some(expected), "{text}");
    }

    #[test]
    fn numbers_at_the_bounds_of_octets_have_no_octet_too_many() {
        check("0", &[0]);
        check("-0", &[0]);
        check("0000000000000000000000000000000000000000005", &[5]);
        check("9223372036854775807", &[0x7F, 255, 255, 255, 255, 255, 255, 255]);
        check("9223372036854775808", &[0, 0x80, 0, 0, 0, 0, 0, 0, 0]);
        check("-9223372036854775808", &[0x80, 0, 0, 0, 0, 0, 0, 0]);
        check("-9223372036854775809", &[0xFF, 0x7F, 255, 255, 255, 255, 255, 255, 255]);
        check("-18446744073709551616", &[0xFF, 0, 0, 0, 0, 0, 0, 0, 0]);
        check("+1208925819614629174706176", &[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn what_is_no_whole_number_is_none() {
        let long = "9".repeat(DIGITS_MAX + 1);
        for text in ["", "-", "+", "--5", "60.0", "1,000", " 60", "1e3", "0x10", "٣", &long] {
            assert_eq!(Integer::parse(text), None, "{text}");
        }
        assert!(Integer::parse(&long[1..]).is_some());
    }
}
