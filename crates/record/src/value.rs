//! Values as octets: the integer form that all numbers share, and the faults of values.

use reason::Coded;

/// The reason why a value could not be read as one of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("value")]
pub enum ValueFault {
    /// The field is absent.
    #[error("the field is absent")]
    Absent,
    /// The number has no octets.
    #[error("the number has no octets")]
    EmptyNumber,
    /// The number is outside of -2^63 .. 2^63-1.
    #[error("the number does not fit into 64 bits")]
    NumberTooLarge,
    /// It is neither a number nor octets, but a structure or a list.
    #[error("the field is a structure, not a value")]
    NotAValue,
    /// A script nested values too deeply.
    #[error("values lie more than {} deep within each other", crate::DEPTH_MAX)]
    TooDeep,
}

/// Reads two's complement big-endian octets of any length (X.690, 8.3). Padding beyond the shortest form is accepted,
/// since network elements send it.
#[inline]
pub fn integer_from_octets(octets: &[u8]) -> Result<i64, ValueFault> {
    if let [first, rest @ ..] = octets
        && rest.len() < 8
    {
        let start = i64::from(*first as i8);
        return Ok(rest.iter().fold(start, |value, octet| value << 8 | i64::from(*octet)));
    }
    long_integer(octets)
}

#[cold]
fn long_integer(octets: &[u8]) -> Result<i64, ValueFault> {
    let Some(first) = octets.first() else { return Err(ValueFault::EmptyNumber) };
    let sign = if first & 0x80 == 0 { 0x00 } else { 0xFF };
    let (padding, value) = octets.split_at(octets.len() - 8);
    let fits = padding.iter().all(|octet| *octet == sign) && (value[0] ^ sign) & 0x80 == 0;
    if !fits {
        return Err(ValueFault::NumberTooLarge);
    }
    Ok(i64::from_be_bytes(value.try_into().expect("split at the last eight")))
}

/// The shortest two's complement octets of a number.
#[derive(Clone, Copy, Debug)]
pub struct IntegerOctets {
    octets: [u8; 8],
    first: u8,
}

impl IntegerOctets {
    /// Returns one to eight octets, big-endian.
    pub fn as_slice(&self) -> &[u8] {
        &self.octets[usize::from(self.first)..]
    }

    /// Returns the octets, followed by zeros.
    #[inline]
    pub fn padded(&self) -> [u8; 16] {
        let octets = u128::from(u64::from_be_bytes(self.octets));
        (octets << (64 + 8 * u32::from(self.first))).to_be_bytes()
    }
}

/// Returns the shortest two's complement form of a number (X.690, 8.3.2).
#[inline]
pub fn integer_octets(value: i64) -> IntegerOctets {
    let magnitude = if value < 0 { !value } else { value };
    let bits = 65 - magnitude.leading_zeros(); // one more for the sign
    let length = bits.div_ceil(8).max(1);
    IntegerOctets { octets: value.to_be_bytes(), first: (8 - length.min(8)) as u8 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_written_in_its_shortest_form_and_read_back() {
        for (value, octets) in [
            (0, &[0][..]),
            (127, &[0x7F]),
            (128, &[0, 0x80]),
            (-128, &[0x80]),
            (-129, &[0xFF, 0x7F]),
            (i64::MAX, &[0x7F, 255, 255, 255, 255, 255, 255, 255]),
            (i64::MIN, &[0x80, 0, 0, 0, 0, 0, 0, 0]),
        ] {
            assert_eq!(integer_octets(value).as_slice(), octets);
            assert_eq!(integer_from_octets(octets), Ok(value));
        }
    }

    #[test]
    fn padding_is_accepted_and_a_number_beyond_64_bits_refused() {
        assert_eq!(integer_from_octets(&[0; 12]), Ok(0));
        assert_eq!(integer_from_octets(&[255; 12]), Ok(-1));
        let unsigned_max = [0, 255, 255, 255, 255, 255, 255, 255, 255];
        assert_eq!(integer_from_octets(&unsigned_max), Err(ValueFault::NumberTooLarge));
        assert_eq!(integer_from_octets(&[]), Err(ValueFault::EmptyNumber));
    }
}
