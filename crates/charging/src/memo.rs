//! What is stored with a session: the service of each leg, and how far its rating has come.
//!
//! The form of a leg: the leg, the start, six texts behind their lengths (the client is the last), an octet that says which
//! of the parts are there that follow, and these parts.

use std::ops::Range;

use rating::Progress;

use crate::progress::LegProgress;
use crate::request::{EventKind, Service};
use crate::total::LegTotal;

/// The bits of the octet before the parts: whether the plan has priced any, whether buckets have paid seconds, whether a
/// grant is not reserved, whether anything was used, and whether it is an event.
const PRICED: u8 = 1;
const BUCKET_SECONDS: u8 = 2;
const UNRESERVED: u8 = 4;
const TOTAL: u8 = 8;
const EVENT: u8 = 16;

/// The maximum octets of a number or a name.
pub(crate) const TEXT_OCTETS_MAX: usize = u8::MAX as usize;

/// A leg as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StoredLeg<'m> {
    pub(crate) leg: u32,
    pub(crate) service: Service<'m>,
    /// The name of the client.
    pub(crate) client: &'m str,
    pub(crate) progress: LegProgress,
    /// The price of its grant, if it is not reserved; in billionths.
    pub(crate) unreserved: i64,
    /// What it is about, if it is an event.
    pub(crate) event: Option<EventKind>,
}

/// A memo that no version of this program wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("what is stored with a session is damaged")]
pub struct MemoDamaged;

/// Returns the legs of a memo.
pub(crate) fn legs(octets: &[u8]) -> impl Iterator<Item = Result<StoredLeg<'_>, MemoDamaged>> {
    placed_legs(octets).map(|leg| leg.map(|(leg, _)| leg))
}

/// Returns the legs of a memo, and where they are in it.
pub(crate) fn placed_legs(
    octets: &[u8],
) -> impl Iterator<Item = Result<(StoredLeg<'_>, Range<usize>), MemoDamaged>> {
    let mut rest = octets;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let from = octets.len() - rest.len();
        let read = StoredLeg::read(rest);
        rest = read.map_or(&[][..], |(_, behind)| behind);
        let until = octets.len() - rest.len();
        Some(read.map(|(leg, _)| (leg, from..until)).ok_or(MemoDamaged))
    })
}

/// Returns the names of the services of a session, from what is stored with it.
pub fn services(memo: &[u8]) -> impl Iterator<Item = &str> {
    legs(memo).map_while(Result::ok).map(|leg| leg.service.name)
}

impl<'m> StoredLeg<'m> {
    /// Writes the leg at the end of `to`.
    ///
    /// # Panics
    ///
    /// A text is longer than [`TEXT_OCTETS_MAX`].
    pub(crate) fn write(&self, to: &mut Vec<u8>) {
        let StoredLeg { leg, service, client, progress, unreserved, event } = self;
        to.extend_from_slice(&leg.to_le_bytes());
        to.extend_from_slice(&service.start.to_le_bytes());
        for text in service.texts().into_iter().chain([client.as_bytes()]) {
            to.push(u8::try_from(text.len()).expect("the request was checked"));
            to.extend_from_slice(text);
        }
        let LegProgress { bucket_seconds, priced, total } = progress;
        let has_total = *total != LegTotal::default();
        let bit = |is_there, bit| if is_there { bit } else { 0 };
        to.push(
            bit(priced.is_some(), PRICED)
                | bit(*bucket_seconds > 0, BUCKET_SECONDS)
                | bit(*unreserved > 0, UNRESERVED)
                | bit(has_total, TOTAL)
                | bit(event.is_some(), EVENT),
        );
        if let Some(priced) = priced {
            to.extend_from_slice(&priced.octets());
        }
        if *bucket_seconds > 0 {
            to.extend_from_slice(&bucket_seconds.to_le_bytes());
        }
        if *unreserved > 0 {
            to.extend_from_slice(&unreserved.to_le_bytes());
        }
        if has_total {
            total.write(to);
        }
        if let Some(event) = event {
            to.push(event.place());
        }
    }

    fn read(octets: &'m [u8]) -> Option<(Self, &'m [u8])> {
        let (leg, rest) = octets.split_first_chunk()?;
        let (start, mut rest) = rest.split_first_chunk()?;
        let mut texts = [&[][..]; 6];
        for text in &mut texts {
            let (length, behind) = rest.split_first()?;
            (*text, rest) = behind.split_at_checked(usize::from(*length))?;
        }
        let [texts @ .., client] = texts;
        let service = Service::of_texts(texts, i64::from_le_bytes(*start))?;
        let client = std::str::from_utf8(client).ok()?;
        let leg = u32::from_le_bytes(*leg);
        let (parts, rest) = rest.split_first()?;
        let (mut progress, rest) = read_progress(*parts, rest)?;
        let (unreserved, rest) = match parts & UNRESERVED {
            0 => (0, rest),
            _ => rest
                .split_first_chunk()
                .map(|(octets, rest)| (i64::from_le_bytes(*octets), rest))?,
        };
        let (total, rest) = match parts & TOTAL {
            0 => (LegTotal::default(), rest),
            _ => LegTotal::read(rest)?,
        };
        progress.total = total;
        let (event, rest) = match parts & EVENT {
            0 => (None, rest),
            _ => {
                let (place, rest) = rest.split_first()?;
                (Some(*EventKind::ALL.get(usize::from(*place))?), rest)
            }
        };
        Some((StoredLeg { leg, service, client, progress, unreserved, event }, rest))
    }
}

fn read_progress(parts: u8, mut rest: &[u8]) -> Option<(LegProgress, &[u8])> {
    let mut progress = LegProgress::default();
    if parts & PRICED != 0 {
        let (octets, behind) = rest.split_first_chunk()?;
        (progress.priced, rest) = (Some(Progress::read(octets).ok()?), behind);
    }
    if parts & BUCKET_SECONDS != 0 {
        let (octets, behind) = rest.split_first_chunk()?;
        (progress.bucket_seconds, rest) = (u64::from_le_bytes(*octets), behind);
    }
    Some((progress, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legs_are_read_as_they_were_written_and_damaged_ones_are_refused() {
        let service = Service {
            name: "telephony",
            served: b"0701234567",
            other: b"0721234567",
            subscriber: "plus",
            partner: "",
            start: 1_780_000_000,
        };
        let mut progress = LegProgress { bucket_seconds: 60, ..LegProgress::default() };
        progress.total.add(crate::request::Quantity::only(rating::Unit::Octets, 9), 3).unwrap();
        let event = Some(EventKind::Refund);
        let client = "msc1";
        let stored = |leg| StoredLeg { leg, service, client, progress, unreserved: 7, event };
        let legs_of = [1, 7].map(stored);
        let mut octets = Vec::new();
        legs_of.iter().for_each(|leg| leg.write(&mut octets));
        assert_eq!(legs(&octets).collect::<Result<Vec<_>, _>>().unwrap(), legs_of);
        for length in 1..octets.len() {
            let read = legs(&octets[..length]).collect::<Result<Vec<_>, _>>();
            assert!(read.is_err() || read.is_ok_and(|read| read.len() == 1), "{length}");
        }
    }
}
