//! Identifiers of two and three octets (X.690, 8.1.2.4). Where the next component is predictable they are compared, not
//! parsed. TAP and other formats of many small structures have hardly any others.

/// The identifier octets of a tag as part of a word, the first octet lowest, and the mask of these octets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LongIdentifier {
    octets: u32,
    mask: u32,
    /// The octets of the identifier and a length of one octet.
    pub(crate) header: u8,
}

impl LongIdentifier {
    /// An identifier that matches no word.
    pub(crate) const NONE: LongIdentifier = LongIdentifier { octets: 1, mask: 0, header: 1 };

    /// Creates the identifier of a tag's key; [`NONE`](Self::NONE) if the tag takes one octet or more than three.
    pub(crate) fn new(key: u32, leaf: bool) -> Self {
        let number = key & 0x3FFF_FFFF;
        let first = key >> 30 << 6 | u32::from(!leaf) << 5 | 0x1F;
        match number {
            31..0x80 => LongIdentifier { octets: first | number << 8, mask: 0xFFFF, header: 3 },
            0x80..0x4000 => LongIdentifier {
                octets: first | (number >> 7 | 0x80) << 8 | (number & 0x7F) << 16,
                mask: 0xFF_FFFF,
                header: 4,
            },
            _ => LongIdentifier::NONE,
        }
    }

    /// Returns whether a word begins with it.
    #[inline(always)]
    pub(crate) fn begins(&self, word: u32) -> bool {
        word & self.mask == self.octets
    }

    /// Returns the length after it in a word that begins with it; more than 127 if the length is not of one octet.
    #[inline(always)]
    pub(crate) fn length(&self, word: u32) -> u8 {
        (word >> (8 * (self.header - 1))) as u8
    }
}

/// Returns the four octets at `at` as a word, the first lowest. Missing octets are 0.
#[inline(always)]
pub(crate) fn word(octets: &[u8], at: usize) -> u32 {
    match octets.get(at..at + 4) {
        Some(&[first, second, third, fourth]) => u32::from_le_bytes([first, second, third, fourth]),
        _ => last_word(octets, at),
    }
}

#[cold]
fn last_word(octets: &[u8], at: usize) -> u32 {
    let octets = octets.get(at..).unwrap_or_default();
    octets.iter().rev().fold(0, |word, octet| word << 8 | u32::from(*octet))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ber::key;
    use crate::encoding::Class;

    #[test]
    fn an_identifier_is_compared_as_it_lies() {
        let of = |number, leaf| LongIdentifier::new(key(Class::Application, number), leaf);
        let three = word(&[0, 0x5F, 0x81, 0x68, 1, 7], 1);
        assert!(of(232, true).begins(three) && of(232, true).length(three) == 1);
        assert!(!of(232, false).begins(three) && !of(233, true).begins(three));
        let two = word(&[0x7F, 0x2C, 2], 0);
        assert!(of(44, false).begins(two) && of(44, false).length(two) == 2);
        for number in [30, 0x4000] {
            assert!(!of(number, true).begins(0x5F) && !of(number, true).begins(0));
        }
        assert_eq!([word(&[1, 2, 3], 1), word(&[1], 1), word(&[1], 2)], [0x0302, 0, 0]);
    }
}
