//! What a leg has used and cost altogether, for the record of its session.
//!
//! The price of a usage knows less of it ([`LegProgress`](crate::progress::LegProgress)): not what buckets paid, nor what
//! the client has priced.

use crate::answer::LegRefusal;
use crate::request::Quantity;

/// The total of a leg.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LegTotal {
    /// In the units that the client reported; money has a field of its own.
    used: [Option<u64>; 3],
    /// What it paid in money, in billionths; negative if it got money back.
    pub(crate) price: i64,
}

impl LegTotal {
    /// Adds what was used and its price. A quantity without any unit is one event.
    pub(crate) fn add(&mut self, used: Quantity, price: i64) -> Result<(), LegRefusal> {
        let Quantity { seconds, octets, events, money } = used;
        let is_one_event = (seconds, octets, events, money) == (None, None, None, None);
        let events = if is_one_event { Some(1) } else { events };
        for (sum, more) in self.used.iter_mut().zip([seconds, octets, events]) {
            if let Some(more) = more {
                let added = sum.unwrap_or(0).checked_add(more);
                *sum = Some(added.ok_or(LegRefusal::AmountTooLarge)?);
            }
        }
        self.price = self.price.checked_add(price).ok_or(LegRefusal::AmountTooLarge)?;
        Ok(())
    }

    /// Returns what was used.
    pub(crate) fn used(&self) -> Quantity {
        let [seconds, octets, events] = self.used;
        Quantity { seconds, octets, events, money: None }
    }

    /// Writes the stored form: an octet that says which units there are, these, and the price.
    pub(crate) fn write(&self, to: &mut Vec<u8>) {
        let bits = self.used.iter().enumerate();
        to.push(bits.map(|(place, of)| u8::from(of.is_some()) << place).sum());
        self.used.iter().flatten().for_each(|of| to.extend_from_slice(&of.to_le_bytes()));
        to.extend_from_slice(&self.price.to_le_bytes());
    }

    /// Reads the stored form, and returns what is behind it.
    pub(crate) fn read(octets: &[u8]) -> Option<(Self, &[u8])> {
        let (bits, mut rest) = octets.split_first()?;
        let mut total = LegTotal::default();
        for (place, of) in total.used.iter_mut().enumerate() {
            if bits & 1 << place != 0 {
                let (number, behind) = rest.split_first_chunk()?;
                (*of, rest) = (Some(u64::from_le_bytes(*number)), behind);
            }
        }
        let (price, rest) = rest.split_first_chunk()?;
        total.price = i64::from_le_bytes(*price);
        Some((total, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_exact_or_refused() {
        let mut total = LegTotal::default();
        let used = Quantity { seconds: Some(7), octets: Some(0), ..Quantity::default() };
        total.add(used, 5).unwrap();
        total.add(used, 6).unwrap();
        total.add(Quantity::default(), -1).unwrap();
        let sum = Quantity { seconds: Some(14), events: Some(1), ..used };
        assert_eq!((total.used(), total.price), (sum, 10));
        let too_much = Quantity { seconds: Some(u64::MAX), ..Quantity::default() };
        assert_eq!(total.clone().add(too_much, 0), Err(LegRefusal::AmountTooLarge));
        assert_eq!(total.clone().add(used, i64::MAX), Err(LegRefusal::AmountTooLarge));
        let mut octets = Vec::new();
        total.write(&mut octets);
        assert_eq!(LegTotal::read(&octets), Some((total, &[][..])));
        for length in 0..octets.len() {
            assert_eq!(LegTotal::read(&octets[..length]), None);
        }
    }
}
