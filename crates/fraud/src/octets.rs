//! Numbers and texts as octets, read strictly: what is stored comes from outside.

pub(crate) use measures::octets::write_number;

/// The octets end before their time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("they end within a number or a text")]
pub(crate) struct Cut;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'o>(pub(crate) &'o [u8]);

impl<'o> Reader<'o> {
    pub(crate) fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    #[inline]
    pub(crate) fn number(&mut self) -> Result<u64, Cut> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let (octet, rest) = self.0.split_first().ok_or(Cut)?;
            self.0 = rest;
            number |= u64::from(octet & 0x7f).checked_shl(shift).ok_or(Cut)?;
            shift += 7;
            if octet & 0x80 == 0 {
                return Ok(number);
            }
        }
    }

    /// Reads a number that may be negative: small ones of both signs are short.
    #[inline]
    pub(crate) fn signed(&mut self) -> Result<i64, Cut> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    #[inline]
    pub(crate) fn take(&mut self, count: usize) -> Result<&'o [u8], Cut> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Cut)?;
        self.0 = rest;
        Ok(taken)
    }

    /// Reads octets with their length before them.
    #[inline]
    pub(crate) fn sized(&mut self) -> Result<&'o [u8], Cut> {
        let length = self.number()?;
        self.take(usize::try_from(length).map_err(|_| Cut)?)
    }

    /// Returns what is not read yet.
    pub(crate) fn rest(self) -> &'o [u8] {
        self.0
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Cut> {
        self.take(N).map(|octets| std::array::from_fn(|place| octets[place]))
    }
}

#[inline]
pub(crate) fn write_signed(to: &mut Vec<u8>, number: i64) {
    write_number(to, (number << 1 ^ number >> 63) as u64);
}

pub(crate) fn write_sized(to: &mut Vec<u8>, octets: &[u8]) {
    write_number(to, octets.len() as u64);
    to.extend_from_slice(octets);
}

/// Returns whether the bit at a place is set.
#[inline]
pub(crate) fn has_bit(octets: &[u8], place: usize) -> bool {
    octets.get(place / 8).is_some_and(|octet| octet >> (place % 8) & 1 != 0)
}

/// Returns the places of the bits that are set, in their order.
#[inline]
pub(crate) fn bits_of(octets: &[u8]) -> impl Iterator<Item = usize> {
    octets.iter().enumerate().flat_map(|(at, octet)| {
        let mut left = *octet;
        std::iter::from_fn(move || {
            let place = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            (place < 8).then_some(8 * at + place)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_small_ones_are_short() {
        for (number, length) in [(0, 1), (-1, 1), (63, 1), (-65, 2), (i64::MAX, 10), (i64::MIN, 10)]
        {
            let mut octets = Vec::new();
            write_signed(&mut octets, number);
            assert_eq!(octets.len(), length, "{number}");
            assert_eq!(Reader(&octets).signed(), Ok(number));
        }
    }

    #[test]
    fn what_is_cut_is_no_number_and_no_text() {
        assert_eq!(Reader(&[]).number(), Err(Cut));
        assert_eq!(Reader(&[0x80; 3]).number(), Err(Cut));
        assert_eq!(Reader(&[0xff; 40]).number(), Err(Cut));
        assert_eq!(Reader(&[3, 1]).sized(), Err(Cut));
        assert_eq!(Reader(&[0xff, 0xff, 0xff, 0xff, 0x7f, 1]).sized(), Err(Cut));
    }
}
