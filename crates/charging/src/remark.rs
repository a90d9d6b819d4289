//! What is stored with the entries of a charge: the service, what was used, and how far its price has come. People read it
//! who want to know what a subscriber paid for.
//!
//! The form: a version, the leg, the start, six texts behind their lengths (the client is the last), what was reported (an octet that says which
//! units, and these), what buckets paid, and an octet that says whether the plan has priced any, with the start of that
//! usage, its units, those billed, those that bundles of the plan paid, and its price. Numbers have the lowest octet first.

use rating::{Moment, Usage};

use crate::memo::TEXT_OCTETS_MAX;
use crate::progress::LegProgress;
use crate::request::{Quantity, Service};

/// The version of the form.
const VERSION: u8 = 1;

/// What a leg was charged for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChargedUsage<'m> {
    /// The leg.
    pub leg: u32,
    /// The service.
    pub service: Service<'m>,
    /// The name of the client that reported it.
    pub client: &'m str,
    /// What was used, as the client reported it.
    pub used: Quantity,
    /// How much of it buckets of its unit paid.
    pub bucket_units: u64,
    /// What the plan has priced of the whole usage so far. `None` if it has priced nothing.
    pub priced: Option<PricedUsage>,
}

/// A usage as a plan has priced it, with all its parts so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PricedUsage {
    /// When it began.
    pub start: Moment,
    /// The units used.
    pub used: u64,
    /// The units of the intervals that were begun.
    pub billed: u64,
    /// How many of these bundles of the plan paid.
    pub free: u64,
    /// The price, in billionths, with tax.
    pub total: i64,
}

impl<'m> ChargedUsage<'m> {
    /// Returns what a plan has priced of a leg.
    pub(crate) fn priced(service: &Service<'_>, progress: &LegProgress) -> Option<PricedUsage> {
        let priced = progress.priced?;
        Some(PricedUsage {
            start: progress.begin(service.start),
            used: priced.used,
            billed: priced.billed(),
            free: priced.free(),
            // Each part fits, and a balance has paid for all.
            total: i64::try_from(priced.total()).unwrap_or(i64::MAX),
        })
    }

    /// Returns the usage so far that the plan has priced, in the units that the client counts. `None` if it has priced
    /// nothing.
    pub fn priced_usage(&self) -> Option<Usage<'m>> {
        let PricedUsage { start, used, .. } = self.priced?;
        let of = |counted: Option<u64>| counted.map(|_| used);
        let Quantity { seconds, octets, events, .. } = self.used;
        let quantity =
            Quantity { seconds: of(seconds), octets: of(octets), events: of(events), money: None };
        Some(Usage { start, ..self.service.usage(quantity) })
    }

    /// Writes it at the end of `to`.
    ///
    /// # Panics
    ///
    /// A text is longer than [`TEXT_OCTETS_MAX`].
    pub(crate) fn write(&self, to: &mut Vec<u8>) {
        let ChargedUsage { leg, service, client, used, bucket_units, priced } = self;
        to.push(VERSION);
        to.extend_from_slice(&leg.to_le_bytes());
        to.extend_from_slice(&service.start.to_le_bytes());
        for text in service.texts().into_iter().chain([client.as_bytes()]) {
            debug_assert!(text.len() <= TEXT_OCTETS_MAX);
            to.push(u8::try_from(text.len()).expect("the request was checked"));
            to.extend_from_slice(text);
        }
        let units = [used.seconds, used.octets, used.events, used.money];
        let bits = units.iter().enumerate().map(|(place, of)| u8::from(of.is_some()) << place);
        to.push(bits.sum());
        units.iter().flatten().for_each(|of| to.extend_from_slice(&of.to_le_bytes()));
        to.extend_from_slice(&bucket_units.to_le_bytes());
        to.push(priced.is_some().into());
        if let Some(PricedUsage { start, used, billed, free, total }) = priced {
            to.extend_from_slice(&start.to_le_bytes());
            [used, billed, free].iter().for_each(|of| to.extend_from_slice(&of.to_le_bytes()));
            to.extend_from_slice(&total.to_le_bytes());
        }
    }

    /// Reads the stored form. `None` if it is another one.
    pub fn read(octets: &'m [u8]) -> Option<Self> {
        let (version, mut rest) = octets.split_first()?;
        if *version != VERSION {
            return None;
        }
        let leg = u32::from_le_bytes(taken(&mut rest)?);
        let start = i64::from_le_bytes(taken(&mut rest)?);
        let mut texts = [&[][..]; 6];
        for text in &mut texts {
            let [length] = taken(&mut rest)?;
            (*text, rest) = rest.split_at_checked(length.into())?;
        }
        let [texts @ .., client] = texts;
        let service = Service::of_texts(texts, start)?;
        let client = std::str::from_utf8(client).ok()?;
        let [bits] = taken(&mut rest)?;
        let mut units = [None; 4];
        for (place, unit) in units.iter_mut().enumerate() {
            if bits & 1 << place != 0 {
                *unit = Some(u64::from_le_bytes(taken(&mut rest)?));
            }
        }
        let [seconds, octets, events, money] = units;
        let used = Quantity { seconds, octets, events, money };
        let bucket_units = u64::from_le_bytes(taken(&mut rest)?);
        let [has_priced] = taken(&mut rest)?;
        let priced = match has_priced {
            0 => None,
            _ => Some(PricedUsage {
                start: i64::from_le_bytes(taken(&mut rest)?),
                used: u64::from_le_bytes(taken(&mut rest)?),
                billed: u64::from_le_bytes(taken(&mut rest)?),
                free: u64::from_le_bytes(taken(&mut rest)?),
                total: i64::from_le_bytes(taken(&mut rest)?),
            }),
        };
        rest.is_empty().then_some(ChargedUsage { leg, service, client, used, bucket_units, priced })
    }
}

fn taken<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (first, behind) = rest.split_first_chunk()?;
    *rest = behind;
    Some(*first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_charged_is_read_as_it_was_written() {
        let service = Service {
            name: "telephony",
            served: b"46701234567",
            other: b"46812345678",
            start: 1_780_333_080,
            ..Service::default()
        };
        let used = Quantity { seconds: Some(63), money: Some(7), ..Quantity::default() };
        let (start, used_units) = (1_780_333_090, 53);
        let priced = Some(PricedUsage { start, used: used_units, billed: 60, free: 10, total: -1 });
        for priced in [None, priced] {
            let client = "msc1";
            let charged = ChargedUsage { leg: 3, service, client, used, bucket_units: 10, priced };
            let mut octets = Vec::new();
            charged.write(&mut octets);
            assert_eq!(ChargedUsage::read(&octets), Some(charged));
            for end in 0..octets.len() {
                assert_eq!(ChargedUsage::read(&octets[..end]), None, "{end}");
            }
            octets.push(0);
            assert_eq!(ChargedUsage::read(&octets), None);
        }
    }
}
