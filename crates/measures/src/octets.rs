//! Numbers as octets: seven bits an octet, the low ones first, so that small numbers are short.

/// Octets that are read. They were written by this crate; what is damaged reads as numbers that are wrong, and never beyond the end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'o>(pub(crate) &'o [u8]);

impl<'o> Reader<'o> {
    pub(crate) fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn number(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        while let Some((octet, rest)) = self.0.split_first() {
            self.0 = rest;
            number |= u64::from(octet & 0x7f).checked_shl(shift).unwrap_or_default();
            shift += 7;
            if octet & 0x80 == 0 {
                break;
            }
        }
        number
    }

    /// Reads a time of four octets.
    pub(crate) fn time(&mut self) -> u32 {
        let octets = self.take(4);
        octets.first_chunk().map_or(0, |octets| u32::from_le_bytes(*octets))
    }

    pub(crate) fn take(&mut self, count: usize) -> &'o [u8] {
        let (taken, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        taken
    }
}

/// Appends a number.
pub fn write_number(to: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_small_ones_are_short() {
        for (number, length) in
            [(0, 1), (127, 1), (128, 2), (u64::from(u32::MAX), 5), (u64::MAX, 10)]
        {
            let mut octets = Vec::new();
            write_number(&mut octets, number);
            assert_eq!(octets.len(), length);
            let mut reader = Reader(&octets);
            assert_eq!(reader.number(), number);
            assert!(reader.is_empty());
        }
    }

    #[test]
    fn what_is_damaged_ends() {
        assert_eq!(Reader(&[]).number(), 0);
        assert_eq!(Reader(&[0x80; 3]).number(), 0);
        Reader(&[0xff; 40]).number();
        assert_eq!(Reader(&[1, 2]).take(9), [1, 2]);
    }
}
